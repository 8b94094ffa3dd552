"""A lower bound of the optimum, which anybody can check: how far a solve can still be from it.

For any row weights u and any lam, F(lam) >= <u, A lam> - F*(u), with F* the conjugate of the loss.
Minimised over lam together with psi, the right side is -F*(u) - psi*(-A^T u): a bound of the
optimum from below. With the weights of the current point, A^T u is the gradient g of F, and

    bound = F(lam) - <g, lam> - psi*(-g):

one gradient and a pass over the coordinates, whatever the loss and wherever the rows are. Three
things have to be added. An intercept is free, so g must be 0 there: `level_minorant`. The
logistic loss has the weights u = 0, with F*(u) = 0: its optimum is at least the least psi. And with
an l1 term alone psi* is infinite as soon as one edge |g_i| exceeds l1. Then it is taken over
|lam|_1 <= radius, which is true of the optimum: for any weights v whose edges |A_i^T v| are at most
e < l1,

    (l1 - e) |lam|_1 <= objective + F*(v).

For the logistic loss v = 0 will do, and e = F*(v) = 0. Exponential weights sum to 1; there v comes
from a few sweeps with a weaker l1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..base.arrays import Vector
from ..penalty import Penalty
from ..problem import BaseProblem, SparseProblem
from ..rows import Point
from .exact import Exact
from .result import Status
from .stopping import Iteration, run
from .weights import Start

__all__ = [
    "ENOUGH_EPOCHS",
    "Bounding",
    "Minorant",
    "gap_of",
    "level_minorant",
    "minorant",
    "rounding_of",
    "value_and_gap",
    "why_unbounded",
]


# Affine minorants of F: what convexity says of F everywhere, from one or two points.
#
# F(x) >= F(lam) + <g, x - lam> for every x, with g the gradient at any lam. A bound of the
# optimum needs a minorant whose slope along the intercept is 0, as the intercept is free and
# unbounded. No floating point number need make it so, but two of them have it between them: with
# slopes s < 0 < t along the intercept at two points that differ in nothing else,
#
#     t / (t - s)  of the minorant of the first  and  -s / (t - s)  of that of the second
#
# add up to a minorant whose slope is 0, however far apart the points are. The nearer they are to
# the best intercept, the higher it lies: below F there by at most min(-s, t) times their
# distance.


MOST_STEPS = 100
# Both classes weigh the same but for this share, which is rounding: less of the heavier class's
# weights is a minorant as well, and lower by no more than this share of its conjugate.
BALANCED = 1e-15
NEAR_ENOUGH = 1e-16  # how far a minorant may lie below F at the best intercept
STEEPEST = 350.0  # half the logarithm of what no ratio of two numbers exceeds
ROUNDING = 2.0**-50  # of what residuals are the sums of
GROWTH = 4.0  # of steps that have not come to the other side


@dataclass(frozen=True)
class Minorant:
    """F(x) >= level + <slope, x> for every x."""

    level: float
    slope: Vector


def minorant(lam: Vector, value: float, gradient: Vector, scale: Vector) -> Minorant:
    """Return the minorant that touches F at lam, where F has this value and gradient.

    ``scale`` has the largest |A_ji| of each column. What residuals can have lost to rounding makes
    the minorant lower.
    """
    level = value - float(np.sum(gradient * lam)) - rounding_of(lam, scale)
    return Minorant(level, gradient)


def rounding_of(lam: Vector, scale: Vector) -> float:
    """Return what F can have lost to rounding, and every bound has less for that."""
    return ROUNDING * float(np.sum(scale * np.abs(lam)))


def level_minorant(point: Point, scale: Vector) -> Minorant | None:
    """Return a minorant that is level along the intercept, the last coordinate.

    It touches F near the point, with the intercept at its best. None: no two points were found
    that have the best intercept between them.
    """
    ends = _around_the_best(point)
    if not ends:
        return None
    low, high = ends
    value = low.point.value
    if low is high:
        slope = low.point.gradient()
    else:
        # Each by itself: 1 minus the other has lost the bits that make the slopes cancel out.
        of_low = high.slope / (high.slope - low.slope)
        of_high = -low.slope / (high.slope - low.slope)
        slope = low.point.mixed_gradient(high.point, of_low, of_high)
        # Less the two terms s b of the intercept, whose slopes add up to 0.
        value = of_low * value + of_high * high.point.value
        value -= of_low * low.slope * (low.at - high.at)
    slope[-1] = 0.0
    return minorant(low.point.lam, value, slope, scale)


class _End:
    """A point seen along the intercept: where it is, and how much the classes weigh there."""

    def __init__(self, point: Point) -> None:
        last = len(point.lam) - 1
        (neg,), (pos,) = point.sums(np.array([last], dtype=np.int32))
        self.point, self.at = point, float(point.lam[last])
        self.slope = float(pos - neg) / point.total
        self.is_level = bool(abs(pos - neg) <= BALANCED * (pos + neg))
        # Half the logarithm of the ratio of the weights. Less of the intercept by this much is the
        # whole way for the exponential loss, and never more than the way for the logistic one.
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = 0.5 * (np.log(pos) - np.log(neg))
        self.tilt = 0.0 if self.is_level else float(np.clip(ratio, -STEEPEST, STEEPEST))

    def moved_to(self, at: float) -> _End:
        """Return the point with another intercept."""
        d = np.zeros_like(self.point.lam)
        d[-1] = at - self.at
        lam = self.point.lam.copy()
        lam[-1] = at
        return _End(self.point.moved(lam, d))


def _around_the_best(point: Point) -> tuple[_End, _End] | None:
    """Return points with slopes below and above 0, or twice the one whose slope is 0.

    Secants on the tilt until there are two sides, then false position, which halves the tilt of an
    end that stays (the Illinois rule).
    """
    here, step, before = _End(point), 0.0, 0.0
    low = high = None
    low_tilt = high_tilt = 0.0
    for _ in range(MOST_STEPS):
        if here.is_level:
            return here, here
        if here.tilt < 0:
            low, low_tilt = here, here.tilt
            high_tilt *= 0.5 if before < 0 else 1.0
        else:
            high, high_tilt = here, here.tilt
            low_tilt *= 0.5 if before > 0 else 1.0
        if low is None or high is None:
            step = _secant(here, step, before)
            at = here.at + step
        else:
            width = high.at - low.at
            at = low.at - width * low_tilt / (high_tilt - low_tilt)
            is_near = min(-low.slope, high.slope) * width <= NEAR_ENOUGH
            if is_near or not low.at < at < high.at:
                break
        before, here = here.tilt, here.moved_to(at)
    return None if low is None or high is None else (low, high)


def _secant(here: _End, step: float, before: float) -> float:
    """Return the next step, from the last one (0: none) and the tilt before it."""
    if step == 0.0:
        size = abs(here.tilt)
    else:
        gained = abs(before) - abs(here.tilt)
        most = GROWTH * abs(step)
        size = min(abs(step * here.tilt) / gained, most) if gained > 0 else most
    # At least to the next number.
    return -math.copysign(max(size, math.ulp(here.at)), here.tilt)


# Weights v with edges below l1 are looked for with this share of l1; this much of it will do.
WEAKER, WEAK_ENOUGH = 0.9, 0.95
# Not before the largest edge is below this multiple of l1: from afar it would take long.
NEAR = 1.5
ENOUGH_EPOCHS = 20.0  # to find such weights from a point that is nearly optimal


@dataclass(frozen=True)
class Confined:
    """Weights v with every edge at most ``edge`` < l1: what is known of them."""

    edge: float
    # F*(v), and what bounds add: the largest of -<A^T v, lam> - edge |lam|_1 within them.
    conjugate: float

    def radius(self, objective: float, l1: float) -> float:
        """Return what |lam|_1 is at most where the objective is at most this."""
        return (objective + self.conjugate) / (l1 - self.edge)


class Bounding:
    """Bounds the optimum of one problem from below, better and better.

    ``value`` is the best bound so far; None as long as there is none, and ``reason`` says why.
    """

    def __init__(self, problem: BaseProblem, penalty: Penalty, n_threads: int) -> None:
        self.problem, self.penalty, self.n_threads = problem, penalty, n_threads
        self.value: float | None = None
        obstacle = why_unbounded(penalty)
        self.is_possible = obstacle is None
        self.reason = obstacle or "the objective is not finite"
        self._confined: Confined | None = None
        if self.is_possible and problem.loss_function.has_odds:
            self.value = 0.0 - penalty.conjugate(np.zeros(problem.n_coordinates), 0.0)
            self._confined = Confined(0.0, -penalty.rest_value)

    @property
    def needs_weights(self) -> bool:
        """Whether weights of smaller edges are still to be found, by sweeps."""
        return self.is_possible and self.penalty.is_linear and self._confined is None

    def update(self, lam: Vector, most_epochs: float) -> bool:
        """Bound from lam; return True if sweeps were made.

        At most ``most_epochs`` may be spent on weights of smaller edges. F is computed anew: the
        weights that a method multiplies while it moves have lost bits, and belong to no lam.
        """
        if not self.is_possible:
            return False
        point = self.problem.rows(self.n_threads).point(lam)
        here = self._minorant(point)
        if here is None:
            return False
        has_swept = self.needs_weights and self._confine(lam, here.slope, most_epochs)
        objective = point.value + self.penalty.value(lam)
        confined = self._confined
        radius = math.inf
        if confined is not None and self.penalty.is_linear:
            radius = confined.radius(objective, self.penalty.l1)
        found = here.level - self.penalty.conjugate(here.slope, radius)
        if math.isfinite(found) and (self.value is None or found > self.value):
            self.value = found
        return has_swept

    def _minorant(self, point: Point) -> Minorant | None:
        """Return the minorant at a point, or with the intercept moved."""
        scale = self.problem.design.scale
        if not self.problem.fit_intercept:
            return minorant(point.lam, point.value, point.gradient(), scale)
        found = level_minorant(point, scale)
        if found is None:
            self.reason = "the intercept is too far from its best"
        return found

    def _confine(self, lam: Vector, gradient: Vector, most_epochs: float) -> bool:
        """Search for weights whose edges are all below l1; return True if sweeps were made."""
        penalty, l1 = self.penalty, self.penalty.l1
        if penalty.largest_slope(gradient) > NEAR * l1 or most_epochs < 1:
            self.reason = "with an l1 penalty alone, the run must get nearer to the optimum"
            return False
        self.reason = "no row weights were found whose edges are all below the l1 penalty"
        at = self._with_weaker_l1(lam, most_epochs)
        scale = self.problem.design.scale[: penalty.n]
        if penalty.l1_factors is not None:
            of_l1 = penalty.l1_factors
            scale = np.divide(scale, of_l1, out=np.zeros_like(scale), where=of_l1 > 0)
        largest = float(scale.max(initial=0.0)) or 1.0  # 0: no entries at all
        near = 4 * (WEAK_ENOUGH - WEAKER) * l1 / largest
        run(at, _Confining(near, most_epochs, self._take_weights))
        return True

    def _take_weights(self, lam: Vector) -> bool:
        """Take the weights at lam, if their edges are small; False: search on."""
        here = self._minorant(self.problem.rows(self.n_threads).point(lam))
        if here is None:
            return True
        edge = self.penalty.largest_slope(here.slope)
        if edge > WEAK_ENOUGH * self.penalty.l1:
            return False
        within = replace(self.penalty, l1=edge).conjugate(here.slope, 0.0)
        self._confined = Confined(edge, within - here.level)
        return True

    def _with_weaker_l1(self, lam: Vector, most_epochs: float) -> Any:
        """Return the default method at lam, with less of a penalty."""
        weaker = replace(self.penalty, l1=WEAKER * self.penalty.l1)
        start = Start(self.problem, weaker, lam.copy(), self.n_threads)
        if not isinstance(self.problem, SparseProblem):
            return self.problem.solvers["exact"](start)
        at = Exact(start)
        # lam is nearly optimal, and close to where this will end: where Newton is at his best.
        at.newton.hurry(lam, 2 * self.problem.matrix.nnz * most_epochs)
        return at


class _Confining:
    """Watches for weights of small edges, where sweeps have seen none that is large."""

    def __init__(self, near: float, most_epochs: float, take: Callable[[Vector], bool]) -> None:
        self.near, self.most_epochs, self.take = near, most_epochs, take
        self.seen = math.inf

    def observe(self, at: Iteration) -> Status | None:
        hint = math.inf if at.edge_hint is None else at.edge_hint
        if hint <= self.near and hint != self.seen:
            self.seen = hint
            if self.take(at.lam):
                return Status.CONVERGED
        return Status.MAX_EPOCHS if at.epochs() >= self.most_epochs else None

    def epochs_left(self, at: Iteration) -> float:  # noqa: ARG002
        return 1.0


def gap_of(problem: BaseProblem, penalty: Penalty, lam: Vector, n_threads: int) -> float:
    """Return how far lam can be from the optimum; NaN where no bound is known."""
    return value_and_gap(problem, penalty, lam, n_threads)[1]


def value_and_gap(
    problem: BaseProblem, penalty: Penalty, lam: Vector, n_threads: int
) -> tuple[float, float]:
    """Return F at lam, and how far it can be from the optimum; NaN where no bound is known."""
    point = problem.rows(n_threads).point(lam)
    bounding = Bounding(problem, penalty, n_threads)
    bounding.update(lam, ENOUGH_EPOCHS)
    bound = math.nan if bounding.value is None else bounding.value
    return point.value, max(point.value + penalty.value(lam) - bound, 0.0)


def why_unbounded(penalty: Penalty) -> str | None:
    """Return why no bound can be made for this psi; None: it can."""
    if penalty.spares_some and not penalty.is_boxed:
        return "some features have the penalty factor 0"
    if penalty.l1 > 0 or penalty.l2 > 0 or penalty.is_boxed:
        return None
    if penalty.has_bounds:
        return "without a penalty, both bounds of every feature must be finite"
    return "there is no penalty"
