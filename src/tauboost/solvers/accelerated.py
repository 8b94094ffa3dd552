"""Accelerated gradient (FISTA) on the fully parallel method with the lipschitz step.

    lam_k   = prox(y_k - grad F(y_k) / (omega L))
    t_{k+1} = (1 + sqrt(1 + 4 t_k^2)) / 2,    t_1 = 1
    y_{k+1} = lam_k + (t_k - 1) / t_{k+1} (lam_k - lam_{k-1})

Not monotone, no restart. Residuals of y are combined from those of lam: one product with A and one
with its transpose an iteration.
"""

from __future__ import annotations

import numpy as np

from ..base.arrays import Vector
from ..penalty import Penalty
from ..problem import Problem
from .result import Result
from .stopping import Monitor, drive

__all__ = ["solve"]


def solve(
    problem: Problem,
    penalty: Penalty,
    monitor: Monitor,
    lam: Vector,
    *,
    n_threads: int,
) -> Result:
    """Minimise F + psi."""
    return drive(_Accelerated(problem, penalty, lam, n_threads), monitor)


class _Accelerated:
    is_monotone = False
    edge_hint = None  # the gradient at hand is that of y
    r: Vector

    def __init__(self, problem: Problem, penalty: Penalty, lam: Vector, n_threads: int) -> None:
        self.problem, self.penalty, self.n_threads = problem, penalty, n_threads
        scale = problem.matrix.scale
        self.curvature = max(problem.omega, 1) * np.square(np.where(scale > 0, scale, np.inf))
        self.lam = lam
        self.y = lam
        self.t = 1.0
        self.iterations = 0
        self.updates = 0
        self.finish()
        self.r_y = self.r

    def advance(self, epochs_left: float) -> None:  # noqa: ARG002 - always one iteration
        gradient = self.problem.slope(self.problem.weigh(self.r_y), self.n_threads)
        lam = self.penalty.prox(self.y - gradient / self.curvature, self.curvature)
        r = self.r_y.copy()
        self.problem.add_columns(lam - self.y, r, self.n_threads)
        t = (1.0 + np.sqrt(1.0 + 4.0 * self.t**2)) / 2.0
        momentum = (self.t - 1.0) / t
        self.y = lam + momentum * (lam - self.lam)
        self.r_y = r + momentum * (r - self.r)
        self.lam, self.r, self.t = lam, r, t
        self.value = self.problem.weigh(r).value
        self.iterations += 1
        self.updates += self.problem.n_coordinates

    def gradient(self) -> Vector:
        return self.problem.slope(self.problem.weigh(self.r), self.n_threads)

    def epochs(self) -> float:
        return float(self.iterations)

    def finish(self) -> None:
        self.r = self.problem.residuals(self.lam, self.n_threads)
        self.value = self.problem.weigh(self.r).value
