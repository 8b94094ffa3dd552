"""The bytes of a file in parts: mapped into memory, streamed, or decompressed on the way.

Compression (gzip, bzip2, xz, zstd) shows in the first bytes of the content, so a file without the
usual ending, or a pipe, is read as well. A thread of its own decompresses the next part while the
caller works on this one; reading stays with the caller, where Ctrl-C can interrupt it.
"""

from __future__ import annotations

import bz2
import lzma
import mmap
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib import import_module
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ..base.messages import shown

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    Part: TypeAlias = tuple[NDArray[np.uint8], int]

__all__ = ["PART_BYTES", "Source", "first_bytes", "open_source"]

PART_BYTES = 1 << 24  # whole pages
STREAM_BYTES = 1 << 20
COMPRESSED_BYTES = 1 << 18
LONGEST_TEXT = 1 << 22


def _zstd() -> Any:
    """Return the module for zstd, which Python has since 3.14."""
    for name in ("compression.zstd", "backports.zstd"):
        with suppress(ImportError):
            return import_module(name)
    raise ImportError(
        "reading zstd before Python 3.14 needs a package: pip install 'tauboost[zstd]'"
    )


ZSTD = b"\x28\xb5\x2f\xfd"
STREAMS: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(wbits=31),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": lzma.LZMADecompressor,
    ZSTD: lambda: _zstd().ZstdDecompressor(),
}
LONGEST_MAGIC = max(map(len, STREAMS))


class Source:
    """A file that has been opened: its name for messages, and its bytes.

    An eager one gives what a pipe has so far, and waits only where that is nothing.
    """

    def __init__(self, file: BinaryIO, name: str, *, may_map: bool, is_eager: bool = False) -> None:
        self.file = file
        self.name = name
        self.size = _size(file)
        self.may_map = may_map and bool(self.size)
        self._take: Any = getattr(file, "read1", file.read) if is_eager else file.read

    def parts(self) -> Iterator[Part]:
        """Yield the text in parts, each with the number of bytes of the file read so far."""
        try:
            start = self._read(LONGEST_MAGIC)
            while start and _may_begin(start) and (more := self._read(LONGEST_MAGIC)):
                start += more  # a pipe may give less than asked for
            for magic, new_stream in STREAMS.items():
                if start.startswith(magic):
                    yield from self._decompressed(start, _Decompressor(new_stream))
                    return
            yield from self._mapped(start) if self.may_map else self._streamed(start)
        except OSError as error:
            if error.errno is None:
                raise
            raise OSError(error.errno, error.strerror, self.name) from None

    def _read(self, size: int) -> bytes:
        data = self._take(size)
        if not isinstance(data, bytes):
            raise TypeError(f"{self.name}: must be a file of bytes, opened in binary mode")
        return data

    def _mapped(self, start: bytes) -> Iterator[Part]:
        try:
            content = mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):  # not every file system can do it
            yield from self._streamed(start)
            return
        text = np.frombuffer(content, dtype=np.uint8)
        for begin in range(0, len(text), PART_BYTES):
            part = text[begin : begin + PART_BYTES]
            yield part, begin + len(part)
            # Done with these pages: the memory of a large file shall not count as ours.
            content.madvise(mmap.MADV_DONTNEED, begin, len(part))

    def _streamed(self, data: bytes) -> Iterator[Part]:
        position = 0
        while data:
            position += len(data)
            yield np.frombuffer(data, dtype=np.uint8), position
            data = self._read(STREAM_BYTES)

    def _decompressed(self, data: bytes, decompressor: _Decompressor) -> Iterator[Part]:
        position = len(data)
        worker = ThreadPoolExecutor(max_workers=1)
        try:
            ahead: Future[bytes] | None = worker.submit(decompressor.step, data)
            while ahead is not None:
                try:
                    text, text_position = ahead.result(), position
                except ImportError as error:
                    raise ImportError(f"{self.name}: {error}") from None
                except decompressor.complaints():
                    raise ValueError(f"{self.name}: the compressed data are damaged") from None
                data = self._read(COMPRESSED_BYTES) if decompressor.is_hungry else b""
                position += len(data)
                is_over = decompressor.is_hungry and not data
                ahead = None if is_over else worker.submit(decompressor.step, data)
                yield np.frombuffer(text, dtype=np.uint8), text_position
        finally:
            # Without waiting: Python may collect this while it starts another thread, and to wait
            # for a thread then is to wait forever.
            worker.shutdown(wait=False)
        if decompressor.is_inside:
            raise ValueError(f"{self.name}: the compressed data end too early; is a part missing?")


