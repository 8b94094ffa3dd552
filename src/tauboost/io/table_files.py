"""Read a table from a CSV, TSV, Parquet or Arrow file, with its label apart.

Which kind a file is shows in its name. Text may be compressed, and is read by table_csv.py; the
others by pyarrow, which is an extra.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..validation.frames import Frame, take_frame
from .arrow import read_arrow
from .names import place_of
from .strings import object_array
from .table_csv import Cells, csv_frame, read_csv
from .text_csv import DELIMITERS
from .text_labels import label_array

__all__ = ["ENDINGS", "is_table_file", "kind_by_name", "read_table"]

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

    Columns of a text file that are in ``as_text`` are strings, even where all of them look like
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
