"""Read Parquet and Arrow files: a list of indices a row, perhaps one of values, and a label.

Which column is which shows in the types: the label is a number, the indices are a list of
integers, the values a list of floating-point numbers (without one, all are 1). Where several
columns could be meant, it is the one called ``label``, ``indices`` or ``values``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .blocks import Block, make_block

__all__ = ["arrow_blocks", "complaining", "open_arrow", "read_arrow"]

ROWS_AT_A_TIME: Final = 2**14
MOST_LETTERS: Final = 200  # of what pyarrow says is wrong
KINDS: Final = {
    "label": "numbers",
    "indices": "lists of integers",
    "values": "lists of floating-point numbers",
}


def arrow_blocks(
    path: Path, kind: str, *, first_index: int = 0, with_labels: bool = True
) -> Iterator[Block]:
    """Yield the rows of a Parquet file, or of an Arrow file or stream.

    ``first_index`` is what the indices count from, 0 or 1. Labels that are not wanted are 0.
    """
    size = path.stat().st_size
    with complaining(path):
        reader = open_arrow(path, kind)
        indices, values = _find(reader.schema, "indices"), _find(reader.schema, "values")
        label = _find(reader.schema, "label") if with_labels else ""
        columns = [name for name in (indices, values, label) if name]
        for batch, done in reader.batches(columns):
            indptr, column = _lists(batch, indices)
            data = None
            if values:
                ends, data = _lists(batch, values)
                if not np.array_equal(ends, indptr):
                    raise ValueError(f"the lists of {values} and {indices} differ in length")
                data = data.astype(np.float64, copy=False)
            if len(column) and column.min() < first_index:
                raise ValueError(f"index {column.min()} is below {first_index}, the first one")
            y = _numbers(batch.column(label), label) if label else np.zeros(batch.num_rows)
            yield make_block(indptr, column - first_index, data, y, int(size * done))


def open_arrow(path: Path, kind: str) -> _Parquet | _Arrow:
    """Open a Parquet file, or an Arrow file or stream."""
    return (_Parquet if kind == "parquet" else _Arrow)(path)


def read_arrow(path: Path, kind: str) -> Any:
    """Return all of a Parquet or Arrow file as a table of pyarrow."""
    with complaining(path):
        table = open_arrow(path, kind).whole()
        table.validate(full=True)
        return table


class _Parquet:
    def __init__(self, path: Path) -> None:
        from pyarrow import parquet  # noqa: PLC0415

        self.file = parquet.ParquetFile(path)
        self.schema = self.file.schema_arrow

    def whole(self) -> Any:
        """Return all of it."""
        return self.file.read()

    def batches(self, columns: list[str]) -> Iterator[tuple[Any, float]]:
        """Yield a few rows at a time, and what share of the file is read then."""
        done, total = 0, max(self.file.metadata.num_rows, 1)
        for batch in self.file.iter_batches(ROWS_AT_A_TIME, columns=columns):
            batch.validate(full=True)
            done += batch.num_rows
            yield batch, done / total


class _Arrow:
    def __init__(self, path: Path) -> None:
        import pyarrow as pa  # noqa: PLC0415

        # Not mapped into memory: a file that is cut meanwhile would end the process.
        self.source = pa.OSFile(str(path))
        is_stream = self.source.read(6) != b"ARROW1"
        self.source.seek(0)
        self.reader = (pa.ipc.open_stream if is_stream else pa.ipc.open_file)(self.source)
        self.schema = self.reader.schema
        self.is_stream = is_stream

    def whole(self) -> Any:
        """Return all of it."""
        return self.reader.read_all()

    def batches(self, columns: list[str]) -> Iterator[tuple[Any, float]]:
        """Yield a few rows at a time, and what share of the file is read then."""
        done, size = 0, max(self.source.size(), 1)
        numbers = range(0 if self.is_stream else self.reader.num_record_batches)
        whole = iter(self.reader) if self.is_stream else map(self.reader.get_batch, numbers)
        for batch in (every.select(columns) for every in whole):
            # Nothing in a file says that its pointers and lengths are right.
            batch.validate(full=True)
            for start in range(0, batch.num_rows, ROWS_AT_A_TIME):
                rows = batch.slice(start, ROWS_AT_A_TIME)
                done += rows.nbytes
                yield rows, min(done / size, 1.0)


def _find(schema: Any, role: str) -> str:
    """Return the name of the column that plays a role; "" if there are no values."""
    fits = [field.name for field in schema if _fits(field.name, field.type, role)]
    if len(fits) == 1:
        return str(fits[0])
    if role in fits:
        return role
    if role == "values" and not fits:
        return ""
    raise ValueError(
        f"which column holds the {role}? {len(fits)} of the columns {', '.join(schema.names)} hold "
        f"{KINDS[role]}, and none of these is called {role}"
    )


def _fits(name: str, kind: Any, role: str) -> bool:
    from pyarrow import types  # noqa: PLC0415

    if role == "label":
        return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))
    if not (types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)):
        return False
    # Values may be integers, if they are called values.
    if role == "indices":
        return name != "values" and bool(types.is_integer(kind.value_type))
    return bool(types.is_floating(kind.value_type)) or (
        name == "values" and bool(types.is_integer(kind.value_type))
    )


def _lists(batch: Any, name: str) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return row pointers and the items of a column of lists."""
    from pyarrow import compute  # noqa: PLC0415

    column = batch.column(name)
    lengths = _numbers(compute.list_value_length(column), name)
    indptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    items = _numbers(compute.list_flatten(column), name)
    return indptr, items.astype(np.int64, copy=False) if items.dtype.kind in "iu" else items


def _numbers(column: Any, name: str) -> NDArray[Any]:
    if column.null_count:
        raise ValueError(f"column {name} holds nulls")
    numbers: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return numbers


@contextmanager
def complaining(path: Path) -> Iterator[None]:
    """Name the file in every error, and say what to install where pyarrow is missing."""
    try:
        yield
    except ImportError:
        raise ImportError(
            f"{path}: reading this kind of file needs pyarrow: pip install 'tauboost[arrow]'"
        ) from None
    except MemoryError:  # a length that the file makes up, as a rule
        raise ValueError(
            f"{path}: the file is damaged, or a part of it does not fit the memory"
        ) from None
    except OSError as error:
        if error.errno is None:  # how pyarrow reports bad content
            raise ValueError(f"{path}: {_one_line(error)}") from None
        raise
    except _complaints() as error:
        raise ValueError(f"{path}: {_one_line(error)}") from None


def _complaints() -> tuple[type[Exception], ...]:
    """Return what bad content leads to: pyarrow has an error of its own for every kind of it."""
    import pyarrow as pa  # noqa: PLC0415

    return (ValueError, LookupError, TypeError, pa.ArrowException)


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}..."
