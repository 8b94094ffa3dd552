"""Rows in memory that can be used wherever a store can: what a file holds, or a part of a store.

Unlike a SciPy matrix they keep no values where every value is 1, so that reading and training need
the least memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..validation import CsrArrays, check_size, check_values
from .svmlight import Block, File, ZeroBased, read_rows, svmlight_blocks

__all__ = ["LabelledRows", "load_rows", "row_blocks"]


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Checked rows and their labels."""

    arrays: CsrArrays
    y: NDArray[np.float64]

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of samples and features."""
        return self.arrays.shape

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return self.arrays.nnz

    def parts(self) -> tuple[CsrArrays, ...]:
        """Return the matrices whose sum they are: see `Store.parts`."""
        return self.arrays.parts

    def reading(self) -> AbstractContextManager[None]:
        """Return a context that does nothing: there are no pages to release."""
        return nullcontext()


def load_rows(
    path: File,
    *,
    n_features: int | None = None,
    zero_based: ZeroBased = "auto",
    n_threads: int | None = None,
    progress: bool = False,
) -> LabelledRows:
    """Load an svmlight file; with ``n_features``, later features are left out."""
    found = read_rows(path, zero_based=zero_based, n_threads=n_threads, progress=progress)
    width = found.n_features if n_features is None else n_features
    return _rows(found.indptr, found.indices, found.data, found.y, width)


def row_blocks(
    path: File, *, n_features: int, zero_based: bool, n_threads: int | None = None
) -> Iterator[tuple[LabelledRows, int]]:
    """Yield the rows of an svmlight file block by block, with the number of bytes read so far.

    Features from ``n_features`` on are left out.
    """
    block: Block
    for block in svmlight_blocks(path, zero_based=zero_based, n_threads=n_threads):
        rows = _rows(block.indptr, block.indices, block.data, block.y, n_features)
        yield rows, block.bytes_read


def _rows(
    indptr: NDArray[np.int64], indices: NDArray[Any], data: Any, y: Any, n_features: int
) -> LabelledRows:
    shape = (len(y), n_features)
    check_size(shape)
    if len(indices) and int(indices.max()) >= n_features:
        known = indices < n_features
        indptr = np.append(0, np.cumsum(known))[indptr]
        indices, data = indices[known], None if data is None else data[known]
    if data is not None:
        check_values(data)
    indices = indices.astype(np.int32, copy=False)
    return LabelledRows(CsrArrays(indptr, indices, data, shape), y)
