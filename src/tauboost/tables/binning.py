"""From a table to columns and codes, one byte a cell (of many categories more: see columns.py).

Numbers: a bin for every value where there are at most ``max_bins``, else weighted quantiles (see
cpp/kernels/binning.hpp). Categories: the frequent ones, the others together. Sums of weights
are exact, so neither the order of the rows nor duplicates in place of a weight change a bin, nor a
constant factor of all weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Vector
from ..base.messages import shown
from ..base.threads import side_by_side
from ..validation.frames import Frame
from ..validation.numbers import check_count
from ..validation.values import Words, refuse
from .columns import (
    MOST_BINS,
    MOST_CATEGORIES,
    CategoryColumn,
    Codes,
    Column,
    NumericColumn,
    Planes,
    is_wide,
    join_planes,
)

__all__ = [
    "MOST_VALUES",
    "ValueCounts",
    "WholeUnit",
    "bin_column",
    "bin_table",
    "categorical_positions",
    "check_max_bins",
    "check_words",
    "count_values",
    "encode",
    "kept_words",
    "sorted_edges",
    "weight_units",
    "whole_weights",
    "word_weights",
]


FEW_BINS = 32
BITS = 60  # of a sum of weights
# The most units of a weight: rounding cannot hide which fraction of the largest one it is.
MOST_UNITS = 2**24
SHARE_ROUNDING = 2.0**-50  # of a weight divided by another, four times over
SHARE_BITS = 32  # of a weight that is no whole multiple of anything
# A column of strings that has more than this many, and more than half as many as rows, is refused.
MOST_WORDS = 1000
MANY_ROWS = 2**17  # fewer are quickly read
# Rows sampled first, times the square root of all: where no string occurs twice among them, it
# is less likely than e^-32 that only half of all are different.
SAMPLE = 8
# What names no column of numbers as categories, by the name of the parameter.
NO_MORE = {"categorical": "auto", "categorical_features": "from_dtype"}


def bin_table(
    frame: Frame,
    weights: Vector | None = None,
    max_bins: int = MOST_BINS,
    categorical: Literal["auto"] | Iterable[str | int] = "auto",
    n_threads: int = 1,
    *,
    values_a_bin: int = 1,
    name: str = "categorical",
) -> tuple[tuple[Column, ...], Planes]:
    """Return what each column is, and the codes of the table, a plane of bytes for each column.

    Where a column of numbers has more values than ``max_bins``, there are no more bins than one for
    ``values_a_bin`` of them, but for the first FEW_BINS. ``name`` is that of ``categorical`` in
    messages.
    """
    check_max_bins(max_bins)
    categories = categorical_positions(frame, categorical, name)
    whole = None if weights is None else _whole(weights)
    planes = np.empty((frame.n_columns, frame.n_rows), dtype=np.uint8)
    columns: list[Any] = [None] * frame.n_columns
    wide: dict[int, Codes] = {}

    def work(k: int) -> None:
        columns[k], codes = bin_column(
            frame, k, whole, max_bins, k in categories, values_a_bin=values_a_bin
        )
        (wide if is_wide(columns[k]) else planes)[k] = codes

    side_by_side(work, range(frame.n_columns), n_threads)
    return tuple(columns), join_planes(columns, planes, wide)


def check_max_bins(max_bins: int) -> None:
    """Refuse numbers of bins that a byte cannot distinguish."""
    if check_count(max_bins, "max_bins", 2) > MOST_BINS:
        raise ValueError(f"max_bins must be at most {MOST_BINS}, got {shown(max_bins)}")


def bin_column(
    frame: Frame,
    k: int,
    weights: NDArray[np.int64] | None = None,
    max_bins: int = MOST_BINS,
    is_category: bool = False,
    *,
    values_a_bin: int = 1,
) -> tuple[Column, Codes]:
    """Return what a column is, and its codes."""
    name = frame.names[k]
    if is_category:
        frame = frame.with_categories([k])
    _refuse_identifiers(frame, k)
    values = frame.column(k)
    if isinstance(values, Words):
        if len(values.words) > MOST_WORDS:
            there = np.bincount(values.places + 1)[1:]
            check_words(int(np.count_nonzero(there)), int(there.sum()), name)
        total = word_weights(values, weights)
        words = CategoryColumn(name, kept_words(values.words, total, max_bins))
        return words, words.codes(values)
    numbers = NumericColumn(name, _edges(values, weights, max_bins, values_a_bin))
    return numbers, numbers.codes(values)


def categorical_positions(frame: Frame, categorical: Any, name: str = "categorical") -> set[int]:
    """Return the positions of the columns that are to be categories."""
    if categorical is None or (isinstance(categorical, str) and categorical in NO_MORE.values()):
        return set()
    if isinstance(categorical, str) or not isinstance(categorical, Iterable):
        raise ValueError(
            f"{name} must be {NO_MORE[name]!r} or a list of columns, got {shown(categorical)}"
        )
    chosen = list(categorical)
    if not chosen or not all(isinstance(which, bool | np.bool_) for which in chosen):
        return {frame.position(which, name) for which in chosen}
    if len(chosen) != frame.n_columns:
        raise ValueError(
            f"{name} has {len(chosen)} booleans, and the table has {frame.n_columns} columns"
        )
    return {k for k, is_chosen in enumerate(chosen) if is_chosen}


def _whole(weights: Vector) -> NDArray[np.int64] | None:
    if np.all(weights == weights[0]):
        return None
    return whole_weights(weights, WholeUnit.of(weights.max(), weight_units(weights), len(weights)))


@dataclass(frozen=True)
class WholeUnit:
    """What weights are measured in, to be whole numbers: a share of the largest of them."""

    largest: float
    n_units: int  # that the largest one has

    @classmethod
    def of(cls, largest: float, n_units: int, n_rows: int) -> WholeUnit:
        """Take the common unit of the weights, or if they have none (0) one that is small."""
        fine = 1 << min(SHARE_BITS, BITS - n_rows.bit_length())
        return cls(float(largest), n_units or fine)


def weight_units(weights: Vector) -> int:
    """Return of how many units the largest weight is, where all are whole multiples of one; else 0.

    Only ratios of weights count, each of them but for its rounding: a constant factor changes
    nothing. 3.7 times the weights 1, 2 and 3 are 1, 2 and 3 units.
    """
    shares = np.unique(weights[weights > 0])
    shares = shares / shares.max(initial=0.0)
    n_units = 1
    while True:
        parts = n_units * shares
        is_part = np.abs(parts - np.rint(parts)) > n_units * SHARE_ROUNDING
        if not is_part.any():
            return n_units
        part = Fraction(float(parts[is_part][0])).limit_denominator(MOST_UNITS // n_units)
        if part.denominator == 1:
            return 0
        n_units *= part.denominator


def whole_weights(weights: Vector, unit: WholeUnit) -> NDArray[np.int64]:
    """Return the weights as whole numbers of units."""
    whole = np.rint(weights / unit.largest * unit.n_units).astype(np.int64)
    return np.maximum(whole, weights > 0)  # the least weight is one


def _edges(
    values: Vector, weights: NDArray[np.int64] | None, max_bins: int, values_a_bin: int
) -> Vector:
    if weights is None:
        return sorted_edges(np.sort(values), None, max_bins, values_a_bin)
    order = np.argsort(values)
    return sorted_edges(values[order], weights[order], max_bins, values_a_bin)


def sorted_edges(
    values: Vector, weights: NDArray[np.int64] | None, max_bins: int, values_a_bin: int = 1
) -> Vector:
    """Return the edges of values in order."""
    if values_a_bin > 1:
        there = values if weights is None else values[weights > 0]
        n_values = int(np.count_nonzero(there[1:] > there[:-1])) + 1  # NaN is above nothing
        if n_values > max_bins:
            max_bins = min(max_bins, max(FEW_BINS, n_values // values_a_bin))
    return np.array(_core.numeric_edges(values, weights, max_bins), dtype=np.float64) + 0.0  # no -0


def word_weights(values: Words, weights: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Return the weight of the rows of each word."""
    size = len(values.words) + 1  # missing comes last
    if weights is None:
        return np.bincount(values.places + 1, minlength=size)[1:]
    total = np.zeros(size, dtype=np.int64)
    np.add.at(total, values.places, weights)
    return total[:-1]


