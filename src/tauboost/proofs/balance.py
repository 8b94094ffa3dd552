"""The weights that prove the hard core: w > 0 with A^T w = 0.

On the rows of the hard core alone F has a minimum, and its row weights there are such a w: they are
the limit of AdaBoost's own weights on all of the data, and the heaviest rows are the hardest ones.
The solver comes near; Newton steps on the weights themselves do the rest: with D = diag(w), the
smallest relative change that balances the columns is

    w <- w + D A x,      (A^T D A) x = -A^T w .

Rows that the best model has easily right get weights so small that they would vanish in rounding
and prove nothing of their row. A little of the sample weights c is mixed in, and balanced in the
same way, so little that no weight of a hard row changes by more than a hundredth.
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
LARGEST_CHANGE = 0.01


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
    """Mix some of the sample weights in: no row is too light then."""
    neg, pos = rows.signed_sums(rows.c)
    x = solve_scaled(gram(rows, w), neg - pos)
    if x is None:
        return w
    change = rows.residuals(x)
    share = LARGEST_CHANGE / max(float(np.abs(change).max()), 1.0)
    lifted = w * (1.0 + share * change) + share * rows.c
    return np.asarray(lifted / lifted.sum())


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
