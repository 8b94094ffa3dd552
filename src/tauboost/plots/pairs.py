"""A pair of columns as a heat map; dots show how much data a cell has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from .figure import AGAINST, FOR
from .scales import cut, positions

if TYPE_CHECKING:
    from ..estimators.term_axes import Axis
    from ..estimators.terms import Term

__all__ = ["draw_pair"]

MOST_NAMES = 16
LARGEST_DOT = 60.0  # square points


def draw_pair(figure: Any, term: Term, scores: Vector, label: str, compact: bool) -> None:
    """Draw a table of scores with its second column to the right and its first upwards."""
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415

    axes = figure.subplots()
    keep = [_with_data(term, k) for k in (0, 1)]
    rows, columns = (_place(term, k, keep[k]) for k in (0, 1))
    shown = scores[np.ix_(*keep)]
    table = np.full((len(rows.bounds) - 1, len(columns.bounds) - 1), np.nan)
    table[np.ix_(rows.slots, columns.slots)] = shown
    size = np.abs(shown).max(initial=0.0) or 1.0
    colours = LinearSegmentedColormap.from_list("against-for", [AGAINST, "#ffffff", FOR])
    mesh = axes.pcolormesh(
        columns.bounds, rows.bounds, table, cmap=colours, vmin=-size, vmax=size,
        edgecolors="#dddddd", linewidth=0.3,
    )  # fmt: skip
    weights = term.weights[np.ix_(*keep)]
    x, y = np.meshgrid(columns.middles, rows.middles)
    areas = LARGEST_DOT * weights / (weights.max(initial=0.0) or 1.0)
    axes.scatter(x, y, s=areas, color="#333333", alpha=0.55, linewidths=0)
    for place, axis, is_x in ((columns, term.axes[1], True), (rows, term.axes[0], False)):
        _name_axis(axes, place, axis, is_x)
    bar = figure.colorbar(mesh, ax=axes)
    text = "score; dots: data" if compact else f"score for {label}; dots: share of data"
    bar.set_label(text.replace("$", r"\$"))


def _with_data(term: Term, k: int) -> NDArray[np.intp]:
    """Return the cells along an axis that have any data."""
    found = np.flatnonzero(term.weights.sum(axis=1 - k) > 0)
    axis = term.axes[k]
    # Ranges stay whole, so that every one stands beside its neighbours.
    return np.union1d(np.arange(axis.n_ordered), found).astype(np.intp)


class _Placed:
    """Cells on an axis: where they begin and end, and which of those stretches are theirs."""

    def __init__(self, bounds: Vector, slots: NDArray[np.intp], names: list[str]) -> None:
        self.bounds, self.slots, self.names = bounds, slots, names
        self.middles = (bounds[slots] + bounds[slots + 1]) / 2
        self.ticks: Any = None
        self.note = ""


def _place(term: Term, k: int, cells: NDArray[np.intp]) -> _Placed:
    axis = term.axes[k]
    names = [cut(axis.names[cell], 22) for cell in cells]
    apart = int(axis.missing in cells and len(cells) > 1 and axis.missing >= axis.n_ordered)
    if axis.n_ordered == 0:
        inner, ticks, note = np.arange(len(cells) - apart + 1.0), None, ""
    else:
        inner, _, ticks, note = positions(axis, term.weights.sum(axis=1 - k))
    gap = (inner[-1] - inner[0]) / max(len(inner) - 1, 8)
    tail = [inner[-1] + gap / 2, inner[-1] + 1.5 * gap] if apart else []
    bounds = np.concatenate([inner, tail])
    slots = np.arange(len(cells))
    slots[len(cells) - apart :] += apart  # past the gap
    placed = _Placed(bounds, slots, names)
    placed.ticks, placed.note = ticks, note
    return placed


def _name_axis(axes: Any, place: _Placed, axis: Axis, is_x: bool) -> None:
    setter = axes.set_xticks if is_x else axes.set_yticks
    turned: dict[str, Any] = {"rotation": 40, "ha": "right"} if is_x else {}
    if axis.n_ordered == 0:
        every = max(1, -(-len(place.names) // MOST_NAMES))
        setter(place.middles[::every], place.names[::every], parse_math=False, **turned)
    elif place.ticks is not None:
        setter(*place.ticks)
    if axis.n_ordered and len(place.slots) > axis.n_ordered:
        _add_missing(axes, place, is_x)
    name = cut(axis.feature, 40) + place.note
    (axes.set_xlabel if is_x else axes.set_ylabel)(name, parse_math=False)


def _add_missing(axes: Any, place: _Placed, is_x: bool) -> None:
    """Name the cell of the missing value beside the numbers."""
    at = place.middles[-1]
    if is_x:
        axes.annotate(
            "missing", (at, 0), (0, -4), ("data", "axes fraction"), "offset points",
            rotation=40, ha="right", va="top", fontsize="small",
        )  # fmt: skip
    else:
        axes.annotate(
            "missing", (0, at), (-4, 0), ("axes fraction", "data"), "offset points",
            ha="right", va="center", fontsize="small",
        )  # fmt: skip
