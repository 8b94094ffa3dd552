"""A Newton step on the free coordinates: the finish of ``exact`` when they are few.

Coordinate descent is slow in the directions that many columns share; a Newton step on the
coordinates that psi lets move is not. With p the row weights and g the gradient of F, the Hessian
is A^T diag(p) A - g g^T (exponential) or A^T diag(p (1 - sigma)) A (logistic), plus l2. It costs
about the sum of squared row counts; it is tried when as much has been spent on sweeps, repeated
while it pays, and never accepted unless the objective falls.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from threadpoolctl import ThreadpoolController

from ..arrays import Vector
from ..kernels import _core
from ..penalty import Penalty
from ..problem import Problem

__all__ = ["NewtonFinish"]

MOST_COORDINATES = 2048
_BLAS = ThreadpoolController().select(user_api="blas")


class NewtonFinish:
    """Keeps account of when a Newton step is due, and takes it."""

    def __init__(self, problem: Problem, penalty: Penalty, n_threads: int) -> None:
        self.problem, self.penalty, self.n_threads = problem, penalty, n_threads
        self.is_possible = problem.n_coordinates <= MOST_COORDINATES
        matrix = problem.matrix
        mean_count = matrix.nnz / matrix.m
        # Rows vary: their squares sum to about twice what equal rows would give.
        self.price = int(2 * matrix.m * mean_count**2 / 2 + matrix.n**3 / 15 + 4 * matrix.nnz)
        self.wait = self.price
        self.paid = 0

    def pay(self, work: int) -> None:
        """Count the work of a sweep, in nonzeros visited (each is read twice and written once)."""
        self.paid += 2 * work

    @property
    def is_due(self) -> bool:
        """Whether enough has been spent on sweeps since the last Newton step."""
        return self.is_possible and self.paid >= self.wait

    def step(self, lam: Vector, objective: float) -> tuple[Vector, Vector] | None:
        """Return a better lam and its residuals, or None; ``objective`` is that of lam."""
        self.paid = 0
        r = self.problem.residuals(lam, self.n_threads)
        direction = self._direction(lam, r)
        found = None if direction is None else self._search(lam, r, direction, objective)
        self.wait = 4 * self.wait if found is None else self.price // 4
        return found

    def _direction(self, lam: Vector, r: Vector) -> Vector | None:
        problem, penalty = self.problem, self.penalty
        weights = problem.weigh(r)
        gradient = problem.slope(weights, self.n_threads)
        slope, free = self._free(lam, gradient)
        if len(free) == 0:
            return None
        p = weights.w / weights.total
        if problem.loss == "logistic":
            p = p * (1.0 - p / problem.c)
        entries = np.empty(len(free) ** 2)
        _core.gram(problem.matrix, p, free, entries, self.n_threads)
        H = entries.reshape(len(free), len(free))
        if problem.loss == "exponential":
            H -= np.outer(gradient[free], gradient[free])
        H[np.diag_indices_from(H)] += np.where(free < penalty.n, penalty.l2, 0.0)
        d = solve_scaled(H, -slope[free])
        if d is None:
            return None
        direction = np.zeros_like(lam)
        direction[free] = d
        return direction

    def _free(self, lam: Vector, gradient: Vector) -> tuple[Vector, NDArray[np.int32]]:
        """Return the slope of F + psi, and the coordinates where it is smooth and can move."""
        penalty, n = self.penalty, self.penalty.n
        slope = gradient.copy()
        slope[:n] += penalty.l2 * lam[:n] + penalty.l1 * np.sign(lam[:n])
        is_free = self.problem.matrix.scale > 0
        if penalty.l1 > 0:
            is_free[:n] &= lam[:n] != 0
        if penalty.lower is not None and penalty.upper is not None:
            is_free[:n] &= (lam[:n] > penalty.lower) & (lam[:n] < penalty.upper)
        return slope, np.flatnonzero(is_free).astype(np.int32)

    def _search(
        self, lam: Vector, r: Vector, direction: Vector, objective: float
    ) -> tuple[Vector, Vector] | None:
        """Find a length at which the objective falls: shorter than 1 if need be, longer if it pays.

        Where a minimiser lies at infinity, Newton's step is the same however far away it is.
        """
        change = self.problem.residuals(direction, self.n_threads)

        def at(length: float) -> tuple[float, Vector, Vector]:
            moved = lam + length * direction
            allowed = self._within(lam, moved)
            if np.array_equal(allowed, moved):
                r_moved = r + length * change
            else:
                r_moved = self.problem.residuals(allowed, self.n_threads)
            value = self.problem.weigh(r_moved).value + self.penalty.value(allowed)
            return value, allowed, r_moved

        length, best = 1.0, at(1.0)
        while not best[0] < objective:
            length /= 4
            if length < 0.01:
                return None
            best = at(length)
        while length >= 1.0:
            length *= 2
            longer = at(length)
            if not longer[0] < best[0]:
                break
            best = longer
        return best[1:]

    def _within(self, lam: Vector, moved: Vector) -> Vector:
        """Keep to the bounds, and stop at 0 where l1 has its kink."""
        if self.penalty.l1 > 0:
            crossed = moved[: self.penalty.n] * lam[: self.penalty.n] < 0
            moved = moved.copy()
            moved[: self.penalty.n][crossed] = 0.0
        return self.penalty.project(moved)


def solve_scaled(H: Vector, b: Vector) -> Vector | None:
    """Solve H d = b for the lower triangle of a nearly singular H, scaled to a unit diagonal."""
    diagonal = np.sqrt(np.maximum(np.diagonal(H), 1e-300))
    scaled = H / np.outer(diagonal, diagonal)
    # One thread: what a threaded BLAS gives may depend on how many it has.
    with _BLAS.limit(limits=1):
        for ridge in (1e-12, 1e-9, 1e-6):
            scaled[np.diag_indices_from(scaled)] = 1.0 + ridge
            try:
                factor = cho_factor(scaled, lower=True, check_finite=False)
            except LinAlgError:
                continue
            d = cho_solve(factor, b / diagonal, check_finite=False) / diagonal
            return np.asarray(d) if np.all(np.isfinite(d)) else None
    return None
