"""Lines of text out of a file, in blocks: whole lines, numbered for messages, in UTF-8.

What is not UTF-8 is an error, unless bad bytes are to be replaced, or the lines that have some left
empty: these are no rows of any kind but of plain lines, whose numbers stay those of the file.

Lines end with a line feed, with or without a carriage return before it, and with nothing else: what
Unicode calls a line separator may stand inside a text.
"""

from __future__ import annotations

import io
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .source import Source

__all__ = ["BAD_LINE", "BYTE_ORDER_MARK", "ERRORS", "NOT_UTF8", "Lines", "line_blocks"]

NOT_UTF8: Final = "is not UTF-8: convert the file, as with iconv"
BAD_LINE: Final = f"the text {NOT_UTF8}, or give --errors replace or skip"
ERRORS: Final = ("strict", "replace", "skip")
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
NEAR: Final = 2**12  # bytes, among which the last line usually begins


@dataclass(frozen=True)
class Lines:
    """Some lines of a file that follow each other."""

    name: str  # of the file
    content: bytes
    first: int  # number of the first of them, from 1
    bytes_read: int  # of the file, so far
    n_lines: int
    bad_line: str = BAD_LINE  # what is said of one that is not UTF-8

    def wrong(self, number: int, what: str) -> ValueError:
        """Return the error that says what is wrong with a line, by its number in the file."""
        return ValueError(f"{self.name}, line {number}: {what}")

    def numbered(self) -> Iterator[tuple[int, bytes]]:
        """Yield every line, and its number."""
        for number, line in enumerate(io.BytesIO(self.content), self.first):
            yield number, line.removesuffix(b"\n").removesuffix(b"\r")

    def text(self) -> str:
        """Return them as a string."""
        try:
            return self.content.decode()
        except UnicodeDecodeError as error:
            number = self.first + self.content.count(b"\n", 0, error.start)
            raise self.wrong(number, self.bad_line) from None

    def strings(self) -> list[str]:
        """Return each as a string, without its end."""
        text = self.text()
        lines = text.removesuffix("\n").split("\n") if text else []
        return [line.removesuffix("\r") for line in lines] if "\r" in text else lines


def line_blocks(
    source: Source, errors: str = "strict", bad_line: str = BAD_LINE
) -> Generator[Lines]:
    """Yield the lines of a file, as many at a time as one read gives.

    ``errors`` is one of ``ERRORS``: what becomes of lines that are not UTF-8.
    """
    first, held, bytes_read = 1, list[Any](), 0

    def lines(bytes_read: int) -> Lines:
        content = b"".join(held)
        if first == 1:
            content = content.removeprefix(BYTE_ORDER_MARK)
        if errors != "strict":
            content = _mended(content, errors)
        n_lines = content.count(b"\n") + (content[-1:] not in (b"\n", b""))
        return Lines(source.name, content, first, bytes_read, n_lines, bad_line)

    for part, bytes_read in source.parts():
        end = _end_of_lines(part)
        held.append(part[:end])
        if end:
            found = lines(bytes_read)
            yield found
            first += found.n_lines
            held = []
        # A copy: a line may be longer than a part, whose pages will be gone.
        held.append(part[end:].tobytes())
    rest = lines(bytes_read)
    if rest.content:
        yield rest


def _mended(content: bytes, errors: str) -> bytes:
    """Return lines that are UTF-8: bad bytes replaced, or bad lines left empty."""
    try:
        content.decode()
    except UnicodeDecodeError:
        if errors == "replace":
            return content.decode(errors="replace").encode()
        lines = content.split(b"\n")
        return b"\n".join(line if _is_utf8(line) else b"" for line in lines)
    return content


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _end_of_lines(part: NDArray[np.uint8]) -> int:
    """Return where the last whole line ends, looking at the end first."""
    end, size = len(part), NEAR
    while end > 0:
        begin = max(end - size, 0)
        found = part[begin:end].tobytes().rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end, size = begin, 2 * size
    return 0
