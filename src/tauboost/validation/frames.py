"""The gate for tables: whatever a table is, its names, its size, and one column at a time.

Data frames come through narwhals, which is imported when one is given; arrays, lists and SciPy's
sparse matrices need nothing. A column is read and checked when it is requested: a
table to predict may have columns that the model does not use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import are_texts, is_masked, is_sparse
from ..base.messages import listed, shown
from .numbers import check_count, refuse_dask
from .values import Values, as_words, from_array, from_distinct, refuse

__all__ = ["Frame", "make_frame", "take_frame"]


MOST_CELLS = 2_000_000_000  # of a sparse matrix that is made dense
WHOLE_NUMBER = re.compile(r"-?[0-9]+")
NUMBERS = "biuf"  # kinds of NumPy's types
PLAIN = NUMBERS + "O"
STRINGS = ("str", "string")  # of pandas
# From here to there float64 has some of the integers of 64 bits, but not all.
LEAST_ROUNDED, LEAST_WITHOUT_INTEGERS = 2.0**53, 2.0**65
ACCEPTED = (
    "a data frame (pandas, polars, pyarrow), a dict of columns, a 2-D array, a list of rows or a "
    "sparse matrix"
)

Rows = NDArray[np.int64] | None
Take = Callable[[int, Rows, bool], Values]  # position, rows, whether they are categories


@dataclass(frozen=True, eq=False)
class Frame:
    """A table that has passed the gate.

    Attributes
    ----------
    names : tuple of str
        As given, or x0, x1, ...
    has_names : bool
        Whether they were given.
    n_rows : int
    """

    names: tuple[str, ...]
    has_names: bool
    n_rows: int
    take: Take
    categories: frozenset[int] = frozenset()  # positions of columns that are to be categories

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.names)

    def column(self, position: int, rows: Rows = None) -> Values:
        """Return a column, or some rows of it: float64 with NaN for missing, or words."""
        is_category = position in self.categories
        values = self.take(position, rows, is_category)
        return as_words(values) if is_category else values  # nothing but missing ones are numbers

    def with_categories(self, positions: Iterable[int]) -> Frame:
        """Return it with the numbers of some columns as categories, none of them rounded."""
        return replace(self, categories=self.categories.union(positions))

    def position(self, which: Any, argument: str) -> int:
        """Return the position of a column that an argument names.

        A whole number is the column of that name where there is one, and else a position; but in a
        table with columns named by whole numbers it is a name only.
        """
        if isinstance(which, str) or (self.has_names and str(which) in self.names):
            if str(which) in self.names:
                return self.names.index(str(which))
            raise ValueError(f"{argument} names {shown(which)}, and the table has no such column")
        place = check_count(which, f"a position in {argument}", 0)
        if self.has_names and any(WHOLE_NUMBER.fullmatch(name) for name in self.names):
            raise ValueError(
                f"{argument} names {shown(which)}, and the table has no such column: give names, "
                "as positions could be mistaken where columns are named by whole numbers"
            )
        if place >= self.n_columns:
            raise ValueError(
                f"{argument} has position {place}, and the table has {self.n_columns} columns"
            )
        return place

    def places(self, names: Sequence[str], named: bool | None = None) -> list[int]:
        """Return the positions of a model's columns: by name if its fit had names, and this has.

        Where ``named`` is None it is not known whether names such as x0 were given in the fit.
        """
        place = {name: k for k, name in enumerate(self.names)}
        missing = [name for name in names if name not in place]
        if named is None:
            was_named = tuple(names) != unnamed(len(names))
            named = was_named or len(missing) < len(names)
        if self.has_names and (named or not missing):
            if missing:
                raise ValueError(self._lacks(missing, set(names)))
            return [place[name] for name in names]
        if self.n_columns != len(names):
            raise ValueError(
                f"the table has {self.n_columns} columns, and the model was trained on {len(names)}"
            )
        return list(range(len(names)))

    def _lacks(self, missing: list[str], known: set[str]) -> str:
        strange = [name for name in self.names if name not in known]
        others = f", and has {listed(strange)}, which it does not know" if strange else ""
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        names = ", ".join(map(repr, missing[:3]))
        return f"the table lacks {names}{more}, which the model needs{others}"

    def select(self, rows: NDArray[np.int64]) -> Frame:
        """Return some rows, by their numbers, in their order."""

        def take(k: int, some: Rows, is_category: bool) -> Values:
            return self.take(k, rows if some is None else rows[some], is_category)

        return replace(self, n_rows=len(rows), take=take)

    def only(self, names: Sequence[str]) -> Frame:
        """Return some columns, by their names, in their order."""
        places = [self.names.index(name) for name in names]

        def take(k: int, rows: Rows, is_category: bool) -> Values:
            return self.take(places[k], rows, is_category)

        categories = frozenset(k for k, at in enumerate(places) if at in self.categories)
        return replace(self, names=tuple(names), take=take, categories=categories)


def take_frame(table: Any) -> Frame:
    """Return a table of any kind as a frame; the columns are checked when they are asked for."""
    if isinstance(table, Frame):
        return table
    refuse_dask(table, "the table")
    if is_sparse(table):
        return _from_sparse(table)
    if are_texts(table):
        raise TypeError(
            "the table is a single column of strings, without two dimensions: make it a table, as "
            "by to_frame(), or use TextClassifier for texts"
        )
    if isinstance(table, Mapping):
        return _from_columns(table)
    if isinstance(table, np.ndarray | list | tuple):
        return _from_cells(table)
    if _is_data_frame(table):
        return _from_data_frame(table)
    if hasattr(table, "__array__") and not hasattr(table, "dtypes"):
        return _from_cells(np.asarray(table))
    raise TypeError(f"the table must be {ACCEPTED}, got {shown(table)}")


def make_frame(names: Sequence[Any] | None, shape: tuple[int, ...], take: Take) -> Frame:
    """Return the frame of columns that ``take`` gives; it must have some, of different names."""
    n_rows, n_columns = shape
    if n_columns == 0:
        # scikit-learn's words, which its checks require.
        raise ValueError(
            f"the table has no columns: 0 feature(s) (shape=({n_rows}, 0)) while a minimum of 1 is "
            "required."
        )
    if n_rows == 0:
        raise ValueError(f"the table has no rows (it has {n_columns:,} columns)")
    given = list(unnamed(n_columns) if names is None else map(str, names))
    _refuse_twins(given)
    return Frame(tuple(given), names is not None, n_rows, take)


def unnamed(n_columns: int) -> tuple[str, ...]:
    """Return what columns without names are called."""
    return tuple(f"x{k}" for k in range(n_columns))


def _refuse_twins(names: list[str]) -> None:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the table has more than one column {twice!r}: rename them")


def _from_sparse(matrix: Any) -> Frame:
    if matrix.ndim != 2:
        raise ValueError(f"the table must have two dimensions, got {matrix.ndim}")
    n_cells = matrix.shape[0] * matrix.shape[1]
    if n_cells > MOST_CELLS:
        raise ValueError(
            f"the sparse matrix would have {n_cells:,} cells as a table, and at most "
            f"{MOST_CELLS:,} are possible: use TauBoostClassifier, or leave columns out"
        )
    from .formats import to_csc  # noqa: PLC0415

    columns = to_csc(matrix)

    def take(k: int, rows: Rows, is_category: bool) -> Values:
        column = columns[:, [k]].toarray().ravel()
        return from_array(column if rows is None else column[rows], f"x{k}", is_category)

    return make_frame(None, matrix.shape, take)


def _from_columns(table: Mapping[Any, Any]) -> Frame:
    """Return a dict of columns, each an array or a list, as a frame."""
    columns = [_cells_of(cells, f"column {str(name)!r}") for name, cells in table.items()]
    lengths = {len(cells) for cells in columns}
    if len(lengths) > 1:
        raise ValueError(
            f"the columns of the table differ in length: {min(lengths):,} and {max(lengths):,}"
        )
    names = list(table)

    def take(k: int, rows: Rows, is_category: bool) -> Values:
        cells = columns[k] if rows is None else columns[k][rows]
        return from_array(cells, str(names[k]), is_category)

    return make_frame(names, (max(lengths, default=0), len(columns)), take)


def _cells_of(cells: Any, what: str) -> NDArray[Any]:
    _refuse_masked(cells, what)
    is_array = hasattr(cells, "__array__")
    if not is_array and not isinstance(cells, list | tuple):
        raise TypeError(f"{what} of the table must be an array or a list, got {shown(cells)}")
    # A list as it is: NumPy would make strings of numbers that stand beside strings.
    array = np.asarray(cells) if is_array else np.array(cells, dtype=object)
    if array.ndim != 1:
        raise ValueError(f"{what} of the table must have one dimension, got {array.ndim}")
    return array


def _refuse_masked(cells: Any, what: str) -> None:
    if is_masked(cells):
        raise ValueError(f"{what} is a masked array: make it a plain one with .filled(numpy.nan)")


def _from_cells(cells: Any) -> Frame:
    _refuse_masked(cells, "the table")
    array = np.asarray(cells) if isinstance(cells, np.ndarray) else _array_of(cells)
    if array.ndim != 2:
        raise ValueError(
            f"the table must have two dimensions (rows, columns), got {array.ndim}. Reshape your "
            "data: values.reshape(-1, 1) is a single column, values.reshape(1, -1) a single row"
        )
    return _from_array(array, None)


def _from_array(array: NDArray[Any], names: list[Any] | None) -> Frame:
    if array.dtype.kind == "c":  # all columns: no use in looking for one that is not
        raise ValueError("Complex data not supported: give their parts as separate columns")

    def take(k: int, rows: Rows, is_category: bool) -> Values:
        name = f"x{k}" if names is None else str(names[k])
        return from_array(array[:, k] if rows is None else array[rows, k], name, is_category)

    return make_frame(names, array.shape, take)


def _array_of(rows: Any) -> NDArray[Any]:
    """Return rows as an array; NumPy would make strings of numbers that stand beside strings.

    Beside fractions it would round integers, which may be identifiers.
    """
    try:
        array = np.asarray(rows)
        is_exact = array.dtype.kind in NUMBERS and not _may_be_rounded(array)
        return array if is_exact else np.array(rows, dtype=object)
    except (TypeError, ValueError, OverflowError):
        pass
    lengths = {len(row) if hasattr(row, "__len__") else -1 for row in rows}
    if len(lengths) > 1:
        raise ValueError("the rows of the table differ in length")
    array = np.empty((len(rows), lengths.pop()), dtype=object)
    for j, row in enumerate(rows):
        for k, cell in enumerate(row):
            array[j, k] = cell
    return array


def _may_be_rounded(array: NDArray[Any]) -> bool:
    if array.dtype.kind != "f":
        return False
    size = np.abs(array)
    return bool(np.any((size >= LEAST_ROUNDED) & (size < LEAST_WITHOUT_INTEGERS)))


def _is_data_frame(table: Any) -> bool:
    signs = ("__dataframe__", "__arrow_c_stream__", "__narwhals_dataframe__", "collect", "dtypes")
    return any(hasattr(table, sign) for sign in signs) and not isinstance(table, type)


def _from_data_frame(table: Any) -> Frame:
    if hasattr(table, "collect"):
        raise TypeError("the table is not in memory: give what its collect() returns")
    if not hasattr(table, "columns") and (hasattr(table, "dtype") or hasattr(table, "type")):
        raise TypeError("the table is a single column: make it a table, as by to_frame()")
    # Before narwhals, which has longer words for two columns of a name.
    names = list(getattr(table, "column_names", getattr(table, "columns", ())))
    _refuse_twins([str(name) for name in names])
    kinds = set(getattr(table, "dtypes", ()))
    kind = next(iter(kinds), None)
    if len(kinds) == 1 and isinstance(kind, np.dtype) and kind.kind in NUMBERS:
        return _from_array(table.to_numpy(), names)  # quicker than thousands of columns of pandas
    if (cells := _single_row(table, kinds)) is not None:
        return _from_array(cells, names)
    import narwhals.stable.v2 as nw  # noqa: PLC0415

    try:
        frame = nw.from_native(table, eager_only=True)
    except TypeError:
        try:
            frame = nw.from_arrow(table, backend="pyarrow")
        except (TypeError, AttributeError, ModuleNotFoundError):
            raise TypeError(f"the table must be {ACCEPTED}, got {shown(table)}") from None
    columns = list(frame.iter_columns())

    def take(k: int, rows: Rows, is_category: bool) -> Values:
        return _from_series(columns[k] if rows is None else _some(columns[k], rows), is_category)

    return make_frame([series.name for series in columns], (len(frame), len(columns)), take)


def _single_row(table: Any, kinds: set[Any]) -> NDArray[Any] | None:
    """Return the cells of a frame of one row, where they say by themselves what they are.

    To ask for one column after another would take longer than to predict the row.
    """
    library = type(table).__module__.partition(".")[0]
    if library == "pandas" and len(table) == 1:
        is_plain = all(
            of.name in STRINGS or (isinstance(of, np.dtype) and of.kind in PLAIN) for of in kinds
        )
        return table.to_numpy(dtype=object) if is_plain else None
    if library == "polars" and len(table) == 1:
        import polars as pl  # noqa: PLC0415

        plain = (pl.String, pl.Boolean)
        if all(of in plain or of.is_integer() or of.is_float() for of in kinds):
            return np.array([table.row(0)], dtype=object)
    return None


def _some(series: Any, rows: NDArray[np.int64]) -> Any:
    """Return some rows of a column."""
    if not series.implementation.is_pyarrow():
        return series[rows.tolist()]
    import narwhals.stable.v2 as nw  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    # As they are: a list of a million numbers is slow.
    buffer = pa.py_buffer(np.ascontiguousarray(rows))
    places = pa.Int64Array.from_buffers(pa.int64(), len(rows), [None, buffer])
    return nw.from_native(series.to_native().take(places), series_only=True).alias(series.name)


def _from_series(series: Any, is_category: bool) -> Values:
    import narwhals.stable.v2 as nw  # noqa: PLC0415

    dtype, name = series.dtype, str(series.name)
    is_large = dtype in (nw.Decimal, nw.Int128, nw.UInt128)
    if is_category and (is_large or (dtype.is_integer() and series.null_count() > 0)):
        # As they are: an array of numbers with a missing one among them would round the others.
        return from_array(np.array(series.to_list(), dtype=object), name, is_category)
    if is_large or dtype == nw.Boolean:
        return from_array(series.cast(nw.Float64).to_numpy(), name, is_category)
    if dtype.is_numeric():
        return from_array(series.to_numpy(), name, is_category)
    for is_refused, why in (
        (dtype.is_temporal(), "dates"),
        (dtype.is_nested(), "nested"),
        (dtype == nw.Binary, "bytes"),
    ):
        if is_refused:
            raise refuse(name, why)
    if dtype in (nw.Categorical, nw.Enum, nw.String):
        return _from_strings(series, is_category=dtype != nw.String)
    if series.null_count() == len(series):
        return np.full(len(series), np.nan)
    return from_array(np.asarray(series.to_numpy()), name, is_category)


def _from_strings(series: Any, is_category: bool) -> Values:
    """Let the library of the data frame find the different strings: it is faster than Python."""
    native, name, kind = series.to_native(), str(series.name), series.implementation
    if kind.is_pandas_like():
        try:
            places, found = native.factorize()
        except TypeError:  # lists among objects
            return from_array(native.to_numpy(), name)
        return from_distinct(list(found), places, name, is_category)
    if kind.is_polars():
        import polars as pl  # noqa: PLC0415

        found = native.drop_nulls().unique()
        keys = [s.to_physical() if is_category else s for s in (native, found)]
        numbers = pl.Series(range(len(found)), dtype=pl.Int32)
        places = keys[0].replace_strict(keys[1], numbers, default=-1, return_dtype=pl.Int32)
        return from_distinct(found.to_list(), places.to_numpy(), name, is_category)
    if kind.is_pyarrow():
        import pyarrow as pa  # noqa: PLC0415

        is_encoded = pa.types.is_dictionary(native.type)
        encoded = (native if is_encoded else native.dictionary_encode()).combine_chunks()
        places = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return from_distinct(encoded.dictionary.to_pylist(), places, name, is_category)
    return from_array(np.asarray(series.to_numpy(), dtype=object), name)
