"""From numbers to places in a picture, and the numbers that stand at its edges."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.arrays import Vector

__all__ = ["Scale", "number"]

# Numbers in a picture are moved into this range, in which differences and quotients are numbers.
SMALLEST, LARGEST = 1e-250, 1e250


@dataclass(frozen=True)
class Scale:
    """Numbers from ``low`` to ``high`` along ``begin`` to ``end``, which may run backwards."""

    low: float
    high: float
    begin: float
    end: float
    is_log: bool = False

    @classmethod
    def around(
        cls, values: Any, begin: float, end: float, *, is_log: bool = False, room: float = 0.06
    ) -> Scale:
        """Return a scale that holds these numbers, with some room beside them."""
        finite = np.asarray(values, dtype=np.float64)
        finite = finite[np.isfinite(finite) & ((finite > 0) | (not is_log))]
        finite = np.clip(finite, SMALLEST if is_log else -LARGEST, LARGEST)
        if not len(finite):
            finite = np.array([1.0])
        low, high = float(finite.min()), float(finite.max())
        if is_log:
            spread = max(math.log(high) - math.log(low), 0.5)
            factor = math.exp(room * spread)
            return cls(low / factor, high * factor, begin, end, is_log=True)
        spread = next(size for size in (high - low, abs(high), 1.0) if size >= SMALLEST)
        return cls(low - room * spread, high + room * spread, begin, end)

    def __call__(self, values: Any) -> Vector:
        """Return the places of numbers; those beyond the ends are at the ends."""
        numbers = np.clip(np.asarray(values, dtype=np.float64), self.low, self.high)
        low, high = self.low, self.high
        if self.is_log:
            numbers, low, high = np.log(numbers), math.log(low), math.log(high)
        share = (numbers - low) / (high - low) if high > low else np.full_like(numbers, 0.5)
        return np.asarray(self.begin + share * (self.end - self.begin))

    def ticks(self, most: int = 6) -> list[float]:
        """Return round numbers within the scale."""
        if self.is_log:
            return self._decades(most)
        raw = (self.high - self.low) / max(most - 1, 1)
        if raw < SMALLEST:
            return [self.low]
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(power * k for k in (1, 2, 2.5, 5, 10) if power * k >= raw * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [float(f"{k * step:.12g}") for k in range(first, last + 1)]

    def _decades(self, most: int) -> list[float]:
        first, last = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
        every = max(1, math.ceil((last - first + 1) / most))
        found = [10.0**k for k in range(first, last + 1, every)]
        return found or [float(f"{math.sqrt(self.low) * math.sqrt(self.high):.1g}")]


def number(value: float, digits: int = 3) -> str:
    """Write a number for people: 0.0312, 1,234, 2.8e-05, with a minus that is one."""
    if not math.isfinite(value):
        return "none" if math.isnan(value) else "∞" if value > 0 else "−∞"
    size = abs(value)
    if size >= 1000:
        text = f"{value:,.0f}" if size < 1e12 else f"{value:.{digits - 1}e}"
    elif 0 < size < 1e-3:
        text = f"{value:.{digits}g}"
    else:
        text = f"{value:.{digits}g}"
    return text.replace("-", "−", 1) if value < 0 else text
