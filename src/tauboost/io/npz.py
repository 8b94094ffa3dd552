"""Read a sparse matrix from an archive as `scipy.sparse.save_npz` writes it, block by block.

Labels may be in the archive as well, under the name ``y``. A CSR matrix is read piece by piece, so
that it may be larger than the memory; one of another format has to be loaded. Nothing is unpickled.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .blocks import MOST_ROWS, Block, make_block, row_ranges

__all__ = ["npz_blocks", "npz_shape"]

Piece: TypeAlias = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]

READ_HEADER = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def npz_shape(path: Path) -> tuple[int, int]:
    """Return the shape of the matrix."""
    with _complaining(path), zipfile.ZipFile(path) as archive:
        n_rows, n_columns = (int(size) for size in _small(archive, "shape"))
        return n_rows, n_columns


def npz_blocks(path: Path, *, with_labels: bool = True) -> Iterator[Block]:
    """Yield the rows of the matrix, with the labels of the archive or without any (all 0)."""
    total, n_columns = npz_shape(path)
    size, done = path.stat().st_size, 0
    with _complaining(path), zipfile.ZipFile(path) as archive, ExitStack() as stack:

        def member(name: str) -> _Member:
            return _Member(name, stack.enter_context(archive.open(f"{name}.npy")))

        if with_labels and "y.npy" not in archive.namelist():
            raise ValueError("holds no labels: give them, or add them to the archive as y")
        labels = member("y") if with_labels else None
        if _small(archive, "format").item() in {b"csr", "csr"}:
            pieces = _pieces_of_csr(member("indptr"), member("indices"), member("data"))
        else:
            pieces = _pieces_of(sparse.load_npz(path).tocsr())
        for indptr, indices, data in pieces:
            if len(indices) and not 0 <= indices.min() <= indices.max() < n_columns:
                raise ValueError("an index is out of range")
            n_rows = len(indptr) - 1
            y = np.zeros(n_rows) if labels is None else labels.take(n_rows)
            done += n_rows
            at = size * done // max(total, done)
            yield make_block(indptr, indices, data.astype(np.float64), y, at)
        if done != total:
            raise ValueError(f"has {done} rows, but should have {total}")
        if labels is not None and labels.left:
            raise ValueError("y holds more labels than there are rows")


def _pieces_of(X: Any) -> Iterator[Piece]:
    for start, stop in row_ranges(X.indptr):
        rows = X[start:stop]
        yield rows.indptr.astype(np.int64), rows.indices, rows.data


def _pieces_of_csr(indptr: _Member, indices: _Member, data: _Member) -> Iterator[Piece]:
    last = indptr.take(1)
    while indptr.left:
        ends = np.concatenate([last, indptr.take(min(indptr.left, MOST_ROWS))]).astype(np.int64)
        if np.any(np.diff(ends) < 0):
            raise ValueError("indptr must not decrease")
        for start, stop in row_ranges(ends):
            count = int(ends[stop] - ends[start])
            yield ends[start : stop + 1] - ends[start], indices.take(count), data.take(count)
        last = ends[-1:]


class _Member:
    """An array of an archive, read from front to back."""

    def __init__(self, name: str, stream: IO[bytes]) -> None:
        shape, _, self.dtype = READ_HEADER[np.lib.format.read_magic(stream)](stream)
        if len(shape) != 1 or self.dtype.kind not in "biuf":
            raise ValueError(f"{name} must be a vector of numbers")
        self.name, self.stream, self.left = name, stream, int(shape[0])

    def take(self, count: int) -> NDArray[Any]:
        """Return the next items."""
        if count > self.left:
            raise ValueError(f"{self.name} is too short")
        raw = self.stream.read(count * self.dtype.itemsize)
        if len(raw) < count * self.dtype.itemsize:
            raise EOFError
        self.left -= count
        return np.frombuffer(raw, self.dtype)


def _small(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    """Return an array of a few items."""
    if archive.getinfo(f"{name}.npy").file_size > 1000:
        raise ValueError(f"{name} is too long")
    with archive.open(f"{name}.npy") as stream:
        array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
        return array


@contextmanager
def _complaining(path: Path) -> Iterator[None]:
    """Turn whatever a bad archive leads to into a ValueError that names the file."""
    try:
        yield
    except KeyError:
        raise ValueError(
            f"{path}: not a sparse matrix as scipy.sparse.save_npz writes it"
        ) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError):
        raise ValueError(f"{path}: the archive is truncated, damaged or locked") from None
    except (ValueError, IndexError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from None
