"""Mutations that every format shares: of bytes, of JSON documents and of arrays of numbers."""

from __future__ import annotations

import random
import struct
from typing import Any

import numpy as np

__all__ = ["INTEGERS", "edit_array", "edit_bytes", "edit_data", "edit_json", "nested"]

INTEGERS = [0, 1, 2, 255, 2**31 - 1, 2**31, 2**32, 2**53, 2**62, 2**63 - 1, 2**63, 2**64, 10**30]
INTEGERS += [-value for value in INTEGERS]
EXTREMES = (np.nan, np.inf, -np.inf, -0.0, 0.0, -1.0, 5e-324, 1e308, -1e308)
DOUBLES = [struct.pack("<d", value) for value in EXTREMES]
VALUES = [*INTEGERS, None, True, False, "", "x", "F64", "U8", "I64", "BOOL", "\ud800", "é" * 50]
VALUES += [0.5, 1e308, [], {}, [1], [[[]]], {"$tuple": []}, {"$dict": [[1, 2]]}, {"$float": "nan"}]
KEYS = ["x", "", "coef", "params.q", "a b", "$dict", "é"]
PATCHES = [b"\0", b"\xff", b"9", b"-1", b'"', b"]", b"}", b"\\", b"1e999", b"NaN"]


def nested(depth: int) -> list[Any]:
    """Return a list in a list in a list."""
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def flip_bits(rng: random.Random, content: bytes) -> bytes:
    """Flip one bit or several."""
    changed = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 8, 64]) if changed else 0):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def set_bytes(rng: random.Random, content: bytes) -> bytes:
    """Overwrite a few bytes with ones that mean something to a parser."""
    begin = rng.randrange(len(content) + 1)
    patch = rng.choice(PATCHES)
    return content[:begin] + patch + content[begin + len(patch) :]


def cut(rng: random.Random, content: bytes) -> bytes:
    """Keep the front, the back, or both without the middle."""
    begin, end = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return rng.choice([content[:begin], content[end:], content[:begin] + content[end:]])


def splice(rng: random.Random, content: bytes, donor: bytes) -> bytes:
    """Insert, or overwrite with, a piece of this or another file."""
    begin, end = sorted(rng.randrange(len(donor) + 1) for _ in range(2))
    at = rng.randrange(len(content) + 1)
    return content[:at] + donor[begin:end] + content[at + rng.choice([0, end - begin]) :]


def edit_bytes(rng: random.Random, content: bytes, donor: bytes | None = None) -> bytes:
    """Return the content with one random change, blind to its structure."""
    choice = rng.random()
    if choice < 0.15:
        return splice(rng, content, content if donor is None else donor)
    if choice < 0.4:
        return edit_data(rng, content)
    return rng.choice([flip_bits, flip_bits, set_bytes, cut])(rng, content)


def edit_data(rng: random.Random, data: bytes) -> bytes:
    """Replace a word by an extreme one, or by one nearby."""
    width = rng.choice([1, 4, 8])
    at = rng.randrange(max(len(data) // width, 1)) * width
    word = rng.choice(INTEGERS)
    if rng.random() < 0.4:
        word = int.from_bytes(data[at : at + width], "little") + rng.choice([-8, -1, 1, 8, 1024])
    content = (word % 2 ** (8 * width)).to_bytes(width, "little")
    if width == 8 and rng.random() < 0.3:
        content = rng.choice(DOUBLES)
    return data[:at] + content + data[at + width :]


def edit_json(rng: random.Random, value: Any) -> Any:
    """Return the value with one place changed, removed, added or copied from elsewhere."""
    if isinstance(value, dict | list) and value and rng.random() < 0.85:
        copy = value.copy()
        place = rng.choice(list(copy) if isinstance(copy, dict) else range(len(copy)))
        action = rng.random()
        if action < 0.1:
            del copy[place]
        elif action < 0.2 and isinstance(copy, dict):
            copy[rng.choice(KEYS)] = copy.pop(place)
        elif action < 0.3 and isinstance(copy, list):
            copy.append(rng.choice(VALUES))
        else:
            copy[place] = edit_json(rng, copy[place])
        return copy
    if isinstance(value, int) and rng.random() < 0.5:
        return value + rng.choice([-8, -1, 1, 8])
    if rng.random() < 0.01:
        return nested(rng.choice([20, 400]))  # deeper, and this writer would fail before the reader
    return rng.choice(VALUES)


def edit_array(rng: random.Random, array: np.ndarray) -> np.ndarray:
    """Return the array with an item, its type, its length or its shape changed."""
    choice = rng.random()
    if choice < 0.75 and array.size and array.dtype.kind in "biuf":
        changed = array.copy()
        flat = changed.reshape(-1)
        place = rng.randrange(flat.size)
        flat[place if rng.random() < 0.9 else slice(place, None)] = other_number(rng, flat[place])
        return changed
    if choice < 0.85:
        kinds = ["f8", "f4", "i8", "i4", "u8", "u1", "?", "f2", "i1"]
        with np.errstate(all="ignore"):
            return np.asarray(array).astype(rng.choice(kinds))
    if choice < 0.93:
        n = array.size
        return np.resize(array, rng.choice([(), (0,), (1,), (n,), (1, n), (n, 1), (2, n)]))
    return np.resize(array, rng.choice([0, 1, array.size + 1, max(array.size - 1, 0)]))


def other_number(rng: random.Random, number: Any) -> Any:
    """Return another number of the same type: an extreme one, or one nearby."""
    dtype = number.dtype
    if dtype.kind == "b":
        return not number
    if dtype.kind == "f":
        with np.errstate(all="ignore"):
            return dtype.type(rng.choice([*EXTREMES, number * 2, -number, number + 1]))
    near = int(number) + rng.choice([-2, -1, 1, 2])
    bits = 8 * dtype.itemsize
    value = rng.choice([*INTEGERS, *[near] * 12]) % 2**bits
    return np.uint64(value).astype(dtype) if bits == 64 else np.array(value).astype(dtype)
