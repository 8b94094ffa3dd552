"""Parts of a matrix to measure on: some rows, or some columns of all rows.

A fit on some rows tells how many sweeps all rows would take. A sweep over some columns tells how
long one over all columns takes: columns are visited one after the other, and with all rows present
the weights of the rows lie in the caches, or do not, as they would for the whole.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..io.blocks import row_ranges
from ..validation import CsrArrays

__all__ = ["column_counts", "every_kth_column", "some_rows", "take_columns", "take_rows"]

# Of a class, so many rows are taken where it has them, however small the sample: a fit holds out
# samples of every class.
FEWEST_OF_A_CLASS = 20


def some_rows(codes: NDArray[np.intp], share: float, seed: int) -> NDArray[np.intp]:
    """Draw about this share of the rows of every class, in order."""
    rng = np.random.default_rng(seed)
    chosen = []
    for code in range(int(codes.max()) + 1):
        rows = np.flatnonzero(codes == code)
        size = min(len(rows), max(round(share * len(rows)), FEWEST_OF_A_CLASS))
        chosen.append(rng.choice(rows, size, replace=False, shuffle=False))
    return np.sort(np.concatenate(chosen))


def take_rows(arrays: CsrArrays, rows: NDArray[np.intp]) -> CsrArrays:
    """Copy some rows; what it costs depends on these alone."""
    starts = arrays.indptr[rows].astype(np.int64)
    counts = arrays.indptr[rows + 1] - starts
    indptr = np.append(0, np.cumsum(counts))
    where = np.repeat(starts - indptr[:-1], counts) + np.arange(indptr[-1])
    return replace(
        arrays,
        indptr=indptr.astype(arrays.indptr.dtype),
        indices=arrays.indices[where],
        data=None if arrays.data is None else arrays.data[where],
        shape=(len(rows), arrays.shape[1]),
        more=None if arrays.more is None else take_rows(arrays.more, rows),
        store=None,
    )


def column_counts(arrays: CsrArrays) -> NDArray[np.int64]:
    """Return the number of entries of every column."""
    counts = np.zeros(arrays.shape[1], dtype=np.int64)
    with arrays.reading():
        for part in arrays.parts:
            for start, stop in row_ranges(part.indptr):
                entries = part.indices[part.indptr[start] : part.indptr[stop]]
                counts += np.bincount(entries, minlength=len(counts))
    return counts


def every_kth_column(counts: NDArray[np.int64], k: int) -> NDArray[np.intp]:
    """Return every k-th of the columns, from the fullest to the emptiest.

    So few or many entries are as frequent among them as among all. The first is chosen such that
    they have about the k-th part of all entries: a few full columns may hold most of them.
    """
    order = np.argsort(-counts, kind="stable")
    wanted = counts.sum() / k
    first = min(range(k), key=lambda begin: abs(counts[order[begin::k]].sum() - wanted))
    return np.sort(order[first::k])


def take_columns(arrays: CsrArrays, columns: NDArray[np.intp]) -> CsrArrays:
    """Copy some columns, numbered anew, of all rows."""
    number = np.full(arrays.shape[1], -1, dtype=np.int32)
    number[columns] = np.arange(len(columns), dtype=np.int32)
    with arrays.reading():
        parts = [_part_of(part, number, len(columns)) for part in arrays.parts]
    return replace(parts[0], more=parts[1] if len(parts) > 1 else None)


def _part_of(part: CsrArrays, number: NDArray[np.int32], n: int) -> CsrArrays:
    found: list[tuple[NDArray[Any], Any, NDArray[Any]]] = []
    for start, stop in row_ranges(part.indptr):
        ends = part.indptr[start : stop + 1]
        numbers = number[part.indices[ends[0] : ends[-1]]]
        kept = np.flatnonzero(numbers >= 0)
        values = None if part.data is None else part.data[ends[0] : ends[-1]][kept]
        before = np.searchsorted(kept, ends[1:] - ends[0])  # entries kept up to each row's end
        found.append((numbers[kept], values, before))
    sizes = np.cumsum([0, *(len(numbers) for numbers, _, _ in found)])
    row_ends = [before + size for (_, _, before), size in zip(found, sizes, strict=False)]
    indptr = np.concatenate([[0], *row_ends]).astype(part.indptr.dtype)
    return CsrArrays(
        indptr,
        np.concatenate([numbers for numbers, _, _ in found]).astype(part.indices.dtype),
        None if part.data is None else np.concatenate([values for _, values, _ in found]),
        (part.shape[0], n),
        scale=None if part.scale is None else part.scale[number >= 0],
    )
