"""Numbers in words: with as many digits as a prediction deserves."""

from __future__ import annotations

import math

__all__ = ["in_bytes", "in_seconds", "rounded"]

UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


def rounded(value: float, digits: int = 2) -> str:
    """Return a number with two digits that count, in full: 0.012, 1.2, 12, 120."""
    if not math.isfinite(value):
        return "unknown"
    if value == 0:
        return "0"
    value = float(f"{value:.{digits - 1}e}")
    places = digits - 1 - math.floor(math.log10(abs(value)))
    return f"{value:,.{max(places, 0)}f}"


def in_seconds(value: float) -> str:
    """Return a time, with the unit that fits."""
    if value < 1e-3:
        return f"{rounded(1e6 * value)} µs"
    if value < 1:
        return f"{rounded(1e3 * value)} ms"
    if value < 120:
        return f"{rounded(value)} s"
    return f"{rounded(value / 60)} min" if value < 7200 else f"{rounded(value / 3600)} h"


def in_bytes(value: float) -> str:
    """Return a size, with the unit that fits."""
    power = 0 if value < 1 else min(int(math.log10(value) / 3 + 1e-9), len(UNITS) - 1)
    return f"{rounded(value / 1000**power)} {UNITS[power]}"
