"""The bytes of a file in parts: read, streamed, or decompressed on the way.

Compression (gzip, bzip2, xz, zstd) shows in the first bytes of the content, so a file without the
usual ending, or a pipe, is read as well. A separate thread decompresses the next part while the
caller works on this one; reading stays with the caller, where Ctrl-C can interrupt it.

No file is mapped into memory: one that is cut short would end the process by a signal, and one that
changes would change under compiled code that has checked it.
"""

from __future__ import annotations

import bz2
import lzma
import os
import stat
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib import import_module
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from .. import _core
from ..base.messages import shown, unknown

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    Part: TypeAlias = tuple[NDArray[np.uint8], int]

__all__ = [
    "LONGEST_LINE",
    "Source",
    "check_line",
    "first_bytes",
    "line_too_long",
    "open_source",
    "place_of",
]


PART_BYTES = 1 << 22
STREAM_BYTES = 1 << 20
COMPRESSED_BYTES = 1 << 18
LONGEST_TEXT = 1 << 22
# A line is held in memory as a whole. No document is as long, and a row of so many bytes has some
# twenty million entries; what has no line end by then is another kind of file, or a device.
LONGEST_LINE = 1 << 28
# The header of a compressed file says how much memory it needs. xz -9 asks for 65 MiB, zstd -19 for
# 8; a header may ask for 4 GiB.
DECOMPRESSION_MEMORY_LOG = 28
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def _zstd() -> Any:
    """Return the module for zstd, which Python has since 3.14."""
    for name in ("compression.zstd", "backports.zstd"):
        with suppress(ImportError):
            return import_module(name)
    raise ImportError(
        "reading zstd before Python 3.14 needs a package: pip install 'tauboost[zstd]'"
    )


def _new_zstd(zstd: Any) -> Any:
    longest = {zstd.DecompressionParameter.window_log_max: DECOMPRESSION_MEMORY_LOG}
    return zstd.ZstdDecompressor(options=longest)


ZSTD = b"\x28\xb5\x2f\xfd"
STREAMS: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(wbits=31),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": lambda: lzma.LZMADecompressor(memlimit=1 << DECOMPRESSION_MEMORY_LOG),
    ZSTD: lambda: _new_zstd(_zstd()),
}
LONGEST_MAGIC = max(map(len, STREAMS))


class Source:
    """A file that has been opened: its name for messages, and its bytes.

    An eager one gives what a pipe has so far, and waits only where that is nothing.
    """

    def __init__(self, file: BinaryIO, name: str, *, is_ours: bool, is_eager: bool = False) -> None:
        self.file = file
        self.name = name
        self.size = _size(file)
        # Of a file that was opened here: what is written behind it meanwhile is not read.
        self._end = (self.size or None) if is_ours else None
        self._position = 0
        self._take: Any = getattr(file, "read1", file.read) if is_eager else file.read

    def parts(self, size: int | None = None, n_threads: int = 1) -> Iterator[Part]:
        """Yield the text in parts, each with the number of bytes of the file read so far.

        A byte order mark in front is left out. A part lasts until the next one is asked for. Of a
        plain file, ``size`` bytes are read at a time.
        """
        try:
            yield from _without_mark(self._parts(size or PART_BYTES, n_threads))
        except OSError as error:
            if error.errno is None:
                raise
            raise OSError(error.errno, error.strerror, self.name) from None

    def _parts(self, size: int, n_threads: int) -> Iterator[Part]:
        start = self._read(LONGEST_MAGIC)
        while start and _may_begin(start) and (more := self._read(LONGEST_MAGIC)):
            start += more  # a pipe may give less than asked for
        for magic, new_stream in STREAMS.items():
            if start.startswith(magic):
                yield from self._decompressed(start, _Decompressor(new_stream))
                return
        yield from self._streamed(start) if self._end is None else self._plain(size, n_threads)

    def _read(self, size: int) -> bytes:
        data: object = self._take(size)
        if not isinstance(data, bytes):
            raise TypeError(f"{self.name}: must be a file of bytes, opened in binary mode")
        self._position += len(data)
        if not data and self._end is not None:
            self._check_end()
        return data

    def _check_end(self) -> None:
        if self._end is not None and self._position < self._end:
            raise ValueError(
                f"{self.name}: the file was cut short while it was read: try again when nothing "
                "writes to it"
            )

    def _plain(self, size: int, n_threads: int) -> Iterator[Part]:
        assert self._end is not None
        self._position = 0
        room = np.empty(min(size, self._end), dtype=np.uint8)
        while left := self._end - self._position:
            part = room[:left]
            n_read = _core.read_at(self.file.fileno(), self._position, part, n_threads)
            self._position += n_read
            if n_read < len(part):
                self._check_end()
            yield part, self._position

    def _streamed(self, data: bytes) -> Iterator[Part]:
        while data:
            yield np.frombuffer(data, dtype=np.uint8), self._position
            data = self._read(STREAM_BYTES)

    def _decompressed(self, data: bytes, decompressor: _Decompressor) -> Iterator[Part]:
        worker = ThreadPoolExecutor(max_workers=1)
        try:
            ahead: Future[bytes] | None = worker.submit(decompressor.step, data)
            while ahead is not None:
                try:
                    text, text_position = ahead.result(), self._position
                except ImportError as error:
                    raise ImportError(f"{self.name}: {error}") from None
                except decompressor.complaints() as error:
                    raise ValueError(f"{self.name}: {_in_words(str(error))}") from None
                data = self._read(COMPRESSED_BYTES) if decompressor.is_hungry else b""
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


