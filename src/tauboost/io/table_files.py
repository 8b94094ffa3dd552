"""Read a table from a CSV, TSV, Parquet or Arrow file, by pyarrow, with its label apart.

Which kind a file is shows in its name. Text may be compressed. Types are those that pyarrow infers;
an empty cell is missing, also among strings.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..base.messages import shown
from .arrow import complaining, read_arrow
from .names import place_of
from .source import open_source
from .text_lines import NOT_UTF8, line_blocks

__all__ = ["DELIMITERS", "ENDINGS", "is_table_file", "kind_by_name", "read_table"]

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
DELIMITERS: Final = {"csv": ",", "tsv": "\t"}
NO_TEXT: Final = ("parquet", "arrow")
RAGGED: Final = re.compile(r"Expected (\d+) columns, got (\d+): (.*)", re.DOTALL)


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
    path: str | os.PathLike[str], label: str | None = None, *, as_text: Iterable[str] = ()
) -> tuple[Any, NDArray[Any] | None]:
    """Return a file as a table of pyarrow, without the label, and the label as an array.

    Columns of a text file that are in ``as_text`` are strings, even where all of them look like
    numbers: 007 is no 7.
    """
    path = Path(path)
    kind = kind_by_name(path)
    if kind is None:
        accepted = ", ".join(ENDINGS)
        raise ValueError(f"{path}: a file with a table ends in {accepted}, or .csv.gz and the like")
    if kind in DELIMITERS:
        table = _read_text(path, DELIMITERS[kind], as_text)
    else:
        table = read_arrow(path, kind)
    if table.num_rows == 0:
        raise ValueError(f"{path}: the table has no rows")
    return (table, None) if label is None else _split(path, table, label)


def _read_text(path: Path, delimiter: str, as_text: Iterable[str]) -> Any:
    with open_source(path) as source:
        parts = [lines.content for lines in line_blocks(source)]
    with complaining(path):
        from pyarrow import BufferReader, csv, string  # noqa: PLC0415

        missing = csv.ConvertOptions().null_values
        convert = csv.ConvertOptions(
            strings_can_be_null=True,
            null_values=[*missing, " "],
            column_types={name: string() for name in as_text},
        )
        parse = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
        try:
            text = BufferReader(b"".join(parts))
            table = csv.read_csv(text, parse_options=parse, convert_options=convert)
        except ValueError as error:
            raise ValueError(_in_words(str(error))) from None
        _check_text(table)
        return table


def _check_text(table: Any) -> None:
    """Refuse what is no UTF-8, which pyarrow takes for bytes, and the wrong delimiter."""
    from pyarrow import types  # noqa: PLC0415

    try:
        names = table.schema.names
    except UnicodeDecodeError:
        raise ValueError(f"the first line {NOT_UTF8}") from None
    for name, kind in zip(names, table.schema.types, strict=True):
        if types.is_binary(kind):
            raise ValueError(f"column {name!r} {NOT_UTF8}")
    if len(names) == 1 and re.search("[;,\t|]", names[0]):
        raise ValueError(f"one column only, {shown(names[0])}: is another sign between the cells?")


def _in_words(complaint: str) -> str:
    """Say what is wrong with a text in fewer words than pyarrow."""
    if "Empty CSV file" in complaint:
        return "the file is empty"
    if "\0" in complaint:
        return f"the file {NOT_UTF8}"
    ragged = RAGGED.search(complaint)
    if ragged is None:
        return complaint
    expected, got, line = ragged.groups()
    return f"a line has {got} cells, and the first line {expected}: {shown(line)}"


def _split(path: Path, table: Any, label: str) -> tuple[Any, NDArray[Any]]:
    names = table.schema.names
    try:
        place = place_of(label, names)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    column = table.column(place)
    if column.null_count:
        raise ValueError(
            f"{path}: {column.null_count:,} labels in column {label!r} are missing: leave those "
            "rows out"
        )
    if len(names) == 1:
        raise ValueError(f"{path}: there is no column but the label {label!r}")
    return table.remove_column(place), _labels(path, column, label)


def _labels(path: Path, column: Any, name: str) -> NDArray[Any]:
    from pyarrow import types  # noqa: PLC0415

    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind):
        labels: NDArray[Any] = column.to_numpy()
        if labels.dtype.kind == "f" and np.isnan(labels).any():
            raise ValueError(f"{path}: labels in column {name!r} are missing: leave those rows out")
        return labels
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return np.array(column.to_pylist(), dtype=object)
    raise ValueError(f"{path}: labels must be numbers or strings, and column {name!r} is {kind}")
