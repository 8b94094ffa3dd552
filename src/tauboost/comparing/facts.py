"""What a data set looks like to the solvers, from one pass over it in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.arrays import Mask, Vector
from ..base.messages import shown
from ..design.matrix import shard_cuts
from ..design.wide import is_wide, note_of_width, without_unused_features
from ..io.blocks import row_ranges
from ..validation import CsrArrays, refuse_missing_labels

__all__ = ["describe"]


def describe(
    parts: Sequence[CsrArrays], y: ArrayLike, seen: Callable[[int], None] | None = None
) -> dict[str, Any]:
    """Collect the facts about X, the sum of the parts, ready for JSON.

    Parameters
    ----------
    parts : CSR matrices of one shape that share no entry, without explicit zeros
    y : labels, numbers of two kinds or more
    seen : called with the number of entries looked at so far
    """
    m, n_features = parts[0].shape
    labels = np.asarray(y)
    refuse_missing_labels(labels)
    classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if len(classes) < 2:
        raise ValueError(f"y has one class only, {shown(classes[0])}: two or more are needed")
    indptr = np.zeros(m + 1, dtype=np.int64)
    for part in parts:
        indptr += part.indptr
    used = None
    if is_wide(n_features, int(indptr[-1])):  # as a problem of them has it
        arrays = replace(parts[0], more=parts[1] if len(parts) > 1 else None)
        arrays, used = without_unused_features(arrays)
        parts = arrays.parts
    n = parts[0].shape[1]
    columns = _read_columns(parts, codes, seen)
    in_row = np.diff(indptr)
    nnz = int(indptr[-1])
    L = np.square(columns.largest[columns.count > 0])
    n_valued = int(np.count_nonzero(columns.is_valued))
    n_shards = len(shard_cuts(indptr, n)) - 1
    return {
        "n_samples": m,
        "n_features": n_features,
        "nnz": nnz,
        "density": nnz / (m * n_features),
        "omega": int(in_row.max()),
        "lipschitz": {
            "smallest": float(L.min()) if L.size else None,
            "largest": float(L.max()) if L.size else None,
        },
        "classes": [
            {"label": float(label), "count": count}
            for label, count in zip(classes, counts.tolist(), strict=True)
        ],
        "empty_rows": int(np.count_nonzero(in_row == 0)),
        "empty_columns": n_features - len(L),
        "one_class_columns": int(np.count_nonzero(columns.has_one_class)),
        "valued_columns": n_valued,
        "value_free_columns": len(L) - n_valued,
        "matrix_bytes": _matrix_bytes(columns, m, n_shards),
        "matrix_shards": n_shards,
        "warning": note_of_width(used, n_features),
    }


@dataclass(frozen=True)
class _Columns:
    """Per column: its entries, sums over their classes, the range of their absolute values."""

    count: NDArray[np.int64]
    codes: NDArray[np.int64]  # the sum of the numbers of the classes, and of their squares
    squares: NDArray[np.int64]
    smallest: Vector
    largest: Vector
    any_negative: bool  # whether any entry of any column is

    @property
    def is_valued(self) -> Mask:
        return (self.count > 0) & (self.smallest < self.largest)

    @property
    def has_one_class(self) -> Mask:
        """Whether there are entries, all in one class: the numbers of the classes do not vary."""
        return np.asarray((self.count > 0) & (self.count * self.squares == self.codes**2))

    def left_out(self, m: int) -> int:
        """Count the rows that nearly full columns leave out: the core lists them."""
        if self.any_negative:
            return 0
        is_full = (3 * self.count > 2 * m) & ~self.is_valued
        return int(np.sum(m - self.count[is_full]))


def _read_columns(
    parts: Sequence[CsrArrays], codes: NDArray[np.intp], seen: Callable[[int], None] | None
) -> _Columns:
    n, done = parts[0].shape[1], 0
    count, sums, squares = (np.zeros(n, dtype=np.int64) for _ in range(3))
    smallest, largest = np.full(n, np.inf), np.zeros(n)
    any_negative = False
    for part in parts:
        for start, stop in row_ranges(part.indptr):
            entries = slice(part.indptr[start], part.indptr[stop])
            indices = part.indices[entries]
            in_row = np.diff(part.indptr[start : stop + 1])
            entry_codes = np.repeat(codes[start:stop].astype(np.float64), in_row)
            in_chunk = np.bincount(indices, minlength=n)
            count += in_chunk
            sums += np.bincount(indices, entry_codes, n).astype(np.int64)
            squares += np.bincount(indices, entry_codes**2, n).astype(np.int64)
            if part.data is None:
                smallest[in_chunk > 0] = np.minimum(smallest[in_chunk > 0], 1.0)
                largest[in_chunk > 0] = np.maximum(largest[in_chunk > 0], 1.0)
            else:
                magnitude = np.abs(part.data[entries])
                any_negative = any_negative or bool(np.any(part.data[entries] < 0))
                np.minimum.at(smallest, indices, magnitude)
                np.maximum.at(largest, indices, magnitude)
            done += len(indices)
            if seen is not None:
                seen(done)
    return _Columns(count, sums, squares, smallest, largest, any_negative)


def _matrix_bytes(columns: _Columns, m: int, n_shards: int) -> int:
    """Predict what the matrix of the core will take: ``nbytes`` in cpp/matrix/columns.hpp."""
    n, nnz, valued = len(columns.count), int(columns.count.sum()), columns.is_valued
    total = 8 * m + 8 * n + 4 * (nnz + columns.left_out(m)) + n_shards * (12 * n + 8)
    if valued.any():
        per_shard = 8 * (int(np.count_nonzero(valued)) + 1)
        total += 4 * n + n_shards * per_shard + 8 * int(columns.count[valued].sum())
    return total
