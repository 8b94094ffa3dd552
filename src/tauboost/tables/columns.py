"""What a column of a table is to a model: which values share a bin, and what the bins are called.

A numeric column has edges, which lie between neighbouring values of the training data: the code of
x is the number of edges below it. A category column has the names it knows; all others share a
code. Missing values have one of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base.arrays import Vector, readable
from ..base.cached import cached_property
from ..base.messages import shown
from ..validation.values import Values, Words, as_words, from_array

__all__ = [
    "BYTE",
    "MOST_BINS",
    "MOST_CATEGORIES",
    "CategoryColumn",
    "Codes",
    "Column",
    "NumericColumn",
    "Planes",
    "as_text",
    "coarse_codes",
    "is_wide",
    "join_planes",
    "n_planes",
    "split_planes",
    "wide_planes",
]

MOST_BINS = 255  # ordered ones: with missing, what a byte can tell apart
MOST_CATEGORIES = 2**16 - 2  # with "other" and missing, what two bytes can tell apart
EXACT_DIGITS, MOST_DIGITS = 15, 17  # of any decimal that comes back; tell any two numbers apart


@dataclass(frozen=True, eq=False)
class NumericColumn:
    """A column of numbers, cut at ascending ``edges``."""

    name: str
    edges: Vector

    is_ordered = True

    def __post_init__(self) -> None:
        _check_name(self.name)
        edges = self.edges
        if not isinstance(edges, np.ndarray) or edges.dtype != np.float64 or edges.ndim != 1:
            raise TypeError(f"edges of column {self.name!r} must be a float64 vector")
        if len(edges) >= MOST_BINS:
            raise ValueError(
                f"column {self.name!r} has {len(edges)} edges; at most {MOST_BINS - 1} are possible"
            )
        if not np.all(np.isfinite(edges)) or np.any(edges[1:] <= edges[:-1]):
            raise ValueError(f"edges of column {self.name!r} must be finite and ascend")

    @property
    def n_ordered(self) -> int:
        """How many bins the numbers have."""
        return len(self.edges) + 1

    @property
    def n_bins(self) -> int:
        """How many codes there are."""
        return self.n_ordered + 1

    @property
    def missing(self) -> int:
        """The code of missing values."""
        return self.n_ordered

    def codes(self, values: ArrayLike) -> NDArray[np.uint8]:
        """Return the codes of numbers, NaN for missing."""
        numbers = readable(values, np.float64)
        codes = np.empty(len(numbers), dtype=np.uint8)
        _core.numeric_codes(numbers, self.edges, codes)
        return codes

    def bin_names(self) -> list[str]:
        """Return what the bins are called, by code."""
        if len(self.edges) == 0:
            return ["any", "missing"]
        names = as_text(self.edges)
        inner = [f"{low} < x <= {high}" for low, high in pairwise(names)]
        return [f"<= {names[0]}", *inner, f"> {names[-1]}", "missing"]


@dataclass(frozen=True, eq=False)
class CategoryColumn:
    """A column of ``categories``, an object array of their names."""

    name: str
    categories: NDArray[Any]

    is_ordered = False
    n_ordered = 0

    def __post_init__(self) -> None:
        _check_name(self.name)
        names = self.categories
        if not isinstance(names, np.ndarray) or names.dtype != object or names.ndim != 1:
            raise TypeError(f"categories of column {self.name!r} must be an array of strings")
        if not all(type(name) is str for name in names):
            raise TypeError(f"categories of column {self.name!r} must be strings")
        if len(names) > MOST_CATEGORIES:
            raise ValueError(
                f"column {self.name!r} has {len(names)} categories; at most {MOST_CATEGORIES} are "
                "possible"
            )
        if len(set(names)) < len(names):
            raise ValueError(f"column {self.name!r} has a category twice")

    @property
    def n_bins(self) -> int:
        """How many codes there are."""
        return len(self.categories) + 2

    @property
    def other(self) -> int:
        """The code of every category that has none of its own."""
        return len(self.categories)

    @property
    def missing(self) -> int:
        """The code of missing values."""
        return len(self.categories) + 1

    @cached_property
    def code_of(self) -> dict[str, int]:
        """The code of each category."""
        return {name: code for code, name in enumerate(self.categories)}

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "categories": self.categories}

    def codes(self, values: Values | Iterable[Any]) -> NDArray[np.uint8] | NDArray[np.uint16]:
        """Return the codes of categories, None for missing."""
        if not isinstance(values, Words | np.ndarray):
            values = np.array(list(values), dtype=object)
        if not isinstance(values, Words):
            values = from_array(values, self.name)
        words = as_words(values)
        code_of = self.code_of
        codes = [code_of.get(word, code_of.get(_older(word), self.other)) for word in words.words]
        return np.array([*codes, self.missing], np.min_scalar_type(self.missing))[words.places]

    def bin_names(self) -> list[str]:
        """Return what the bins are called, by code."""
        known = set(self.categories)
        rest = [f"({name})" if name in known else name for name in ("other", "missing")]
        return [*self.categories, *rest]


Column = NumericColumn | CategoryColumn


def _check_name(name: Any) -> None:
    if not isinstance(name, str):
        raise TypeError(f"the name of a column must be a string, got {shown(name)}")


def _older(word: str) -> str:
    """Return how models up to 0.3 name an integer; of 17 digits and more it has an exponent."""
    is_long = len(word) >= MOST_DIGITS and word.removeprefix("-").isdecimal()
    return repr(float(word)) if is_long else word


def as_text(values: Vector) -> list[str]:
    """Write numbers exactly, but for what rounding left behind; never as 1e+06.

    Edges have few digits: what is printed is where the bin ends.
    """
    for digits in range(EXACT_DIGITS, MOST_DIGITS + 1):
        texts = [f"{value:.{digits}g}" for value in values.tolist()]
        if len(set(texts)) == len(texts):
            break
    return texts


BYTE = 256
COARSE_REST = BYTE - 2  # the coarse code of all categories beyond the heaviest

Codes = NDArray[np.uint8] | NDArray[np.uint16]  # of one column
Planes = NDArray[np.uint8]  # (planes, rows)


def is_wide(column: Column) -> bool:
    """Return whether a byte cannot tell the codes of a column apart."""
    return column.n_bins > BYTE


def wide_planes(columns: Sequence[Column]) -> dict[int, tuple[int, int]]:
    """Return the planes of the low and the high byte of each wide column."""
    wide = [k for k, column in enumerate(columns) if is_wide(column)]
    first = len(columns)
    return {k: (first + 2 * i, first + 2 * i + 1) for i, k in enumerate(wide)}


def n_planes(columns: Sequence[Column]) -> int:
    """Return how many planes a table of these columns has."""
    return len(columns) + 2 * sum(map(is_wide, columns))


def coarse_codes(column: Column) -> NDArray[np.uint8]:
    """Return for each code of a column its byte in the column's plane."""
    codes = np.arange(column.n_bins)
    if is_wide(column):
        codes = np.minimum(codes, COARSE_REST)
        codes[column.missing] = BYTE - 1
    return codes.astype(np.uint8)


def join_planes(columns: Sequence[Column], planes: Planes, wide: dict[int, Codes]) -> Planes:
    """Return all planes: of the columns, where wide ones are still to be filled, and behind."""
    if not wide:
        return planes
    more = []
    for k in sorted(wide):
        planes[k] = coarse_codes(columns[k])[wide[k]]
        more += [(wide[k] % BYTE).astype(np.uint8), (wide[k] // BYTE).astype(np.uint8)]
    return np.concatenate([planes, np.stack(more)])


def split_planes(columns: Sequence[Column], planes: Planes) -> list[Codes]:
    """Return the codes of each column."""
    codes: list[Codes] = list(planes[: len(columns)])
    for k, (low, high) in wide_planes(columns).items():
        codes[k] = planes[low] + planes[high].astype(np.uint16) * np.uint16(BYTE)
    return codes
