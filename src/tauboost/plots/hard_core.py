"""A picture of a verdict: the margins of the rows that are separated, the weights of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .figure import AGAINST, FOR, NEUTRAL, new_figure

if TYPE_CHECKING:
    from ..proofs import HardCore

__all__ = ["plot_hard_core"]

MOST_BARS = 40
MOST_NAMED = 5  # rows whose numbers are written beside them


def plot_hard_core(found: HardCore) -> Any:
    """Draw both panels, or the one that has rows."""
    parts = [
        draw for rows, draw in ((found.separated, _margins), (found.core, _weights)) if rows.any()
    ]
    figure = new_figure(5.5 * max(len(parts), 1), 4.4)
    for axes, draw in zip(figure.subplots(1, len(parts), squeeze=False)[0], parts, strict=True):
        draw(axes, found)
        axes.grid(color="#e5e5e5")
        axes.set_axisbelow(True)
    return figure


def _sides(found: HardCore, rows: Any) -> list[tuple[Any, str, str]]:
    """Return the rows of each label, their colour and what the legend says of them."""
    labels = found.problem.classes.tolist()
    return [
        (rows & (found.positive == bool(k)), colour, f"label {labels[k]}")
        for k, colour in ((0, AGAINST), (1, FOR))
    ]


def _margins(axes: Any, found: HardCore) -> None:
    """Draw how far from 0 the separated rows are."""
    margins = found.margins()
    sides = [side for side in _sides(found, found.separated) if side[0].any()]
    axes.hist(
        [margins[rows] for rows, _, _ in sides],
        bins=MOST_BARS,
        stacked=True,
        color=[colour for _, colour, _ in sides],
        label=[label for _, _, label in sides],
    )
    axes.axvline(0.0, color=NEUTRAL, linewidth=1.0)
    axes.set_yscale("log")
    axes.set(
        title=f"{np.count_nonzero(found.separated):,} rows can be separated",
        xlabel="margin of a row under lam",
        ylabel="rows",
    )
    axes.legend(frameon=False)


def _weights(axes: Any, found: HardCore) -> None:
    """Draw the weights of the hard core, the heaviest first."""
    order = np.flatnonzero(found.core)
    order = order[np.argsort(-found.w[order], kind="stable")]
    rank = np.zeros(len(found.w))
    rank[order] = np.arange(1, len(order) + 1)
    is_copy = np.zeros(len(found.w), dtype=bool)
    is_copy[[number for group in found.duplicates for number in group]] = True
    for rows, colour, label in _sides(found, found.core):
        for chosen, marker, more in ((rows & ~is_copy, "o", ""), (rows & is_copy, "x", ", copies")):
            if chosen.any():
                axes.plot(
                    rank[chosen],
                    found.w[chosen],
                    marker,
                    color=colour,
                    markersize=4,
                    alpha=0.7,
                    label=label + more,
                )
    axes.set_xscale("log")
    axes.set_yscale("log")
    _name_the_heaviest(axes, order)
    axes.set(
        title=f"{len(order):,} rows contradict each other",
        xlabel="row of the hard core, the heaviest first",
        ylabel="weight w: how hard a row is",
    )
    axes.legend(frameon=False, loc="lower left")


def _name_the_heaviest(axes: Any, order: Any) -> None:
    """Write the numbers of the heaviest rows below each other."""
    names = ", ".join(str(number) for number in order[:MOST_NAMED].tolist())
    axes.text(0.98, 0.97, f"heaviest: rows {names}", transform=axes.transAxes, ha="right", va="top")
