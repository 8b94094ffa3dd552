"""Checks of single numbers, counts, seeds and vectors."""

from __future__ import annotations

from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import Vector, is_masked
from ..base.messages import shown

__all__ = [
    "check_choice",
    "check_count",
    "check_flag",
    "check_random_state",
    "check_real",
    "check_seed",
    "check_vector",
    "check_verbose",
    "refuse_dask",
]


# Data of Dask, which one machine does not take: they may be larger than its memory.


def refuse_dask(data: Any, what: str) -> None:
    """Refuse an array, table, series or bag of Dask, of which NumPy would fetch all parts."""
    if hasattr(type(data), "__dask_graph__"):
        kind = f"{type(data).__module__.partition('.')[0]} {type(data).__name__}"
        raise TypeError(
            f"{what} is not in memory, it is a {kind}: use tauboost.dask, which leaves the rows on "
            "the workers, or give what its compute() returns"
        )


def check_count(value: Any, name: str, least: int = 1) -> int:
    """Return an integer that counts something."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be an integer, got {shown(value)}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {shown(value)}")
    return int(value)


def check_choice(value: Any, name: str, choices: Collection[str]) -> str:
    """Return one of some words."""
    if not isinstance(value, str) or value not in choices:
        accepted = ", ".join(map(repr, choices))
        raise ValueError(f"{name} must be one of {accepted}, got {shown(value)}")
    return value


def check_flag(value: Any, name: str) -> bool:
    """Return True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {shown(value)}")
    return bool(value)


def check_verbose(verbose: Any) -> bool:
    """Return whether anything is to be shown."""
    is_flag = isinstance(verbose, bool | np.bool_)
    return check_count(int(verbose) if is_flag else verbose, "verbose", 0) > 0


def check_real(
    value: Any, name: str, *, least: float = -np.inf, most: float = np.inf, above: bool = False
) -> float:
    """Return a real number within [least, most] (or above ``least``), not NaN."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {shown(value)}")
    try:
        number = float(value)
    except OverflowError:  # an integer with hundreds of digits
        number = np.inf if value > 0 else -np.inf  # type: ignore[operator]
    if np.isnan(number) or number > most or number < least or (above and number == least):
        accepted = f"above {least:g}" if above else f"at least {least:g}"
        accepted += "" if most == np.inf else f" and at most {most:g}"
        raise ValueError(f"{name} must be {accepted}, got {number:g}")
    return number


def check_random_state(random_state: Any) -> np.random.RandomState:
    """Return the source of random numbers that scikit-learn's ``random_state`` means."""
    if isinstance(random_state, np.random.RandomState):
        return random_state
    if random_state is None or random_state is np.random:
        return np.random.mtrand._rand  # the global one, as scikit-learn does
    is_integer = isinstance(random_state, Integral) and not isinstance(random_state, bool)
    if not is_integer or not 0 <= random_state < 2**32:
        raise ValueError(
            "random_state must be None, an integer from 0 to 2**32 - 1 or a RandomState, "
            f"got {shown(random_state)}"
        )
    return np.random.RandomState(int(random_state))


def check_seed(random_state: Any) -> int:
    """Return a seed of 31 bits from scikit-learn's ``random_state``."""
    return int(check_random_state(random_state).randint(2**31 - 1))


def check_vector(values: ArrayLike, length: int | tuple[int, int], name: str) -> Vector:
    """Return a finite float64 vector of the given length, or of one of two."""
    refuse_dask(values, name)
    lengths = (length,) if isinstance(length, int) else length
    accepted = " or ".join(f"({n},)" for n in dict.fromkeys(lengths))
    given = np.asanyarray(values) if hasattr(values, "dtype") else values
    if getattr(getattr(given, "dtype", None), "kind", "f") not in "biufO":
        raise TypeError(f"{name} must be a vector of numbers, of shape {accepted}")
    try:
        with np.errstate(over="ignore"):  # too large for a float: found to be infinite below
            vector = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name} must be a vector of numbers, of shape {accepted}") from None
    if vector.ndim != 1 or len(vector) not in lengths:
        raise ValueError(f"{name} must have shape {accepted}, got {vector.shape}")
    if not np.all(np.isfinite(vector)) or is_masked(given):
        raise ValueError(f"{name} contains NaN or infinity")
    return vector
