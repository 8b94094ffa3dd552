"""Blocks of rows, the currency between readers and the store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .svmlight import Block, svmlight_blocks

__all__ = ["MOST_ENTRIES", "MOST_ROWS", "Block", "make_block", "row_ranges", "svmlight_blocks"]

# What is read at a time, unless one row alone is longer.
MOST_ROWS: Final = 2**16
MOST_ENTRIES: Final = 2**22


def make_block(
    indptr: NDArray[np.int64],
    indices: NDArray[Any],
    data: NDArray[np.float64] | None,
    y: NDArray[Any],
    bytes_read: int,
) -> Block:
    """Make a block of sound pointers, looking up its smallest and largest index."""
    lengths = [len(indices)] if data is None else [len(indices), len(data)]
    if indptr[0] != 0 or np.any(indptr[1:] < indptr[:-1]) or {int(indptr[-1])} != {*lengths}:
        raise ValueError("the lengths of rows, indices and values do not fit each other")
    ends = (int(indices.min()), int(indices.max())) if len(indices) else (None, None)
    return Block(indptr, indices, data, y.astype(np.float64, copy=False), bytes_read, *ends)


def row_ranges(indptr: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Cut rows into ranges with a limited number of rows and entries, at least one row each."""
    n_rows, start = len(indptr) - 1, 0
    while start < n_rows:
        stop = int(np.searchsorted(indptr, indptr[start] + MOST_ENTRIES, side="right")) - 1
        stop = min(max(stop, start + 1), start + MOST_ROWS, n_rows)
        yield start, stop
        start = stop
