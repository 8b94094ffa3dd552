"""The rows of a problem: everything that has one entry per row, behind one interface.

Methods decide from sums over rows and never read a row. ``LocalRows`` holds the rows on this
machine and works on them with the compiled kernels; ``tauboost.dask`` has rows that are spread over
a cluster, and tables/rows.py those of a table. Every answer is a sum (or a largest value) over
rows, which is all that parts of the rows need to be put together. There are two ways to use rows:

- ``point(lam)`` gives F and its gradient anywhere, as often as one likes;
- ``refresh(lam)`` and the kernels after it keep one set of row weights, which they multiply while
  lam moves.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from . import _core
from .base.arrays import Vector, cached_property, log
from .base.threads import useful_threads
from .losses import Evaluation, Loss, Weights

__all__ = [
    "SAFE_RANGE",
    "Columns",
    "DrawOutcome",
    "Draws",
    "Iterate",
    "LocalPoint",
    "LocalRows",
    "LocalSurface",
    "LocalWeights",
    "Point",
    "Rows",
    "Surface",
    "WeightedRows",
    "is_safe_range",
]


Columns = NDArray[np.int32]
# Weights outside this range have lost bits to underflow or overflow, or are about to.
SAFE_RANGE = (1e-280, 1e280)


class Iterate(NamedTuple):
    """Where a method is, as kernels take it; they move lam."""

    lam: Vector
    total: float
    psi: _core.Psi


class Draws(NamedTuple):
    """Some iterations of Algorithm 2: the step and the sampling of Theorem 1."""

    beta: float
    sampling: _core.NiceSampling
    first: int
    n_iterations: int


class Point(Protocol):
    """F around one lam, whose residuals r = A lam stay where the rows are."""

    lam: Vector
    value: float
    total: float  # what the sums are divided by

    @property
    def largest(self) -> float:
        """The largest residual: minus the smallest margin."""

    def sums(self, columns: Columns | None = None) -> tuple[Vector, Vector]:
        """Sum w_j |A_ji| over the rows where A_ji < 0, and where A_ji > 0; None: every column."""

    def gradient(self) -> Vector:
        """Gradient of F."""
        neg, pos = self.sums()
        return (pos - neg) / self.total

    def mixed_gradient(self, other: Self, own: float, others: float) -> Vector:
        """Return ``own`` times the gradient here and ``others`` times that at another point."""
        return own * self.gradient() + others * other.gradient()

    def moved(self, lam: Vector, d: Vector) -> Self:
        """Return the point lam, which is d from here; residuals follow by addition."""

    def extrapolated(self, before: Self, momentum: float) -> Self:
        """Return the point that lies beyond this one, seen from ``before``."""


class Surface(Protocol):
    """F to second order around a point lam; p are the row weights of the Hessian A^T diag(p) A."""

    gradient: Vector

    def gram(self, columns: Columns) -> Vector:
        """Return A^T diag(p) A on these columns, k x k, of which the lower triangle counts."""

    def sums(self, columns: Columns) -> tuple[Vector, Vector]:
        """Sum p_j |A_ji| over the rows where A_ji < 0, and where A_ji > 0."""

    def product(self, columns: Columns, d: Vector) -> Vector:
        """Return A^T diag(p) A d on these columns; d has an entry for each of them."""

    def look_along(self, direction: Vector) -> None:
        """Prepare for calls of ``at`` for points lam + length * direction."""

    def at(self, lam: Vector, length: float | None) -> Point:
        """Return F at lam; ``length`` is how far along the direction it lies, None: elsewhere."""


class DrawOutcome(NamedTuple):
    """Outcome of some draws: how many were carried out; no residual has moved by more."""

    done: int
    drift: float


class WeightedRows(Protocol):
    """The rows of a problem of any kind, wherever they are."""

    def point(self, lam: Vector) -> Point:
        """Return F at lam, beside the weights that kernels keep."""

    def refresh(self, lam: Vector, point: Point | None = None) -> Evaluation:
        """Compute the weights anew at lam; ``point`` is F there, if it is known."""

    def resum(self) -> Evaluation:
        """Sum the weights as they are kept."""

    def is_safe(self) -> bool:
        """Return True if every weight is in the range where none has lost bits."""

    def slope(self) -> Vector:
        """Return A^T w."""


class Rows(WeightedRows, Protocol):
    """The rows of a problem with a sparse matrix."""

    # What one question about the rows costs, in nonzeros that a kernel could have read.
    message_cost: float

    def surface(self, lam: Vector) -> Surface:
        """Return F to second order around lam."""

    def exact_sweep(
        self, at: Iterate, columns: Columns, tau: int, gain: Vector, n_threads: int
    ) -> _core.SweepOutcome:
        """Take the exact step in these columns, tau at a time: moves lam and the weights."""

    def pcdm(self, at: Iterate, draws: Draws, max_drift: float, n_threads: int) -> DrawOutcome:
        """Run iterations of the paper's Algorithm 2: moves lam and the weights."""