def kept_words(words: Sequence[str], total: NDArray[np.int64], max_bins: int) -> NDArray[Any]:
    """Return the categories that get a code: the heaviest, ties by name.

    With ``MOST_BINS`` of them, the default, all that hold 1 / MOST_CATEGORIES of the weight get
    one. A share, as a count of rows would not treat weights as duplicates, or as their multiples.
    """
    found = np.flatnonzero(total > 0).tolist()
    found.sort(key=lambda i: (-int(total[i]), words[i]))
    most = min(max_bins, MOST_BINS - 1)
    kept = found if len(found) <= most else found[: max_bins - 1]
    if len(kept) < len(found) and max_bins == MOST_BINS:
        whole = int(total.sum())
        n_frequent = sum(int(total[i]) * MOST_CATEGORIES >= whole for i in found)
        kept = found[: max(len(kept), n_frequent)]
    return np.array([words[i] for i in kept], dtype=object)


def _refuse_identifiers(frame: Frame, k: int) -> None:
    """Read a sample of the rows: millions of different strings take seconds to find otherwise."""
    n_rows = frame.n_rows
    if n_rows < MANY_ROWS:
        return
    size = SAMPLE * int(np.sqrt(n_rows))
    rows = np.unique(np.random.default_rng(0).integers(n_rows, size=size))
    values = frame.column(k, rows)
    if isinstance(values, Words) and len(values.words) == _n_there(values) > len(rows) // 2:
        raise _identifier(frame.names[k], f"no value twice among {len(values.words):,} rows")


def check_words(n_words: int, n_there: int, name: str) -> None:
    """Refuse a column where too many of the strings present are different."""
    if n_words > MOST_WORDS and 2 * n_words > n_there:
        raise _identifier(name, f"{n_words:,} different values in {n_there:,} rows")


def _n_there(values: Words) -> int:
    return int(np.count_nonzero(values.places >= 0))


