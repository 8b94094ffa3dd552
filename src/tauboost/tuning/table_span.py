"""Newton's step in the span of the last steps, after each sweep of a fit.

A sweep creeps where columns say the same, or a pair what its columns say. Where the sweeps have
come from shows where they are heading: the last sweep, the two total steps before it and the
intercept span four dimensions, in which F + psi is minimised nearly. F is a quadratic there, from
one pass over the rows. Psi is one as well, but for the absolute values of its l1 part: Newton's
step takes the side that each is on, and its length is the best along the line, kinks and all. A
step is taken if it lowers the objective.
"""

from __future__ import annotations

import math

import numpy as np

from .. import _core
from ..base.arrays import Vector
from .table_directions import N_OLDER
from .table_lanes import TableLanes
from .table_stumps import TableStumps

__all__ = ["Span"]

SHORTER, MOST_TRIALS = 0.25, 3  # where the objective did not fall
NOTHING = 1e-12  # of the objective: a gain that may be rounding
LONGEST = 3.0  # times a direction: what rounding made of it grows as much
SMALLEST = 1e-14  # a level below it is 0, as in term_steps.hpp
ROUNDING = 1e-12  # so small a jump is none
RIDGE = 1e-12  # of the Hessian, as a share of its trace: directions may be dependent


class Span:
    """Steps of one lane in the span of its last ones."""

    def __init__(self, lanes: TableLanes, stumps: TableStumps) -> None:
        self.lanes, self.stumps = lanes, stumps
        l1, l2 = lanes.psi.l1[:, 0], lanes.psi.l2[:, 0]
        self.l1, self.l2 = np.ascontiguousarray(l1), np.ascontiguousarray(l2)
        self.weight = self.l1[stumps.term]
        # Without the l1 part psi is a quadratic.
        self.ridge = self.l1.copy()
        self.ridge[: stumps.n_columns] = 0.0
        self.signs = lanes.signs[stumps.term, stumps.kind]
        self.objective = lanes.objective()  # after the last step
        self._begin()

    def _begin(self) -> None:
        """Forget all steps."""
        self.point = self._here()
        self.older = np.zeros((N_OLDER, len(self.point)))
        self.lanes.rows.mark()

    def _stay(self) -> float:
        self._begin()
        self.objective = self.lanes.objective()
        return 0.0

    def _here(self) -> Vector:
        return np.append(self.lanes.levels[0], self.lanes.intercepts[0])

    def _psi(self, levels: Vector) -> float:
        return _core.table_psi(self.lanes.samples.table, levels, self.l1, self.l2)

    def _squares(self, levels: Vector) -> float:
        return _core.table_psi(self.lanes.samples.table, levels, self.ridge, self.l2)

    def take(self, fall: float) -> float:
        """Take the step that the sweep just made allows for; returns by how much F + psi fell.

        ``fall`` is what the sweep gained. Where that is rounding, so are its residuals.
        """
        if fall <= NOTHING * abs(self.objective):
            return self._stay()
        here = self._here()
        unit = np.zeros(len(here))
        unit[-1] = 1.0
        plane = _Plane(self, here, np.vstack([here - self.point, self.older, unit]))
        steps, gain = plane.descend()
        if math.isnan(plane.least):
            return self._stay()
        self.objective = plane.least
        total = here - self.point + steps @ plane.along
        self.older = np.vstack([total, self.older])[:N_OLDER]
        self.point = here + steps @ plane.along
        self.point[:-1][np.abs(self.point[:-1]) <= SMALLEST] = 0.0
        self.lanes.moved(self.point[:-1], float(self.point[-1]), steps)
        return gain


class _Plane:
    """The objective at ``here`` and along some directions."""

    def __init__(self, span: Span, here: Vector, along: Vector) -> None:
        self.span, self.here, self.along = span, here, along
        # psi: where the stumps are, how they move, and the Hessian of the squares.
        self.lam = span.stumps.lam(here[:-1])
        self.moves = np.array([span.stumps.lam(direction[:-1]) for direction in along])
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
        start, slope, hessian = self._look(none)
        self.least = start
        if math.isnan(start):
            return none, 0.0
        step = self._newton(slope, hessian)
        for _ in range(MOST_TRIALS if step.any() else 0):
            value = self._look(step)[0]
            if start - value > NOTHING * abs(start):
                self.least = value
                return step, start - value
            step = SHORTER * step
        return none, 0.0

    def _look(self, at: Vector) -> tuple[float, Vector, Vector]:
        """Return F + psi after steps, and slope and Hessian without the l1 part."""
        value, slope, hessian = self.span.lanes.span_sums(at)
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
