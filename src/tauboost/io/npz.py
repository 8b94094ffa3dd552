"""Read a sparse matrix from an archive as `scipy.sparse.save_npz` writes it, block by block.

Labels may be in the archive as well, under the name ``y``. A CSR matrix is read piece by piece, so
that it may be larger than the memory; one of another format has to be loaded. An archive may come
from anyone: nothing is unpickled, no size is believed that the file does not bear out, and every
index is checked before anything is done with it.
"""

from __future__ import annotations

import math
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .blocks import MOST_ROWS, Block, make_block, row_ranges
from .npy import read_npy_header

__all__ = ["npz_blocks", "npz_shape"]

Array: TypeAlias = NDArray[Any]
Shape: TypeAlias = tuple[int, int]
Piece: TypeAlias = tuple[Array, Array, Array]  # pointers, indices, values of some rows
Triples: TypeAlias = tuple[Array, Array, Array]  # row, column and value of every entry

MOST_BYTES_OF_A_NOTE = 1000  # shape and format are short
INTEGERS, NUMBERS = "iu", "biuf"


def npz_shape(path: Path) -> Shape:
    """Return the shape of the matrix."""
    with _opened(path) as archive:
        return archive.shape()


def npz_blocks(path: Path, *, with_labels: bool = True) -> Iterator[Block]:
    """Yield the rows of the matrix, with the labels of the archive or without any (all 0)."""
    size, done = path.stat().st_size, 0
    with _opened(path) as archive:
        shape = total, _ = archive.shape()
        if with_labels and not archive.has("y"):
            raise ValueError("holds no labels: give them, or add them to the archive as y")
        labels = archive.member("y", NUMBERS) if with_labels else None
        if labels is not None and labels.left != total:
            raise ValueError(f"y holds {labels.left} labels for {total} rows")
        for indptr, indices, data in _pieces(archive, shape):
            n_rows = len(indptr) - 1
            y = np.zeros(n_rows) if labels is None else labels.take(n_rows)
            done += n_rows
            at = size * done // max(total, done)
            yield make_block(indptr, indices, data.astype(np.float64), y, at)
        if done != total:
            raise ValueError(f"has {done} rows, but should have {total}")


def _pieces(archive: _Archive, shape: Shape) -> Iterator[Piece]:
    kind = archive.kind()
    if kind == "csr":
        return _pieces_of_csr(archive, shape[1])
    if kind not in TRIPLES:
        accepted = ", ".join(["csr", *TRIPLES])
        raise ValueError(f"its format is {kind[:20]!r}, and accepted are {accepted}")
    return _pieces_of(TRIPLES[kind](archive, shape), shape[0])


def _pieces_of_csr(archive: _Archive, n_columns: int) -> Iterator[Piece]:
    indptr, indices = archive.member("indptr", INTEGERS), archive.member("indices", INTEGERS)
    data = archive.member("data", NUMBERS)
    last = indptr.take(1)
    while indptr.left:
        ends = np.concatenate([last, indptr.take(min(indptr.left, MOST_ROWS))])
        _check_pointers(ends)
        ends = ends.astype(np.int64)
        for start, stop in row_ranges(ends):
            count = int(ends[stop] - ends[start])
            found = indices.take(count)
            _check_range(found, n_columns, "an index")
            yield ends[start : stop + 1] - ends[start], found, data.take(count)
        last = ends[-1:]


def _pieces_of(triples: Triples, n_rows: int) -> Iterator[Piece]:
    """Put the entries in the order of their rows; memory does not grow with the empty ones."""
    order = _order(triples[0].astype(np.int64))
    rows, columns, values = (array[order] for array in triples)
    for start in range(0, n_rows, MOST_ROWS):
        ends = np.searchsorted(rows, np.arange(start, min(start + MOST_ROWS, n_rows) + 1))
        first, last = ends[0], ends[-1]
        yield ends - first, columns[first:last], values[first:last]


def _order(rows: NDArray[np.int64]) -> NDArray[np.intp]:
    """Sort stably, 16 bits at a time: that many NumPy sorts by counting."""
    order = np.argsort(rows.astype(np.uint16), kind="stable")
    for shift in range(16, int(rows.max(initial=0)).bit_length(), 16):
        order = order[np.argsort((rows[order] >> shift).astype(np.uint16), kind="stable")]
    return order


def _triples_of_csc(archive: _Archive, shape: Shape) -> Triples:
    columns, rows = _uncompressed(archive, shape[1], shape[0])
    values = archive.whole("data", NUMBERS)
    _check_length(values, len(rows))
    return rows, columns, values


def _triples_of_coo(archive: _Archive, shape: Shape) -> Triples:
    rows, columns = archive.whole("row", INTEGERS), archive.whole("col", INTEGERS)
    values = archive.whole("data", NUMBERS)
    _check_length(rows, len(values))
    _check_length(columns, len(values))
    _check_range(rows, shape[0], "a row")
    _check_range(columns, shape[1], "a column")
    return rows, columns, values