class _Decompressor:
    """Compressed streams that follow each other, with zero bytes between them or not."""

    def __init__(self, new_stream: Callable[[], Any]) -> None:
        self._new_stream = new_stream
        self._stream: Any = None
        self._left = b""
        self.is_hungry = True

    def complaints(self) -> tuple[type[Exception], ...]:
        """Return what damaged data lead to."""
        known = (OSError, zlib.error, lzma.LZMAError)
        return known if self._new_stream is not STREAMS[ZSTD] else (*known, _zstd().ZstdError)

    @property
    def is_inside(self) -> bool:
        """Whether a stream has begun and not ended."""
        return self._stream is not None

    def step(self, data: bytes) -> bytes:
        """Take ``data`` and decompress, but no more than a few megabytes at once."""
        data = self._left + data
        self._left = text = b""
        if self._stream is None:
            data = data.lstrip(b"\0")
            self._stream = self._new_stream() if data else None
        if self._stream is not None:
            text = self._stream.decompress(data, LONGEST_TEXT)
            # Where the input goes while the output is full: zlib hands it back, others keep it.
            self._left = getattr(self._stream, "unconsumed_tail", b"")
            if self._stream.eof:
                self._left = self._stream.unused_data
                self._stream = None
        self.is_hungry = len(text) < LONGEST_TEXT and not (self._left and self._stream is None)
        return text


def first_bytes(file: str | os.PathLike[str] | BinaryIO, n: int) -> bytes:
    """Return the first bytes, decompressed, of what can be looked at without taking it away.

    That is a regular file, or an open one that can go back or keep what it has seen; of all else,
    nothing.
    """
    if isinstance(file, str | os.PathLike):
        if not Path(file).is_file():
            return b""
        with Path(file).open("rb", buffering=0) as opened:
            start = opened.read(STREAM_BYTES)
    elif isinstance(file, BufferedReader):
        start = file.peek(n)
    elif file.seekable():
        place = file.tell()
        start = file.read(STREAM_BYTES)
        file.seek(place)
    else:
        return b""
    for magic, new_stream in STREAMS.items():
        if start.startswith(magic):
            with suppress(Exception):  # whoever reads it will be told what is wrong
                return bytes(new_stream().decompress(start, n))
    return bytes(start[:n])


def _may_begin(start: bytes) -> bool:
    """Tell whether more bytes could show that they are compressed."""
    return any(magic.startswith(start) and magic != start for magic in STREAMS)


def _size(file: BinaryIO) -> int | None:
    try:
        status = os.fstat(file.fileno())
    except (OSError, AttributeError):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


@contextmanager
def open_source(
    path: str | os.PathLike[str] | BinaryIO, *, is_eager: bool = False
) -> Iterator[Source]:
    """Open a path for as long as the context lasts; a file that is open already stays so."""
    if isinstance(path, str | os.PathLike):
        path = Path(path)
        with path.open("rb") as file:
            yield Source(file, str(path), may_map=True)
    elif hasattr(path, "read"):
        name = getattr(path, "name", None)
        name = name if isinstance(name, str) else "the stream"
        yield Source(path, name, may_map=False, is_eager=is_eager)
    else:
        raise TypeError(f"path must be a path or an open binary file, got {shown(path)}")
