"""The folder of a store, read by its descriptor.

So all that is read is of one version, also while another process replaces the store; and no name
in the folder leads elsewhere.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from .atomic import read_folder
from .store_format import DTYPES, HEADER_NAME, NPY_HEADER_SIZE, Header, npy_header

__all__ = ["StoreFolder", "chunks_of", "damaged", "read_store"]

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