def is_safe_range(least: float, most: float) -> bool:
    """Return True if weights between these two have all their bits."""
    return bool(least > SAFE_RANGE[0] and most < SAFE_RANGE[1])


class LocalWeights(WeightedRows):
    """Rows on this machine: their residuals, and the weights that follow from them.

    Exponential: w_j = c_j exp((A lam)_j - shift). Logistic: w_j = c_j E_j / (1 + E_j) with
    E_j = exp((A lam)_j).
    """

    w: Vector
    E: Vector | None = None  # logistic loss only
    shift: float = 0.0  # exponential: value = shift + log(total)

    def __init__(self, loss: Loss, c: Vector, *, has_equal_weights: bool) -> None:
        self.loss, self.c, self.has_equal_weights = loss, c, has_equal_weights

    @abstractmethod
    def add_columns(self, d: Vector, r: Vector) -> None:
        """R += A d, in place."""

    @abstractmethod
    def signed_sums(self, w: Vector, columns: Columns | None = None) -> tuple[Vector, Vector]:
        """Sum w_j |A_ji| over the rows where A_ji < 0, and where A_ji > 0, for these columns i."""

    def residuals(self, lam: Vector) -> Vector:
        """R = A lam."""
        r = np.zeros(len(self.c))
        if lam.any():
            self.add_columns(lam, r)
        return r

    def weigh(self, r: Vector) -> Weights:
        """Value and row weights of the loss at residuals r."""
        return self.loss.weigh(r, self.c, self._c_total)

    @cached_property
    def _c_total(self) -> float:
        return float(self.c.sum())

    def point(self, lam: Vector) -> LocalPoint:
        return LocalPoint(self, lam, self.residuals(lam))

    def refresh(self, lam: Vector, point: Point | None = None) -> Evaluation:
        r = point.r if isinstance(point, LocalPoint) else self.residuals(lam)
        weights = self.weigh(r)  # not those of the point: kernels change them
        self.w, self.E = weights.w, self.loss.odds(r)
        self.shift = weights.value - math.log(weights.total)
        return Evaluation(weights.value, weights.total)

    def resum(self) -> Evaluation:
        if self.E is not None:
            # Not log1p, which is slower: a row's error is below 1e-16 either way.
            return Evaluation(float(np.sum(self.c * log(1.0 + self.E))), 1.0)
        total = float(self.w.sum())
        return Evaluation(self.shift + math.log(total), total)

    def range(self) -> tuple[float, float]:
        """Return the least and the largest of what the kernels multiply."""
        kept = self.w if self.E is None else self.E
        return float(kept.min()), float(kept.max())

    def is_safe(self) -> bool:
        return is_safe_range(*self.range())

    def slope(self) -> Vector:
        neg, pos = self.signed_sums(self.w)
        return pos - neg

    @property
    def kernel_c(self) -> Vector | None:
        """The sample weights as kernels take them, one if all are equal; exponential: none."""
        if self.E is None:
            return None
        return self.c[:1] if self.has_equal_weights else self.c


