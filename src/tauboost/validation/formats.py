"""SciPy's sparse formats, checked before SciPy's compiled code converts them.

Anyone can put anything into the arrays of a sparse matrix, and the conversions believe them: an
index out of range is a write out of bounds. So each format is checked, and converted from private
copies of what is used as an index. Imported only where there is such a matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .matrix import check_pointers, not_valid, vector_of

__all__ = ["to_csc", "to_csr"]


def to_csr(X: Any) -> Any:
    """Check a sparse matrix of another format, and return it as a CSR array; X is not changed."""
    convert = CONVERSIONS.get(X.format)
    if convert is None:
        raise TypeError(f"X has the unknown sparse format {X.format!r}: use X.tocsr()")
    return convert(X)


def to_csc(X: Any) -> Any:
    """Check a sparse matrix of any format, and return it as a CSC array, whatever its values."""
    return (_from_csr(X) if X.format == "csr" else to_csr(X)).tocsc()


def _checked_indices(values: Any, limit: int, what: str, name: str) -> NDArray[Any]:
    """Return a copy of some indices, all within 0 ... limit - 1."""
    indices = np.array(vector_of(values, what, name))
    if indices.dtype.kind not in "iu":
        raise ValueError(f"{what}: {name} must hold integers, got values of type {indices.dtype}")
    if len(indices):
        least, most = int(indices.min()), int(indices.max())
        if least < 0 or most >= limit:
            wrong = least if least < 0 else most
            raise ValueError(f"{what}: index {wrong} is outside 0..{limit - 1}")
    return indices.astype(np.int32 if limit < 2**31 else np.int64, copy=False)


def _checked_values(values: NDArray[Any], what: str) -> NDArray[Any]:
    """Return values in a type that SciPy's conversions know."""
    if values.dtype.kind not in "biuf":
        raise TypeError(f"X must hold real numbers or booleans, got values of type {values.dtype}")
    if values.ndim == 0:
        raise ValueError(f"{what}: data must be an array")
    with np.errstate(over="ignore"):  # what is too large for a float is found to be infinite
        return values.astype(np.float64, copy=False)


def _same_length(what: str, **arrays: NDArray[Any]) -> None:
    if len({len(array) for array in arrays.values()}) > 1:
        found = ", ".join(f"{name} has {len(array)}" for name, array in arrays.items())
        raise ValueError(f"{what}: its arrays differ in length: {found} entries")


def _from_coordinates(row: Any, col: Any, data: Any, X: Any, names: tuple[str, str]) -> Any:
    what = not_valid(X)
    rows = _checked_indices(row, X.shape[0], what, names[0])
    cols = _checked_indices(col, X.shape[1], what, names[1])
    values = _checked_values(vector_of(data, what, "data"), what)
    _same_length(what, **{names[0]: rows, names[1]: cols, "data": values})
    return sp.coo_array((values, (rows, cols)), shape=X.shape).tocsr()


def _from_coo(X: Any) -> Any:
    coordinates = getattr(X, "coords", None) or (X.row, X.col)  # SciPy before 1.13 has no coords
    if len(coordinates) != 2:
        raise ValueError(f"{not_valid(X)}: it has {len(coordinates)} arrays of coordinates, not 2")
    row, col = coordinates
    return _from_coordinates(row, col, X.data, X, ("row", "col"))


def _compressed(X: Any, n_major: int, n_minor: int) -> tuple[NDArray[Any], ...]:
    """Return values, indices and pointers of CSR or CSC, checked."""
    what = not_valid(X)
    values = vector_of(X.data, what, "data")
    indptr, indices = np.array(X.indptr), np.asarray(X.indices)
    check_pointers(indptr, indices, len(values), n_major, what)
    end = int(indptr[-1])
    minor = _checked_indices(indices[:end], n_minor, what, "indices")
    return _checked_values(values[:end], what), minor, indptr.astype(np.int64)


def _from_csr(X: Any) -> Any:
    return sp.csr_array(_compressed(X, *X.shape), shape=X.shape)


def _from_csc(X: Any) -> Any:
    return sp.csc_array(_compressed(X, *X.shape[::-1]), shape=X.shape).tocsr()


