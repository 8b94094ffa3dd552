"""One row's explanation as a waterfall: from the intercept, term by term, to the decision value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.messages import shown_label
from .figure import AGAINST, FOR, NEUTRAL, new_figure
from .scales import clean, cut

if TYPE_CHECKING:
    from ..estimators.explanation import Explanation

__all__ = ["plot_explanation"]

MOST_BARS = 14


def plot_explanation(explanation: Explanation) -> Any:
    """Draw an explanation of one row; the largest contributions stand at the top."""
    parts = explanation.row()
    names = [f"{cut(p.term, 30)} = {cut(p.value, 22)}" for p in parts[:MOST_BARS]]
    sizes = [p.contribution for p in parts[:MOST_BARS]]
    rest = parts[MOST_BARS:]
    if rest:
        names.append(f"{len(rest)} more terms")
        sizes.append(sum(p.contribution for p in rest))
    start, end = float(explanation.intercepts[0]), float(explanation.decisions[0])
    # From the bottom up: the intercept, then small ones first, so that the largest lead to the end.
    names, sizes = ["intercept", *names[::-1]], [start, *sizes[::-1]]
    ends = np.cumsum(sizes)
    begins = np.concatenate([[0.0], ends[:-1]])
    colours = [NEUTRAL, *(FOR if size >= 0 else AGAINST for size in sizes[1:])]
    places = np.arange(len(sizes))
    figure = new_figure(7.6, 1.5 + 0.32 * (len(sizes) + 1))
    axes = figure.subplots()
    axes.barh(places, sizes, 0.72, left=begins, color=colours)
    axes.barh(len(sizes), end, 0.72, color="#333333")
    axes.vlines(ends, places - 0.36, places + 1.36, color=NEUTRAL, lw=0.8)
    for place, (low, high, size) in enumerate(zip(begins, ends, sizes, strict=True)):
        _write_size(axes, place, max(low, high), size)
    _write_size(axes, len(sizes), max(end, 0.0), end)
    axes.set_yticks([*places, len(sizes)], [*names, "decision value"], parse_math=False)
    axes.axvline(0.0, color=NEUTRAL, lw=0.8, ls=":")
    label = cut(shown_label(explanation.classes[0]), 30).replace("$", r"\$")
    figure.supxlabel(
        f"decision value: blue speaks for {label}, orange against it", fontsize="medium"
    )
    axes.use_sticky_edges = False  # else the longest bar would touch the frame
    axes.margins(x=0.12)
    axes.set_ylim(-0.6, len(sizes) + 0.6)
    clean(axes, "x")
    figure.suptitle(cut(explanation.summary(), 90), parse_math=False)
    largest = "; ".join(f"{p.term} = {p.value}: {p.contribution:+.3g}" for p in parts[:MOST_BARS])
    figure.set_label(f"{explanation.summary()}. Intercept {start:+.3g}; {largest}")
    return figure


def _write_size(axes: Any, place: int, right: float, size: float) -> None:
    axes.annotate(
        f"{size:+.3f}", (right, place), (4, 0), textcoords="offset points",
        va="center", fontsize="small",
    )  # fmt: skip
