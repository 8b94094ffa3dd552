"""The state of a run as plain arrays by name: what a run needs to go on later, bit for bit.

Arrays, numbers and the positions of random generators are all there is, so that a state can be
written to a file that is safe to read. Names of parts carry a prefix: ``plan.gain``. Whoever
restores a state says what each entry may be; anything else is a `SavedStateError`, before it is
used for anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..base.arrays import Vector

__all__ = [
    "COUNT",
    "FINITE",
    "NOT_NEGATIVE",
    "POSITIVE",
    "Range",
    "SavedStateError",
    "State",
    "check_weights",
    "entry",
    "pack",
    "pack_random",
    "part",
    "prefixed",
    "unpack",
    "unpack_random",
]

State = dict[str, NDArray[Any]]

# Weights are compared with what lam says in logarithms, cut to this range: beyond it they may have
# been too small or too large to represent, and have come back since.
LOG_RANGE = (-300.0, 300.0)
LOG_TOLERANCE = 1e-3


class SavedStateError(ValueError):
    """A saved state that cannot be that of the problem at hand."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the saved state does not fit this problem: {name} differs")


@dataclass(frozen=True)
class Range:
    """What the numbers of an entry may be, both ends included; NaN is in no range."""

    least: float
    most: float

    def holds(self, numbers: NDArray[Any]) -> bool:
        """Tell whether all of them are."""
        return bool(np.all((numbers >= self.least) & (numbers <= self.most)))


LARGEST = float(np.finfo(np.float64).max)
FINITE = Range(-LARGEST, LARGEST)
NOT_NEGATIVE = Range(0.0, LARGEST)
POSITIVE = Range(float(np.finfo(np.float64).tiny), LARGEST)
COUNT = Range(0, 2**62)


def pack(thing: Any, names: Iterable[str]) -> State:
    """Return copies of attributes as arrays, as kernels change them later; None is left out."""
    values = {name: getattr(thing, name) for name in names}
    return {name: np.array(value) for name, value in values.items() if value is not None}


def unpack(thing: Any, ranges: Mapping[str, Range], state: Mapping[str, NDArray[Any]]) -> None:
    """Set attributes to what `pack` found, each of the type and shape that it has now."""
    for name, wanted in ranges.items():
        now = getattr(thing, name)
        if now is None:
            continue
        like = np.asarray(now)
        saved = entry(state, name, like.shape, like.dtype, wanted)
        if isinstance(now, np.ndarray):
            now[...] = saved  # in place: its memory may have been laid out with care
        else:
            setattr(thing, name, type(now)(saved.tolist()))


def entry(
    state: Mapping[str, NDArray[Any]],
    name: str,
    shape: tuple[int | None, ...],
    dtype: DTypeLike,
    wanted: Range,
) -> NDArray[Any]:
    """Return an array of the state that is as it must be; None stands for any length."""
    saved = state.get(name)
    if saved is None or saved.dtype != dtype or len(saved.shape) != len(shape):
        raise SavedStateError(name)
    sizes = zip(shape, saved.shape, strict=True)
    if any(size not in (None, found) for size, found in sizes) or not wanted.holds(saved):
        raise SavedStateError(name)
    return saved


def check_weights(kept: Vector, expected: Vector, name: str) -> None:
    """Check logarithms of row weights as they are kept against those that lam gives."""
    difference = np.clip(kept, *LOG_RANGE) - np.clip(expected, *LOG_RANGE)
    if not np.all(np.abs(difference) <= LOG_TOLERANCE):
        raise SavedStateError(name)


def prefixed(prefix: str, state: State) -> State:
    """Return the state of a part under its name."""
    return {f"{prefix}.{name}": array for name, array in state.items()}


def part(prefix: str, state: Mapping[str, NDArray[Any]]) -> State:
    """Return the state of the part that has this name."""
    begin = f"{prefix}."
    return {name.removeprefix(begin): a for name, a in state.items() if name.startswith(begin)}


def pack_random(generator: np.random.Generator) -> NDArray[np.uint64]:
    """Return where a Philox generator stands."""
    state: Any = generator.bit_generator.state
    last = [state["buffer_pos"], state["has_uint32"], state["uinteger"]]
    inner = state["state"]
    parts = [inner["counter"], inner["key"], state["buffer"], last]
    return np.concatenate([np.asarray(numbers, dtype=np.uint64) for numbers in parts])


def unpack_random(generator: np.random.Generator, state: Mapping[str, NDArray[Any]]) -> None:
    """Put a Philox generator where `pack_random` found one; it is the state's entry ``random``."""
    now = pack_random(generator)
    saved = entry(state, "random", now.shape, now.dtype, Range(0, 2**64 - 1))
    buffer_pos, has_uint32, uinteger = saved[10:].tolist()
    is_possible = buffer_pos <= 4 and has_uint32 <= 1 and uinteger < 2**32
    if not is_possible or np.any(saved[4:6] != now[4:6]):  # the key follows from the seed
        raise SavedStateError("random")
    generator.bit_generator.state = {
        "bit_generator": "Philox",
        "state": {"counter": saved[:4].copy(), "key": saved[4:6].copy()},
        "buffer": saved[6:10].copy(),
        "buffer_pos": buffer_pos,
        "has_uint32": has_uint32,
        "uinteger": uinteger,
    }
