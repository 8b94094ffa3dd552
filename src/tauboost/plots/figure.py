"""What all pictures share: an empty figure, and colours that colour-blind people tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..base.arrays import Vector

if TYPE_CHECKING:
    from ..tables.terms import Axis

__all__ = ["AGAINST", "FOR", "NEUTRAL", "Scale", "clean", "cut", "new_figure", "positions"]


FOR, AGAINST, NEUTRAL = "#0072b2", "#d55e00", "#777777"


def new_figure(width: float, height: float) -> Any:
    """Return an empty figure that belongs to nobody."""
    try:
        # Not pyplot, which would search for a display and keep the figure alive.
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError:
        raise ImportError("plotting needs matplotlib: pip install 'tauboost[plot]'") from None
    return Figure(figsize=(width, height), layout="constrained")


# Where the bins of a column stand on an axis, and how an axis is drawn.


MOST_TICKS = 8
# Values are not to scale where the middle 96% of the data, or the densest three quarters, would
# stand on less than this part of the axis.
LEAST_MIDDLE, LEAST_DENSE = 0.25, 0.04


class Scale(NamedTuple):
    """The bounds of the bins on an axis; ticks and their texts where values are not to scale."""

    bounds: Vector
    is_linear: bool
    ticks: tuple[Vector, list[str]] | None
    note: str

    def density(self, weights: Vector) -> Vector:
        """Return the share of data in each bin, by width where values are to scale."""
        if not self.is_linear:
            return weights
        widths = np.diff(self.bounds)
        if len(widths) > 2:  # the outer bins have no end: at least as wide as their neighbours
            widths[0], widths[-1] = max(widths[:2]), max(widths[-2:])
        return np.asarray(weights / widths)


def positions(axis: Axis, weights: Vector, most_ticks: int = MOST_TICKS) -> Scale:
    """Return where the ordered bins of an axis, with these shares of the data, begin and end.

    To scale where that shows them all; where a few far values would press the others together,
    every bin gets the same width. The outer bins have no end: they get a short stretch.
    """
    edges = axis.edges
    n = len(edges)
    if n == 0:
        return Scale(np.array([0.0, 1.0]), True, (np.array([0.5]), ["any"]), "")
    low, high = float(edges[0]), float(edges[-1])
    spread = high - low if n > 1 else max(abs(low), 1.0)
    if np.isfinite(3 * spread):
        usual = float(np.median(np.diff(edges))) if n > 1 else spread
        gap = min(usual, spread / 2)
        bounds = np.concatenate([[low - gap], edges, [high + gap]])
        if n < 4 or _can_be_seen(bounds, weights):
            return Scale(bounds, True, None, "")
    every = max(1, -(-n // most_ticks))
    texts = [_short(value) for value in edges[::every].tolist()]
    ticks = np.arange(1.0, n + 1.0, every)
    return Scale(np.arange(n + 2.0), False, (ticks, texts), " (bins of equal width)")


def _short(value: float) -> str:
    return f"{value:.0f}" if 1e3 <= abs(value) < 1e7 else f"{value:.3g}"


def _can_be_seen(bounds: Vector, weights: Vector) -> bool:
    widths = np.diff(bounds)
    weights = weights[: len(widths)]
    total = weights.sum()
    if not total > 0:
        return True
    share = np.cumsum(weights) / total
    first, last = np.searchsorted(share, [0.02, 0.98]).clip(max=len(widths) - 1)
    middle = bounds[last + 1] - bounds[first]
    densest = np.argsort(-weights / widths)
    n_dense = int(np.searchsorted(np.cumsum(weights[densest]), 0.75 * total)) + 1
    dense = widths[densest[:n_dense]].sum()
    return bool(middle > LEAST_MIDDLE * widths.sum() and dense > LEAST_DENSE * widths.sum())


def cut(text: str, longest: int) -> str:
    """Shorten a name that would push everything else aside."""
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1] + "…"


def clean(axes: Any, grid: str | None) -> None:
    """Take away what an axis does not need."""
    axes.spines[["top", "right"]].set_visible(False)
    if grid is not None:
        axes.grid(axis=grid, color="#e5e5e5")
        axes.set_axisbelow(True)
