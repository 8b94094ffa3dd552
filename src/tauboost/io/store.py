"""Open a store: a data set on disk that is memory-mapped in milliseconds, whatever its size.

See `store_format` for what is in the folder. Opening reads the header and the length of every
file, not the data. What compiled code is to read goes through `Store.parts`, which checks that
every pointer and index is in range, that rows ascend and that its two parts share no entry, so that
a damaged store gives an error and never a crash.
"""

from __future__ import annotations

import _thread
import errno
import mmap
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..validation import CsrArrays, check_range
from .atomic import read_folder
from .store_format import DTYPES, HEADER_NAME, NPY_HEADER_SIZE, Header, npy_header

if TYPE_CHECKING:
    from scipy import sparse

__all__ = ["Store", "StoreFolder", "chunks_of", "damaged", "is_store", "open_store", "read_store"]


# The folder of a store, read by its descriptor.
#
# So all that is read is of one version, also while another process replaces the store; and no
# name in the folder leads elsewhere.


T = TypeVar("T")

MAX_HEADER_BYTES: Final = 2**20
CHUNK_BYTES: Final = 2**24


def read_store(path: Path, read: Callable[[StoreFolder], T]) -> T:
    """Read what is in the folder of a store; anew, if it was replaced meanwhile."""
    try:
        return read_folder(path, lambda descriptor: read(StoreFolder(path, descriptor)))
    except NotADirectoryError:
        raise ValueError(f"{path}: this is a file, and a store is a directory") from None


@dataclass(frozen=True)
class StoreFolder:
    """An open folder with the files of a store; ``path`` is for messages alone."""

    path: Path
    descriptor: int

    def header(self) -> Header:
        """Read the header."""
        if HEADER_NAME not in os.listdir(self.descriptor):  # noqa: PTH208 - of no path
            raise ValueError(
                f"{self.path}: this directory is no store, as it holds no {HEADER_NAME}"
            )
        with self._file(HEADER_NAME) as descriptor:
            text = os.read(descriptor, MAX_HEADER_BYTES)
        try:
            return Header.from_json(text)
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}") from None

    @contextmanager
    def array(self, name: str, length: int) -> Iterator[int]:
        """Open the file of an array that has the header and the size it must have."""
        size = NPY_HEADER_SIZE + length * DTYPES[name].itemsize
        with self._file(f"{name}.npy") as descriptor:
            found = os.fstat(descriptor).st_size
            if found != size:
                raise self.damaged(f"{name}.npy has {found:,} bytes, but should have {size:,}")
            if os.read(descriptor, NPY_HEADER_SIZE) != npy_header(name, length):
                raise self.damaged(f"the first bytes of {name}.npy do not fit {HEADER_NAME}")
            yield descriptor

    @contextmanager
    def _file(self, name: str) -> Iterator[int]:
        """Open a file that is in the folder: no link, which could lead elsewhere, and no pipe."""
        try:
            # Opening a pipe would wait for a writer, if it was not for O_NONBLOCK.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
            descriptor = os.open(name, flags, dir_fd=self.descriptor)
        except FileNotFoundError:
            raise self.damaged(f"{name} is missing") from None
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise OSError(error.errno, error.strerror, str(self.path / name)) from None
            raise self.damaged(f"{name} is a symbolic link") from None
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise self.damaged(f"{name} is not a regular file")
            yield descriptor
        finally:
            os.close(descriptor)

    def damaged(self, what: str) -> ValueError:
        """Return the error that says what is wrong."""
        return damaged(self.path, what)


def chunks_of(descriptor: int, n_bytes: int) -> Iterator[bytes]:
    """Yield the next so many bytes of a file, in parts."""
    while n_bytes > 0:
        chunk = os.read(descriptor, min(CHUNK_BYTES, n_bytes))
        if not chunk:  # cut short since it was opened: the checksum will not fit
            return
        n_bytes -= len(chunk)
        yield chunk


def damaged(path: Path, what: str) -> ValueError:
    """Return the error that says what is wrong with a store."""
    return ValueError(f"{path}: not a sound store: {what}")


ENTRIES_AT_ONCE: Final = 2**22
SECONDS_BETWEEN_RELEASES: Final = 0.1
REBUILD: Final = "make it again from its source (tauboost convert)"


def open_store(path: str | os.PathLike[str], *, verify: bool = False) -> Store:
    """Open a store made by `convert`, `generate_url` or a `StoreWriter`.

    Takes milliseconds: the arrays are memory-mapped, and read when they are used.

    Parameters
    ----------
    path : str or path-like
        The folder of the store.
    verify : bool
        Also read every byte, and compare the checksums. Altered data are noticed only then.

    Raises
    ------
    ValueError
        If it is no store, cut short, altered or made by a newer version.

    Examples
    --------
    >>> import tauboost as tb
    >>> path = tb.generate_w8a("w8a.store", scale=0.1, random_state=0)
    >>> store = tb.open_store(path, verify=True)
    >>> store.shape, store.labels
    ((4975, 300), ((-1.0, 4827), (1.0, 148)))
    """

    def verified(_: StoreFolder) -> Store:
        store = Store(path)
        store.verify()
        return store

    return read_store(Path(path), verified) if verify else Store(path)


