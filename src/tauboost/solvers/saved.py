"""The state of a run as plain arrays by name: what a run needs to go on later, bit for bit.

Arrays, numbers and the positions of random generators are all there is, so that a state can be
written to a file that is safe to read. Names of parts carry a prefix: ``plan.gain``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["State", "pack", "pack_random", "part", "prefixed", "unpack", "unpack_random"]

State = dict[str, NDArray[Any]]


def pack(thing: Any, names: Iterable[str]) -> State:
    """Return attributes as arrays; None is left out."""
    values = {name: getattr(thing, name) for name in names}
    return {name: np.asarray(value) for name, value in values.items() if value is not None}


def unpack(thing: Any, names: Iterable[str], state: Mapping[str, NDArray[Any]]) -> None:
    """Set attributes to what `pack` found, each of the type that it has now."""
    for name in names:
        now = getattr(thing, name)
        if now is None:
            continue
        saved = _entry(state, name, np.asarray(now))
        if isinstance(now, np.ndarray):
            now[...] = saved  # in place: its memory may have been laid out with care
        else:
            setattr(thing, name, type(now)(saved.tolist()))


def _entry(state: Mapping[str, NDArray[Any]], name: str, like: NDArray[Any]) -> NDArray[Any]:
    saved = state.get(name)
    if saved is None or saved.shape != like.shape or saved.dtype != like.dtype:
        raise ValueError(f"the saved state does not fit this problem: {name} differs")
    return saved


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
    saved = _entry(state, "random", pack_random(generator))
    buffer_pos, has_uint32, uinteger = saved[10:].tolist()
    generator.bit_generator.state = {
        "bit_generator": "Philox",
        "state": {"counter": saved[:4].copy(), "key": saved[4:6].copy()},
        "buffer": saved[6:10].copy(),
        "buffer_pos": buffer_pos,
        "has_uint32": has_uint32,
        "uinteger": uinteger,
    }
