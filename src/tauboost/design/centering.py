"""Numbers subtracted from some columns of a matrix, which then have an entry in every row.

Meant for columns that have one nearly everywhere: they cost no more than before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Mask, Vector
from ..validation import ROWS_AT_ONCE, CsrArrays

__all__ = ["centered", "row_blocks"]


def row_blocks(
    arrays: CsrArrays, columns: NDArray[np.intp]
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield rows, some at a time, with their values in some columns as a dense array."""
    if len(columns) == 0:
        return
    place = np.full(arrays.shape[1], -1, dtype=np.intp)
    place[columns] = np.arange(len(columns))
    with arrays.reading():
        for start in range(0, arrays.shape[0], ROWS_AT_ONCE):
            rows = slice(start, min(start + ROWS_AT_ONCE, arrays.shape[0]))
            block = np.zeros((rows.stop - rows.start, len(columns)))
            for part in arrays.parts:
                _fill(block, part, rows, place)
            yield rows, block


def _fill(
    block: NDArray[np.float64], part: CsrArrays, rows: slice, place: NDArray[np.intp]
) -> None:
    """Put the entries of some rows into their places; -1: they have none."""
    ends = part.indptr[rows.start : rows.stop + 1]
    entries = slice(int(ends[0]), int(ends[-1]))
    places = place[part.indices[entries]]
    chosen = np.flatnonzero(places >= 0)
    row = np.repeat(np.arange(len(block)), np.diff(ends))[chosen]
    places = places[chosen]
    if part.data is not None:
        block[row, places] = part.data[entries][chosen]
    elif part.scale is not None:
        block[row, places] = part.scale[part.indices[entries][chosen]]
    else:
        block[row, places] = 1.0


def centered(arrays: CsrArrays, columns: NDArray[np.intp], centers: Vector) -> CsrArrays:
    """Return a matrix with numbers subtracted from some of its columns, in a copy."""
    m, n = arrays.shape
    is_centered = np.zeros(n, dtype=bool)
    is_centered[columns] = True
    with arrays.reading():
        rest = [_without(part, is_centered) for part in arrays.parts]
    values = np.empty((m, len(columns)))
    for rows, block in row_blocks(arrays, columns):
        np.subtract(block, centers, out=values[rows])
    dense = CsrArrays(
        np.arange(m + 1, dtype=np.int64) * len(columns),
        np.tile(columns, m).astype(arrays.indices.dtype),
        values.reshape(-1),
        arrays.shape,
    )
    if len(rest) > 1:  # the values of a store, and these
        dense = _sum(rest[1], dense)
    pointer = np.int64 if dense.nnz > np.iinfo(np.int32).max else arrays.indptr.dtype
    return replace(
        rest[0],
        indptr=rest[0].indptr.astype(pointer, copy=False),
        more=replace(dense, indptr=dense.indptr.astype(pointer, copy=False)),
        store=arrays.store,
    )


def _without(part: CsrArrays, is_left_out: Mask) -> CsrArrays:
    """Return a matrix without the entries of some columns; as it is, if they have none."""
    keep = ~is_left_out[part.indices]
    if keep.all():
        return replace(part, more=None)
    kept = np.append(0, np.cumsum(keep, dtype=np.int64))[part.indptr]
    return replace(
        part,
        indptr=kept.astype(part.indptr.dtype),
        indices=part.indices[keep],
        data=None if part.data is None else part.data[keep],
        more=None,
    )


def _sum(one: CsrArrays, other: CsrArrays) -> CsrArrays:
    """Return the sum of two matrices without common entries as one."""
    total = one.to_scipy() + other.to_scipy()
    kind = other.indices.dtype
    return CsrArrays(
        total.indptr.astype(np.int64), total.indices.astype(kind), total.data, one.shape
    )
