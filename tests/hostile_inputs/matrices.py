"""Sparse matrices of every format with every kind of damage, and what they mean, if anything.

``meaning`` is written in plain Python and believes nothing: it gives the dense matrix, or None
where the arrays do not describe one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

SHAPE = (12, 6)
FORMATS = {
    "csr": ("indptr", "indices", "data"),
    "csc": ("indptr", "indices", "data"),
    "bsr": ("indptr", "indices", "data"),
    "coo": ("row", "col", "data"),
    "dia": ("offsets", "data"),
    "lil": ("rows", "data"),
}


def clean() -> np.ndarray:
    """Return the matrix that is damaged: every row and column has entries, some of them 1."""
    random = np.random.default_rng(7)
    X = np.where(random.random(SHAPE) < 0.4, random.integers(1, 4, SHAPE), 0).astype(float)
    X[np.arange(12), np.arange(12) % 6] = 1.0
    return X


def with_item(place: int, value: Any, dtype: Any = None):
    def change(array: np.ndarray) -> np.ndarray:
        copy = np.array(array, dtype=dtype or array.dtype)
        copy.flat[place % copy.size] = value
        return copy

    return change


def frozen(array: np.ndarray) -> np.ndarray:
    copy = array.copy()
    copy.setflags(write=False)
    return copy


DAMAGE = {
    "minus one": with_item(2, -1),
    "far too large": with_item(3, 2**31 - 1),
    "one too large": with_item(1, SHAPE[0]),
    "most negative": with_item(4, -(2**31)),
    "2**40": with_item(2, 2**40, np.int64),
    "uint64 2**32 + 1": with_item(2, 2**32 + 1, np.uint64),
    "uint64 2**64 - 1": with_item(-1, 2**64 - 1, np.uint64),
    "first is 1": with_item(0, 1),
    "last is large": with_item(-1, 10**6),
    "NaN": with_item(1, np.nan, np.float64),
    "infinity": with_item(1, np.inf, np.float64),
    "1e200": with_item(1, 1e200, np.float64),
    "negative zero": with_item(1, -0.0, np.float64),
    "one less": lambda a: a[:-1],
    "one more": lambda a: np.concatenate([a, a[-1:]]),
    "empty": lambda a: a[:0],
    "two dimensions": lambda a: a.reshape(1, *a.shape),
    "no dimension": lambda a: np.asarray(a.ravel()[0]),
    "column": lambda a: a.reshape(-1, 1),
    "backwards": lambda a: a[::-1],
    "float": lambda a: a.astype(np.float64),
    "half precision": lambda a: a.astype(np.float16),
    "long double": lambda a: a.astype(np.longdouble),
    "complex": lambda a: a.astype(complex),
    "objects": lambda a: a.astype(object),
    "text": lambda a: a.astype("U8"),
    "dates": lambda a: a.astype(np.int64).astype("M8[s]"),
    "booleans": lambda a: a.astype(bool),
    "bytes": lambda a: a.astype(np.int8),
    "int64": lambda a: a.astype(np.int64),
    "uint32": lambda a: a.astype(np.uint32),
    "other byte order": lambda a: a.astype(a.dtype.newbyteorder()),
    "read-only": frozen,
    "strided": lambda a: np.repeat(a, 2, axis=0)[::2],
    "all the same": lambda a: np.full_like(a, a.ravel()[0]),
    "all zero": np.zeros_like,
}
# For the lists of LIL.
LIST_DAMAGE = {
    "minus one": lambda rows: replaced(rows, [-1, *rows[0][1:]]),
    "far too large": lambda rows: replaced(rows, [*rows[0][:-1], 2**31]),
    "huge": lambda rows: replaced(rows, [*rows[0][:-1], 10**30]),
    "a longer list": lambda rows: replaced(rows, [*rows[0], 0]),
    "an empty list": lambda rows: replaced(rows, []),
    "text": lambda rows: replaced(rows, ["a"] * len(rows[0])),
    "None": lambda rows: replaced(rows, None),
    "nested": lambda rows: replaced(rows, [[1]] * len(rows[0])),
    "NaN": lambda rows: replaced(rows, [float("nan")] * len(rows[0])),
    "complex": lambda rows: replaced(rows, [1j] * len(rows[0])),
    "backwards": lambda rows: replaced(rows, rows[0][::-1]),
    "fewer rows": lambda rows: rows[:-1],
    "numbers": lambda rows: np.arange(len(rows)),
}


def replaced(rows: np.ndarray, first: Any) -> np.ndarray:
    copy = rows.copy()
    copy[0] = first
    return copy


def make(kind: str, X: np.ndarray) -> Any:
    return sp.bsr_array(X, blocksize=(2, 3)) if kind == "bsr" else sp.coo_array(X).asformat(kind)


def damaged() -> Iterator[tuple[str, Any]]:
    """Yield every damage of every array of every format that SciPy lets one do."""
    for kind, names in FORMATS.items():
        for name in names:
            for what, change in (LIST_DAMAGE if kind == "lil" else DAMAGE).items():
                X = make(kind, clean())
                try:
                    with np.errstate(all="ignore"):
                        setattr(X, name, change(np.asarray(getattr(X, name))))
                except (ValueError, TypeError, OverflowError, AttributeError):
                    continue  # NumPy or SciPy does not let one do this
                yield f"{kind}.{name}: {what}", X
    yield from special()


def special() -> Iterator[tuple[str, Any]]:
    """Yield what is damaged, or odd, in another way."""
    m = 200
    yield "duplicates of 1", sp.csr_array((np.ones(24), [0, 0] * 12, range(0, 25, 2)), SHAPE)
    many = sp.csr_array((np.ones(2 * m), np.zeros(2 * m, int), range(0, 2 * m + 1, 2)), (m, 6))
    yield "duplicates of 1 in many rows", many
    yield (
        "duplicates that cancel",
        sp.csr_array(([1.0, -1.0] * 12, [0, 0] * 12, range(0, 25, 2)), SHAPE),
    )
    yield "duplicates of 1e150", sp.csr_array(([1e150] * 24, [0, 0] * 12, range(0, 25, 2)), SHAPE)
    lonely = np.zeros(13, dtype=np.int32)
    yield "no entries", sp.csr_array((np.ones(0), np.zeros(0, np.int32), lonely), SHAPE)
    yield "explicit zeros", sp.csr_array((np.zeros(12), np.arange(12) % 6, range(13)), SHAPE)
    yield "one dimension", sp.coo_array(np.arange(6.0))
    yield "no samples", sp.csr_array((0, 6))
    yield "no features", sp.csr_array((12, 0))
    yield "too many features", sp.csr_array((12, 2**31))
    wrong = make("csr", clean())
    wrong.has_canonical_format = wrong.has_sorted_indices = True
    wrong.indices = wrong.indices[::-1].copy()
    yield "a lie about sorted indices", wrong
    for key in ((-1, 0), (12, 0), (0, 6), (0, 2**40), (0.5, 1), ("a", 0), (0,), 3, (0, 1, 2)):
        X = make("dok", clean())
        X._dict[key] = 1.0
        yield f"dok: key {key!r}", X
    for value in (None, "a", np.nan, 1j, [1], 10**400):
        X = make("dok", clean())
        X._dict[(0, 0)] = value
        yield f"dok: value {str(value)[:9]!r}", X
    for size in ((5, 3), (2, 4)):
        X = make("bsr", clean())
        X.data = np.ones((len(X.indices), *size))
        yield f"bsr: blocks of {size}", X
    X = make("coo", clean())
    X.coords = (X.coords[0],)
    yield "coo: one array of coordinates", X


def meaning(X: Any, *, of_table: bool = False) -> np.ndarray | None:
    """Return the dense matrix that X describes, or None; in a table, values may be missing."""
    if len(X.shape) != 2 or 0 in X.shape or X.shape[1] > 2**31 - 2:
        return None
    try:
        dense = np.zeros(X.shape)
        for row, col, value in entries(X):
            integers = (int, np.integer)
            if not (isinstance(row, integers) and isinstance(col, integers)):
                return None
            if not (0 <= row < X.shape[0] and 0 <= col < X.shape[1]):
                return None
            dense[row, col] += float(value)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    if of_table:
        return None if np.isinf(dense).any() else dense
    return dense if np.isfinite(dense).all() and np.abs(dense).max() <= 2e150 else None


def entries(X: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the triples (row, column, value) of a matrix; damage is a ValueError."""
    if X.format == "lil":
        return lists(X)
    if X.format == "dok":
        return ((row, col, value) for (row, col), value in X.items())
    data = np.asarray(X.data)
    n_dimensions = {"bsr": 3, "dia": 2}.get(X.format, 1)
    if data.dtype.kind not in "biuf" or data.ndim != n_dimensions:
        raise ValueError("values")
    if X.format == "coo":
        return coordinates(X, data)
    return diagonals(X, data) if X.format == "dia" else compressed(X, data, data.shape[1:])


