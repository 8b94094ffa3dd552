"""CSV and TSV with a column of texts and perhaps one of labels, by Python's own reader.

Cells may be quoted, and then hold delimiters, doubled quotes and line breaks. The first line holds
the names of the columns. All cells of a line must be there, so that one broken quote does not shift
everything behind it.

Most programs that write TSV quote nothing, and a quote that opens a cell there is never closed, or
far below. A line of TSV is read as it stands if its quotes do not pair up within it, though it has
all cells, and so has the line behind it: only where that is not so can a cell go on below. Where
the names of the columns are quoted, so are the cells, and quotes always mean what they do in CSV.
"""

from __future__ import annotations

import csv
import io
import sys
from collections import deque
from collections.abc import Iterator
from typing import Final

from .text_lines import Lines
from .text_wanted import TextBlock, Wanted, at_lines

__all__ = ["DELIMITERS", "CsvRows", "csv_texts", "has_other_delimiter"]

DELIMITERS: Final = {"csv": ",", "tsv": "\t"}
SIGNS: Final = ";,\t|"  # that may stand between cells


def csv_texts(blocks: Iterator[Lines], kind: str, wanted: Wanted) -> Iterator[TextBlock]:
    """Yield the rows, as many at a time as there are in a block of lines."""
    rows = CsvRows(blocks, DELIMITERS[kind])
    header = next(rows, None)
    if header is None:
        return
    try:
        places = wanted.places(header)
    except ValueError as error:
        hint = " (is another sign between the cells?)" if has_other_delimiter(header) else ""
        raise ValueError(f"{rows.name}: {error}{hint}") from None
    found: list[list[str]] = []
    lines: list[int] = []
    for cells in rows.below(header):
        found.append([cells[k] for k in places])
        lines.append(rows.began)
        if wanted.with_labels and not found[-1][1]:
            raise rows.wrong(f"column {wanted.label!r} is empty: leave the line out")
        if rows.is_block_over:
            yield _block(found, lines, rows, wanted)
            found, lines = [], []
    if found:
        yield _block(found, lines, rows, wanted)


def has_other_delimiter(header: list[str]) -> bool:
    """Return True if the names of the columns look like one cell that should be several."""
    return len(header) == 1 and any(sign in header[0] for sign in SIGNS)


def _block(found: list[list[str]], lines: list[int], rows: CsvRows, wanted: Wanted) -> TextBlock:
    labels = [cells[1] for cells in found] if wanted.with_labels else None
    place = at_lines(rows.name, lines)
    return TextBlock([cells[0] for cells in found], labels, rows.bytes_read, place, is_typed=False)


class CsvRows:
    """The rows of a file, with the line where the last one began."""

    def __init__(self, blocks: Iterator[Lines], delimiter: str) -> None:
        # For all of the process, and only ever raised: some texts are books.
        csv.field_size_limit(max(csv.field_size_limit(), sys.maxsize))
        self.blocks = blocks
        self.name, self.bytes_read = "", 0
        self.n_lines = 0  # in the blocks so far
        self.began = 1
        self.delimiter, self.line_num = delimiter, 0
        self.lines, self.held = self._lines(), deque[str]()
        self.width: int | None = None  # of unquoted TSV: cells of a line
        self.reader = csv.reader(self._taken(), delimiter=delimiter, strict=True)

    def _lines(self) -> Iterator[str]:
        for block in self.blocks:
            self.name, self.bytes_read = block.name, block.bytes_read
            self.n_lines += block.n_lines
            try:
                yield from map(bytes.decode, io.BytesIO(block.content))
            except UnicodeDecodeError:
                block.text()  # says in which line
                raise

    @property
    def is_block_over(self) -> bool:
        """Whether the next row needs another block."""
        return self.line_num >= self.n_lines

    def wrong(self, what: str) -> ValueError:
        """Return the error that says what is wrong with the last row."""
        return ValueError(f"{self.name}, line {self.began}: {what}")

    def below(self, header: list[str]) -> Iterator[list[str]]:
        """Yield the rows that follow; each must be as wide as the header."""
        for cells in self:
            if len(cells) != len(header):
                raise self.wrong(
                    f"the line has {len(cells)} cells, and the first one {len(header)}"
                )
            yield cells

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        cells: list[str] = []
        while not cells:  # blank lines are no rows
            self.began = self.line_num + 1
            is_plain = self.delimiter == "\t" and self.line_num == 0 and self._has_no_quote()
            cells = self._as_it_stands() or self._quoted()
            self.width = len(cells) if is_plain else self.width
        return cells

    def _has_no_quote(self) -> bool:
        line = self._peeked()
        return line is not None and '"' not in line

    def _taken(self) -> Iterator[str]:
        """Yield the next lines, and count them."""
        while self._peeked() is not None:
            self.line_num += 1
            yield self.held.popleft()

    def _peeked(self, k: int = 0) -> str | None:
        """Return one of the lines that come next, if there are so many."""
        while len(self.held) <= k:
            line = next(self.lines, None)
            if line is None:
                return None
            self.held.append(line)
        return self.held[k]

    def _quoted(self) -> list[str]:
        """Return the cells of a row, over as many lines as its quotes say."""
        try:
            return next(self.reader)
        except csv.Error as error:
            raise self.wrong(_in_words(str(error))) from None

    def _as_it_stands(self) -> list[str] | None:
        """Return the cells of a line of unquoted TSV, if it has a quote that means nothing."""
        line = None if self.width is None else self._peeked()
        if line is None or '"' not in line:
            return None
        cells = self._cut(line)
        if len(cells) != self.width:
            return None
        try:
            next(csv.reader([line], delimiter=self.delimiter, strict=True))
        except csv.Error as error:
            goes_on = "unexpected end" in str(error)
            below = self._peeked(1) if goes_on else None
            if below is None or len(self._cut(below)) == self.width:
                next(self._taken())
                return cells
        return None

    def _cut(self, line: str) -> list[str]:
        return line.rstrip("\r\n").split(self.delimiter)


def _in_words(complaint: str) -> str:
    """Say what Python's reader finds wrong."""
    if "expected after" in complaint:
        return "text follows a closing quote: inside a quoted cell, quotes are doubled"
    if "unexpected end" in complaint:
        return "a quote is opened here and never closed"
    if "new-line character" in complaint:
        return "a carriage return stands alone in a cell: quote the cell, or leave it out"
    return complaint