def is_store(path: str | os.PathLike[str]) -> bool:
    """Return True if the path is a store: a folder with a header in it."""
    return Path(path, HEADER_NAME).is_file()


class Store:
    """A data set on disk: X in two parts and y, memory-mapped and read-only.

    Attributes
    ----------
    path : Path
    shape : tuple of int
        Samples and features.
    nnz : int
        Number of nonzeros.
    y : ndarray of float64, one label a row
    labels : tuple of (label, count) pairs, smallest label first; None if there are over 100
    source : dict
        How the store was made.
    nbytes : int
        Size on disk, without the headers.

    Examples
    --------
    >>> import tauboost as tb
    >>> store = tb.open_store(tb.generate_w8a("w8a.store", scale=0.1, random_state=0))
    >>> store.rows(0, 100).shape
    (100, 300)
    >>> clf = tb.TauBoostClassifier(random_state=0).fit(store)  # with the labels of the store
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        read_store(self.path, self._map)

    def _map(self, folder: StoreFolder) -> None:
        self._header = folder.header()
        self._maps: dict[str, mmap.mmap] = {}
        self._arrays: dict[str, NDArray[Any]] = {}
        for name, length in self._header.lengths.items():
            with folder.array(name, length) as descriptor:
                self._maps[name] = _mapped(descriptor)
            self._arrays[name] = np.frombuffer(
                self._maps[name], DTYPES[name], count=length, offset=NPY_HEADER_SIZE
            )
        for name, total in (("ones", self._header.n_ones), ("values", self._header.n_values)):
            indptr = self._arrays[f"{name}_indptr"]
            if (indptr[0], indptr[-1]) != (0, total):
                raise self._damaged(f"{name}_indptr.npy does not run from 0 to {total}")

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of samples and features."""
        return self._header.n_samples, self._header.n_features

    @property
    def nnz(self) -> int:
        """Number of nonzeros."""
        return self._header.n_ones + self._header.n_values

    @property
    def n_values(self) -> int:
        """Number of nonzeros that are not 1."""
        return self._header.n_values

    @property
    def y(self) -> NDArray[np.float64]:
        """The labels."""
        return self._arrays["y"]

    @property
    def labels(self) -> tuple[tuple[float, int], ...] | None:
        """Each label and how many rows have it."""
        return self._header.labels

    @property
    def source(self) -> dict[str, Any]:
        """How the store was made."""
        return self._header.source

    @property
    def nbytes(self) -> int:
        """Size on disk."""
        return sum(array.nbytes for array in self._arrays.values())

    def parts(self) -> tuple[CsrArrays, ...]:
        """X as one or two CSR matrices whose sum it is, checked and memory-mapped.

        The first holds the entries that are 1 (``data`` is None), the second all others. One that
        would be empty is left out, unless both would. Pointers are int64 and indices int32, each
        row ascending, and no entry is in both. All indices are looked at, so this reads them from
        the disk.
        """
        ones, values = (self._own_pointers(self._part(name)) for name in ("ones", "values"))
        ends = ones.indptr + values.indptr
        start = 0
        while start < self.shape[0]:
            limit = ends[start] + ENTRIES_AT_ONCE
            stop = max(start + 1, int(np.searchsorted(ends, limit, side="right")) - 1)
            self._check_rows(self._block(ones, start, stop), self._block(values, start, stop))
            # Else the whole store would come to count as memory in use.
            self.release_memory()
            start = stop
        return tuple(part for part in (ones, values) if len(part.indices)) or (ones,)

    def rows(self, start: int, stop: int) -> sparse.csr_array:
        """Return rows start <= j < stop as a CSR array of float64, sorted.

        Its arrays may be read-only, as they may be those of the store.
        """
        start, stop, _ = slice(start, stop).indices(self.shape[0])
        stop = max(start, stop)
        blocks = [self._block(self._part(name), start, stop) for name in ("ones", "values")]
        for block, what in zip(blocks, ("ones", "values"), strict=True):
            self._check_pointers(block, what)
        self._check_rows(*blocks)
        ones, values = (block.to_scipy() for block in blocks)
        if not values.nnz:
            return ones
        return ones + values if ones.nnz else values

    def to_csr(self) -> sparse.csr_array:
        """Return X as a CSR array in memory: 12 bytes a nonzero."""
        return self.rows(0, self.shape[0])

    def release_memory(self) -> None:
        """Drop the pages that were read from the process; they are read again when needed."""
        for pages in self._maps.values():
            pages.madvise(mmap.MADV_DONTNEED)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """While this lasts, release memory again and again, and once more in the end.

        For compiled code that reads all of the store: its pages would count as memory in use, but
        are quickly mapped again where they are still needed.
        """
        is_reading = _thread.allocate_lock()
        is_reading.acquire()

        def release() -> None:
            while not is_reading.acquire(timeout=SECONDS_BETWEEN_RELEASES):
                self.release_memory()

        # Nobody waits for this thread, neither for its beginning nor for its end: threading.Thread
        # would wait for ever for one that little memory ends before its first step.
        with suppress(RuntimeError, MemoryError):  # no thread to be had: the pages stay for longer
            _thread.start_new_thread(release, ())
        try:
            yield
        finally:
            is_reading.release()
            self.release_memory()

    def verify(self, seen: Callable[[int], None] | None = None) -> None:
        """Read every byte, compare the checksums, and check every pointer, index and value.

        ``seen`` is called with the number of bytes read so far.
        """
        read_store(self.path, partial(self._compare_checksums, seen=seen))
        self.parts()
        if not np.isfinite(self.y).all():
            raise self._damaged("y.npy holds NaN or infinity")
        self.release_memory()

    def _compare_checksums(self, folder: StoreFolder, seen: Callable[[int], None] | None) -> None:
        if folder.header() != self._header:
            raise ValueError(f"{self.path}: replaced since it was opened: open it again")
        n_read = 0
        for name, length in self._header.lengths.items():
            with folder.array(name, length) as file:
                checksum = 0
                for chunk in chunks_of(file, length * DTYPES[name].itemsize):
                    checksum = zlib.crc32(chunk, checksum)
                    n_read += len(chunk)
                    if seen is not None:
                        seen(n_read)
            if f"{checksum:08x}" != self._header.checksums[name]:
                raise self._damaged(f"the checksum of {name}.npy does not fit")

    def _part(self, name: str) -> CsrArrays:
        arrays = self._arrays
        data = arrays["values_data"] if name == "values" else None
        return CsrArrays(arrays[f"{name}_indptr"], arrays[f"{name}_indices"], data, self.shape)

    def _block(self, part: CsrArrays, start: int, stop: int) -> CsrArrays:
        first, last = int(part.indptr[start]), int(part.indptr[stop])
        if first < 0:
            raise self._damaged("a pointer is negative")
        return CsrArrays(
            part.indptr[start : stop + 1] - first,
            part.indices[first:last],
            None if part.data is None else part.data[first:last],
            (stop - start, self.shape[1]),
        )

    def _own_pointers(self, part: CsrArrays) -> CsrArrays:
        """Return a part with checked pointers in memory: no change to the file can reach them."""
        part = replace(part, indptr=np.array(part.indptr))
        self._check_pointers(part, "ones" if part.data is None else "values")
        return part

    def _check_pointers(self, part: CsrArrays, what: str) -> None:
        indptr = part.indptr
        is_sound = indptr[0] == 0 and indptr[-1] == len(part.indices)
        if not is_sound or np.any(indptr[1:] < indptr[:-1]):
            raise self._damaged(f"{what}_indptr.npy is out of order")

    def _check_rows(self, ones: CsrArrays, values: CsrArrays) -> None:
        """Check what compiled code relies on, in some rows of both parts."""
        for part, what in ((ones, "ones"), (values, "values")):
            if not len(part.indices):
                continue
            facts = _core.inspect_csr(part.indptr, part.indices, part.data, 1)
            if facts.least_index < 0 or facts.most_index >= self.shape[1]:
                raise self._damaged(f"{what}_indices.npy holds an index out of range")
            if not facts.is_ascending:
                raise self._damaged(f"{what}_indices.npy does not ascend in every row; {REBUILD}")
            if part.data is not None:
                try:
                    check_range(part.data, facts)
                except ValueError:
                    raise self._damaged("values_data.npy holds an invalid value") from None
        if len(ones.indices) and len(values.indices):
            row = _core.first_shared_row(ones.indptr, ones.indices, values.indptr, values.indices)
            if row >= 0:
                raise self._damaged(f"one entry is both in ones and in values; {REBUILD}")

    def _damaged(self, what: str) -> ValueError:
        return damaged(self.path, what)

    def __reduce__(self) -> tuple[Any, ...]:
        return open_store, (str(self.path.resolve()),)

    def __repr__(self) -> str:
        m, n = self.shape
        return f"Store({str(self.path)!r}: {m:,} samples, {n:,} features, {self.nnz:,} nonzeros)"


def _mapped(descriptor: int) -> mmap.mmap:
    try:
        return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
    except OSError as error:
        if error.errno != errno.ENOMEM:
            raise
        raise MemoryError("no room among the addresses of this process to map a store") from None
