r"""Fully parallel coordinate descent (Collins, Schapire and Singer 2002): every coordinate at once.

With a_i = max_j |A_ji| and W+_i, W-_i the sums of w_j |A_ji| over positive and negative entries,

    collins:    d_i = log(W-_i / W+_i) / (2 a_i omega)     (half log-ratio clipped to +-50)
    lipschitz:  d_i = -grad_i F / (omega L_i)              (its proximal form where there is psi)

Dividing by omega relaxes their condition that the rows of A have 1-norm at most 1. Monotone.
"""

from __future__ import annotations

import numpy as np

from ..base.arrays import Vector
from ..penalty import Penalty
from ..problem import BaseProblem
from .full_gradient import FullGradient
from .result import Result
from .stopping import Monitor, drive

__all__ = ["log_ratio", "solve"]


def solve(
    problem: BaseProblem,
    penalty: Penalty,
    monitor: Monitor,
    lam: Vector,
    *,
    step: str,
    n_threads: int,
) -> Result:
    """Minimise F + psi; ``step="collins"`` takes no psi."""
    rule = _Collins if step == "collins" else _Lipschitz
    return drive(rule(problem, penalty, lam, n_threads), monitor)


class _Lipschitz(FullGradient):
    def __init__(self, problem: BaseProblem, penalty: Penalty, lam: Vector, n_threads: int) -> None:
        super().__init__(problem, lam, n_threads)
        self.penalty = penalty
        scale = problem.matrix.scale
        self.scale = np.where(scale > 0, scale, np.inf)  # an empty column never moves
        self.omega = max(problem.omega, 1)

    def advance(self, epochs_left: float) -> None:  # noqa: ARG002 - always one iteration
        self.move(self.direction(), self.problem.n_coordinates)

    def direction(self) -> Vector:
        curvature = self.omega * np.square(self.scale)
        point = self.lam - self.gradient() / curvature
        return self.penalty.prox(point, curvature) - self.lam


class _Collins(_Lipschitz):
    def direction(self) -> Vector:
        reach: Vector = self.omega * self.scale
        return log_ratio(self.neg, self.pos) / reach


def log_ratio(neg: Vector, pos: Vector) -> Vector:
    """log(W-/W+) / 2, clipped to +-50; 0 for an empty column."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = 0.5 * (np.log(neg) - np.log(pos))
    return np.asarray(np.clip(np.nan_to_num(ratio, nan=0.0), -50.0, 50.0))
