"""Read Parquet and Arrow files: a list of indices a row, perhaps one of values, and a label.

Which column is which shows in the types: the label is a number, the indices are a list of
integers, the values a list of floating-point numbers (without one, all are 1). Where several
columns could be meant, it is the one called ``label``, ``indices`` or ``values``.
"""

from __future__ import annotations

import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .svmlight import MOST_ROWS, Block, make_block, row_ranges

__all__ = [
    "arrow_blocks",
    "complaining",
    "npy_header",
    "npz_blocks",
    "npz_shape",
    "open_arrow",
    "read_arrow",
]


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
    """Return what bad content leads to: pyarrow has a separate error for every kind of it."""
    import pyarrow as pa  # noqa: PLC0415

    return (ValueError, LookupError, TypeError, pa.ArrowException)


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}..."


# Read a sparse matrix from an archive as `scipy.sparse.save_npz` writes it.
#
# Labels may be in the archive as well, under the name ``y``. NumPy reads the arrays, and SciPy
# makes a matrix of them. An archive may come from anyone, so a gate stands before each: no array
# is read whose header claims another size than the archive bears out, nothing is unpickled, and
# pointers and indices are checked before compiled code follows them.


Shape: TypeAlias = tuple[int, int]
Header: TypeAlias = tuple[tuple[int, ...], np.dtype[Any]]
Piece: TypeAlias = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]  # pointers, indices, values

MOST_BYTES = 1000  # of a header, and of the format's name
MOST_TIMES = 1032  # as long as its compressed form: the most that deflate can do
INTEGERS, NUMBERS, TEXT = "iu", "biuf", "SU"
DIMENSIONS = {"csr": 1, "csc": 1, "coo": 1, "bsr": 3, "dia": 2}  # of the values, by format


def npz_shape(path: Path) -> Shape:
    """Return the shape of the matrix."""
    with _opened(path) as archive:
        return archive.shape()


