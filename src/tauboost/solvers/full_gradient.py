"""What the methods that look at every coordinate share: a point with its value and gradient."""

from __future__ import annotations

from ..base.arrays import Vector
from ..rows import Point
from .start import Start

__all__ = ["FullGradient"]


class FullGradient:
    """A point lam with F and column sums up to date.

    One epoch is one iteration, and n coordinate updates.
    """

    is_monotone = True
    edge_hint: float | None = 0.0  # the gradient is at hand: always test

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
