"""Arrays of strings as two arrays of numbers: all text as UTF-8, and where each string begins.

A model may have millions of feature names. As numbers they cost a file nothing but their letters
and 8 bytes each, and are read without a parser.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["object_array", "pack", "unpack"]


def pack(strings: Sequence[str], name: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the text of all strings, and the n + 1 positions that cut it."""
    try:
        encoded = [string.encode() for string in strings]
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} holds text that is not Unicode: {error.object!a:.60}") from None
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets


def unpack(text: NDArray[np.uint8], offsets: NDArray[np.int64], name: str) -> list[str]:
    """Return the strings, after checking that the positions cut the text and nothing else."""
    is_cut = len(offsets) > 0 and offsets[0] == 0 and offsets[-1] == len(text)
    if not is_cut or np.any(offsets[1:] < offsets[:-1]):
        raise ValueError(f"the offsets of {name} do not cut its text into strings")
    raw = text.tobytes()
    try:
        return [raw[begin:end].decode() for begin, end in pairwise(offsets.data)]
    except UnicodeDecodeError:
        raise ValueError(f"{name} holds text that is not UTF-8") from None


def object_array(strings: Sequence[str]) -> NDArray[Any]:
    """Return an array of Python strings, as scikit-learn keeps feature names."""
    array = np.empty(len(strings), dtype=object)
    array[:] = strings
    return array
