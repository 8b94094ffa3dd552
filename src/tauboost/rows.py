"""The rows of a problem at a point: everything that has one entry per row, behind one interface.

Methods decide from sums over rows and never look at a row. ``LocalRows`` holds the rows on this
machine and works on them with the compiled kernels; ``tauboost.dask`` has rows that are spread over
a cluster. Every answer is a sum (or a largest value) over rows, which is all that parts of the rows
need to be put together.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from . import _core
from .base.arrays import Vector

if TYPE_CHECKING:
    from .problem import Problem

__all__ = ["Level", "LocalRows", "LocalSurface", "Rows", "Surface", "is_safe_range"]

# Weights outside this range have lost bits to underflow or overflow, or are about to.
SAFE_RANGE = (1e-280, 1e280)


@dataclass(frozen=True)
class Level:
    """F at a point, and the number its gradient is divided by."""

    value: float
    total: float  # exponential: the sum of w; logistic: 1


class Surface(Protocol):
    """F to second order around a point lam; p are the row weights of the Hessian A^T diag(p) A."""

    gradient: Vector

    def gram(self, columns: NDArray[np.int32]) -> Vector:
        """Return A^T diag(p) A on these columns, k x k, of which the lower triangle counts."""

    def sums(self, columns: NDArray[np.int32]) -> tuple[Vector, Vector]:
        """Sum p_j |A_ji| over the rows where A_ji < 0, and where A_ji > 0."""

    def product(self, columns: NDArray[np.int32], d: Vector) -> Vector:
        """Return A^T diag(p) A d on these columns; d has an entry for each of them."""

    def look_along(self, direction: Vector) -> None:
        """Say that ``at`` will be asked about points lam + length * direction."""

    def at(self, lam: Vector, length: float | None) -> tuple[float, Vector | None]:
        """Return F and, where they are at hand, the residuals at lam.

        ``length`` says how far along the direction it lies; None: elsewhere.
        """


class Rows(Protocol):
    """Row weights that kernels keep up to date by multiplication while lam moves."""

    def refresh(self, lam: Vector, r: Vector | None = None) -> Level:
        """Compute everything anew at lam, whose residuals, where they are at hand, are r."""

    def resum(self) -> Level:
        """Sum the weights as they are kept."""

    def is_safe(self) -> bool:
        """Tell whether every weight is in the range where none has lost bits."""

    def slope(self) -> Vector:
        """Return A^T w."""

    def surface(self, lam: Vector) -> Surface:
        """Return F to second order around lam."""

    @property
    def exact_sweep(self) -> Callable[..., _core.SweepOutcome]:
        """Run the kernel of that name: it moves lam and the rows."""

    @property
    def pcdm(self) -> Callable[..., Any]:
        """Run the kernel of that name: it moves lam and the rows."""


def is_safe_range(least: float, most: float) -> bool:
    """Tell whether weights between these two have all their bits."""
    return bool(least > SAFE_RANGE[0] and most < SAFE_RANGE[1])


class LocalRows:
    """All rows on this machine, or those of one part.

    Exponential: w_j = c_j exp((A lam)_j - shift). Logistic: w_j = c_j E_j / (1 + E_j) with
    E_j = exp((A lam)_j).
    """

    w: Vector
    E: Vector | None = None  # logistic loss only
    shift: float = 0.0  # exponential: value = shift + log(total)

    def __init__(self, problem: Problem, n_threads: int) -> None:
        self.problem, self.n_threads = problem, n_threads

    def refresh(self, lam: Vector, r: Vector | None = None) -> Level:
        """Compute everything anew at lam, whose residuals, where they are at hand, are r."""
        if r is None:
            r = self.problem.residuals(lam, self.n_threads)
        weights = self.problem.weigh(r)
        self.w = weights.w
        self.shift = weights.value - math.log(weights.total)
        if self.problem.loss == "logistic":
            self.E = odds(r)
        return Level(weights.value, weights.total)

    def resum(self) -> Level:
        """Sum the weights as they are kept."""
        if self.E is not None:
            # Not log1p, which is several times slower: a row's error is below 1e-16 either way.
            return Level(float(np.sum(self.problem.c * np.log(1.0 + self.E))), 1.0)
        total = float(self.w.sum())
        return Level(self.shift + math.log(total), total)

    def range(self) -> tuple[float, float]:
        """Return the least and the largest of what the kernels multiply."""
        kept = self.w if self.E is None else self.E
        return float(kept.min()), float(kept.max())

    def is_safe(self) -> bool:
        """Tell whether every weight is in the range where none has lost bits."""
        return is_safe_range(*self.range())

    def slope(self) -> Vector:
        """Return A^T w."""
        neg, pos = self.problem.signed_sums(self.w, self.n_threads)
        return pos - neg

    def surface(self, lam: Vector) -> LocalSurface:
        """Return F to second order around lam."""
        return LocalSurface(self.problem, lam, self.n_threads)

    def arrays(self) -> dict[str, Any]:
        """Return the matrix and the weights as the kernels take them."""
        return {"matrix": self.problem.matrix, "w": self.w}

    def odds(self) -> dict[str, Any]:
        """Return what kernels for both losses take besides; None for the exponential."""
        if self.E is None:
            return {"E": None, "c": None}
        c = self.problem.c
        return {"E": self.E, "c": c[:1] if self.problem.has_equal_weights else c}

    def exact_sweep(self, **point: Any) -> _core.SweepOutcome:
        """Run the kernel of that name: it moves lam and the rows."""
        return _core.exact_sweep(**self.arrays(), **self.odds(), **point)

    def pcdm(self, **point: Any) -> _core.Outcome:
        """Run the kernel of that name: it moves lam and the rows."""
        return _core.pcdm(**self.arrays(), **point)

    def exact_async(self, **point: Any) -> _core.Outcome:
        """Run the kernel of that name: it moves lam and the rows."""
        return _core.exact_async(**self.arrays(), **self.odds(), **point)

    def pcdm_async(self, **point: Any) -> _core.Outcome:
        """Run the kernel of that name: it moves lam and the rows."""
        return _core.pcdm_async(**self.arrays(), **point)


class LocalSurface:
    """F to second order around a point, on rows of this machine."""

    def __init__(self, problem: Problem, lam: Vector, n_threads: int) -> None:
        self.problem, self.n_threads = problem, n_threads
        self.r = problem.residuals(lam, n_threads)
        weights = problem.weigh(self.r)
        self.gradient = problem.slope(weights, n_threads)
        self.p = curvature(problem, weights.w / weights.total)

    def gram(self, columns: NDArray[np.int32]) -> Vector:
        """Return A^T diag(p) A on these columns, k x k, of which the lower triangle counts."""
        k = len(columns)
        entries = np.empty(k * k)
        _core.gram(self.problem.matrix, self.p, columns, entries, self.n_threads)
        return entries.reshape(k, k)

    def sums(self, columns: NDArray[np.int32]) -> tuple[Vector, Vector]:
        """Sum p_j |A_ji| over the rows where A_ji < 0, and where A_ji > 0."""
        return self.problem.signed_sums(self.p, self.n_threads, columns)

    def product(self, columns: NDArray[np.int32], d: Vector) -> Vector:
        """Return A^T diag(p) A d on these columns; d has an entry for each of them."""
        spread = np.zeros(self.problem.n_coordinates)
        spread[columns] = d
        z = self.p * self.problem.residuals(spread, self.n_threads)
        neg, pos = self.problem.signed_sums(z, self.n_threads, columns)
        return pos - neg

    def look_along(self, direction: Vector) -> None:
        """Say that ``at`` will be asked about points lam + length * direction."""
        self.change = self.problem.residuals(direction, self.n_threads)

    def at(self, lam: Vector, length: float | None) -> tuple[float, Vector | None]:
        """Return F and the residuals at lam; ``length`` says how far along the direction it is."""
        if length is None:
            r = self.problem.residuals(lam, self.n_threads)
        else:
            r = self.r + length * self.change
        return self.problem.weigh(r).value, r


def odds(r: Vector) -> Vector:
    """E = exp(r), far from overflow."""
    return np.asarray(np.exp(np.clip(r, -700.0, 700.0)))


def curvature(problem: Problem, p: Vector) -> Vector:
    """Row weights of the Hessian, from those of the gradient."""
    return p * (1.0 - p / problem.c) if problem.loss == "logistic" else p
