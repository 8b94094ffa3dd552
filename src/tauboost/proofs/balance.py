"""The weights that prove the hard core: w > 0 with A^T w = 0.

On the rows of the hard core alone F has a minimum, and its row weights there are such a w: they are
the limit of AdaBoost's own weights on all of the data, and the heaviest rows are the hardest ones.
The solver comes near; Newton steps on the weights themselves do the rest: with D = diag(w), the
smallest relative change that balances the columns is

    w <- w + D A x,      (A^T D A) x = -A^T w .

Rows that the best model has easily right get weights so small that they would vanish in rounding
and prove nothing of their row. So a hundredth of other balanced weights is mixed in, those in the
middle of all there are, of which none is smaller than it must be.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.arrays import Vector
from ..rows import LocalRows
from ..solvers.cholesky import solve_scaled
from ..solvers.registry import solve
from .faces import problem_of
from .hinge import gram

__all__ = ["balanced_weights"]

NEAR, ENOUGH = 1e-8, 1e-14  # relative imbalance of a column: where Newton begins, and ends
MOST_STEPS = 8
MOST_EPOCHS = 3000
MOST_STEPS_TO_CENTER, MOST_HALVINGS = 100, 40
MIXED_IN = 0.01  # of other balanced weights


def balanced_weights(
    A: Any, weights: Vector, n_threads: int, time_limit: float | None = None
) -> Vector:
    """Return w > 0 of sum 1 with A^T w = 0, as nearly as it gets; ``A`` is a scipy matrix."""
    problem = problem_of(A, n_threads, weights)
    limits: dict[str, Any] = {"max_epochs": MOST_EPOCHS, "time_limit": time_limit}
    found = solve(problem, n_threads=n_threads, random_state=0, tol=NEAR, **limits)
    rows = problem.rows()
    point = rows.point(problem.design.coordinates(found.lam))
    w = _polished(rows, _lifted(rows, _polished(rows, point.w / point.total)))
    given = np.empty_like(w)
    given[problem.design.row_order] = w
    return given


def imbalance(rows: LocalRows, w: Vector) -> float:
    """Return the largest |A_i^T w|, each beside the sum of its absolute terms."""
    neg, pos = rows.signed_sums(w)
    both = pos + neg
    return float(np.max(np.abs(pos - neg)[both > 0] / both[both > 0], initial=0.0))


def _lifted(rows: LocalRows, w: Vector) -> Vector:
    """Mix some of other balanced weights in, of which none is light beside what it could be."""
    return np.asarray((1.0 - MIXED_IN) * w + MIXED_IN * _central(rows))


def _central(rows: LocalRows) -> Vector:
    """Return the balanced weights with the largest product: v_j = 1 / (1 + (A x)_j).

    The x that minimises -sum_j log(1 + (A x)_j) makes A^T v = 0. No row can have more than m times
    this weight under any balanced weights. Newton's steps, as long as they pay.
    """
    x, slack = np.zeros(rows.matrix.n), np.ones(rows.matrix.m)
    for _ in range(MOST_STEPS_TO_CENTER):
        v = 1.0 / slack
        neg, pos = rows.signed_sums(v)
        d = solve_scaled(gram(rows, np.square(v)), pos - neg)
        if d is None or not float(np.sum((pos - neg) * d)) > NEAR:
            break
        x = x + _length(slack, rows.residuals(d)) * d
        slack = 1.0 + rows.residuals(x)
    v = 1.0 / slack
    return np.asarray(v / v.sum())


def _length(slack: Vector, change: Vector) -> float:
    """Return t where -sum_j log(slack_j + t change_j) is least, every logarithm finite."""
    falls = change < 0
    most = float(np.min(-slack[falls] / change[falls], initial=np.inf))
    if not np.isfinite(most):
        return 1.0
    low, high = 0.0, most
    for _ in range(MOST_HALVINGS):
        t = 0.5 * (low + high)
        low, high = (t, high) if np.sum(change / (slack + t * change)) > 0 else (low, t)
    return low


def _polished(rows: LocalRows, w: Vector) -> Vector:
    best, least = w, imbalance(rows, w)
    for _ in range(MOST_STEPS):
        neg, pos = rows.signed_sums(best)
        x = solve_scaled(gram(rows, best), neg - pos)
        factor = None if x is None else 1.0 + rows.residuals(x)
        if factor is None or not factor.min() > 0:
            break
        w = best * factor
        w /= w.sum()
        size = imbalance(rows, w)
        if not size < least:
            break
        best, least = w, size
        if least <= ENOUGH:
            break
    return best
