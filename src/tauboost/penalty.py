"""The separable regulariser psi: elastic net and box.

    psi(lam) = alpha (l1_ratio |lam|_1 + (1 - l1_ratio)/2 |lam|_2^2),   lower <= lam <= upper

The intercept, the last coordinate where there is one, is free of both. Every coordinate may have
factors, by which its l1 and its l2 penalty are multiplied.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .base.arrays import Vector, cached_property
from .base.messages import shown
from .sparse.design import Design
from .validation import check_real, check_vector

__all__ = ["Bounds", "Factors", "Penalty", "check_factors"]


Bounds = tuple[ArrayLike | None, ArrayLike | None]
# What the l1 and the l2 penalty of each coordinate are multiplied by; None: 1.
Factors = tuple[Vector | None, Vector | None]


@dataclass(frozen=True)
class Penalty:
    """psi: l1, l2 and optional bounds; the first ``n`` coordinates are penalised."""

    n: int
    l1: float = 0.0
    l2: float = 0.0
    lower: Vector | None = None
    upper: Vector | None = None
    # Features that have no coordinate, as no row has them: where they stay, and psi of them.
    rest: Vector | None = None
    rest_value: float = 0.0
    l1_factors: Vector | None = None  # of each penalised coordinate; None: 1
    l2_factors: Vector | None = None

    @classmethod
    def elastic_net(
        cls, n: int, alpha: float, l1_ratio: float, factors: Factors | None = None
    ) -> Penalty:
        """Return psi without bounds."""
        l1_factors, l2_factors = (None, None) if factors is None else factors
        l1, l2 = alpha * l1_ratio, alpha * (1.0 - l1_ratio)
        return cls(n, l1, l2, l1_factors=l1_factors, l2_factors=l2_factors)

    @classmethod
    def build(
        cls,
        design: Design,
        alpha: float,
        l1_ratio: float,
        bounds: Bounds | None,
        *,
        lam0: Vector | None = None,
        factors: Factors | None = None,
    ) -> Penalty:
        """Check the public arguments of ``solve``, but for ``factors``, one for each feature.

        Features that have no coordinate stay at ``lam0`` (None: 0), or where psi and the bounds
        would have them.
        """
        place, used = design.place, design.used
        alpha = check_real(alpha, "alpha", least=0.0, most=1e300)
        ratio = check_real(l1_ratio, "l1_ratio", least=0.0, most=1.0)
        lower, upper = _check_bounds(bounds, design.n_features)
        penalty = cls.elastic_net(len(place), alpha, ratio, factors)
        if used is not None and (lower is not None or lam0 is not None):
            penalty = penalty._with_rest(used, lower, upper, lam0)
        if factors is None and lower is None:
            return penalty
        order = np.argsort(place)
        if used is not None:
            order = used[order]

        def placed(of_features: Vector | None) -> Vector | None:
            return None if of_features is None else of_features[order]

        return replace(
            penalty,
            lower=placed(lower),
            upper=placed(upper),
            l1_factors=placed(penalty.l1_factors),
            l2_factors=placed(penalty.l2_factors),
        )

    def _with_rest(
        self,
        used: NDArray[np.intp],
        lower: Vector | None,
        upper: Vector | None,
        lam0: Vector | None,
    ) -> Penalty:
        """Return psi with what it says of the features that have no coordinate."""
        is_free = self.l1 == 0.0 and self.l2 == 0.0
        if lam0 is not None and is_free:
            rest = lam0.copy()
        elif lower is not None:
            rest = np.zeros(len(lower))
        else:
            return self
        if lower is not None:
            np.clip(rest, lower, upper, out=rest)
        rest[used] = 0.0
        value = 0.0 if is_free else replace(self, n=len(rest)).value(rest)
        return replace(self, rest=rest, rest_value=value)

    @cached_property
    def kernel(self) -> _core.Psi:
        """Psi as the kernels take it."""
        factors = self.l1_factors, self.l2_factors
        return _core.Psi(self.l1, self.l2, self.lower, self.upper, self.n, *factors)

    @cached_property
    def each_l1(self) -> Vector | float:
        """The l1 penalty of every penalised coordinate, or the one that all have."""
        return self.l1 if self.l1_factors is None else self.l1 * self.l1_factors

    @cached_property
    def each_l2(self) -> Vector | float:
        """The l2 penalty of every penalised coordinate, or the one that all have."""
        return self.l2 if self.l2_factors is None else self.l2 * self.l2_factors

    @property
    def spares_some(self) -> bool:
        """Whether some coordinates are not penalised, though others are."""
        least = np.add(self.each_l1, self.each_l2).min(initial=np.inf)
        return bool(least == 0.0 and (self.l1 > 0.0 or self.l2 > 0.0))

    @property
    def is_zero(self) -> bool:
        """Whether there is nothing but F."""
        return self.l1 == 0.0 and self.l2 == 0.0 and not self.has_bounds

    @property
    def has_bounds(self) -> bool:
        """Whether lam is confined to a box."""
        return self.lower is not None

    @property
    def is_boxed(self) -> bool:
        """Whether every penalised coordinate has two finite bounds."""
        if self.lower is None or self.upper is None:
            return False
        return bool(np.isfinite(self.lower).all() and np.isfinite(self.upper).all())

    @property
    def is_linear(self) -> bool:
        """Whether psi grows no faster than a line somewhere: its conjugate is infinite there."""
        return bool(np.min(self.each_l2, initial=np.inf) == 0.0) and not self.is_boxed

    def value(self, lam: Vector) -> float:
        """psi(lam), for lam within its bounds."""
        if self.l1 == 0.0 and self.l2 == 0.0:
            return 0.0
        x, total = lam[: self.n], 0.0
        if self.l1 > 0:
            size = np.abs(x)
            weighted = size if self.l1_factors is None else size * self.l1_factors
            total += self.l1 * float(weighted.sum())
        if self.l2 > 0:
            square = np.square(x)
            weighted = square if self.l2_factors is None else square * self.l2_factors
            total += 0.5 * self.l2 * float(weighted.sum())
        return total + self.rest_value

    def values(self, points: Vector) -> Vector:
        """Return psi of several points, one a row."""
        return np.array([self.value(point) for point in points])

    def project(self, lam: Vector) -> Vector:
        """Return the nearest point within the bounds."""
        if self.lower is None:
            return lam
        projected = lam.copy()
        np.clip(lam[: self.n], self.lower, self.upper, out=projected[: self.n])
        return projected

    def without_empty(self, lam: Vector, scale: Vector) -> Vector:
        """Put coordinates with no data at the minimum of psi: nothing else will ever move them."""
        if self.l1 == 0.0 and self.l2 == 0.0:
            return lam
        is_empty = scale == 0
        is_empty[self.n :] = False
        return self.project(np.where(is_empty, 0.0, lam))

    def prox(self, point: Vector, curvature: Vector) -> Vector:
        """Minimise curvature/2 (x - point)^2 + psi(x), coordinate by coordinate."""
        moved = point.copy()
        x, k = point[: self.n], curvature[: self.n]
        size = np.maximum(np.abs(x) - self.each_l1 / k, 0.0)
        moved[: self.n] = np.sign(x) * size / (1 + self.each_l2 / k)
        return self.project(moved)

    def conjugate(self, slope: Vector, radius: float) -> float:
        """psi*(-slope): the largest value of -<slope, x> - psi(x).

        Where that is infinite, it is the largest with |x|_1 <= radius, each |x_i| times its factor.
        The intercept has no part in it: its slope must be 0.
        """
        g, l1, l2 = -slope[: self.n], self.each_l1, self.each_l2
        excess = np.abs(g) - l1
        lower, upper = self._sides()
        if self.l2 > 0:
            # Without a penalty of its own, a feature goes as far as its bounds let it.
            x, outward = np.zeros(self.n), excess > 0
            with np.errstate(divide="ignore"):
                np.divide(np.sign(g) * excess, l2, out=x, where=outward)
            np.clip(x, lower, upper, out=x)
        else:
            at_rest = np.clip(0.0, lower, upper)
            x = np.where(excess > 0, np.where(g > 0, upper, lower), at_rest)
        is_finite = np.isfinite(x)
        excess = excess[~is_finite]
        if self.l1_factors is not None:
            excess = excess / self.l1_factors[~is_finite]
        steepest = float(excess.max(initial=0.0))
        with np.errstate(invalid="ignore"):
            sums = g * x - l1 * np.abs(x) - 0.5 * l2 * np.square(x)
        total = float(np.sum(sums[is_finite]))
        return total - self.rest_value + (radius * steepest if steepest > 0 else 0.0)

    def largest_slope(self, slope: Vector) -> float:
        """Return the largest |slope|, over its factor, where neither a bound nor l2 ends it."""
        lower, upper = self._sides()
        g = -slope[: self.n]
        is_free = np.isinf(np.where(g > 0, upper, lower)) & (np.asarray(self.each_l2) == 0.0)
        size = np.abs(g[is_free])
        if self.l1_factors is not None:
            size = size / self.l1_factors[is_free]
        return float(size.max(initial=0.0))

    def _sides(self) -> tuple[Vector, Vector]:
        if self.lower is not None and self.upper is not None:
            return self.lower, self.upper
        return np.broadcast_to(-np.inf, self.n), np.broadcast_to(np.inf, self.n)

    def violation(self, lam: Vector, gradient: Vector) -> Vector:
        """How far 0 is from the subdifferential of F + psi, coordinate by coordinate."""
        x = lam[: self.n]
        least, most = gradient.copy(), gradient.copy()
        least[: self.n] += self.each_l2 * x + self.each_l1 * np.where(x > 0, 1.0, -1.0)
        most[: self.n] += self.each_l2 * x + self.each_l1 * np.where(x < 0, -1.0, 1.0)
        if self.lower is not None and self.upper is not None:
            least[: self.n][x <= self.lower] = -np.inf
            most[: self.n][x >= self.upper] = np.inf
        return np.maximum(0.0, np.maximum(least, -most))


def check_factors(factors: Any, n: int) -> Factors | None:
    """Check penalty factors, one for each feature: the same for l1 and l2, or a pair of them."""
    if factors is None:
        return None
    is_pair = isinstance(factors, tuple) and len(factors) == 2 and all(map(np.ndim, factors))
    given = factors if is_pair else (factors,)
    found = [check_vector(part, n, "penalty_factors") for part in given]
    if any(np.any(part < 0) or not np.any(part > 0) for part in found):
        raise ValueError("penalty_factors must be 0 or more for each feature, and not 0 for all")
    return found[0], found[-1]


def _check_bounds(bounds: Bounds | None, n: int) -> tuple[Vector | None, Vector | None]:
    if bounds is None:
        return None, None
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise TypeError(f"bounds must be a pair (lower, upper) or None, got {shown(bounds)}")
    sides = []
    for side, name, missing in ((bounds[0], "lower", -np.inf), (bounds[1], "upper", np.inf)):
        try:
            given = np.asarray(missing if side is None else side, dtype=np.float64)
            sides.append(np.broadcast_to(given, (n,)))
        except (TypeError, ValueError):
            raise ValueError(f"bounds: {name} must be a number or {n} numbers") from None
        if np.any(np.isnan(sides[-1])):
            raise ValueError(f"bounds: {name} contains NaN")
    lower, upper = sides
    crossed = np.flatnonzero((lower > upper) | (lower == np.inf) | (upper == -np.inf))
    if crossed.size:
        i = crossed[0]
        raise ValueError(
            f"bounds are crossed at feature {i}: lower {lower[i]:g}, upper {upper[i]:g}"
        )
    return lower, upper
