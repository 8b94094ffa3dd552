"""Texts and labels out of Parquet and Arrow files, some rows at a time, by pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from .arrow import complaining, open_arrow
from .text_wanted import TextBlock, Wanted

__all__ = ["arrow_texts"]


def arrow_texts(path: Path, kind: str, wanted: Wanted) -> Iterator[TextBlock]:
    """Yield the rows of a Parquet file, or of an Arrow file or stream."""
    size, first = path.stat().st_size, 1
    with complaining(path):
        reader = open_arrow(path, kind)
        names = reader.schema.names
        columns = [names[k] for k in wanted.places(names)]
        for field in map(reader.schema.field, columns):
            _check(field, is_text=field.name == wanted.text)
        for batch, done in reader.batches(columns):
            values = [_values(batch.column(name), name, first) for name in columns]
            place = partial(_place, path, first)
            labels = values[1] if wanted.with_labels else None
            yield TextBlock(values[0], labels, int(size * done), place)
            first += batch.num_rows


def _place(path: Path, first: int, k: int) -> str:
    return f"{path}, row {first + k}"


def _check(field: Any, *, is_text: bool) -> None:
    """Refuse a column whose type is none of texts, or of labels."""
    from pyarrow import types  # noqa: PLC0415

    kind = field.type.value_type if types.is_dictionary(field.type) else field.type
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return
    if is_text:
        raise ValueError(f"texts must be strings, and column {field.name!r} is {field.type}")
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
        raise ValueError(
            f"labels must be numbers or strings, and column {field.name!r} is {field.type}"
        )


def _values(column: Any, name: str, first: int) -> list[Any]:
    if column.null_count:
        row = first + column.is_null().to_pylist().index(True)
        raise ValueError(f"row {row}: column {name!r} is missing: leave the row out")
    values: list[Any] = column.to_pylist()
    return values
