"""CSV and TSV with a column of texts and perhaps one of labels, by Python's own reader.

Cells may be quoted, and then hold delimiters, doubled quotes and line breaks. The first line holds
the names of the columns. All cells of a line must be there, so that one broken quote does not shift
everything behind it.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from typing import Final

from .table_files import DELIMITERS
from .text_lines import Lines
from .text_wanted import TextBlock, Wanted, at_lines

__all__ = ["csv_texts"]

SIGNS: Final = ";,\t|"  # that may stand between cells


def csv_texts(blocks: Iterator[Lines], kind: str, wanted: Wanted) -> Iterator[TextBlock]:
    """Yield the rows, as many at a time as there are in a block of lines."""
    rows = _Rows(blocks, DELIMITERS[kind])
    header = next(rows, None)
    if header is None:
        return
    try:
        places = wanted.places(header)
    except ValueError as error:
        is_one = len(header) == 1 and any(sign in header[0] for sign in SIGNS)
        hint = " (is another sign between the cells?)" if is_one else ""
        raise ValueError(f"{rows.name}: {error}{hint}") from None
    found: list[list[str]] = []
    lines: list[int] = []
    for cells in rows:
        if len(cells) != len(header):
            raise rows.wrong(f"the line has {len(cells)} cells, and the first one {len(header)}")
        found.append([cells[k] for k in places])
        lines.append(rows.began)
        if wanted.with_labels and not found[-1][1]:
            raise rows.wrong(f"column {wanted.label!r} is empty: leave the line out")
        if rows.is_block_over:
            yield _block(found, lines, rows, wanted)
            found, lines = [], []
    if found:
        yield _block(found, lines, rows, wanted)


def _block(found: list[list[str]], lines: list[int], rows: _Rows, wanted: Wanted) -> TextBlock:
    labels = [cells[1] for cells in found] if wanted.with_labels else None
    place = at_lines(rows.name, lines)
    return TextBlock([cells[0] for cells in found], labels, rows.bytes_read, place, is_typed=False)


class _Rows:
    """The rows of a file, with the line where the last one began."""

    def __init__(self, blocks: Iterator[Lines], delimiter: str) -> None:
        # For all of the process, and only ever raised: some texts are books.
        csv.field_size_limit(max(csv.field_size_limit(), sys.maxsize))
        self.blocks = blocks
        self.name, self.bytes_read = "", 0
        self.n_lines = 0  # in the blocks so far
        self.began = 1
        self.reader = csv.reader(self._lines(), delimiter=delimiter, strict=True)

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
        return self.reader.line_num >= self.n_lines

    def wrong(self, what: str) -> ValueError:
        """Return the error that says what is wrong with the last row."""
        return ValueError(f"{self.name}, line {self.began}: {what}")

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        cells: list[str] = []
        while not cells:  # blank lines are no rows
            self.began = self.reader.line_num + 1
            try:
                cells = next(self.reader)
            except csv.Error as error:
                raise self.wrong(_in_words(str(error))) from None
        return cells


def _in_words(complaint: str) -> str:
    """Say what Python's reader finds wrong."""
    if "expected after" in complaint:
        return "text follows a closing quote: inside a quoted cell, quotes are doubled"
    if "unexpected end" in complaint:
        return "a quote is opened here and never closed"
    if "new-line character" in complaint:
        return "a carriage return stands alone in a cell: quote the cell, or leave it out"
    return complaint
