"""The one place where input is checked, before any compiled code sees it.

Every message names the argument, what was given and what is accepted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from .arrays import Mask, Vector
from .kernels import _core
from .threads import resolve_threads, useful_threads

__all__ = [
    "CsrArrays",
    "as_csr",
    "check_labels",
    "check_real",
    "check_size",
    "check_values",
    "check_vector",
    "check_weights",
    "is_store",
]

# L_i = max_j A_ji^2 must be a number: neither 0 nor infinite.
SMALLEST, LARGEST = 1e-150, 1e150
# The kernels number columns with 32 bits, and an intercept is one more.
MOST_FEATURES = 2**31 - 2
ROWS_AT_ONCE = 2**16
# Runs of rows at least so long on average are copied one by one, without a mask over entries.
ROWS_IN_A_RUN = 32


@dataclass(frozen=True)
class CsrArrays:
    """A checked matrix as the three CSR arrays; ``data`` is None when every entry is 1.

    With ``more``, the matrix is the sum of the two, which have no entry in common: ones without
    values, and all else, as a store keeps them. ``store`` is what the arrays are mapped from.
    """

    indptr: NDArray[Any]
    indices: NDArray[Any]
    data: Vector | None
    shape: tuple[int, int]
    more: CsrArrays | None = None
    store: Any = None

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
        return CsrArrays(indptr, indices, data, (len(indptr) - 1, self.shape[1]), more)

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

    def with_duplicates_summed(self) -> CsrArrays:
        """Add up the entries that were given more than once, in a copy."""
        summed = self.to_scipy().copy()
        summed.sum_duplicates()
        return CsrArrays(summed.indptr, summed.indices, summed.data, self.shape)

    def to_scipy(self) -> Any:
        """Return the matrix as a scipy CSR array; ones are written out."""
        data = np.ones(len(self.indices)) if self.data is None else self.data
        matrix = sp.csr_array((data, self.indices, self.indptr), shape=self.shape)
        return matrix if self.more is None else matrix + self.more.to_scipy()


def as_csr(X: Any) -> CsrArrays:
    """Check X and see it as CSR arrays, sharing memory where that is possible."""
    if isinstance(X, CsrArrays):  # checked already
        return X
    if is_store(X):
        parts: tuple[CsrArrays, ...] = X.parts()
        return replace(parts[0], more=parts[1] if len(parts) > 1 else None, store=X)
    if not sp.issparse(X):
        X = _dense_to_csr(X)
    elif X.format not in {"csr", "csc"}:
        X = X.tocsr()
    _check_numeric(X.dtype)
    _check_pointers(X)
    arrays, facts = _arrays(X)
    _check_facts(X, arrays.data, facts)
    if X.format == "csc":
        arrays, _ = _arrays(X.tocsr())
    return replace(arrays, data=None) if facts.all_one else arrays


def is_store(X: Any) -> bool:
    """Tell whether X is a store: data on disk that check themselves."""
    return callable(getattr(X, "parts", None)) and callable(getattr(X, "reading", None))


def _arrays(X: Any) -> tuple[CsrArrays, _core.CsrFacts]:
    """Return the arrays in the types of the core, and what one read of them tells."""
    index = np.int64 if np.int64 in (X.indices.dtype, X.indptr.dtype) else np.int32
    end = int(X.indptr[-1])
    indices = np.ascontiguousarray(X.indices[:end], dtype=index)
    data = np.ascontiguousarray(X.data[:end], dtype=np.float64)
    facts = _core.inspect_csr(indices, data, useful_threads(resolve_threads(None), end))
    indptr = np.ascontiguousarray(X.indptr, dtype=index)
    return CsrArrays(indptr, indices, data, (int(X.shape[0]), int(X.shape[1]))), facts


def _dense_to_csr(X: Any) -> Any:
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
    return sp.csr_array(dense)


def check_size(shape: tuple[int, int]) -> None:
    """Refuse what is empty, and more columns than the kernels can number."""
    if min(shape) == 0:
        raise ValueError(f"X is empty: it has {shape[0]} samples and {shape[1]} features")
    if shape[1] > MOST_FEATURES:
        raise ValueError(f"X has {shape[1]:,} features; at most {MOST_FEATURES:,} are possible")


def _check_numeric(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "biuf":
        raise TypeError(f"X must hold real numbers or booleans, got values of type {dtype}")


def _check_facts(X: Any, values: Vector | None, facts: _core.CsrFacts) -> None:
    minor = X.shape[1 if X.format == "csr" else 0]
    if facts.most_index >= 0 and (facts.least_index < 0 or facts.most_index >= minor):
        wrong = facts.least_index if facts.least_index < 0 else facts.most_index
        raise ValueError(f"{_not_valid(X)}: index {wrong} is outside 0..{minor - 1}")
    if values is not None:
        _check_range(values, facts)


def _check_range(values: Vector, facts: _core.CsrFacts) -> None:
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
    facts = _core.inspect_csr(np.zeros(len(values), dtype=np.int32), values, 1)
    _check_range(values, facts)


def _not_valid(X: Any) -> str:
    return f"X is not a valid {X.format.upper()} matrix"


def _check_pointers(X: Any) -> None:
    """Check the pointers of a CSR or CSC matrix that someone may have edited."""
    check_size(X.shape)
    major = X.shape[0 if X.format == "csr" else 1]
    what = _not_valid(X)
    indptr, indices = np.asarray(X.indptr), np.asarray(X.indices)
    if indptr.dtype.kind not in "iu" or indices.dtype.kind not in "iu":
        raise ValueError(f"{what}: indptr and indices must be integers")
    if len(indptr) != major + 1:
        raise ValueError(f"{what}: indptr has {len(indptr)} entries, expected {major + 1}")
    if indptr[0] != 0:
        raise ValueError(f"{what}: indptr must begin with 0, got {indptr[0]}")
    decreasing = np.flatnonzero(indptr[1:] < indptr[:-1])
    if decreasing.size:
        raise ValueError(f"{what}: indptr decreases after position {decreasing[0]}")
    stored = min(len(indices), len(X.data))
    if int(indptr[-1]) > stored:
        raise ValueError(
            f"{what}: indptr ends at {indptr[-1]}, but only {stored} entries are there"
        )


def check_labels(
    y: ArrayLike, n_samples: int, classes: NDArray[Any] | None = None
) -> tuple[Mask, NDArray[Any]]:
    """Return which rows are positive (the larger label), and the two labels in order.

    Where the two classes are known beforehand, one of them may be missing.
    """
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(f"y must have one dimension, got {labels.ndim}")
    if len(labels) != n_samples:
        raise ValueError(f"y has {len(labels)} labels, but X has {n_samples} samples")
    if labels.dtype.kind in "fc" and not np.all(np.isfinite(labels)):
        raise ValueError("y contains NaN or infinity")
    if classes is None:
        try:
            classes = _two_extremes(labels)
        except TypeError:
            raise TypeError("y must hold labels of one type that can be ordered") from None
    positive = np.asarray(labels == classes[1])
    if classes[0] == classes[1]:
        raise ValueError(f"y has one class only, {classes[0]}: two are needed")
    if not np.all(positive | (labels == classes[0])):
        count = len(set(labels.tolist()))
        raise ValueError(f"y must have exactly two classes, got {count}")
    return positive, classes


def _two_extremes(labels: NDArray[Any]) -> NDArray[Any]:
    if labels.dtype.kind in "biuf":
        return np.array([labels.min(), labels.max()])
    ordered = sorted(set(labels.tolist()))
    if any(label is None or label != label for label in ordered):  # noqa: PLR0124 - NaN only
        raise ValueError("y contains None or NaN")
    return np.array([ordered[0], ordered[-1]], dtype=labels.dtype)


def check_weights(sample_weight: ArrayLike | None, n_samples: int) -> Vector:
    """Return the sample weights, as given (1 when none are)."""
    if sample_weight is None:
        return np.ones(n_samples)
    weights = check_vector(sample_weight, n_samples, "sample_weight")
    if np.any(weights < 0):
        raise ValueError(f"sample_weight must not be negative, got {weights.min():g}")
    if not np.any(weights > 0):
        raise ValueError("sample_weight is zero for every sample: at least one must be positive")
    return weights


def check_vector(values: ArrayLike, length: int | tuple[int, int], name: str) -> Vector:
    """Return a finite float64 vector of the given length, or of one of two."""
    lengths = (length,) if isinstance(length, int) else length
    accepted = " or ".join(f"({n},)" for n in dict.fromkeys(lengths))
    try:
        vector = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a vector of numbers, of shape {accepted}") from None
    if vector.ndim != 1 or len(vector) not in lengths:
        raise ValueError(f"{name} must have shape {accepted}, got {vector.shape}")
    if not np.all(np.isfinite(vector)):
        raise ValueError(f"{name} contains NaN or infinity")
    return vector


def check_real(
    value: Any, name: str, *, least: float = -np.inf, most: float = np.inf, above: bool = False
) -> float:
    """Return a real number within [least, most] (or above ``least``), not NaN."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {value!r}")
    number = float(value)
    if np.isnan(number) or number > most or number < least or (above and number == least):
        accepted = f"above {least:g}" if above else f"at least {least:g}"
        accepted += "" if most == np.inf else f" and at most {most:g}"
        raise ValueError(f"{name} must be {accepted}, got {number:g}")
    return number
