"""A pair of columns as a heat map; dots show how much data a cell has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

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


class _Placed(NamedTuple):
    """Cells on an axis: where stretches begin and end, which of them are cells, and the ticks."""

    bounds: Vector
    slots: NDArray[np.intp]
    ticks: list[float]
    texts: list[str]
    note: str

    @property
    def middles(self) -> Vector:
        return np.asarray((self.bounds[self.slots] + self.bounds[self.slots + 1]) / 2)


def _place(term: Term, k: int, cells: NDArray[np.intp]) -> _Placed:
    axis = term.axes[k]
    apart = int(axis.missing in cells and len(cells) > 1 and axis.missing >= axis.n_ordered)
    note = ""
    if axis.n_ordered == 0:
        inner = np.arange(len(cells) - apart + 1.0)
    else:
        inner, _, ticks, note = positions(axis, term.weights.sum(axis=1 - k))
    gap = (inner[-1] - inner[0]) / max(len(inner) - 1, 8)
    tail = [inner[-1] + gap / 2, inner[-1] + 1.5 * gap] if apart else []
    slots = np.arange(len(cells))
    slots[len(cells) - apart :] += apart  # past the gap
    placed = _Placed(np.concatenate([inner, tail]), slots, [], [], note)
    if axis.n_ordered == 0:
        every = max(1, -(-len(cells) // MOST_NAMES))
        named = range(0, len(cells), every)
        texts = [cut(axis.names[cells[i]], 22) for i in named]
        return placed._replace(ticks=[float(placed.middles[i]) for i in named], texts=texts)
    at, texts = _number_ticks(inner) if ticks is None else (ticks[0].tolist(), list(ticks[1]))
    if apart:
        at, texts = [*at, float(placed.middles[-1])], [*texts, axis.names[-1]]
    return placed._replace(ticks=at, texts=texts)


def _number_ticks(inner: Vector) -> tuple[list[float], list[str]]:
    """Return round numbers within the range of the numbers: what is missing has no number."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    ticks = MaxNLocator(6).tick_values(inner[0], inner[-1])
    ticks = ticks[(ticks >= inner[0]) & (ticks <= inner[-1])].tolist()
    return ticks, [f"{tick:.6g}" for tick in ticks]


def _name_axis(axes: Any, place: _Placed, axis: Axis, is_x: bool) -> None:
    name = cut(axis.feature, 40) + place.note
    if is_x:
        turned: dict[str, Any] = {"rotation": 40, "ha": "right"} if axis.n_ordered == 0 else {}
        axes.set_xticks(place.ticks, place.texts, parse_math=False, **turned)
        axes.set_xlabel(name, parse_math=False)
    else:
        axes.set_yticks(place.ticks, place.texts, parse_math=False)
        axes.set_ylabel(name, parse_math=False)