def _from_bsr(X: Any) -> Any:
    what, blocks = not_valid(X), np.asarray(X.data)
    if blocks.ndim != 3 or 0 in blocks.shape[1:]:
        raise ValueError(f"{what}: data must hold blocks, of shape (blocks, rows, columns)")
    height, width = blocks.shape[1:]
    if X.shape[0] % height or X.shape[1] % width:
        raise ValueError(
            f"{what}: blocks of {height} x {width} do not divide {X.shape[0]} x {X.shape[1]}"
        )
    indptr, indices = np.array(X.indptr), np.asarray(X.indices)
    check_pointers(indptr, indices, len(blocks), X.shape[0] // height, what)
    end = int(indptr[-1])
    columns = _checked_indices(indices[:end], X.shape[1] // width, what, "indices")
    parts = (_checked_values(blocks[:end], what), columns, indptr.astype(np.int64))
    return sp.bsr_array(parts, shape=X.shape, blocksize=(height, width)).tocsr()


def _from_dia(X: Any) -> Any:
    what, diagonals = not_valid(X), np.asarray(X.data)
    offsets = vector_of(X.offsets, what, "offsets")
    if diagonals.ndim != 2 or offsets.dtype.kind not in "iu" or len(diagonals) != len(offsets):
        raise ValueError(f"{what}: data must hold one row for each of the integers in offsets")
    if len(np.unique(offsets)) != len(offsets):
        raise ValueError(f"{what}: offsets holds a number twice")
    values = _checked_values(diagonals, what)
    pieces = []
    for offset, diagonal in zip(offsets.tolist(), values, strict=True):
        # Entry i of a diagonal is in column i of X, and in row i - offset.
        first, last = max(0, offset), min(X.shape[1], X.shape[0] + offset, len(diagonal))
        if first < last:
            cols = first + np.flatnonzero(diagonal[first:last])
            pieces.append((cols - offset, cols, diagonal[cols]))
    rows, cols, entries = (
        np.concatenate([piece[k] for piece in pieces]) if pieces else np.empty(0, dtype=np.int64)
        for k in range(3)
    )
    return sp.coo_array((entries, (rows, cols)), shape=X.shape).tocsr()


def _from_lil(X: Any) -> Any:
    what = not_valid(X)
    lists = {"rows": np.asarray(X.rows, dtype=object), "data": np.asarray(X.data, dtype=object)}
    for name, array in lists.items():
        if array.shape != (X.shape[0],) or not all(isinstance(row, list) for row in array):
            raise ValueError(f"{what}: {name} must be an array of {X.shape[0]} lists")
    counts = [len(row) for row in lists["rows"]]
    if counts != [len(row) for row in lists["data"]]:
        raise ValueError(f"{what}: rows and data differ in the length of a list")
    columns, values = (_flat(array, what, name) for name, array in lists.items())
    rows = np.repeat(np.arange(X.shape[0]), counts)
    return _from_coordinates(rows, columns, values, X, ("row", "rows"))


def _flat(lists: NDArray[Any], what: str, name: str) -> NDArray[Any]:
    """Put lists of numbers one after the other."""
    items = [item for row in lists for item in row]
    return _as_numbers(items, what, name, np.int64 if name == "rows" else np.float64)


def _as_numbers(items: list[Any], what: str, name: str, empty: type[Any]) -> NDArray[Any]:
    try:
        array = np.array(items) if items else np.empty(0, dtype=empty)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{what}: {name} must hold numbers") from None
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        raise ValueError(f"{what}: {name} must hold numbers")
    return array


def _from_dok(X: Any) -> Any:
    what, keys = not_valid(X), list(X.keys())
    if not all(isinstance(key, tuple) and len(key) == 2 for key in keys):
        raise ValueError(f"{what}: its keys must be pairs (row, column)")
    rows, cols = (_as_numbers([k[i] for k in keys], what, "keys", np.int64) for i in (0, 1))
    values = _as_numbers(list(X.values()), what, "values", np.float64)
    return _from_coordinates(rows, cols, values, X, ("row", "column"))


CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "bsr": _from_bsr,
    "coo": _from_coo,
    "csc": _from_csc,
    "dia": _from_dia,
    "dok": _from_dok,
    "lil": _from_lil,
}
