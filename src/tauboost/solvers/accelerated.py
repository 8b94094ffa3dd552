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
from ..rows import Point
from .start import Start

__all__ = ["Accelerated"]


class Accelerated:
    """A point, and the extrapolated one that its next step starts from."""

    is_monotone = False
    edge_hint: float | None = None  # the gradient at hand is that of y
    point: Point

    def __init__(self, start: Start) -> None:
        self.problem, self.penalty = start.problem, start.penalty
        self.rows = self.problem.rows(start.n_threads)
        scale = self.problem.design.scale
        self.curvature = max(self.problem.omega, 1) * np.square(np.where(scale > 0, scale, np.inf))
        self.lam = start.lam
        self.t = 1.0
        self.iterations = 0
        self.updates = 0
        self.finish()
        self.y = self.point

    def advance(self, epochs_left: float) -> None:  # noqa: ARG002 - always one iteration
        y = self.y.lam
        lam = self.penalty.prox(y - self.y.gradient() / self.curvature, self.curvature)
        point = self.y.moved(lam, lam - y)
        t = (1.0 + np.sqrt(1.0 + 4.0 * self.t**2)) / 2.0
        momentum = (self.t - 1.0) / t
        self.y = point.extrapolated(self.point, momentum)
        self.lam, self.point, self.value, self.t = lam, point, point.value, t
        self.iterations += 1
        self.updates += self.problem.n_coordinates

    def gradient(self) -> Vector:
        return self.point.gradient()

    def epochs(self) -> float:
        return float(self.iterations)

    def finish(self) -> None:
        self.point = self.rows.point(self.lam)
        self.value = self.point.value
