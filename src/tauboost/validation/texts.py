"""Texts as people have them: lists, arrays, columns of tables, streams of any length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Any

import numpy as np

from ..base.messages import shown
from .numbers import refuse_dask

__all__ = ["refuse_other_than_strings", "take_texts", "text_blocks"]


TEXTS_AT_ONCE = 8192  # of a stream
TEXTS_OF_A_LIST = 65536  # kernels do not hear Ctrl-C: it waits for the end of a block


def text_blocks(texts: Any) -> Iterator[list[str]]:
    """Yield texts in lists: long ones if they are in memory, else short parts of the stream.

    That each of them is a string is for the reader to see: see `refuse_other_than_strings`.
    """
    refuse_dask(texts, "the column of texts")
    if isinstance(texts, str | bytes | bytearray):
        kind = "string" if isinstance(texts, str) else "bytes object"
        raise TypeError(f"texts must be a list of strings, got one {kind}: put it in a list")
    if isinstance(texts, list | tuple):
        yield from _slices(texts)
        return
    shape = getattr(texts, "shape", None)
    if shape is not None and len(shape) != 1:
        raise ValueError(
            f"texts must be one column of strings, got something of shape {tuple(shape)}: choose "
            "the column that holds them"
        )
    for name in ("to_pylist", "to_list", "tolist"):  # of Arrow, of pandas and polars, of NumPy
        if hasattr(texts, name):
            yield from _slices(getattr(texts, name)())
            return
    if isinstance(texts, Mapping | AbstractSet) or not isinstance(texts, Iterable):
        raise TypeError(f"texts must be a list of strings, got {shown(texts)}")
    stream = iter(texts)
    yield list(islice(stream, TEXTS_AT_ONCE))  # also where there are none
    while block := list(islice(stream, TEXTS_AT_ONCE)):
        yield block


def _slices(texts: Sequence[str]) -> Iterator[list[str]]:
    for first in range(0, max(len(texts), 1), TEXTS_OF_A_LIST):
        yield list(texts[first : first + TEXTS_OF_A_LIST])


def take_texts(texts: Any) -> list[str]:
    """Return all texts, each of them a string."""
    strings: list[str] = []
    for block in text_blocks(texts):
        others = (k for k, text in enumerate(block) if not isinstance(text, str))
        refuse_other_than_strings(block, len(strings), next(others, len(block)))
        strings += block
    return strings


def refuse_other_than_strings(block: list[str], first_row: int, n_strings: int) -> None:
    """Raise an error for the first text that is no string, the one behind ``n_strings``."""
    if n_strings == len(block):
        return
    found: Any = block[n_strings]
    if isinstance(found, bytes | bytearray):
        hint = "decode it, as in text.decode('utf-8')"
    elif is_missing(found):
        hint = "it is missing: fill it in, as with '', or leave the row out"
    else:
        hint = "make it one by str()"
    row = first_row + n_strings
    raise TypeError(f"texts must be strings, but that of row {row} is {shown(found)}: {hint}")


def is_missing(value: Any) -> bool:
    """Return True if a library of tables would call it missing."""
    is_nan = isinstance(value, float | np.floating) and bool(np.isnan(value))
    return value is None or is_nan or type(value).__name__ in ("NAType", "NaTType")
