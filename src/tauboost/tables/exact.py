"""The exact method on tables: all levels of a term at once, and steps in the span of sweeps.

A sweep visits every term, in a new order each time, and minimises over all of its levels from one
histogram (cpp/table/term_steps.hpp). No step is ever undone, and the bits are the same for any
number of threads.

A sweep creeps where columns say the same, or a pair what its columns say. Where the sweeps have
come from shows where they are heading: the last sweep, the two total steps before it and the
intercept span four dimensions, in which F + psi is minimised nearly, before the next sweep. F is a
quadratic there, from one pass over the rows. Psi is one as well, but for the absolute values of its
l1 part: Newton's step takes the side that each is on, and its length is the best along the line,
kinks and all. A step is taken if it lowers the objective.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Vector
from ..base.threads import useful_threads
from ..penalty import Penalty
from ..solvers.weights import EPOCHS_BETWEEN_REFRESHES, MAX_DRIFT, Start
from .batch import TableBatch, TermPenalty
from .design import TableDesign
from .directions import N_OLDER

if TYPE_CHECKING:
    from .problem import TableProblem

__all__ = ["BlockExact"]


SHORTER, MOST_TRIALS = 0.25, 3  # where the objective did not fall
NOTHING = 1e-12  # of the objective: a gain that may be rounding
LONGEST = 3.0  # times a direction: what rounding made of it grows as much
SMALLEST = 1e-14  # a level below it is 0, as in term_steps.hpp
ROUNDING = 1e-12  # so small a jump is none
RIDGE = 1e-12  # of the Hessian, as a share of its trace: directions may be dependent
CELLS_FOR_A_NONZERO = 2  # a cell costs half of what a nonzero of a sparse matrix does
BIN_SIGN = 1  # where the sign of single bins stands, behind that of jumps


class BlockExact:
    """One fit of a table: a point that sweeps, and steps in their span, move."""

    is_monotone = True

    def __init__(self, batch: TableBatch) -> None:
        self.batch, self.design = batch, batch.samples.design
        self.updates, self.edge_hint = 0, math.inf
        self.swept = self.fall = 0.0  # what the last sweep gained, and the step before it as well
        self.span = Span(batch)
        self._value: float | None = None

    @classmethod
    def of(cls, start: Start) -> BlockExact:
        """Return the method at the start of a solve."""
        problem: TableProblem = start.problem  # type: ignore[assignment]
        samples, penalty = problem.samples, start.penalty
        n_terms = samples.table.n_terms
        batch = TableBatch(
            samples,
            problem.loss,
            TermPenalty(np.full((n_terms, 1), penalty.l1), np.full((n_terms, 1), penalty.l2)),
            [0],
            held=None,
            signs=term_signs(problem.design, penalty),
            n_threads=useful_threads(start.n_threads, samples.codes.size // CELLS_FOR_A_NONZERO),
            seed=start.seed,
        )
        if start.lam.any():
            batch.start_from(problem.design.levels(start.lam), float(start.lam[-1]))
        return cls(batch)

    @property
    def lam(self) -> Vector:
        """The weights of the stumps, and the intercept."""
        return np.append(self.design.lam(self.batch.levels[0]), self.batch.intercepts[0])

    @property
    def objective(self) -> float:
        """F + psi is not above it: sweeps count what they are sure to gain."""
        return self.span.objective - self.swept

    @property
    def value(self) -> float:
        """F: a pass over the rows, once after each sweep."""
        if self._value is None:
            self._value = self.batch.value()
        return self._value

    def epochs(self) -> float:
        """Return the updates done, over the coordinates."""
        return self.updates / self.design.n_coordinates

    def gradient(self) -> Vector:
        """Return the gradient of F, from the data."""
        batch = self.batch
        here = batch.levels[:1], batch.intercepts[:1], batch.shift[:1]
        columns = np.arange(self.design.n_columns, dtype=np.int32)
        found = batch.rows.exact_sums(*here, columns)
        total = 1.0 if batch.loss.has_odds else found[1] + found[2]
        neg, pos = self.design.sums(*found[5:].reshape(2, -1)[:, : self.design.n_levels])
        return (pos - neg) / total

    def advance(self, epochs_left: float) -> None:
        """Step in the span of the last sweeps, and sweep again, over as many terms as may be."""
        n_terms = len(self.batch.terms)
        most = min(n_terms, max(1, math.ceil(epochs_left * n_terms - 1e-6)))
        gain = self.span.take(self.swept) if self.swept > 0.0 else 0.0
        if self.batch.n_sweeps >= self.span.refreshed_at + EPOCHS_BETWEEN_REFRESHES:
            self.span.refresh()
        # A fit ends with a sweep, after which levels that may be equal are so.
        self.swept = float(self.batch.sweep(most)[0])
        self._value = None
        self.fall = gain + self.swept
        self.updates += math.ceil(self.design.n_coordinates * most / n_terms)
        self.span.drift += self.batch.longest
        if most == n_terms:
            self.edge_hint = float(self.batch.edge[0])

    def finish(self) -> None:
        """Compute the weights of the rows anew, and the objective from them."""
        self.span.refresh()
        self.swept, self._value = 0.0, None


class Span:
    """Steps of a batch's first fit in the span of its last ones."""

    def __init__(self, batch: TableBatch) -> None:
        self.batch, self.design = batch, batch.samples.design
        l1, l2 = batch.psi.l1[:, 0], batch.psi.l2[:, 0]
        self.l1, self.l2 = np.ascontiguousarray(l1), np.ascontiguousarray(l2)
        self.weight = self.l1[self.design.term]
        # Without the l1 part psi is a quadratic.
        self.ridge = self.l1.copy()
        self.ridge[: self.design.n_columns] = 0.0
        self.signs = batch.signs[self.design.term, self.design.kind]
        self.drift = 0.0  # since the weights were computed from the data no residual moved further
        self.refreshed_at = 0  # in sweeps
        self.was_known = True  # whether all weights had their digits
        self._begin()

    def _begin(self) -> None:
        """Forget all steps."""
        self.objective = self.batch.objective()  # after the last step
        self.point = self._here()
        self.older = np.zeros((N_OLDER, len(self.point)))
        self.batch.rows.mark()

    def refresh(self) -> None:
        """Compute the weights of the rows anew."""
        self.batch.refresh(1)
        self.drift, self.objective = 0.0, self.batch.objective()
        self.refreshed_at = self.batch.n_sweeps

    def _here(self) -> Vector:
        return np.append(self.batch.levels[0], self.batch.intercepts[0])

    def _psi(self, levels: Vector) -> float:
        return _core.table_psi(self.batch.samples.table, levels, self.l1, self.l2)

    def _squares(self, levels: Vector) -> float:
        return _core.table_psi(self.batch.samples.table, levels, self.ridge, self.l2)

    def take(self, fall: float) -> float:
        """Take the step that the sweep just made allows for; returns by how much F + psi fell.

        ``fall`` is what the sweep gained. Where that is rounding, so are its residuals.
        """
        if fall <= NOTHING * abs(self.objective):
            # So near to the optimum, what rounding made of equal levels would hold sweeps back.
            own = self.batch.levels[0, : self.design.n_levels]
            own[:] = self.design.levels(np.append(self.design.lam(own), 0.0))
            self._begin()
            return 0.0
        here = self._here()
        unit = np.zeros(len(here))
        unit[-1] = 1.0
        plane = _Plane(self, here, np.vstack([here - self.point, self.older, unit]))
        steps, gain = plane.descend()
        is_known = not math.isnan(plane.least)
        if not is_known:  # weights are too small to have digits, and may have to come back
            if self.was_known or self.drift > MAX_DRIFT:
                self.refresh()
            self._begin()
        self.was_known = is_known
        if not is_known:
            return 0.0
        self.objective = plane.least
        total = here - self.point + steps @ plane.along
        self.older = np.vstack([total, self.older])[:N_OLDER]
        self.point = here + steps @ plane.along
        self.point[:-1][np.abs(self.point[:-1]) <= SMALLEST] = 0.0
        self.batch.moved(self.point[:-1], float(self.point[-1]), steps)
        return gain