def _triples_of_bsr(archive: _Archive, shape: Shape) -> Triples:
    """Return the entries that are not 0: blocks are filled up with zeros."""
    values = archive.whole("data", NUMBERS, n_dimensions=3)
    _, height, width = values.shape
    if not height or not width or shape[0] % height or shape[1] % width:
        raise ValueError(f"blocks of {height} x {width} do not fit {shape[0]} x {shape[1]}")
    tall, wide = _uncompressed(archive, shape[0] // height, shape[1] // width)
    _check_length(values, len(tall))
    block, row, column = np.nonzero(values)
    found = values[block, row, column]
    return tall[block] * height + row, wide[block].astype(np.int64) * width + column, found


def _triples_of_dia(archive: _Archive, shape: Shape) -> Triples:
    """Return the entries that are not 0: diagonals reach beyond the matrix."""
    values = archive.whole("data", NUMBERS, n_dimensions=2)
    offsets = archive.whole("offsets", INTEGERS)
    _check_length(offsets, len(values))
    if len(offsets) and not -shape[0] < int(offsets.min()) <= int(offsets.max()) < shape[1]:
        raise ValueError("a diagonal lies outside of the matrix")
    diagonal, columns = np.nonzero(values)
    rows = columns - offsets.astype(np.int64)[diagonal]
    inside = (rows >= 0) & (rows < shape[0]) & (columns < shape[1])
    return rows[inside], columns[inside], values[diagonal, columns][inside]


TRIPLES: dict[str, Callable[[_Archive, Shape], Triples]] = {
    "csc": _triples_of_csc,
    "coo": _triples_of_coo,
    "bsr": _triples_of_bsr,
    "dia": _triples_of_dia,
}


def _uncompressed(archive: _Archive, n_major: int, n_minor: int) -> tuple[Array, Array]:
    """Return both indices of every entry of a matrix in compressed form."""
    indptr, indices = archive.whole("indptr", INTEGERS), archive.whole("indices", INTEGERS)
    if len(indptr) != n_major + 1 or indptr[0] != 0 or indptr[-1] != len(indices):
        raise ValueError("indptr, indices and shape do not fit each other")
    _check_pointers(indptr)
    _check_range(indices, n_minor, "an index")
    lengths = indptr[1:].astype(np.int64) - indptr[:-1].astype(np.int64)
    return np.repeat(np.arange(n_major), lengths), indices


def _check_pointers(indptr: Array) -> None:
    if int(indptr[0]) < 0 or np.any(indptr[1:] < indptr[:-1]) or int(indptr[-1]) >= 2**62:
        raise ValueError("indptr must not decrease")


def _check_range(indices: Array, stop: int, what: str) -> None:
    if len(indices) and not 0 <= int(indices.min()) <= int(indices.max()) < stop:
        raise ValueError(f"{what} is out of range")


def _check_length(array: Array, length: int) -> None:
    if len(array) != length:
        raise ValueError(f"indices and values differ in number: {len(array)} and {length}")


class _Archive:
    """The members of an archive, none of them longer than the archive bears out."""

    def __init__(self, archive: zipfile.ZipFile, size: int, stack: ExitStack) -> None:
        self.archive, self.size, self.stack = archive, size, stack
        self.names = set(archive.namelist())

    def has(self, name: str) -> bool:
        """Tell whether there is an array of that name."""
        return f"{name}.npy" in self.names

    def member(self, name: str, kinds: str, n_dimensions: int = 1) -> _Member:
        """Open an array to read it from front to back."""
        if not self.has(name):
            raise ValueError(
                f"not a sparse matrix as scipy.sparse.save_npz writes it: {name} is missing"
            )
        info = self.archive.getinfo(f"{name}.npy")
        # What is read at once must not be more than there can be.
        if info.compress_size > self.size:
            raise zipfile.BadZipFile
        return _Member(name, self.stack.enter_context(self.archive.open(info)), kinds, n_dimensions)

    def whole(self, name: str, kinds: str, n_dimensions: int = 1) -> Array:
        """Read an array."""
        member = self.member(name, kinds, n_dimensions)
        if member.is_transposed and n_dimensions > 1:
            return member.take(member.left).reshape(member.shape[::-1]).T
        return member.take(member.left).reshape(member.shape)

    def shape(self) -> Shape:
        """Return the shape of the matrix."""
        member = self.member("shape", INTEGERS)
        if member.left != 2:
            raise ValueError(f"a matrix has 2 dimensions, and this shape has {member.left}")
        n_rows, n_columns = member.take(2).tolist()
        if not (0 <= n_rows < 2**62 and 0 <= n_columns < 2**62):
            raise ValueError(f"its shape is {n_rows} x {n_columns}")
        return n_rows, n_columns

    def kind(self) -> str:
        """Return the sparse format's name."""
        member = self.member("format", "SU", n_dimensions=0)
        if member.dtype.itemsize > MOST_BYTES_OF_A_NOTE:
            raise ValueError("format is too long")
        value = member.take(1)[0]
        return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


class _Member:
    """An array of an archive, read from front to back."""

    def __init__(self, name: str, stream: Any, kinds: str, n_dimensions: int) -> None:
        self.shape, self.is_transposed, self.dtype = read_npy_header(stream, name)
        if len(self.shape) != n_dimensions or self.dtype.kind not in kinds:
            what = {INTEGERS: "integers", NUMBERS: "numbers"}.get(kinds, "text")
            form = {0: "a piece", 1: "a vector"}.get(n_dimensions, f"a {n_dimensions}-D array")
            found = f"{self.dtype} of shape {self.shape}"
            raise ValueError(f"{name} must be {form} of {what}, got {found}")
        self.name, self.stream, self.left = name, stream, math.prod(self.shape)

    def take(self, count: int) -> Array:
        """Return the next items."""
        if count > self.left:
            raise ValueError(f"{self.name} is too short")
        raw = self.stream.read(count * self.dtype.itemsize)
        if len(raw) < count * self.dtype.itemsize:
            raise EOFError
        self.left -= count
        return np.frombuffer(raw, self.dtype)


@contextmanager
def _opened(path: Path) -> Iterator[_Archive]:
    """Open an archive; whatever a bad one leads to is a ValueError that names the file."""
    try:
        with ExitStack() as stack:
            archive = stack.enter_context(zipfile.ZipFile(path))
            yield _Archive(archive, path.stat().st_size, stack)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
        raise ValueError(f"{path}: the archive is truncated, damaged or locked") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