def lists(X: Any) -> Iterator[tuple[Any, Any, Any]]:
    if len(X.rows) != X.shape[0]:
        raise ValueError("rows")
    for row, (cols, values) in enumerate(zip(X.rows, X.data, strict=True)):
        for col, value in zip(cols, values, strict=True):
            yield row, col, value


def coordinates(X: Any, data: np.ndarray) -> Iterator[tuple[Any, Any, Any]]:
    row, col = (integers(array).tolist() for array in X.coords)
    return zip(row, col, data, strict=True)


def diagonals(X: Any, data: np.ndarray) -> Iterator[tuple[Any, Any, Any]]:
    offsets = integers(X.offsets).tolist()
    if len(offsets) != len(data) or len(set(offsets)) != len(offsets):
        raise ValueError("diagonals")
    for offset, diagonal in zip(offsets, data, strict=True):
        for col, value in enumerate(diagonal[: X.shape[1]]):
            if 0 <= col - offset < X.shape[0]:
                yield col - offset, col, value


def integers(values: Any) -> np.ndarray:
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError("no integers")
    return array


def compressed(X: Any, data: np.ndarray, size: tuple[int, ...]) -> Iterator[tuple[Any, Any, Any]]:
    indptr, indices = integers(X.indptr).tolist(), integers(X.indices).tolist()
    height, width = size or (1, 1)
    if X.shape[0] % height or X.shape[1] % width:
        raise ValueError("blocks")
    n_major = X.shape[1] if X.format == "csc" else X.shape[0] // height
    stored = min(len(indices), len(data))
    if len(indptr) != n_major + 1 or indptr[0] != 0 or indptr[-1] > stored:
        raise ValueError("pointers")
    if sorted(indptr) != indptr:
        raise ValueError("pointers decrease")
    for j in range(n_major):
        for k in range(indptr[j], indptr[j + 1]):
            if not size:
                yield (indices[k], j, data[k]) if X.format == "csc" else (j, indices[k], data[k])
                continue
            for a in range(height):
                for b in range(width):
                    yield j * height + a, indices[k] * width + b, data[k][a][b]
