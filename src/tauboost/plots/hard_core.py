"""A picture of a verdict: the margins of the rows that are separated, the weights of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.messages import shown_label
from .figure import AGAINST, FOR, NEUTRAL, new_figure

if TYPE_CHECKING:
    from ..proofs import HardCore

__all__ = ["plot_hard_core"]

N_BARS = 40
MOST_NAMED = 5  # rows whose numbers are written down
LIGHTEST = 1e-6  # beside the heaviest row: lighter ones would take most of the panel


def plot_hard_core(found: HardCore, count_from: int = 0) -> Any:
    """Draw both panels, or the one that has rows; the first row has the number ``count_from``."""
    has_core, has_others = found.core.any(), found.separated.any()
    n_panels = max(int(has_core) + int(has_others), 1)
    figure = new_figure(5.5 * n_panels, 4.4)
    panels = list(figure.subplots(1, n_panels, squeeze=False)[0])
    for axes in panels:
        axes.grid(color="#e5e5e5")
        axes.set_axisbelow(True)
    if has_others:
        _draw_margins(panels[0], found)
    if has_core:
        _draw_weights(panels[-1], found, count_from)
    return figure


def _sides(found: HardCore, rows: Any) -> list[tuple[Any, str, str]]:
    """Return the rows of each label that has any, their colour and what the legend says of them."""
    labels = [
        f"{x:g}" if isinstance(x, float) else shown_label(x) for x in found.problem.classes.tolist()
    ]
    sides = ((0, AGAINST), (1, FOR))
    all_sides = [(rows & (found.positive == bool(k)), c, f"label {labels[k]}") for k, c in sides]
    return [side for side in all_sides if side[0].any()]


def _draw_margins(axes: Any, found: HardCore) -> None:
    """Draw how far from 0 the separated rows are."""
    margins = found.margins()
    edges = np.linspace(0.0, float(margins[found.separated].max()), N_BARS + 1)
    for rows, colour, label in _sides(found, found.separated):
        style = {"histtype": "stepfilled", "alpha": 0.55, "color": colour}
        axes.hist(margins[rows], bins=edges, label=label, **style)
    axes.axvline(0.0, color=NEUTRAL, linewidth=1.0)
    axes.set_yscale("log")
    axes.set_ylim(bottom=0.7)
    axes.set(
        title=f"{np.count_nonzero(found.separated):,} rows can be separated",
        xlabel="margin of a row under lam",
        ylabel="rows",
    )
    axes.legend(frameon=False)


def _draw_weights(axes: Any, found: HardCore, count_from: int) -> None:
    """Draw the weights of the hard core, each label on its own, the heaviest first."""
    weights = found.w * np.count_nonzero(found.core)
    is_copy = np.zeros(len(weights), dtype=bool)
    is_copy[[number for group in found.duplicates for number in group]] = True
    for rows, colour, label in _sides(found, found.core):
        order = np.flatnonzero(rows)
        order = order[np.argsort(-weights[order], kind="stable")]
        rank, copies = np.arange(1, len(order) + 1), is_copy[order]
        axes.plot(rank, weights[order], ".-", color=colour, markersize=4, label=label)
        if copies.any():
            style = {"markersize": 6, "fillstyle": "none", "linewidth": 0}
            name = f"{label}, contrary copies"
            axes.plot(rank[copies], weights[order][copies], "o", color=colour, label=name, **style)
    heaviest = np.argsort(-weights, kind="stable")[: min(MOST_NAMED, np.count_nonzero(found.core))]
    names = ", ".join(str(number + count_from) for number in heaviest.tolist())
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(bottom=max(LIGHTEST * weights.max(), 0.5 * weights[found.core].min()))
    axes.set(
        title=f"{np.count_nonzero(found.core):,} rows contradict each other",
        xlabel=f"rows of a label, the heaviest first\nheaviest of all: rows {names}",
        ylabel="weight w, beside the average",
    )
    axes.legend(frameon=False, loc="lower left")
