"""Sorted strings in less space: of each, only what differs from the one before it.

Neighbours in a sorted list begin alike. A string is how many of its first bytes are those of the
string before it, at most 15, and the bytes that follow. So few, because then a file cannot grow to
more than sixteen times its size when it is read, whoever wrote it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_SHARED", "front_code", "front_decode", "shared_prefixes"]

MOST_SHARED = 15
AT_ONCE = 32  # bytes compared in step, for all neighbours; the few that go on are compared alone

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]


def shared_prefixes(text: Bytes, offsets: Integers, most: int | None = None) -> Integers:
    """Return how many first bytes each string but the first shares with the one before it."""
    limits = np.minimum(np.diff(offsets)[:-1], np.diff(offsets)[1:])
    if most is not None:
        limits = np.minimum(limits, most)
    shared = np.zeros(len(limits), dtype=np.int64)
    alive = np.flatnonzero(limits > 0)
    step = 0
    while len(alive) and step < AT_ONCE:
        same = text[offsets[:-2][alive] + step] == text[offsets[1:-1][alive] + step]
        alive = alive[same]
        step += 1
        shared[alive] = step
        alive = alive[limits[alive] > step]
    for k in alive:
        begin, other, length = offsets[k], offsets[k + 1], limits[k]
        differs = text[begin : begin + length] != text[other : other + length]
        shared[k] = differs.argmax() if differs.any() else length
    return shared


def front_code(text: Bytes, offsets: Integers) -> tuple[Bytes, Bytes, Integers]:
    """Return what is left of the text, how much each string shares, and the lengths of the rest."""
    shared = np.zeros(len(offsets) - 1, dtype=np.int64)
    shared[1:] = shared_prefixes(text, offsets, MOST_SHARED)
    rest = np.diff(offsets) - shared
    return text[_places(offsets[:-1] + shared, rest)], shared.astype(np.uint8), rest


def front_decode(
    rest_text: Bytes, shared: Bytes, rest: NDArray[np.unsignedinteger]
) -> tuple[Bytes, Integers]:
    """Return the text and its offsets, after checking that they were coded so."""
    lengths = shared.astype(np.int64) + rest
    begins = _offsets(rest)
    if begins[-1] != len(rest_text):
        raise ValueError("the lengths of terms do not cut their text")
    before = np.append(0, lengths[:-1])
    if shared.max(initial=0) > MOST_SHARED or np.any(shared > before):
        raise ValueError("terms share more than there is with those before them")
    offsets = _offsets(lengths)
    text = np.empty(offsets[-1], dtype=np.uint8)
    text[_places(offsets[:-1] + shared, rest)] = rest_text
    for k in range(MOST_SHARED):
        own, taken = np.flatnonzero(shared <= k), np.flatnonzero(shared > k)
        if len(taken) == 0:
            break
        source = own[np.searchsorted(own, taken) - 1]  # the last one that has this byte of its own
        text[offsets[taken] + k] = rest_text[begins[source] + k - shared[source]]
    return text, offsets


def _offsets(lengths: NDArray[np.integer]) -> Integers:
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _places(begins: Integers, lengths: NDArray[np.integer]) -> Integers:
    """Return begin, begin + 1, ... for each of some runs, one after another."""
    ends = _offsets(lengths)
    return np.arange(ends[-1]) + np.repeat(begins - ends[:-1], lengths)
