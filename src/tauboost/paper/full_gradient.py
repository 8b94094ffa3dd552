"""What the methods that evaluate every coordinate share: a point with its value and gradient."""

from __future__ import annotations

import numpy as np

from ..base.arrays import Vector
from ..rows import Point
from ..solvers.weights import Start

__all__ = ["Accelerated", "FullGradient", "fully_parallel", "log_ratio"]


class FullGradient:
    """A point lam with F and column sums up to date.

    One epoch is one iteration, and n coordinate updates.
    """

    is_monotone = True
    edge_hint: float | None = 0.0  # the gradient is available: always test

    def __init__(self, start: Start) -> None:
        self.problem, self.penalty = start.problem, start.penalty
        self.rows = self.problem.rows(start.n_threads)
        self.iterations = 0
        self.updates = 0
        self.lam = start.lam
        self.finish()

    def move(self, d: Vector, n_updates: int) -> None:
        """Lam += d, and everything that follows from it."""
        self._go_to(self.point.moved(self.lam + d, d))
        self.iterations += 1
        self.updates += n_updates

    def finish(self) -> None:
        """Recompute r = A lam, which move() keeps by addition."""
        self._go_to(self.rows.point(self.lam))

    def _go_to(self, point: Point) -> None:
        self.point, self.lam, self.value = point, point.lam, point.value
        self.total = point.total
        self.neg, self.pos = point.sums()

    def gradient(self) -> Vector:
        """Gradient of F at lam."""
        return (self.pos - self.neg) / self.total

    def epochs(self) -> float:
        """Return the iterations done."""
        return float(self.iterations)


# Fully parallel coordinate descent (Collins, Schapire and Singer 2002): every coordinate at once.
#
# With a_i = max_j |A_ji| and W+_i, W-_i the sums of w_j |A_ji| over positive and negative
# entries,
#
#     collins:    d_i = log(W-_i / W+_i) / (2 a_i omega)     (half log-ratio clipped to +-50)
#     lipschitz:  d_i = -grad_i F / (omega L_i)              (its proximal form where there is psi)
#
# Dividing by omega relaxes their condition that the rows of A have 1-norm at most 1. Monotone.


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


# Accelerated gradient (FISTA) on the fully parallel method with the lipschitz step.
#
#     lam_k   = prox(y_k - grad F(y_k) / (omega L))
#     t_{k+1} = (1 + sqrt(1 + 4 t_k^2)) / 2,    t_1 = 1
#     y_{k+1} = lam_k + (t_k - 1) / t_{k+1} (lam_k - lam_{k-1})
#
# Not monotone, no restart. Residuals of y are combined from those of lam: one product with A and
# one with its transpose an iteration.


class Accelerated:
    """A point, and the extrapolated one that its next step starts from."""

    is_monotone = False
    edge_hint: float | None = None  # the gradient known is that of y
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
