"""A Newton step on the free coordinates: what finishes ``exact`` where sweeps slow down.

Coordinate descent is slow in the directions that many columns share; a Newton step on the
coordinates that psi lets move is not. With p the row weights and g the gradient of F, the Hessian
is A^T diag(p) A - g g^T (exponential) or A^T diag(p (1 - sigma)) A (logistic), plus l2. Few free
coordinates: it is computed, and factorised, or, with an l1 term or bounds, the quadratic model is
minimised together with them by coordinate descent that touches no data. Many: a few iterations of
conjugate gradients, each one product with A and one with its transpose. A step is tried when
enough has been spent on sweeps, repeated while it pays, and never accepted unless the objective
falls. Prices are counts of nonzeros, so the choice does not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from threadpoolctl import ThreadpoolController

from .. import _core
from ..base.arrays import Vector
from ..penalty import Penalty
from ..problem import SparseProblem
from ..rows import Point, Rows, Surface

__all__ = ["MOST_DENSE", "NewtonFinish", "NewtonStep", "dense_price", "one_thread", "solve_scaled"]


MOST_DENSE = 2048  # coordinates: a dense Hessian of more is too large
FEWEST_ITERATIONS, MOST_ITERATIONS = 12, 400  # of conjugate gradients
# A dense Hessian may cost so many times as much: its step is exact, few iterations are not.
PATIENT = 4
MODEL_PASSES = 200  # of coordinate descent over the quadratic model
CG_PRICE = 2  # of an iteration, for each nonzero: one product with A, one with its transpose


@dataclass(frozen=True)
class NewtonStep:
    """A better point, F there, and its objective."""

    lam: Vector
    point: Point
    objective: float


def dense_price(m: int, k: int, nnz: int) -> int:
    """Return what a step by a dense Hessian costs, on k coordinates that have nnz nonzeros."""
    # Rows vary: their squared counts sum to about twice what equal rows would give.
    return nnz**2 // m + k**3 // 15 + 4 * nnz


class NewtonFinish:
    """Keeps account of when a Newton step is due, and takes it."""

    def __init__(
        self, problem: SparseProblem, penalty: Penalty, counts: NDArray[np.int64], rows: Rows
    ) -> None:
        self.problem, self.penalty, self.rows = problem, penalty, rows
        self.counts = counts
        self.iterations = FEWEST_ITERATIONS
        self.price, is_dense = self._price(np.arange(problem.n_coordinates))
        self.wait = self.price if is_dense else 4 * self.price
        self.paid = 0
        self.recent = (0.0, 0.0)  # work and decrease of sweeps, each weighing half the next

    def pay(self, work: int, decrease: float) -> None:
        """Count a sweep: its work, in nonzeros read (each twice), and what it gained."""
        self.paid += 2 * work
        self.recent = (0.5 * self.recent[0] + 2 * work, 0.5 * self.recent[1] + decrease)

    def hurry(self, lam: Vector, most_work: float) -> None:
        """Do not wait with the first step if, on what lam uses, it costs no more than this."""
        if self._price(np.flatnonzero(lam))[0] <= most_work:
            self.wait = 0

    def start_early(self, most_work: float) -> None:
        """Do not wait with the first step if its Hessian is dense and costs no more than this."""
        if self.wait == self.price <= most_work:
            self.wait = 0

    @property
    def is_due(self) -> bool:
        """Whether enough has been spent on sweeps since the last Newton step."""
        return self.paid >= self.wait

    def step(self, lam: Vector, objective: float) -> NewtonStep | None:
        """Return a better point, or None; ``objective`` is that of lam."""
        self.paid = 0
        surface = self.rows.surface(lam)
        slope = surface.gradient + self._ridge(lam)
        free = self._movable(lam, surface.gradient)
        self.price, is_dense = self._price(free)
        if not is_dense:
            free = free[self._is_smooth(lam)[free]]
            slope += self._kink(lam)
        hessian = _Hessian(self.problem, self.penalty, surface, free)
        if len(free) == 0:
            d = None
        elif is_dense:
            d = self._dense_direction(hessian.dense(), slope[free], lam[free], free)
        else:
            d, is_solved = conjugate_gradients(
                hessian, -slope[free], hessian.diagonal(), self.iterations
            )
            # A direction cut short is better than sweeps, but not as good as it could be.
            if not is_solved:
                self.iterations = min(2 * self.iterations, MOST_ITERATIONS)
        found = None if d is None else self._search(lam, surface, hessian.spread(d), objective)
        if found is None:
            self.wait = 2 * max(self.wait, self.price)
        elif is_dense:
            self.wait = self.price // 4
        else:
            gained = objective - found.objective
            is_better = gained * self.recent[0] > self.price * self.recent[1]
            self.wait = self.price // 2 if is_better else 2 * self.price
        return found

    def _price(self, free: NDArray[np.intp]) -> tuple[int, bool]:
        """Return what a step on these coordinates costs, and whether by a dense Hessian."""
        k, nnz = len(free), int(self.counts[free].sum())
        iterative = self.iterations * CG_PRICE * (nnz + k)
        dense = dense_price(self.problem.matrix.m, k, nnz)
        is_dense = k <= MOST_DENSE and dense <= PATIENT * iterative
        return (dense, True) if is_dense else (iterative, False)

    def _movable(self, lam: Vector, gradient: Vector) -> NDArray[np.intp]:
        """Return the coordinates that are not at 0 or at a bound, or would leave it."""
        is_movable = self._is_smooth(lam) | (self.penalty.violation(lam, gradient) > 0)
        return np.flatnonzero(is_movable & (self.problem.matrix.scale > 0))

    def _is_smooth(self, lam: Vector) -> NDArray[np.bool_]:
        """Tell where psi is smooth around lam."""
        penalty, n = self.penalty, self.penalty.n
        is_smooth = np.ones(len(lam), dtype=bool)
        if penalty.l1 > 0:
            is_smooth[:n] &= lam[:n] != 0
        if penalty.lower is not None and penalty.upper is not None:
            is_smooth[:n] &= (lam[:n] > penalty.lower) & (lam[:n] < penalty.upper)
        return is_smooth

    def _ridge(self, lam: Vector) -> Vector:
        slope = np.zeros_like(lam)
        slope[: self.penalty.n] = self.penalty.each_l2 * lam[: self.penalty.n]
        return slope

    def _kink(self, lam: Vector) -> Vector:
        slope = np.zeros_like(lam)
        slope[: self.penalty.n] = self.penalty.each_l1 * np.sign(lam[: self.penalty.n])
        return slope

    def _dense_direction(
        self, H: Vector, slope: Vector, x: Vector, free: NDArray[np.intp]
    ) -> Vector | None:
        """Minimise the quadratic model, with what of psi is not quadratic."""
        penalty = self.penalty
        if penalty.l1 == 0 and not penalty.has_bounds:
            return solve_scaled(H, -slope)
        is_penalised = free < penalty.n
        l1 = penalised(penalty.each_l1, free, penalty.n)
        lower, upper = np.full(len(free), -np.inf), np.full(len(free), np.inf)
        if penalty.lower is not None and penalty.upper is not None:
            lower[is_penalised] = penalty.lower[free[is_penalised]]
            upper[is_penalised] = penalty.upper[free[is_penalised]]
        full = np.tril(H) + np.tril(H, -1).T
        full[np.diag_indices_from(full)] *= 1.0 + 1e-9
        d = np.zeros(len(free))
        _core.quadratic_descent(full.ravel(), slope, x, l1, lower, upper, MODEL_PASSES, d)
        return d if np.all(np.isfinite(d)) and np.any(d) else None

    def _search(
        self, lam: Vector, surface: Surface, direction: Vector, objective: float
    ) -> NewtonStep | None:
        """Find a length at which the objective falls: shorter than 1 if need be, longer if it pays.

        Where a minimiser lies at infinity, Newton's step is the same however far away it is.
        """
        surface.look_along(direction)

        def at(length: float) -> NewtonStep:
            moved = lam + length * direction
            allowed = self._within(lam, moved)
            point = surface.at(allowed, length if np.array_equal(allowed, moved) else None)
            return NewtonStep(allowed, point, point.value + self.penalty.value(allowed))

        length, best = 1.0, at(1.0)
        while not best.objective < objective:
            length /= 4
            if length < 0.01:
                return None
            best = at(length)
        while 1.0 <= length < 1e6:
            length *= 2
            longer = at(length)
            if not longer.objective < best.objective:
                break
            best = longer
        return best

    def _within(self, lam: Vector, moved: Vector) -> Vector:
        """Keep to the bounds, and stop at 0 where l1 has its kink."""
        if self.penalty.l1 > 0:
            # Not the product of the two, which may overflow.
            crossed = np.sign(moved[: self.penalty.n]) * np.sign(lam[: self.penalty.n]) < 0
            moved = moved.copy()
            moved[: self.penalty.n][crossed] = 0.0
        return self.penalty.project(moved)


class _Hessian:
    """The Hessian of F + psi on the free coordinates: dense, or as a product."""

    def __init__(
        self,
        problem: SparseProblem,
        penalty: Penalty,
        surface: Surface,
        free: NDArray[np.intp],
    ) -> None:
        self.problem, self.surface = problem, surface
        self.free = free.astype(np.int32)
        self.is_log_of_sum = not problem.loss_function.has_odds
        self.g = surface.gradient[free]
        self.l2 = penalised(penalty.each_l2, free, penalty.n)

    def spread(self, d: Vector) -> Vector:
        """Return d as a vector over all coordinates."""
        full = np.zeros(self.problem.n_coordinates)
        full[self.free] = d
        return full

    def dense(self) -> Vector:
        H = self.surface.gram(self.free)
        if self.is_log_of_sum:
            H -= np.outer(self.g, self.g)
        H[np.diag_indices_from(H)] += self.l2
        return H

    def diagonal(self) -> Vector:
        """Return an upper bound on the diagonal, exact for value-free columns."""
        neg, pos = self.surface.sums(self.free)
        diagonal = (neg + pos) * self.problem.matrix.scale[self.free] + self.l2
        if self.is_log_of_sum:
            diagonal = np.maximum(diagonal - self.g**2, 0.1 * diagonal)
        return np.asarray(np.maximum(diagonal, 1e-12 * diagonal.max() + 1e-300))

    def __call__(self, d: Vector) -> Vector:
        """Return H d."""
        product = self.surface.product(self.free, d) + self.l2 * d
        if self.is_log_of_sum:
            product -= self.g * float(np.sum(self.g * d))
        return np.asarray(product)


def penalised(alpha: Vector | float, columns: NDArray[np.intp], n: int) -> Vector:
    """Return the l1 or l2 penalty of some columns: 0 from the n-th on."""
    found = np.zeros(len(columns))
    is_penalised = columns < n
    found[is_penalised] = np.broadcast_to(alpha, n)[columns[is_penalised]]
    return found


def conjugate_gradients(
    hessian: Callable[[Vector], Vector], b: Vector, diagonal: Vector, most: int
) -> tuple[Vector | None, bool]:
    """Solve H d = b roughly, preconditioned by the diagonal; say whether iterations sufficed.

    Sums are NumPy's own, not BLAS's: their bits do not depend on threads.
    """
    d, residual = np.zeros_like(b), b.copy()
    z = residual / diagonal
    direction, rz = z.copy(), float(np.sum(residual * z))
    enough = 1e-4 * rz
    for _ in range(most if rz > 0 else 0):
        product = hessian(direction)
        curvature = float(np.sum(direction * product))
        if not curvature > 0:
            break
        step = rz / curvature
        d += step * direction
        residual -= step * product
        z = residual / diagonal
        rz, before = float(np.sum(residual * z)), rz
        if rz <= enough:
            break
        direction = z + (rz / before) * direction
    return d if np.all(np.isfinite(d)) and np.any(d) else None, rz <= enough


# The Newton step's system of equations, by a Cholesky factorisation on one thread.
#
# In a separate file, imported at the first such step: few fits need one, and SciPy's linear
# algebra takes longer to load than most fits.


_BLAS = ThreadpoolController().select(user_api="blas")


def one_thread() -> AbstractContextManager[Any]:
    """Hold BLAS to one thread: what a threaded one gives may depend on how many it has."""
    limited: AbstractContextManager[Any] = _BLAS.limit(limits=1)
    return limited


def solve_scaled(H: Vector, b: Vector) -> Vector | None:
    """Solve H d = b for the lower triangle of a nearly singular H, scaled to a unit diagonal."""
    diagonal = np.sqrt(np.maximum(np.diagonal(H), 1e-300))
    scaled = H / np.outer(diagonal, diagonal)
    with one_thread():
        for ridge in (1e-12, 1e-9, 1e-6):
            scaled[np.diag_indices_from(scaled)] = 1.0 + ridge
            try:
                factor = cho_factor(scaled, lower=True, check_finite=False)
            except LinAlgError:
                continue
            d = cho_solve(factor, b / diagonal, check_finite=False) / diagonal
            return np.asarray(d) if np.all(np.isfinite(d)) else None
    return None
