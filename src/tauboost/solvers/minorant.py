"""Affine minorants of F: what convexity says of F everywhere, from one or two points.

F(x) >= F(lam) + <g, x - lam> for every x, with g the gradient at any lam. A bound of the optimum
needs a minorant whose slope along the intercept is 0, as the intercept is free and unbounded. No
floating point number need make it so, but two of them have it between them: with slopes s < 0 < t
along the intercept at two points that differ in nothing else,

    t / (t - s)  of the minorant of the first  and  -s / (t - s)  of that of the second

add up to a minorant whose slope is 0, however far apart the points are. The nearer they are to the
best intercept, the higher it lies: below F there by at most min(-s, t) times their distance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..base.arrays import Vector
from ..rows import Point

__all__ = ["Minorant", "level_minorant", "minorant", "rounding_of"]

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
