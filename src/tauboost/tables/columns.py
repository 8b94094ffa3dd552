"""The kinds of columns of a table: all that a kind is to codes, bins, terms, pairs and ONNX.

A numeric column has edges, which lie between neighbouring values of the training data: the code of
x is the number of edges below it. A category column has the names it knows; all others share a
code. Missing values have one of their own. A third kind is a third class, beside a way to make it
in binning.py.

Codes are kept as planes, bytes for every row. Plane k has the codes of column k. A wide column, of
more codes than a byte can distinguish, has two more planes, after those of all columns: the low
and the high byte of its codes; plane k is then a coarse view of it, the heaviest categories by
themselves. So all that moves, compares or hashes rows sees bytes, and a table without wide columns
has no other planes than its columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base.arrays import Vector, cached_property, readable
from ..base.messages import shown
from ..validation import check_real
from ..validation.values import Values, Words, as_words, from_array

if TYPE_CHECKING:
    from ..io.onnx import Graph
    from ..validation.frames import Frame

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


MOST_BINS = 255  # ordered ones: with missing, what a byte can distinguish
MOST_CATEGORIES = 2**16 - 2  # with "other" and missing, what two bytes can distinguish
EXACT_DIGITS, MOST_DIGITS = (
    15,
    17,
)  # of any decimal that comes back; of any two numbers
NAMES_AT_ONCE = 3  # categories that are named where several share a cell
MOST_SHOWN = 3  # most frequent categories that are shown


@dataclass(frozen=True, eq=False)
class NumericColumn:
    """A column of numbers, cut at ascending ``edges``."""

    name: str
    edges: Vector

    kind, plural = "numeric", "numbers"
    is_ordered = True
    categories = np.empty(0, dtype=object)

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

    def read(self, frame: Frame, place: int) -> NDArray[np.uint8]:
        """Return the codes of a column of another table."""
        values = frame.column(place)
        if not isinstance(values, Words):
            return self.codes(values)
        if np.any(values.places >= 0):
            word = values.words[int(values.places.max())]
            raise TypeError(
                f"column {self.name!r} holds strings such as {shown(word)}, and the model was "
                "trained on numbers: convert it"
            )
        return self.codes(np.full(len(values), np.nan))

    def axis(self, cells: Codes) -> tuple[list[str], Vector]:
        """Return the names of the cells that codes have in a term, and what lies between them."""
        ordered = cells[: self.n_ordered]
        edges = self.edges[np.flatnonzero(ordered[1:] != ordered[:-1])]
        bounds = as_text(edges)
        names = ["any"]
        if bounds:
            inner = [f"{low} to {high}" for low, high in pairwise(bounds)]
            names = [f"<= {bounds[0]}", *inner, f"> {bounds[-1]}"]
        return [*names, *["missing"] * (int(cells.max()) - len(edges))], edges

    def grouped(self, weights: Vector, n_cells: int) -> tuple[NDArray[np.uint8], int]:
        """Return the cell of each byte in a pair, and how many are ordered: of about equal weight.

        Missing values have a cell of their own.
        """
        ordered = weights[: self.n_ordered]
        middle = np.cumsum(ordered) - 0.5 * ordered
        share = middle / max(float(ordered.sum()), 1e-300)
        cut = np.minimum((share * n_cells).astype(np.intp), n_cells - 1)
        cells = np.unique(cut, return_inverse=True)[1]
        n_ordered = int(cells[-1]) + 1
        return np.append(cells, [n_ordered]).astype(np.uint8), n_ordered

    def bins_in(self, wanted: Any) -> NDArray[np.intp]:
        """Return the bins that hold a value from low to high."""
        if not isinstance(wanted, tuple | list) or len(wanted) != 2:
            raise TypeError(f"flatten of a number must be (low, high), got {shown(wanted)}")
        low = -np.inf if wanted[0] is None else check_real(wanted[0], "low")
        high = np.inf if wanted[1] is None else check_real(wanted[1], "high")
        if low > high:
            raise ValueError(f"flatten must have low <= high, got {shown(wanted)}")
        first, last = np.searchsorted(self.edges, [low, high], side="left")
        return np.arange(first, last + 1)

    def facts(self, frame: Frame, k: int, codes: Codes) -> dict[str, Any]:  # noqa: ARG002
        """Return what `tauboost inspect` shows of the column."""
        numbers = np.asarray(frame.column(k))
        numbers = numbers[~np.isnan(numbers)]
        if len(numbers) == 0:
            return {"n_bins": 0, "least": None, "most": None}
        ends = {"least": float(numbers.min()), "most": float(numbers.max())}
        return {"n_bins": self.n_ordered} | ends

    def add_code(self, graph: Graph, k: int) -> str:
        """Add the code of the k-th column to an ONNX graph, of shape (N,)."""
        axis = graph.shared("column axis", np.array([1]))
        is_missing = graph.add("Squeeze", graph.add("IsNaN", self.name), axis)
        if len(self.edges) == 0:
            return graph.add("Cast", is_missing, to=graph.onnx.TensorProto.INT64)
        with np.errstate(over="ignore"):  # an edge beyond float32 is above all inputs
            row = graph.constant(f"edges {k}", self.edges[None, :].astype(graph.dtype))
        above = graph.add(
            "Cast", graph.add("Greater", self.name, row), to=graph.onnx.TensorProto.INT32
        )
        count = graph.add("ReduceSum", above, axis, keepdims=0)
        code = graph.add("Cast", count, to=graph.onnx.TensorProto.INT64)
        missing = graph.constant(f"missing {k}", np.array(self.missing))
        return graph.add("Where", is_missing, missing, code)


@dataclass(frozen=True, eq=False)
class CategoryColumn:
    """A column of ``categories``, an object array of their names."""

    name: str
    categories: NDArray[Any]

    kind, plural = "category", "categories"
    is_ordered = False
    n_ordered = 0
    edges = np.empty(0)

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
        """The code of every category without a separate one."""
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

    def read(self, frame: Frame, place: int) -> Codes:
        """Return the codes of a column of another table."""
        words = frame.with_categories([place]).column(place)
        assert isinstance(words, Words)
        known = self.code_of
        strange = [word for word in words.words if word not in known and _is_number(word)]
        is_words = isinstance(frame.column(place), Words) if strange else True
        if not is_words and not all(map(_is_number, known)):
            raise TypeError(
                f"column {self.name!r} holds numbers such as {strange[0]}, and the model was "
                "trained on categories: convert it"
            )
        return self.codes(words)

    def axis(self, cells: Codes) -> tuple[list[str], Vector]:
        """Return the names of the cells that codes have in a term; none is between them."""
        texts = self.bin_names()
        of_cell = np.split(np.argsort(cells, kind="stable"), np.cumsum(np.bincount(cells))[:-1])
        return [_together([texts[k] for k in codes.tolist()]) for codes in of_cell], self.edges

    def grouped(self, weights: Vector, n_cells: int) -> tuple[NDArray[np.uint8], int]:
        """Return the cell of each byte in a pair, none ordered: all but the heaviest share one.

        Those of wide columns already do in their plane.
        """
        if is_wide(self):
            # Rounding, which parts of a cluster do in their own way, breaks no ties.
            sums = np.bincount(coarse_codes(self), weights, BYTE).astype(np.float64)
            weights = sums.round(12)
        rank = np.empty(len(weights), dtype=np.intp)
        rank[np.argsort(-weights, kind="stable")] = np.arange(len(weights))
        return np.minimum(rank, n_cells - 1).astype(np.uint8), 0

    def bins_in(self, wanted: Any) -> NDArray[np.intp]:
        """Return the bins of these categories."""
        if isinstance(wanted, str) or not hasattr(wanted, "__iter__"):
            raise TypeError(f"flatten of categories must be a list of them, got {shown(wanted)}")
        places = {label: k for k, label in enumerate(self.bin_names())}
        names = list(wanted)
        unknown = [name for name in names if name not in places]
        if unknown or not names:
            what = (
                f"has no category {shown(unknown[0])}" if unknown else "needs at least one category"
            )
            raise ValueError(f"flatten: {self.name} {what}")
        return np.array([places[name] for name in names])

    def facts(self, frame: Frame, k: int, codes: Codes) -> dict[str, Any]:  # noqa: ARG002
        """Return what `tauboost inspect` shows of the column."""
        counts = np.bincount(codes, minlength=self.n_bins)
        most = self.categories[:MOST_SHOWN].tolist()
        known = {"n_bins": len(self.categories), "most_frequent": most}
        return known | {"other": int(counts[self.other])}

    def add_code(self, graph: Graph, k: int) -> str:  # noqa: ARG002
        """Add the code of the column to an ONNX graph, of shape (N,)."""
        axis = graph.shared("column axis", np.array([1]))
        categories = self.categories.tolist()
        keys = categories if "" in categories else [*categories, ""]
        values = [*range(len(categories)), self.missing][: len(keys)]
        code = graph.add(
            "LabelEncoder", self.name, domain="ai.onnx.ml", keys_strings=keys, values_int64s=values,
            default_int64=len(categories),
        )  # fmt: skip
        return graph.add("Squeeze", code, axis)


Column = NumericColumn | CategoryColumn


def _check_name(name: Any) -> None:
    if not isinstance(name, str):
        raise TypeError(f"the name of a column must be a string, got {shown(name)}")


def _together(names: Sequence[str]) -> str:
    """Name what shares a cell, the first of many."""
    shown = names if len(names) <= NAMES_AT_ONCE + 1 else names[:NAMES_AT_ONCE]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


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
    """Return True if a byte cannot distinguish the codes of a column."""
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