def _identifier(name: str, what: str) -> ValueError:
    return ValueError(
        f"column {name!r} has {what}, like an identifier: leave it out, or convert it if it holds "
        "numbers"
    )


def encode(
    columns: Sequence[Column], frame: Frame, n_threads: int = 1, *, named: bool | None = None
) -> Planes:
    """Return the codes of another table: by name where names were given, else by position.

    ``named``: whether the fit had names, where that is known.
    """
    places = frame.places([column.name for column in columns], named)
    planes = np.empty((len(columns), frame.n_rows), dtype=np.uint8)
    wide: dict[int, Codes] = {}

    def work(k: int) -> None:
        codes = columns[k].read(frame, places[k])
        (wide if is_wide(columns[k]) else planes)[k] = codes

    side_by_side(work, range(len(columns)), n_threads)
    return join_planes(columns, planes, wide)


# Up to this many different values of a part are sent as they are; of more, neighbours are merged.
MOST_VALUES = 2**17

Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Different values: numbers ascending, or words."""

    values: NDArray[np.float64] | tuple[str, ...]
    weights: Whole
    n_there: int  # rows that have a value

    @classmethod
    def merged(cls, parts: Sequence[ValueCounts], name: str) -> ValueCounts:
        """Add up those of one column; missing values alone are neither numbers nor words."""
        full = [count for count in parts if count.n_there > 0] or list(parts[:1])
        n_there = sum(count.n_there for count in full)
        weights = np.concatenate([count.weights for count in full])
        numbers = [count.values for count in full if not isinstance(count.values, tuple)]
        if len(numbers) == len(full):
            return cls(*_added(np.concatenate(numbers), weights), n_there)
        if numbers:
            raise refuse(name, "mixed")
        words = [word for count in full for word in count.values]
        place = {word: k for k, word in enumerate(dict.fromkeys(words))}
        total = np.zeros(len(place), dtype=np.int64)
        np.add.at(total, np.array([place[word] for word in words], dtype=np.intp), weights)
        return cls(tuple(place), total, n_there)

    def bounded(self, name: str) -> ValueCounts:
        """Return it with no more than ``MOST_VALUES``: equal to it if there are no more."""
        if len(self.values) <= MOST_VALUES:
            return self
        if not isinstance(self.values, tuple):
            return ValueCounts(*_thinned(self.values, self.weights), self.n_there)
        check_words(len(self.values), self.n_there, name)
        heaviest = np.argsort(-self.weights, kind="stable")[:MOST_VALUES]
        words = tuple(self.values[k] for k in heaviest.tolist())
        return ValueCounts(words, self.weights[heaviest], self.n_there)

    def column(self, name: str, max_bins: int, values_a_bin: int = 1) -> Column:
        """Return the column that has these values, with bins as ``bin_table`` makes them."""
        if isinstance(self.values, tuple):
            check_words(len(self.values), self.n_there, name)
            return CategoryColumn(name, kept_words(self.values, self.weights, max_bins))
        return NumericColumn(name, sorted_edges(self.values, self.weights, max_bins, values_a_bin))


def count_values(frame: Frame, k: int, weights: Whole | None, is_category: bool) -> ValueCounts:
    """Return the values of a column with their weights; None: every row weighs one."""
    values = (frame.with_categories([k]) if is_category else frame).column(k)
    if isinstance(values, Words):
        rows = np.bincount(values.places + 1, minlength=len(values.words) + 1)[1:]
        there = np.flatnonzero(rows)
        words = tuple(values.words[i] for i in there.tolist())
        return ValueCounts(words, word_weights(values, weights)[there], int(rows.sum()))
    is_there = ~np.isnan(values)
    found = values[is_there] + 0.0  # no -0
    of_rows = np.ones(len(found), dtype=np.int64) if weights is None else weights[is_there]
    return ValueCounts(*_added(found, of_rows), len(found))


def _added(values: NDArray[np.float64], weights: Whole) -> tuple[NDArray[np.float64], Whole]:
    """Return the different values in order, and the weight of each."""
    order = np.argsort(values, kind="stable")
    values = values[order]
    is_last = np.ones(len(values), dtype=bool)
    is_last[:-1] = values[1:] != values[:-1]
    return _joined(values, weights[order], is_last)


def _joined(
    values: NDArray[np.float64], weights: Whole, is_last: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], Whole]:
    """Return the last value of each group, and the weight of the group."""
    sums = np.cumsum(weights)[is_last]
    return values[is_last], np.diff(sums, prepend=0)


def _thinned(values: NDArray[np.float64], weights: Whole) -> tuple[NDArray[np.float64], Whole]:
    """Take neighbours together, up to four times the weight over MOST_VALUES; heavy ones stay."""
    step = -(-4 * int(weights.sum()) // MOST_VALUES)
    heavy = weights >= step
    group = np.cumsum(np.where(heavy, 0, weights)) // step
    beside = np.append(heavy[1:], True) | np.append(
        False, heavy[:-1]
    )  # edges lie beside heavy ones
    ends = heavy | beside | (np.diff(group, append=-1) != 0)
    return _joined(values, weights, ends)