def _in_words(complaint: str) -> str:
    """Describe what is wrong with compressed data."""
    if "memory" in complaint.lower():  # in the messages of xz and of zstd
        return (
            f"to decompress it takes more than {1 << DECOMPRESSION_MEMORY_LOG - 20} MiB of memory: "
            "decompress it by other means, or compress it with a smaller dictionary"
        )
    return "the compressed data are damaged"


def _without_mark(parts: Iterator[Part]) -> Iterator[Part]:
    """Leave out a byte order mark in front, which may come a byte at a time."""
    held, position = b"", 0
    for part, position in parts:
        start = held + part[: len(BYTE_ORDER_MARK) - len(held)].tobytes()
        if start != BYTE_ORDER_MARK and BYTE_ORDER_MARK.startswith(start):
            held = start
            yield part[:0], position
            continue
        whole = np.append(np.frombuffer(held, dtype=np.uint8), part) if held else part
        yield whole[len(start) if start == BYTE_ORDER_MARK else 0 :], position
        yield from parts
        return
    if held:
        yield np.frombuffer(held, dtype=np.uint8), position


def check_line(name: str, number: int, size: int) -> None:
    """Refuse a line of so many bytes, by its number, if that is too much to hold in memory."""
    if size > LONGEST_LINE:
        raise ValueError(f"{name}, line {number}: {line_too_long()}")


def line_too_long() -> str:
    """Describe what is wrong with a line that has no end."""
    return (
        f"no line may be longer than {LONGEST_LINE:,} bytes, and this one is: is it a file of text "
        "lines?"
    )


def first_bytes(file: str | os.PathLike[str] | BinaryIO, n: int) -> bytes:
    """Return the first bytes of text of what can be looked at without taking it away.

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
                start = new_stream().decompress(start, n)
                break
    return bytes(start[:n]).removeprefix(BYTE_ORDER_MARK)


def _may_begin(start: bytes) -> bool:
    """Return True if more bytes could show that they are compressed."""
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
            yield Source(file, str(path), is_ours=True)
    elif hasattr(path, "read"):
        name = getattr(path, "name", None)
        name = name if isinstance(name, str) else "the stream"
        yield Source(path, name, is_ours=False, is_eager=is_eager)
    else:
        raise TypeError(f"path must be a path or an open binary file, got {shown(path)}")


# Find a column or a field by its name; where it is not, say which ones are.


def place_of(name: str, names: Sequence[str], *, noun: str = "column") -> int:
    """Return the number of a name that is there once."""
    found = [k for k, other in enumerate(names) if other == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(f"more than one {noun} is called {name!r}: rename them")
    raise ValueError(unknown(noun, name, names))
