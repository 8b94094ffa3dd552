r"""Fully parallel coordinate descent (Collins, Schapire and Singer 2002): every coordinate at once.

With a_i = max_j |A_ji| and W+_i, W-_i the sums of w_j |A_ji| over positive and negative entries,

    collins:    d_i = log(W-_i / W+_i) / (2 a_i omega)     (half log-ratio clipped to +-50)
    lipschitz:  d_i = -grad_i F / (omega L_i)              (its proximal form where there is psi)

Dividing by omega relaxes their condition that the rows of A have 1-norm at most 1. Monotone.
"""

from __future__ import annotations

import numpy as np

from ..base.arrays import Vector
from .full_gradient import FullGradient
from .start import Start

__all__ = ["fully_parallel", "log_ratio"]


class _Lipschitz(FullGradient):
    def __init__(self, start: Start) -> None:
        super().__init__(start)
        scale = self.problem.design.scale
        self.scale = np.where(scale > 0, scale, np.inf)  # an empty column never moves
        self.omega = max(self.problem.omega, 1)

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


def fully_parallel(start: Start) -> _Lipschitz:
    """Return the point that a step of the given kind moves; "collins" takes no psi."""
    return (_Collins if start.step == "collins" else _Lipschitz)(start)


def log_ratio(neg: Vector, pos: Vector) -> Vector:
    """log(W-/W+) / 2, clipped to +-50; 0 for an empty column."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = 0.5 * (np.log(neg) - np.log(pos))
    return np.asarray(np.clip(np.nan_to_num(ratio, nan=0.0), -50.0, 50.0))
