"""Read a table from a CSV, TSV, Parquet or Arrow file, with its label apart.

Which kind a file is shows in its name. Text may be compressed, and is read by Python's own
reader; the others by pyarrow, which is an extra.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.messages import shown
from ..validation.frames import Frame, make_frame, take_frame
from ..validation.values import Values, Words, check_numbers, from_distinct, refuse
from .arrow import read_arrow
from .source import open_source, place_of
from .tensors import object_array
from .text_lines import NOT_UTF8, label_array, line_blocks
from .text_records import DELIMITERS, CsvRows, has_other_delimiter

__all__ = [
    "ENDINGS",
    "MISSING",
    "Cells",
    "csv_frame",
    "is_table_file",
    "kind_by_name",
    "read_csv",
    "read_table",
]


# A table from CSV or TSV by Python's own reader (text_records.py): it needs nothing that is extra.
#
# A column is its different cells as they stand, and for every row the place of its cell among
# them; what a column is shows when it is taken, from all of its cells, each looked at once. It is
# numbers where all cells are, or true and false as 1 and 0; and strings otherwise. Dates are
# refused. What stands for a missing value is missing in any column.


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
    """Return columns as a table; those in ``as_text`` are strings, even if all are numbers."""

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


ENDINGS: Final = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
COMPRESSED: Final = {".gz", ".xz", ".bz2", ".zst"}
NO_TEXT: Final = ("parquet", "arrow")


def is_table_file(path: str | os.PathLike[str]) -> bool:
    """Tell by its name whether a file holds a table."""
    return kind_by_name(path) is not None


def kind_by_name(path: str | os.PathLike[str], endings: Mapping[str, str] = ENDINGS) -> str | None:
    """Return what a file holds by the ending of its name; only text may be compressed."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        kind = endings.get(suffixes[-2]) if len(suffixes) > 1 else None
        return None if kind in NO_TEXT else kind
    return endings.get(suffixes[-1]) if suffixes else None


def read_table(
    path: str | os.PathLike[str], label: str | None = None, *, as_text: Collection[str] = ()
) -> tuple[Frame, NDArray[Any] | None]:
    """Return a file as a table without the label, and the label as an array.

    Columns of a text file that are in ``as_text`` are strings, even where all of them could be
    numbers: 007 is no 7.
    """
    path = Path(path)
    kind = kind_by_name(path)
    if kind is None:
        accepted = ", ".join(ENDINGS)
        raise ValueError(f"{path}: a file with a table ends in {accepted}, or .csv.gz and the like")
    if kind in DELIMITERS:
        return _read_text(path, kind, label, as_text)
    return _read_arrow(path, kind, label)


def _read_text(
    path: Path, kind: str, label: str | None, as_text: Collection[str]
) -> tuple[Frame, NDArray[Any] | None]:
    names, columns = read_csv(path, kind)
    _refuse_empty(path, len(columns[0].places))
    labels = None
    if label is not None:
        place = _place_of_label(path, names, label)
        labels = _text_labels(path, columns.pop(place), label, is_text=label in as_text)
        names.pop(place)
    return csv_frame(names, columns, as_text), labels


def _read_arrow(path: Path, kind: str, label: str | None) -> tuple[Frame, NDArray[Any] | None]:
    table, labels = read_arrow(path, kind), None
    _refuse_empty(path, table.num_rows)
    if label is not None:
        place = _place_of_label(path, table.schema.names, label)
        labels = _arrow_labels(path, table.column(place), label)
        table = table.remove_column(place)
    return take_frame(table), labels


def _refuse_empty(path: Path, n_rows: int) -> None:
    if n_rows == 0:
        raise ValueError(f"{path}: the table has no rows")


def _place_of_label(path: Path, names: list[str], label: str) -> int:
    try:
        place = place_of(label, names)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if len(names) == 1:
        raise ValueError(f"{path}: there is no column but the label {label!r}")
    return place


def _text_labels(path: Path, column: Cells, name: str, *, is_text: bool) -> NDArray[Any]:
    """Return labels as they stand, or as numbers where all of them are written as one."""
    cells, places = column
    if "" in cells:
        raise _missing(path, name, int(np.count_nonzero(places == cells.index(""))))
    labels = object_array(cells) if is_text else label_array(cells, is_text=True)
    return labels[places]


def _missing(path: Path, name: str, n_missing: int) -> ValueError:
    return ValueError(
        f"{path}: {n_missing:,} labels in column {name!r} are missing: leave those rows out"
    )


def _arrow_labels(path: Path, column: Any, name: str) -> NDArray[Any]:
    from pyarrow import types  # noqa: PLC0415

    if column.null_count:
        raise _missing(path, name, column.null_count)
    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind):
        labels: NDArray[Any] = column.to_numpy()
        if labels.dtype.kind == "f" and np.isnan(labels).any():
            raise _missing(path, name, int(np.isnan(labels).sum()))
        return labels
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return np.array(column.to_pylist(), dtype=object)
    raise ValueError(f"{path}: labels must be numbers or strings, and column {name!r} is {kind}")
