"""What the coordinate methods share: row weights kept up to date by multiplication.

w_j = c_j exp((A lam)_j - shift) changes only where a moved column has entries. A refresh computes
r = A lam anew: after every few epochs against rounding, and whenever some residual may have moved
so far that a weight could have underflowed and ought to come back.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Vector
from ..kernels import _core
from ..penalty import Penalty
from ..problem import Problem

__all__ = ["CoordinateDescent"]

EPOCHS_BETWEEN_REFRESHES = 64
# No residual may move further between refreshes: two such moves apart, a weight that was too small
# to represent (below exp(-745)) is still negligible.
MAX_DRIFT = 300.0
NONZEROS_BETWEEN_LOOKS = 2**24
# What a column costs beyond its nonzeros, in nonzeros.
COLUMN_OVERHEAD = 64


class CoordinateDescent:
    """A point lam with its multiplicative weights; subclasses run the kernel.

    One epoch is n coordinate updates. On huge data the objective is looked at several times an
    epoch, so that limits and Ctrl-C are noticed in time.
    """

    edge_hint = None
    w: Vector
    total: float  # the sum of w
    shift: float  # value = shift + log(total)
    drift: float  # no residual has moved by more since the last refresh
    refreshed_at: float

    def __init__(
        self,
        problem: Problem,
        penalty: Penalty,
        lam: Vector,
        n_threads: int,
    ) -> None:
        self.problem, self.penalty, self.n_threads = problem, penalty, n_threads
        self.lam = lam
        self.updates = 0
        n = problem.n_coordinates
        work = problem.matrix.nnz + COLUMN_OVERHEAD * n
        self.stride = max(1, min(n, n * NONZEROS_BETWEEN_LOOKS // work))
        self.finish()

    def advance(self, epochs_left: float) -> None:
        """Run up to the next multiple of the stride, refreshing where the numbers ask for it."""
        n = self.problem.n_coordinates
        goal = min((self.updates // self.stride + 1) * self.stride, self.updates + epochs_left * n)
        while self.updates < goal:
            outcome = self.run(int(np.ceil(goal - self.updates)))
            self.drift += outcome.drift
            self.total = float(self.w.sum())
            worn = self.epochs() - self.refreshed_at >= EPOCHS_BETWEEN_REFRESHES
            if worn or self.drift > MAX_DRIFT:
                self.finish()
        self.value = self.shift + float(np.log(self.total))

    def run(self, n_updates: int) -> _core.Outcome:
        """Carry out about ``n_updates`` coordinate updates."""
        raise NotImplementedError

    def kernel_arguments(self) -> dict[str, object]:
        """Return the state and psi as the kernels take them."""
        return {
            "matrix": self.problem.matrix,
            "w": self.w,
            "lam": self.lam,
            "total": self.total,
            "l1": self.penalty.l1,
            "l2": self.penalty.l2,
            "lower": self.penalty.lower,
            "upper": self.penalty.upper,
            "n_penalised": self.penalty.n,
            "max_drift": MAX_DRIFT - self.drift,
        }

    def gradient(self) -> Vector:
        """Gradient of F at lam: one pass over the data."""
        neg, pos = self.problem.signed_sums(self.w, self.n_threads)
        return (pos - neg) / self.total

    def epochs(self) -> float:
        """Coordinate updates done, over n."""
        return self.updates / self.problem.n_coordinates

    def finish(self) -> None:
        """Refresh: everything exact at lam."""
        weights = self.problem.weigh(self.problem.residuals(self.lam, self.n_threads))
        self.w, self.total, self.value = weights.w, weights.total, weights.value
        self.shift = self.value - float(np.log(self.total))
        self.drift = 0.0
        self.refreshed_at = self.epochs()
