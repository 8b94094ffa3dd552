"""The gate for matrices: whatever X is, checked once, and seen as CSR.

Dense arrays and every sparse format of SciPy end here. Other formats than CSR are checked by
formats.py before SciPy converts them; the CSR arrays are then read once, in parallel, by
``inspect`` of cpp/matrix/csr.hpp.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Vector, readable
from ..base.kinds import is_masked, is_sparse
from ..base.threads import threads_for
from .csr import CsrArrays, check_pointers, not_valid, vector_of
from .dask_data import refuse_dask

__all__ = ["as_csr", "check_range", "check_size", "check_values", "is_store"]

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
    """Tell whether X is a store: data on disk that check themselves."""
    return callable(getattr(X, "parts", None)) and callable(getattr(X, "reading", None))


def _inspected(X: Any) -> CsrArrays:
    """Check a CSR matrix that someone may have edited."""
    what = not_valid(X)
    values = vector_of(X.data, what, "data")
    _check_numeric(values.dtype)
    # Its own copy, in any case: nothing below looks at X's pointers again.
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
