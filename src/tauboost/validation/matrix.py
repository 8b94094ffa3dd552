"""The gate for matrices: whatever X is, checked once, and seen as CSR.

Dense arrays and every sparse format of SciPy end here. Other formats than CSR are checked by
formats.py before SciPy converts them; the CSR arrays are then read once, in parallel, by
``inspect`` of cpp/matrix/csr.hpp.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Mask, Vector, is_masked, is_sparse, readable
from ..base.threads import threads_for
from .numbers import refuse_dask

__all__ = [
    "ROWS_AT_ONCE",
    "CsrArrays",
    "as_csr",
    "check_pointers",
    "check_range",
    "check_size",
    "check_values",
    "is_store",
    "not_valid",
    "vector_of",
]


# A checked matrix: the three arrays of CSR, or two sets of them, and the checks of such arrays.


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


# L_i = max_j A_ji^2 must be a number: neither 0 nor infinite.
SMALLEST, LARGEST = 1e-150, 1e150
# The kernels number columns with 32 bits, and an intercept is one more.
MOST_FEATURES = 2**31 - 2


def as_csr(X: Any) -> CsrArrays:
    """Check X and see it as CSR arrays, sharing memory where that is possible.

    Rows hold no index twice (duplicates are summed), but need not ascend. The pointers are never
    those of the user, so that nobody can change them meanwhile; indices are checked again where
    compiled code uses them.
    """
    if isinstance(X, CsrArrays):  # checked already
        return X
    if is_store(X):
        parts: tuple[CsrArrays, ...] = X.parts()
        return replace(parts[0], more=parts[1] if len(parts) > 1 else None, store=X)
    refuse_dask(X, "X")
    if not is_sparse(X):
        return _inspected(_dense_to_csr(X))
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions (samples, features), got {X.ndim}")
    check_size(X.shape)
    if X.format != "csr":
        from .formats import to_csr  # noqa: PLC0415

        X = to_csr(X)
    return _inspected(X)


def is_store(X: Any) -> bool:
    """Return True if X is a store: data on disk that check themselves."""
    return callable(getattr(X, "parts", None)) and callable(getattr(X, "reading", None))


def _inspected(X: Any) -> CsrArrays:
    """Check a CSR matrix that someone may have edited."""
    what = not_valid(X)
    values = vector_of(X.data, what, "data")
    _check_numeric(values.dtype)
    # Its own copy, in any case: nothing below reads X's pointers again.
    indptr, indices = np.array(X.indptr), np.asarray(X.indices)
    check_pointers(indptr, indices, len(values), X.shape[0], what)
    index = np.int32 if _fits_int32(indptr) and _fits_int32(indices) else np.int64
    end = int(indptr[-1])
    arrays = CsrArrays(
        indptr.astype(index, copy=False),
        readable(_signed(indices[:end], what), index),
        _as_float64(values[:end]),
        (int(X.shape[0]), int(X.shape[1])),
    )
    facts = _core.inspect_csr(arrays.indptr, arrays.indices, arrays.data, threads_for(end))
    if end and (facts.least_index < 0 or facts.most_index >= X.shape[1]):
        wrong = facts.least_index if facts.least_index < 0 else facts.most_index
        raise ValueError(f"{what}: index {wrong} is outside 0..{X.shape[1] - 1}")
    assert arrays.data is not None
    check_range(arrays.data, facts)
    if facts.has_duplicates:
        arrays = arrays.with_duplicates_summed()
        assert arrays.data is not None
        check_values(arrays.data)
        return arrays
    return replace(arrays, data=None) if facts.all_one else arrays


def _fits_int32(array: NDArray[Any]) -> bool:
    return np.can_cast(array.dtype, np.int32)


def _signed(indices: NDArray[Any], what: str) -> NDArray[Any]:
    """Refuse unsigned numbers that would come out as others, or as negative ones."""
    if indices.dtype.kind == "u" and len(indices) and int(indices.max()) > np.iinfo(np.int64).max:
        raise ValueError(f"{what}: index {indices.max()} is too large")
    return indices


def _as_float64(values: NDArray[Any]) -> Vector:
    with np.errstate(over="ignore"):  # what is too large for a float is found to be infinite
        return readable(values, np.float64)


def _dense_to_csr(X: Any) -> Any:
    import scipy.sparse as sp  # noqa: PLC0415

    if is_masked(X):
        raise ValueError("X is a masked array with missing values: fill them in first")
    try:
        dense = np.asarray(X)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"X must be a scipy sparse matrix or a 2-D array of numbers: {error}"
        ) from None
    if dense.ndim != 2:
        raise ValueError(f"X must have two dimensions (samples, features), got {dense.ndim}")
    check_size(dense.shape)
    _check_numeric(dense.dtype)
    # SciPy has no half precision, and NumPy no longer knows what it was in other byte orders.
    is_plain = dense.dtype.isnative and dense.dtype != np.float16
    return sp.csr_array(dense if is_plain else _as_float64(dense))


def check_size(shape: tuple[int, ...]) -> None:
    """Refuse what is empty, and more columns than the kernels can number."""
    if min(shape) == 0:
        raise ValueError(f"X is empty: it has {shape[0]} samples and {shape[1]} features")
    if shape[1] > MOST_FEATURES:
        raise ValueError(f"X has {shape[1]:,} features; at most {MOST_FEATURES:,} are possible")


def _check_numeric(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "biuf":
        raise TypeError(f"X must hold real numbers or booleans, got values of type {dtype}")


def check_range(values: Vector, facts: _core.CsrFacts) -> None:
    """Check by what is known of them that values are finite, and that their squares are numbers."""
    if not facts.is_finite:
        bad = np.count_nonzero(~np.isfinite(values))
        raise ValueError(f"X contains NaN or infinity ({bad} of its values)")
    if facts.most > LARGEST or facts.least < SMALLEST:
        raise ValueError(
            f"X has nonzero values outside {SMALLEST:g} <= |x| <= {LARGEST:g}, whose squares "
            "cannot be represented: rescale those features"
        )


def check_values(values: Vector) -> None:
    """Check that some values are finite, and that their squares are numbers."""
    check_range(values, _core.inspect_values(values))
