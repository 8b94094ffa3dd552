"""What the coordinate methods share: row weights kept up to date by multiplication.

w_j = c_j exp((A lam)_j - shift), or c_j E_j / (1 + E_j) with E_j = exp((A lam)_j) for the logistic
loss, changes only where a moved column has entries. A refresh computes r = A lam anew: after every
few epochs against rounding, and whenever a weight may have underflowed and ought to come back.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..arrays import Vector
from ..penalty import Penalty
from ..problem import Problem

__all__ = ["MAX_DRIFT", "WEIGHTS_STATE", "MultiplicativeWeights"]

EPOCHS_BETWEEN_REFRESHES = 64
# Where weights are too small to represent (below exp(-745)), no residual may move further than this
# between refreshes: two such moves apart they are still negligible.
MAX_DRIFT = 300.0
# Weights outside this range have lost bits to underflow or overflow, or are about to.
SAFE_RANGE = (1e-280, 1e280)
# What the weights are, apart from the data: see saved.py.
WEIGHTS_STATE = (
    *("lam", "w", "E", "total", "shift", "value"),
    *("updates", "drift", "was_safe", "refreshed_at"),
)


class MultiplicativeWeights:
    """A point lam with its weights; subclasses run the kernels. One epoch is n updates."""

    edge_hint: float | None = None
    w: Vector
    E: Vector | None = None  # logistic loss only
    total: float  # exponential: the sum of w; logistic: 1
    shift: float  # exponential: value = shift + log(total)
    value: float
    drift: float  # since the last refresh no residual has moved by more
    was_safe: bool  # whether every weight was in the safe range then
    refreshed_at: float

    def __init__(self, problem: Problem, penalty: Penalty, lam: Vector, n_threads: int) -> None:
        self.problem, self.penalty, self.n_threads = problem, penalty, n_threads
        self.lam = lam
        self.updates = 0
        self.finish()

    def state(self) -> dict[str, Any]:
        """Return the point and psi as the kernels take them."""
        return {
            "matrix": self.problem.matrix,
            "w": self.w,
            "lam": self.lam,
            "total": self.total,
            "psi": self.penalty.kernel,
        }

    def odds(self) -> dict[str, Any]:
        """Return what the kernels take besides for the logistic loss; None for the exponential."""
        if self.E is None:
            return {"E": None, "c": None}
        c = self.problem.c
        return {"E": self.E, "c": c[:1] if self.problem.has_equal_weights else c}

    def settle(self, drift: float) -> None:
        """After a kernel's work, sum the weights anew, or refresh them where it is time to.

        No residual has moved by more than ``drift``. While every weight is in the safe range, that
        is all that matters; where some are not, how far they may have come back does.
        """
        self.drift += drift
        is_worn = not self._is_safe() if self.was_safe else self.drift > MAX_DRIFT
        if is_worn or self.epochs() - self.refreshed_at >= EPOCHS_BETWEEN_REFRESHES:
            self.finish()
        elif self.E is not None:
            # Not log1p, which is several times slower: a row's error is below 1e-16 either way.
            self.value = float(np.sum(self.problem.c * np.log(1.0 + self.E)))
        else:
            self.total = float(self.w.sum())
            self.value = self.shift + math.log(self.total)

    def gradient(self) -> Vector:
        """Gradient of F at lam: one pass over the data."""
        neg, pos = self.problem.signed_sums(self.w, self.n_threads)
        return (pos - neg) / self.total

    def epochs(self) -> float:
        """Coordinate updates done, over n."""
        return self.updates / self.problem.n_coordinates

    def updates_in(self, epochs: float) -> int:
        """Return how many updates so many epochs are, at least one."""
        most = min(epochs * self.problem.n_coordinates - 1e-6, 2.0**62)
        return max(1, math.ceil(most))

    def finish(self) -> None:
        """Refresh: everything exact at lam."""
        self.start_from(self.problem.residuals(self.lam, self.n_threads))

    def start_from(self, r: Vector) -> None:
        """Set everything that follows from the residuals of lam."""
        weights = self.problem.weigh(r)
        self.w, self.total, self.value = weights.w, weights.total, weights.value
        self.shift = self.value - math.log(self.total)
        if self.problem.loss == "logistic":
            self.E = np.exp(np.clip(r, -700.0, 700.0))
        self.was_safe = self._is_safe()
        self.drift = 0.0
        self.refreshed_at = self.epochs()

    def _is_safe(self) -> bool:
        kept = self.w if self.E is None else self.E
        return bool(kept.min() > SAFE_RANGE[0] and kept.max() < SAFE_RANGE[1])