class _Plane:
    """The objective at ``here`` and along some directions."""

    def __init__(self, span: Span, here: Vector, along: Vector) -> None:
        self.span, self.here, self.along = span, here, along
        # psi: where the stumps are, how they move, and the Hessian of the squares.
        self.lam = span.design.lam(here[:-1])
        self.moves = np.array([span.design.lam(direction[:-1]) for direction in along])
        every = [here, *along]
        own = [span._squares(x[:-1]) for x in every]
        n = len(every)
        self.bend = np.diag(own) * 2.0
        for a in range(n):
            for b in range(a):
                both = span._squares(every[a][:-1] + every[b][:-1]) - own[a] - own[b]
                self.bend[a, b] = self.bend[b, a] = both

    def descend(self) -> tuple[Vector, float]:
        """Return steps along the directions, and what they gain."""
        none = np.zeros(len(self.along))
        start, slope, hessian = self._evaluate(none)
        self.least = start
        if math.isnan(start):
            return none, 0.0
        step = self._newton(slope, hessian)
        for _ in range(MOST_TRIALS if step.any() else 0):
            value = self._evaluate(step)[0]
            if start - value > NOTHING * abs(start):
                self.least = value
                return step, start - value
            step = SHORTER * step
        return none, 0.0

    def _evaluate(self, at: Vector) -> tuple[float, Vector, Vector]:
        """Return F + psi after steps, and slope and Hessian without the l1 part."""
        value, slope, hessian = self.span.batch.span_sums(at)
        x = self.here + at @ self.along
        value += self.span._psi(np.ascontiguousarray(x[:-1]))
        slope = slope + self.bend[1:, 0] + self.bend[1:, 1:] @ at
        return value, slope, hessian + self.bend[1:, 1:]

    def _newton(self, slope: Vector, hessian: Vector) -> Vector:
        """Return the step, from slope and Hessian without the l1 part."""
        lam, n = self.lam, len(slope)
        lam[np.abs(lam) <= ROUNDING] = 0.0
        whole = slope + self.moves @ (self.span.weight * np.sign(lam))
        ridge = RIDGE * np.trace(hessian) * np.eye(n)
        if not (np.isfinite(hessian).all() and np.isfinite(whole).all()) or not ridge.any():
            return np.zeros(n)
        step = -np.linalg.solve(hessian + ridge, whole)
        bend = float(step @ hessian @ step)
        step *= self._length(lam, step @ self.moves, float(slope @ step), bend)
        return step * min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-300))

    def _length(self, lam: Vector, move: Vector, slope: float, bend: float) -> float:
        """Return how far to go: where slope t + bend t^2 / 2 and the l1 part are least."""
        moves = np.abs(move) > 1e-14
        lam, move, weight = lam[moves], move[moves], self.span.weight[moves]
        sign = self.span.signs[moves]
        slope += float((weight * np.where(lam != 0.0, np.sign(lam) * move, np.abs(move))).sum())
        knots = -lam / move
        # No further than to where a sign would change that must not.
        ends = np.where(sign * move < 0.0, knots, math.inf)
        most = max(float(ends.min(initial=math.inf)), 0.0)
        ahead = knots > 0.0
        order = np.argsort(knots[ahead], kind="stable")
        knots = knots[ahead][order]
        rises = slope + np.cumsum(np.append(0.0, (2.0 * weight * np.abs(move))[ahead][order]))
        # Between knots the slope is a line: the first that comes to 0 before its end, or there.
        left, right = np.append(0.0, knots), np.append(knots, math.inf)
        best = np.maximum(-rises / bend, left) if bend > 0.0 else left
        first = int(np.argmax(best <= right))
        return min(float(best[first]), most)


def term_signs(design: TableDesign, penalty: Penalty) -> NDArray[np.int8]:
    """Return the signs that bounds ask of each term: of its jumps, and of its single bins.

    1: not below 0; -1: not above 0; 0: free. Other bounds are for sparse problems.
    """
    signs = np.zeros((len(design.columns), 2), dtype=np.int8)
    if penalty.lower is None or penalty.upper is None:
        return signs
    lower, upper = penalty.lower, penalty.upper
    is_sign = (np.isneginf(lower) | (lower == 0)) & (np.isposinf(upper) | (upper == 0))
    kind = np.where(lower == 0, 1, 0) - np.where(upper == 0, 1, 0)
    if not is_sign.all() or np.any((lower == 0) & (upper == 0)):
        raise ValueError(
            "bounds of a TableProblem are signs: lower 0 or -inf, upper 0 or inf, not both 0"
        )
    is_jump = design.is_threshold[design.kept]
    column = design.column_of[design.kept]
    for place, chosen in ((0, is_jump), (BIN_SIGN, ~is_jump)):
        signs[column[chosen], place] = kind[chosen]
        if np.any(signs[column[chosen], place] != kind[chosen]):
            raise ValueError("bounds of a TableProblem must be the same for all of a column")
    return signs