def npz_blocks(path: Path, *, with_labels: bool = True) -> Iterator[Block]:
    """Yield the rows of the matrix, with the labels of the archive or without any (all 0)."""
    size, done = path.stat().st_size, 0
    with _opened(path) as archive:
        shape = total, _ = archive.shape()
        if with_labels and "y" not in archive.headers:
            raise ValueError("holds no labels: give them, or add them to the archive as y")
        labels = archive.array("y", NUMBERS) if with_labels else None
        if labels is not None and len(labels) != total:
            raise ValueError(f"y holds {len(labels)} labels for {total} rows")
        for indptr, indices, data in _pieces(archive.matrix(shape)):
            n_rows = len(indptr) - 1
            y = np.zeros(n_rows) if labels is None else labels[done : done + n_rows]
            done += n_rows
            yield make_block(indptr, indices, data, y, size * done // total)


def npy_header(stream: IO[bytes], name: str) -> Header:
    """Return the shape and the type that the header of an array claims; the items come next."""
    try:
        version = np.lib.format.read_magic(stream)
    except ValueError:
        raise ValueError(f"{name} is not an array in NumPy's format") from None
    is_first = version == (1, 0)
    read = np.lib.format.read_array_header_1_0 if is_first else np.lib.format.read_array_header_2_0
    try:
        shape, _, dtype = read(stream, max_header_size=MOST_BYTES)
    except Exception:  # whatever a parser of Python raises
        raise ValueError(f"the header of {name} is damaged") from None
    if any(n < 0 for n in shape):
        raise ValueError(f"the header of {name} is damaged")
    if dtype.kind not in NUMBERS + TEXT:
        raise ValueError(f"{name} is not an array of numbers")
    return shape, dtype


class _Archive:
    """The arrays of an archive, whose headers have passed the gate."""

    def __init__(self, arrays: Mapping[str, Any], headers: Mapping[str, Header]) -> None:
        self.arrays, self.headers = arrays, headers

    def array(self, name: str, kinds: str, n_dimensions: int = 1) -> NDArray[Any]:
        """Read an array, if it is of one of these kinds."""
        if name not in self.headers:
            raise ValueError(
                f"not a sparse matrix as scipy.sparse.save_npz writes it: {name} is missing"
            )
        shape, dtype = self.headers[name]
        if len(shape) != n_dimensions or dtype.kind not in kinds:
            what = {INTEGERS: "integers", NUMBERS: "numbers"}.get(kinds, "text")
            form = {0: "a piece", 1: "a vector"}.get(n_dimensions, f"a {n_dimensions}-D array")
            raise ValueError(f"{name} must be {form} of {what}, got {dtype} of shape {shape}")
        array: NDArray[Any] = self.arrays[name]
        return array

    def shape(self) -> Shape:
        """Return the shape of the matrix."""
        sizes = self.array("shape", INTEGERS).tolist()
        if len(sizes) != 2 or not all(0 <= size < 2**62 for size in sizes):
            raise ValueError(f"its shape is {' x '.join(map(str, sizes[:3]))}")
        return sizes[0], sizes[1]

    def kind(self) -> str:
        """Return the sparse format's name."""
        if "format" in self.headers and self.headers["format"][1].itemsize > MOST_BYTES:
            raise ValueError("format is too long")
        value = self.array("format", TEXT, n_dimensions=0).item()
        kind = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
        if kind not in DIMENSIONS:
            accepted = ", ".join(DIMENSIONS)
            raise ValueError(f"its format is {kind[:20]!r}, and accepted are {accepted}")
        return kind

    def matrix(self, shape: Shape) -> Any:
        """Return the matrix, all of whose indices lie within it."""
        from scipy import sparse  # noqa: PLC0415 - the command line converts other files, too

        kind = self.kind()
        data = self.array("data", NUMBERS, DIMENSIONS[kind]).astype(np.float64)
        names = {"coo": ("row", "col"), "dia": ("offsets",)}.get(kind, ("indices", "indptr"))
        arrays = [self.array(name, INTEGERS) for name in names]
        try:
            if kind == "coo":
                return sparse.coo_array((data, (arrays[0], arrays[1])), shape=shape)
            if kind == "dia":
                return _of_diagonals(data, arrays[0], shape)
            if kind == "bsr" and (shape[0] % data.shape[1] or shape[1] % data.shape[2]):
                raise ValueError("the shape is no multiple of that of a block")
            _check_pointers(arrays[1], len(arrays[0]))
            matrix = getattr(sparse, f"{kind}_array")((data, *arrays), shape=shape)
            matrix.check_format(full_check=True)
        except (ValueError, ArithmeticError) as error:
            raise ValueError(f"its arrays do not fit each other: {error}") from None
        return matrix


def _check_pointers(indptr: NDArray[Any], count: int) -> None:
    """SciPy's own check takes differences, which may overflow."""
    if np.any(indptr[1:] < indptr[:-1]):
        raise ValueError("indptr must not decrease")
    if not len(indptr) or int(indptr[0]) != 0 or int(indptr[-1]) > count:
        raise ValueError(f"indptr does not go from 0 to at most {count}")


def _of_diagonals(data: NDArray[Any], offsets: NDArray[Any], shape: Shape) -> Any:
    """Return the entries that are not 0: SciPy would take memory for all rows that are claimed."""
    from scipy import sparse  # noqa: PLC0415

    if len(offsets) != len(data) or np.any(offsets <= -shape[0]) or np.any(offsets >= shape[1]):
        raise ValueError("a diagonal lies outside of the matrix, or has no values")
    diagonal, columns = np.nonzero(data)
    rows = columns - offsets.astype(np.int64)[diagonal]
    inside = (rows >= 0) & (rows < shape[0]) & (columns < shape[1])
    found = data[diagonal, columns][inside], (rows[inside], columns[inside])
    return sparse.coo_array(found, shape=shape)


def _pieces(matrix: Any) -> Iterator[Piece]:
    """Cut a matrix into ranges of rows; memory does not grow with the empty ones."""
    if matrix.format == "csr":
        for start, stop in row_ranges(matrix.indptr):
            ends = matrix.indptr[start : stop + 1].astype(np.int64)
            found = slice(ends[0], ends[-1])
            yield ends - ends[0], matrix.indices[found], matrix.data[found]
        return
    entries = matrix.tocoo()
    order = _order(entries.row.astype(np.int64))
    rows, columns, values = (array[order] for array in (entries.row, entries.col, entries.data))
    for start in range(0, matrix.shape[0], MOST_ROWS):
        stop = min(start + MOST_ROWS, matrix.shape[0])
        ends = np.searchsorted(rows, np.arange(start, stop + 1))
        yield ends - ends[0], columns[ends[0] : ends[-1]], values[ends[0] : ends[-1]]


def _order(rows: NDArray[np.int64]) -> NDArray[np.intp]:
    """Sort stably, 16 bits at a time: that many NumPy sorts by counting."""
    order = np.argsort(rows.astype(np.uint16), kind="stable")
    for shift in range(16, int(rows.max(initial=0)).bit_length(), 16):
        order = order[np.argsort((rows[order] >> shift).astype(np.uint16), kind="stable")]
    return order


@contextmanager
def _opened(path: Path) -> Iterator[_Archive]:
    """Open an archive; whatever a bad one leads to is a ValueError that names the file."""
    try:
        with path.open("rb") as file:
            with zipfile.ZipFile(file) as archive:
                headers = _headers(archive, path.stat().st_size)
            file.seek(0)
            with np.load(file, allow_pickle=False) as arrays:
                yield _Archive(arrays, headers)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
        raise ValueError(f"{path}: the archive is truncated, damaged or locked") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _headers(archive: zipfile.ZipFile, size: int) -> dict[str, Header]:
    """Return the headers of all arrays, none of which claims more than there can be."""
    found = {}
    for info in archive.infolist():
        name = info.filename.removesuffix(".npy")
        if name == info.filename:
            raise ValueError(f"holds {name[:20]!r}, which is not an array in NumPy's format")
        is_plain = info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        most = MOST_TIMES * (info.compress_size + 1)
        if not is_plain or info.compress_size > size or info.file_size > most:
            raise zipfile.BadZipFile
        with archive.open(info) as stream:
            shape, dtype = found[name] = npy_header(stream, name)
            held, claimed = info.file_size - stream.tell(), math.prod(shape) * dtype.itemsize
        if held != claimed:
            raise ValueError(f"{name} holds {held} bytes, and its header claims {claimed}")
    return found
