"""Write a store block by block, in memory that does not grow with the data.

Arrays are appended to their files as the blocks come; checksums are computed on the way, and the
headers are written last. The store appears under its name when all of it is safely on the disk.
"""

from __future__ import annotations

import os
import zlib
from contextlib import ExitStack, suppress
from numbers import Integral
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.messages import shown
from ..base.version import VERSION
from ..validation import CsrArrays, as_csr, check_values
from .atomic import InTheMaking, named, new_folder
from .store_format import (
    ARRAY_NAMES,
    DTYPES,
    HEADER_NAME,
    MAX_INDEX,
    NPY_HEADER_SIZE,
    Header,
    npy_header,
)

__all__ = ["StoreWriter"]


MOST_LABELS_LISTED: Final = 100
CHUNK_BYTES: Final = 2**24


class StoreWriter(InTheMaking):
    """A store in the making; use it in a ``with`` statement.

    Nothing is found under the name before the block of the ``with`` statement has ended, and
    nothing ever if it ends with an error, Ctrl-C included.

    Parameters
    ----------
    path : str or path-like
        The folder to make.
    n_features : int, optional
        Number of columns, where it is known; None takes the widest block.
    overwrite : bool
        Whether a store of that name may be replaced. Nothing else ever is.
    source : dict, optional
        How the data came about, to be read by people: anything that JSON can hold.

    Examples
    --------
    >>> import tauboost as tb
    >>> with tb.StoreWriter("mine.store") as writer:
    ...     for seed in range(3):  # blocks of rows, from wherever they come
    ...         writer.append(*tb.make_w8a_like(100, random_state=seed))
    >>> tb.open_store("mine.store").shape
    (300, 300)
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        n_features: int | None = None,
        overwrite: bool = False,
        source: dict[str, Any] | None = None,
    ) -> None:
        self.path = Path(path)
        self.n_features = _check_width(n_features)
        self.n_columns = 0  # seen so far
        self.source = {"tauboost": VERSION, **(source or {})}
        self._overwrite = overwrite
        self._labels: dict[float, int] | None = {}

    def _begin(self, stack: ExitStack) -> None:
        replace = _holds_only_a_store if self._overwrite else None
        self._folder = stack.enter_context(new_folder(self.path, replace=replace))
        self._files = {
            name: stack.enter_context(_ArrayFile(self._folder, name, self.path))
            for name in ARRAY_NAMES
        }
        for part in ("ones", "values"):
            self._files[f"{part}_indptr"].append(np.zeros(1, dtype=np.int64))

    @property
    def n_samples(self) -> int:
        """Number of rows so far."""
        return self._files["y"].length

    @property
    def nnz(self) -> int:
        """Number of nonzeros so far."""
        return self._files["ones_indices"].length + self._files["values_indices"].length

    def append(self, X: Any, y: ArrayLike) -> None:
        """Append a block of rows: X as `Problem` takes it, and one number a row as y.

        Explicit zeros are dropped, and duplicates summed.
        """
        arrays = as_csr(X)
        self.widen(arrays.shape[1])
        self.append_arrays(arrays.indptr, arrays.indices, arrays.data, np.asarray(y))

    def append_arrays(
        self,
        indptr: NDArray[Any],
        indices: NDArray[Any],
        data: NDArray[np.float64] | None,
        y: NDArray[Any],
    ) -> None:
        """Append a block of rows as CSR arrays; ``data=None`` says that every entry is 1.

        Indices must not be negative, and the pointers sound; all else is checked or put right.
        """
        y = _check_labels(y, len(indptr) - 1)
        if len(indices):
            self.widen(int(indices.max()) + 1)
        if not _is_canonical(indptr, indices):
            block = CsrArrays(indptr, indices, data, (len(y), self.n_columns))
            block = block.with_duplicates_summed()
            indptr, indices, data = block.indptr, block.indices, block.data
        others = np.empty(0, dtype=np.int64) if data is None else np.flatnonzero(data != 1.0)
        if data is None or not len(others):
            self._append_part("ones", indptr, indices)
            self._append_part("values", np.zeros_like(indptr), indices[:0])
        else:
            check_values(data[others])
            self._append_part(
                "ones", indptr - np.searchsorted(others, indptr), indices[data == 1.0]
            )
            others = others[data[others] != 0.0]
            self._append_part("values", np.searchsorted(others, indptr), indices[others])
            self._files["values_data"].append(data[others])
        self._files["y"].append(y)
        self._count_labels(y)

    def shift_indices(self, by: int) -> None:
        """Add a number to all indices written so far: a pass over their files."""
        if self.n_columns:
            self.widen(self.n_columns + by)
        for part in ("ones", "values"):
            self._files[f"{part}_indices"].add(by)

    def _append_part(self, part: str, indptr: NDArray[Any], indices: NDArray[Any]) -> None:
        written = self._files[f"{part}_indices"].length
        self._files[f"{part}_indptr"].append(indptr[1:] + np.int64(written))
        self._files[f"{part}_indices"].append(indices)

    def widen(self, n_columns: int) -> None:
        """Set the minimum number of columns."""
        if self.n_features is not None and n_columns > self.n_features:
            raise ValueError(f"has {n_columns} features, more than n_features={self.n_features}")
        if n_columns > MAX_INDEX + 1:
            raise ValueError(f"has {n_columns} features, more than the {MAX_INDEX + 1} of a store")
        self.n_columns = max(self.n_columns, n_columns)

    def _count_labels(self, y: NDArray[np.float64]) -> None:
        if self._labels is None:
            return
        for label, count in zip(*np.unique(y, return_counts=True), strict=True):
            self._labels[float(label)] = self._labels.get(float(label), 0) + int(count)
            if len(self._labels) > MOST_LABELS_LISTED:
                self._labels = None
                return

    def _finish(self) -> None:
        if self.n_samples == 0:
            raise ValueError(f"{self.path}: a store needs at least one sample, and got none")
        for file in self._files.values():
            file.finish()
        header = Header(
            n_samples=self.n_samples,
            n_features=self.n_features or max(self.n_columns, 1),
            n_ones=self._files["ones_indices"].length,
            n_values=self._files["values_indices"].length,
            labels=None if self._labels is None else tuple(sorted(self._labels.items())),
            checksums={name: f"{file.checksum:08x}" for name, file in self._files.items()},
            source=self.source,
        )
        if header.lengths != {name: file.length for name, file in self._files.items()}:
            raise RuntimeError(f"{self.path}: a block was written in part, so there is no store")
        with named(self.path), (self._folder / HEADER_NAME).open("x") as text:
            text.write(header.to_json())
            text.flush()
            os.fsync(text.fileno())


class _ArrayFile:
    """A .npy file that grows. Its header comes first in the file and last in time."""

    def __init__(self, folder: Path, name: str, store: Path) -> None:
        self.name, self.store = name, store
        self.length = self.checksum = 0
        with named(store):
            self.file = (folder / f"{name}.npy").open("x+b")
            self.file.write(bytes(NPY_HEADER_SIZE))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # what is left to write cannot be written: that was said before
            self.file.close()

    def append(self, values: NDArray[Any]) -> None:
        chunk = np.ascontiguousarray(values, dtype=DTYPES[self.name])
        with named(self.store):
            self.file.write(chunk.data)
        self.checksum = zlib.crc32(chunk.data, self.checksum)
        self.length += len(chunk)

    def add(self, number: int) -> None:
        """Add a number to every item written so far."""
        dtype = DTYPES[self.name]
        self.checksum = 0
        with named(self.store):
            for start in range(0, self.length, CHUNK_BYTES // dtype.itemsize):
                offset = NPY_HEADER_SIZE + start * dtype.itemsize
                self.file.seek(offset)
                end = NPY_HEADER_SIZE + self.length * dtype.itemsize
                chunk = np.frombuffer(self.file.read(min(CHUNK_BYTES, end - offset)), dtype)
                chunk = chunk + dtype.type(number)
                self.file.seek(offset)
                self.file.write(chunk.data)
                self.checksum = zlib.crc32(chunk.data, self.checksum)

    def finish(self) -> None:
        with named(self.store):
            self.file.seek(0)
            self.file.write(npy_header(self.name, self.length))
            self.file.flush()
            os.fsync(self.file.fileno())
            self.file.close()


def _check_width(n_features: int | None) -> int | None:
    if n_features is None:
        return None
    if isinstance(n_features, bool) or not isinstance(n_features, Integral):
        raise TypeError(f"n_features must be a positive integer or None, got {shown(n_features)}")
    if not 1 <= n_features <= MAX_INDEX + 1:
        raise ValueError(f"n_features must be between 1 and {MAX_INDEX + 1}, got {n_features}")
    return int(n_features)


def _check_labels(y: NDArray[Any], n_rows: int) -> NDArray[np.float64]:
    if y.ndim != 1 or len(y) != n_rows:
        raise ValueError(f"y must hold one label a row, {n_rows} in all, got shape {y.shape}")
    if y.dtype.kind not in "biuf":
        raise TypeError(f"y must hold numbers as labels, got {y.dtype}")
    labels = y.astype(np.float64, copy=False)
    if not np.isfinite(labels).all():
        raise ValueError("y contains NaN or infinity")
    return labels


def _is_canonical(indptr: NDArray[Any], indices: NDArray[Any]) -> bool:
    """Return True if the indices of every row ascend."""
    falls = np.flatnonzero(indices[1:] <= indices[:-1]) + 1
    # They may fall where a row begins, only there.
    starts = np.searchsorted(indptr, falls)
    return bool(np.all(indptr[starts] == falls))


def _holds_only_a_store(folder: int) -> bool:
    found = set(os.listdir(folder))
    return HEADER_NAME in found and found <= {HEADER_NAME, *(f"{name}.npy" for name in ARRAY_NAMES)}
