"""What the methods that look at every coordinate share: a point with its residuals and gradient."""

from __future__ import annotations

from ..base.arrays import Vector
from ..problem import Problem

__all__ = ["FullGradient"]


class FullGradient:
    """A point lam with r = A lam, row weights and column sums all up to date.

    One epoch is one iteration, and n coordinate updates.
    """

    is_monotone = True
    edge_hint = 0.0  # the gradient is at hand: always test

    def __init__(self, problem: Problem, lam: Vector, n_threads: int) -> None:
        self.problem, self.n_threads = problem, n_threads
        self.iterations = 0
        self.updates = 0
        self.lam = lam
        self.finish()

    def move(self, d: Vector, n_updates: int) -> None:
        """Lam += d, and everything that follows from it."""
        self.lam += d
        self.problem.add_columns(d, self.r, self.n_threads)
        self._evaluate()
        self.iterations += 1
        self.updates += n_updates

    def finish(self) -> None:
        """Recompute r = A lam, which move() keeps by addition."""
        self.r = self.problem.residuals(self.lam, self.n_threads)
        self._evaluate()

    def _evaluate(self) -> None:
        self.weights = self.problem.weigh(self.r)
        self.value = self.weights.value
        self.neg, self.pos = self.problem.signed_sums(self.weights.w, self.n_threads)

    def gradient(self) -> Vector:
        """Gradient of F at lam."""
        return (self.pos - self.neg) / self.weights.total

    def epochs(self) -> float:
        """Return the iterations done."""
        return float(self.iterations)