class LocalRows(LocalWeights, Rows):
    """All rows of a sparse matrix on this machine, or those of one part."""

    message_cost = 0.0

    def __init__(
        self,
        matrix: _core.Matrix,
        loss: Loss,
        c: Vector,
        n_threads: int,
        *,
        has_equal_weights: bool = False,
    ) -> None:
        super().__init__(loss, c, has_equal_weights=has_equal_weights)
        self.matrix, self.n_threads = matrix, n_threads
        self.useful_threads = useful_threads(n_threads, matrix.nnz)

    def add_columns(self, d: Vector, r: Vector) -> None:
        _core.add_all(self.matrix, d, r, self.useful_threads)

    def signed_sums(self, w: Vector, columns: Columns | None = None) -> tuple[Vector, Vector]:
        chosen = self._all_columns if columns is None else columns
        neg, pos = np.empty(len(chosen)), np.empty(len(chosen))
        _core.gather_columns(self.matrix, w, chosen, neg, pos, self.useful_threads)
        return neg, pos

    @cached_property
    def _all_columns(self) -> Columns:
        return np.arange(self.matrix.n, dtype=np.int32)

    def surface(self, lam: Vector) -> LocalSurface:
        here = self.point(lam)
        gradient = here.gradient()
        return self.surface_at(here, gradient, here.w / here.total)

    def surface_at(self, here: LocalPoint, gradient: Vector, p: Vector) -> LocalSurface:
        """Return the same, where the gradient and its row weights are known."""
        return LocalSurface(self, here, gradient, self.loss.curvature(p, self.c))

    def exact_sweep(
        self, at: Iterate, columns: Columns, tau: int, gain: Vector, n_threads: int
    ) -> _core.SweepOutcome:
        rows = (self.matrix, self.w, self.E, self.kernel_c)
        return _core.exact_sweep(*rows, *at, columns, tau, gain, n_threads)

    def pcdm(self, at: Iterate, draws: Draws, max_drift: float, n_threads: int) -> DrawOutcome:
        weights = (self.matrix, self.w, at.lam, at.total, draws.beta, at.psi)
        what = (draws.sampling, draws.first, draws.n_iterations)
        outcome = _core.pcdm(*weights, *what, max_drift, n_threads)
        return DrawOutcome(outcome.bundles, outcome.drift)


class LocalPoint(Point):
    """F around one lam, on rows of this machine."""

    def __init__(self, rows: LocalWeights, lam: Vector, r: Vector) -> None:
        self.rows, self.lam, self.r = rows, lam, r
        self.weights = rows.weigh(r)
        self.value, self.total, self.w = self.weights

    @cached_property
    def largest(self) -> float:
        return float(self.r.max())

    def sums(self, columns: Columns | None = None) -> tuple[Vector, Vector]:
        return self.rows.signed_sums(self.w, columns)

    def mixed_gradient(self, other: Self, own: float, others: float) -> Vector:
        # The weights are mixed, and gathered once.
        neg, pos = self.rows.signed_sums(
            (own / self.total) * self.w + (others / other.total) * other.w
        )
        return pos - neg

    def moved(self, lam: Vector, d: Vector) -> LocalPoint:
        r = self.r.copy()
        self.rows.add_columns(d, r)
        return LocalPoint(self.rows, lam, r)

    def extrapolated(self, before: Self, momentum: float) -> LocalPoint:
        lam = self.lam + momentum * (self.lam - before.lam)
        return LocalPoint(self.rows, lam, self.r + momentum * (self.r - before.r))


class LocalSurface(Surface):
    """F to second order around a point, on rows of this machine."""

    def __init__(self, rows: LocalRows, here: LocalPoint, gradient: Vector, p: Vector) -> None:
        self.rows, self.here, self.gradient, self.p = rows, here, gradient, p

    def gram(self, columns: Columns) -> Vector:
        k = len(columns)
        entries = np.empty(k * k)
        _core.gram(self.rows.matrix, self.p, columns, entries, self.rows.n_threads)
        return entries.reshape(k, k)

    def sums(self, columns: Columns) -> tuple[Vector, Vector]:
        return self.rows.signed_sums(self.p, columns)

    def product(self, columns: Columns, d: Vector) -> Vector:
        spread = np.zeros(self.rows.matrix.n)
        spread[columns] = d
        neg, pos = self.rows.signed_sums(self.p * self.rows.residuals(spread), columns)
        return pos - neg

    def look_along(self, direction: Vector) -> None:
        self.change = self.rows.residuals(direction)

    def at(self, lam: Vector, length: float | None) -> LocalPoint:
        if length is None:
            return self.rows.point(lam)
        return LocalPoint(self.rows, lam, self.here.r + length * self.change)
