"""The squared hinge, which finds the rows that contradict each other.

    V(lam) = 1/2 sum_j max(0, 1 + (A lam)_j)^2

has a minimum for any A: it is convex, bounded below and quadratic in pieces. At the minimum the
weights w_j = max(0, 1 + (A lam)_j) satisfy A^T w = 0, w >= 0: their rows contradict each other. If
w = 0, every (A lam)_j <= -1: the rows are separated. Newton's method with an exact line search gets
there after finitely many steps: V is quadratic as long as the rows with w_j > 0 stay the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _core
from ..base.arrays import Vector
from ..rows import LocalRows
from ..solvers.cholesky import solve_scaled
from .clock import Clock

__all__ = ["Hinge", "gram", "minimise_hinge"]

MOST_STEPS = 200
MOST_LENGTHS = 60  # tried in a line search
# The gradient beside the sums of its absolute terms: where it counts as 0, and where it does if V
# falls no more.
BALANCED, NEARLY = 1e-11, 1e-7
# Rows with 1 + (A lam)_j just below 0 count in the Hessian: the step would run into them at once.
AT_THE_EDGE = 1e-9
NO_CURVATURE = 1e-13  # beside the largest of a column: rows and columns have been scaled
ENOUGH = 0.5  # a lam with all (A lam)_j below -ENOUGH separates: no need to go on to -1


@dataclass(frozen=True, eq=False)
class Hinge:
    """The minimum: lam, r = A lam, and whether it was reached."""

    lam: Vector
    r: Vector
    is_found: bool


def gram(rows: LocalRows, p: Vector) -> Vector:
    """Return A^T diag(p) A, of which the lower triangle counts."""
    n = rows.matrix.n
    entries = np.empty(n * n)
    _core.gram(rows.matrix, p, np.arange(n, dtype=np.int32), entries, rows.n_threads)
    return entries.reshape(n, n)


def minimise_hinge(rows: LocalRows, basis: Vector | None, clock: Clock) -> Hinge:
    """Minimise V over all lam, or those that the columns of a basis span."""
    lam, r = np.zeros(rows.matrix.n), np.zeros(rows.matrix.m)
    V = np.inf
    for _ in range(MOST_STEPS):
        clock.check()
        if not np.any(r > -ENOUGH):
            return Hinge(lam, r, True)
        w = np.maximum(1.0 + r, 0.0)
        neg, pos = rows.signed_sums(w)
        slope = pos - neg
        size = _size(slope, basis) / float(np.max(pos + neg))
        before, V = V, float(np.sum(np.square(w)))
        if size <= BALANCED or (size <= NEARLY and (1.0 - 1e-14) * before <= V):
            return Hinge(lam, r, True)
        direction = _newton(gram(rows, (1.0 + r > -AT_THE_EDGE).astype(np.float64)), slope, basis)
        if direction is None:
            break
        lam = lam + _length(r, rows.residuals(direction)) * direction
        r = rows.residuals(lam)
    return Hinge(lam, r, False)


def _size(slope: Vector, basis: Vector | None) -> float:
    return float(np.abs(slope if basis is None else basis.T @ slope).max(initial=0.0))


def _newton(H: Vector, slope: Vector, basis: Vector | None) -> Vector | None:
    if basis is not None:
        full = np.tril(H) + np.tril(H, -1).T
        H, slope = basis.T @ full @ basis, basis.T @ slope
    # Else a direction that no active row has would be as long as rounding makes it.
    H[np.diag_indices_from(H)] += NO_CURVATURE * float(np.max(np.diagonal(H), initial=0.0))
    d = solve_scaled(H, -slope)
    return d if d is None or basis is None else basis @ d


def _length(r: Vector, change: Vector) -> float:
    """Return the length at which V is least: its slope rises in pieces, each of them linear."""
    low, high, length = 0.0, np.inf, 1.0
    for _ in range(MOST_LENGTHS):
        slack = 1.0 + r + length * change
        is_active = slack > 0
        slope = float(np.sum(slack[is_active] * change[is_active]))
        curvature = float(np.sum(np.square(change[is_active])))
        rounding = 1e-13 * float(np.sum(np.abs(slack[is_active] * change[is_active])))
        if abs(slope) <= rounding:
            break
        low, high = (length, high) if slope < 0 else (low, length)
        step = length - slope / curvature if curvature > 0 else np.inf
        if not low < step < high:
            step = 0.5 * (low + high) if np.isfinite(high) else 2.0 * length
        if step == length:
            break
        length = step
    return length
