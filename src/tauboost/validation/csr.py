"""A checked matrix: the three arrays of CSR, or two sets of them, and the checks of such arrays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Mask, Vector

__all__ = ["ROWS_AT_ONCE", "CsrArrays", "check_pointers", "not_valid", "vector_of"]

ROWS_AT_ONCE = 2**16
# Runs of rows at least so long on average are copied one by one, without a mask over entries.
ROWS_IN_A_RUN = 32


@dataclass(frozen=True)
class CsrArrays:
    """A checked matrix as the three CSR arrays; ``data`` is None when every entry is 1.

    With ``scale``, every entry of column i is scale[i] instead, and there are no ``data``.
    With ``more``, the matrix is the sum of the two, which have no entry in common: ones without
    values, and all else, as a store keeps them. ``store`` is what the arrays are mapped from.
    """

    indptr: NDArray[Any]
    indices: NDArray[Any]
    data: Vector | None
    shape: tuple[int, int]
    more: CsrArrays | None = None
    store: Any = None
    scale: Vector | None = None

    @property
    def parts(self) -> tuple[CsrArrays, ...]:
        """The matrices whose sum this is, one or two."""
        return (self,) if self.more is None else (self, self.more)

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return sum(len(part.indices) for part in self.parts)

    def row_ends(self) -> NDArray[Any]:
        """Return how many entries there are before each row, and in all: m + 1 numbers."""
        return self.indptr if self.more is None else self.indptr + self.more.indptr

    def reading(self) -> AbstractContextManager[None]:
        """Return a context for a pass over all entries: mapped pages do not pile up in it."""
        return nullcontext() if self.store is None else self.store.reading()

    def select(self, keep: Mask) -> CsrArrays:
        """Keep only some of the rows, in a copy."""
        with self.reading():
            counts = np.diff(self.indptr)
            indptr = np.append(0, np.cumsum(counts[keep])).astype(self.indptr.dtype)
            indices = np.empty(int(indptr[-1]), dtype=self.indices.dtype)
            data = None if self.data is None else np.empty(len(indices))
            for kept, chosen in self._blocks(keep, counts, indptr):
                indices[kept] = self.indices[chosen[0]][chosen[1]]
                if data is not None and self.data is not None:
                    data[kept] = self.data[chosen[0]][chosen[1]]
            more = None if self.more is None else self.more.select(keep)
        shape = (len(indptr) - 1, self.shape[1])
        return CsrArrays(indptr, indices, data, shape, more, scale=self.scale)

    def rows(self, start: int, stop: int) -> CsrArrays:
        """Return some rows that follow each other, without a copy of their entries."""
        begin, end = int(self.indptr[start]), int(self.indptr[stop])
        return CsrArrays(
            self.indptr[start : stop + 1] - self.indptr[start],
            self.indices[begin:end],
            None if self.data is None else self.data[begin:end],
            (stop - start, self.shape[1]),
            None if self.more is None else self.more.rows(start, stop),
            scale=self.scale,
        )

    def _blocks(
        self, keep: Mask, counts: NDArray[Any], indptr: NDArray[Any]
    ) -> Iterator[tuple[slice, tuple[slice, Any]]]:
        """Yield where entries go, and where they come from: a slice, and what of it is kept."""
        edges = np.flatnonzero(np.diff(keep, prepend=False, append=False))
        if len(edges) * ROWS_IN_A_RUN <= len(keep):  # long runs of kept rows are copied as such
            first = 0
            for begin, end in self.indptr[edges].reshape(-1, 2).tolist():
                yield slice(first, first + end - begin), (slice(begin, end), slice(None))
                first += end - begin
            return
        # By blocks of rows: a mask over all entries would be as large as what is kept.
        for start in range(0, len(keep), ROWS_AT_ONCE):
            stop = min(start + ROWS_AT_ONCE, len(keep))
            block = slice(int(self.indptr[start]), int(self.indptr[stop]))
            chosen = np.repeat(keep[start:stop], counts[start:stop])
            first = int(indptr[np.count_nonzero(keep[:start])])
            yield slice(first, first + int(np.count_nonzero(chosen))), (block, chosen)

    def values(self) -> Vector:
        """Return all values, written out if need be."""
        if self.data is not None:
            return self.data
        return np.ones(len(self.indices)) if self.scale is None else self.scale[self.indices]

    def with_duplicates_summed(self) -> CsrArrays:
        """Add up the entries that were given more than once, in a copy."""
        summed = self.to_scipy().copy()
        summed.sum_duplicates()
        return CsrArrays(summed.indptr, summed.indices, summed.data, self.shape)

    def to_scipy(self) -> Any:
        """Return the matrix as a scipy CSR array; ones are written out."""
        import scipy.sparse as sp  # noqa: PLC0415

        matrix = sp.csr_array((self.values(), self.indices, self.indptr), shape=self.shape)
        return matrix if self.more is None else matrix + self.more.to_scipy()


def not_valid(X: Any) -> str:
    """Begin a message about a broken matrix."""
    return f"X is not a valid {X.format.upper()} matrix"


def vector_of(values: Any, what: str, name: str) -> NDArray[Any]:
    """Return one of the arrays of a matrix, which must have one dimension."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{what}: {name} must have one dimension, got {array.ndim}")
    return array


def check_pointers(
    indptr: NDArray[Any], indices: NDArray[Any], n_values: int, n_major: int, what: str
) -> None:
    """Check pointers against what they point to."""
    for name, array in (("indptr", indptr), ("indices", indices)):
        vector_of(array, what, name)
        if array.dtype.kind not in "iu":
            raise ValueError(f"{what}: {name} must hold integers, got values of type {array.dtype}")
    if len(indptr) != n_major + 1:
        raise ValueError(f"{what}: indptr has {len(indptr)} entries, expected {n_major + 1}")
    if indptr[0] != 0:
        raise ValueError(f"{what}: indptr must begin with 0, got {indptr[0]}")
    decreasing = np.flatnonzero(indptr[1:] < indptr[:-1])
    if decreasing.size:
        raise ValueError(f"{what}: indptr decreases after position {decreasing[0]}")
    stored = min(len(indices), n_values)
    if int(indptr[-1]) > stored:
        raise ValueError(
            f"{what}: indptr ends at {indptr[-1]}, but only {stored} entries are there"
        )
