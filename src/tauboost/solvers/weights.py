"""What the coordinate methods share: row weights kept up to date by multiplication.

w_j = c_j exp((A lam)_j - shift), or c_j E_j / (1 + E_j) with E_j = exp((A lam)_j) for the logistic
loss, changes only where a moved column has entries. A refresh computes r = A lam anew: after every
few epochs against rounding, and whenever a weight may have underflowed and ought to come back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..base.arrays import Vector
from ..losses import Evaluation
from ..penalty import Penalty
from ..problem import BaseProblem
from ..rows import Iterate, Point, WeightedRows

__all__ = ["EPOCHS_BETWEEN_REFRESHES", "MAX_DRIFT", "MultiplicativeWeights", "Start", "excess_edge"]


# What every method starts from.


@dataclass(frozen=True)
class Start:
    """A problem, psi and a point, and the options of those methods that have them."""

    problem: BaseProblem
    penalty: Penalty
    lam: Vector
    n_threads: int
    tau: int | None = None  # None: adapted to what is seen
    seed: int = 0
    step: str | None = None


EPOCHS_BETWEEN_REFRESHES = 64
# Where weights are too small to represent (below exp(-745)), no residual may move further than this
# between refreshes: two such moves apart they are still negligible.
MAX_DRIFT = 300.0


class MultiplicativeWeights:
    """A point lam, with its weights behind ``rows``; subclasses run kernels on them.

    One epoch is n updates.
    """

    edge_hint: float | None = None
    rows: WeightedRows
    total: float  # exponential: the sum of w; logistic: 1
    value: float
    drift: float  # since the last refresh no residual has moved by more
    was_safe: bool  # whether every weight was in the safe range then
    refreshed_at: float

    def __init__(self, start: Start) -> None:
        self.problem, self.penalty = start.problem, start.penalty
        self.n_threads, self.lam = start.n_threads, start.lam
        self.rows = self.problem.rows(self.n_threads)
        self.updates = 0
        self.finish()

    def iterate(self) -> Iterate:
        """Return the point and psi as the kernels take them."""
        return Iterate(self.lam, self.total, self.penalty.kernel)

    def settle(self, drift: float) -> None:
        """After a kernel's work, sum the weights anew, or refresh them where it is time to.

        No residual has moved by more than ``drift``. While every weight is in the safe range, that
        is all that matters; where some are not, how far they may have come back does.
        """
        self.drift += drift
        is_worn = not self.rows.is_safe() if self.was_safe else self.drift > MAX_DRIFT
        if is_worn or self.epochs() - self.refreshed_at >= EPOCHS_BETWEEN_REFRESHES:
            self.finish()
        else:
            self._set(self.rows.resum())

    def gradient(self) -> Vector:
        """Gradient of F at lam: one pass over the data."""
        return self.rows.slope() / self.total

    def epochs(self) -> float:
        """Coordinate updates done, over n."""
        return self.updates / self.problem.n_coordinates

    def updates_in(self, epochs: float) -> int:
        """Return the number of updates in some epochs, at least one."""
        most = min(epochs * self.problem.n_coordinates - 1e-6, 2.0**62)
        return max(1, math.ceil(most))

    def finish(self) -> None:
        """Refresh: everything exact at lam."""
        self.start_from(self.lam)

    def start_from(self, lam: Vector, point: Point | None = None) -> None:
        """Go to lam; ``point`` is F there, if it is known."""
        self.lam = lam
        self._set(self.rows.refresh(lam, point))
        self.was_safe = self.rows.is_safe()
        self.drift = 0.0
        self.refreshed_at = self.epochs()

    def _set(self, level: Evaluation) -> None:
        self.value, self.total = level.value, level.total


def excess_edge(problem: BaseProblem, penalty: Penalty, lam: Vector, gradient: Vector) -> float:
    """Return the largest excess edge (stopping.py) at lam, where F has this gradient."""
    unit = problem.design.edge_units
    violation = penalty.violation(lam, gradient)
    return float(np.max(violation / np.where(unit > 0, unit, 1.0), initial=0.0))
