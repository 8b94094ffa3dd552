"""A table from CSV or TSV by Python's own reader (text_csv.py): it needs nothing that is extra.

A column is its different cells as they stand, and for every row the place of its cell among them;
what a column is shows when it is taken, from all of its cells, each looked at once. It is numbers
where all cells are, or true and false as 1 and 0; and strings otherwise. Dates are refused. What
stands for a missing value is missing in any column.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.messages import shown
from ..validation.frames import Frame, make_frame
from ..validation.values import Values, Words, check_numbers, from_distinct, refuse
from .source import open_source
from .text_csv import DELIMITERS, CsvRows, has_other_delimiter
from .text_lines import NOT_UTF8, line_blocks

__all__ = ["MISSING", "Cells", "csv_frame", "read_csv"]

ROWS_AT_A_TIME: Final = 2**13  # their cells are strings until they are found among the others
# Cells without a value, but for spaces around them.
MISSING: Final = frozenset(
    (
        *("", "NA", "N/A", "n/a", "NULL", "null", "NaN", "nan", "-NaN", "-nan"),
        *("#NA", "#N/A", "#N/A N/A", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
    )
)
TRUTHS: Final = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
# Letters of what float() reads, but for what people mean otherwise, as 1_000.
OF_NUMBERS: Final = frozenset("0123456789+-.eE infatyINFATY")
CLOCK: Final = r"\d\d:\d\d(:\d\d(\.\d+)?)?"
DATE: Final = re.compile(
    rf"{CLOCK}|\d{{4}}-\d\d-\d\d([ T]{CLOCK}(Z|[+-]\d\d(:?\d\d)?)?)?", re.ASCII
)


class Cells(NamedTuple):
    """A column of a file."""

    distinct: list[str]
    places: NDArray[np.int32]  # of every row


def read_csv(path: str | os.PathLike[str], kind: str) -> tuple[list[str], list[Cells]]:
    """Return the names of the columns, and their cells."""
    with open_source(path) as source:
        rows = CsvRows(line_blocks(source, bad_line=f"the text {NOT_UTF8}"), DELIMITERS[kind])
        header = next(rows, None)
        if header is None:
            raise ValueError(f"{path}: the file is empty")
        if has_other_delimiter(header):
            raise ValueError(
                f"{path}: one column only, {shown(header[0])}: is another sign between the cells?"
            )
        found = [_Places() for _ in header]
        below = rows.below(header)
        while some := list(islice(below, ROWS_AT_A_TIME)):
            for places, cells in zip(found, zip(*some, strict=True), strict=True):
                places.add(cells)
    return header, [places.cells() for places in found]


class _Places(dict[str, int]):
    """The place of each different cell of a column, in the order in which they come."""

    def __init__(self) -> None:
        super().__init__()
        self.parts = [np.empty(0, dtype=np.int32)]

    def __missing__(self, cell: str) -> int:
        self[cell] = place = len(self)
        return place

    def add(self, cells: Sequence[str]) -> None:
        """Take the cells of the rows that follow."""
        self.parts.append(np.fromiter(map(self.__getitem__, cells), np.int32, len(cells)))

    def cells(self) -> Cells:
        """Return all that was taken."""
        return Cells(list(self), np.concatenate(self.parts))


def csv_frame(names: Sequence[str], columns: Sequence[Cells], as_text: Collection[str]) -> Frame:
    """Return columns as a table; those in ``as_text`` are strings whatever they look like."""

    @cache
    def values(k: int) -> Values:
        return _values(names[k], columns[k], is_text=names[k] in as_text)

    def take(k: int, rows: NDArray[np.int64] | None, is_category: bool) -> Values:
        found = _values(names[k], columns[k], is_text=True) if is_category else values(k)
        if rows is None:
            return found
        return Words(found.words, found.places[rows]) if isinstance(found, Words) else found[rows]

    return make_frame(names, (len(columns[0].places), len(columns)), take)


def _values(name: str, column: Cells, *, is_text: bool) -> Values:
    cells = [None if cell.strip() in MISSING else cell for cell in column.distinct]
    there = [cell for cell in cells if cell is not None]
    numbers = None if is_text else _read(there, name)
    if numbers is None:
        return from_distinct(cells, column.places, name)
    distinct = np.full(len(cells), np.nan)
    distinct[[cell is not None for cell in cells]] = numbers
    return check_numbers(distinct[column.places], name)


def _read(cells: list[str], name: str) -> list[float] | None:
    """Return different cells as numbers; None where they are strings."""
    if OF_NUMBERS.issuperset(set[str]().union(*cells)):
        with suppress(ValueError):  # 2024-01-01, or fin
            return [float(cell) for cell in cells]
    if all(cell in TRUTHS for cell in cells):
        return [float(TRUTHS[cell]) for cell in cells]
    if all(map(DATE.fullmatch, cells)):
        raise refuse(name, "dates")
    return None
