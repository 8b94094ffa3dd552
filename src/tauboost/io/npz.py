"""Read a sparse matrix from an archive as `scipy.sparse.save_npz` writes it, block by block.

Labels may be in the archive as well, under the name ``y``. A CSR matrix is read piece by piece, so
that it may be larger than the memory; one of another format has to be loaded. Nothing is unpickled.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .blocks import MOST_ROWS, Block, row_ranges

__all__ = ["npz_blocks", "npz_width"]

Piece: TypeAlias = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]

READ_HEADER = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def npz_width(path: Path) -> int:
    """Return the number of columns of the matrix."""
    with _complaining(path), np.load(path, allow_pickle=False) as arrays:
        return int(arrays["shape"][1])


def npz_blocks(path: Path, *, with_labels: bool = True) -> Iterator[Block]:
    """Yield the rows of the matrix, with the labels of the archive or without any (all 0)."""
    n_columns = npz_width(path)
    with _complaining(path), zipfile.ZipFile(path) as archive:
        if with_labels and "y.npy" not in archive.namelist():
            raise ValueError("holds no labels: give them, or add them to the archive as y")
        labels = _Member(archive, "y") if with_labels else None
        size, done = path.stat().st_size, 0
        total = _Member(archive, "data").left
        for indptr, indices, data in _pieces(path, archive):
            if len(indices) and not 0 <= indices.min() <= indices.max() < n_columns:
                raise ValueError("an index is out of range")
            n_rows = len(indptr) - 1
            y = np.zeros(n_rows) if labels is None else labels.take(n_rows)
            done += len(indices)
            at = size * done // max(total, 1)
            yield Block(indptr, indices, data.astype(np.float64), y.astype(np.float64), at)
        if labels is not None and labels.left:
            raise ValueError("y holds more labels than there are rows")


def _pieces(path: Path, archive: zipfile.ZipFile) -> Iterator[Piece]:
    """Yield the matrix as CSR arrays of a few rows each."""
    with np.load(path, allow_pickle=False) as arrays:
        is_csr = arrays["format"].item() in {b"csr", "csr"}
    if not is_csr:
        X = sparse.load_npz(path).tocsr()
        for start, stop in row_ranges(X.indptr):
            rows = X[start:stop]
            yield rows.indptr.astype(np.int64), rows.indices, rows.data
        return
    indptr, indices, data = (_Member(archive, name) for name in ("indptr", "indices", "data"))
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

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        self.stream: Any = archive.open(f"{name}.npy")
        read_header = READ_HEADER[np.lib.format.read_magic(self.stream)]
        shape, _, self.dtype = read_header(self.stream)
        if len(shape) != 1 or self.dtype.kind not in "biuf":
            raise ValueError(f"{name} must be a vector of numbers")
        self.name, self.left = name, int(shape[0])

    def take(self, count: int) -> NDArray[Any]:
        """Return the next items."""
        if count > self.left:
            raise ValueError(f"{self.name} is too short")
        raw = self.stream.read(count * self.dtype.itemsize)
        if len(raw) < count * self.dtype.itemsize:
            raise EOFError
        self.left -= count
        return np.frombuffer(raw, self.dtype)


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
