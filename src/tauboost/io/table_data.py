"""What a fitted table classifier is, as plain arrays: columns, terms, classes, parameters.

Lists of different lengths stand one after another in one array, with the positions that cut it. A
``TableData`` that exists is consistent, as a ``ModelData`` is: building one checks everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..parameters import of_old_names
from .model_data import (
    check_array,
    check_classes,
    check_names,
    check_numbers,
    check_strings,
    count_rows,
)
from .plain_json import excerpt

__all__ = ["TableData", "TermPart"]

# Edges and categories of a column: with what else has a code, one byte and two tell them apart.
MOST_EDGES, MOST_CATEGORIES = 254, 2**16 - 2
MOST_CELLS = 256  # of a pair along an axis
NO_COLUMN = -1  # in place of a second column

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class TermPart:
    """Where one term stands in the arrays of all."""

    columns: tuple[int, ...]
    maps: tuple[slice, ...]
    shape: tuple[int, ...]
    cells: slice


@dataclass(frozen=True, eq=False)
class TableData:
    """A fitted table classifier: the intercept plus one score of each term.

    Parameters
    ----------
    names : object array of str, of shape (n_columns,)
    is_category : bool array of shape (n_columns,)
    edges, edge_offsets : float64 and int64 arrays
        Column k has the edges from ``edge_offsets[k]`` to ``edge_offsets[k + 1]``; they ascend.
    categories, category_offsets : object array of str, and int64 array
        The same for the categories of a column, all different.
    term_columns : int64 array of shape (n_terms, 2)
        The column or columns of a term; -1 for no second one.
    term_cells : int64 array of shape (n_terms, 2)
        How many cells a term has along each of them; 1 for no second one.
    maps : uint8 or uint16 array
        For each term and each column of it, the cell of every code.
    scores, weights : float64 arrays of shape (all cells, tasks) and (all cells,)
    intercept, classes, params, fitted, kind : as those of a ModelData
    feature_names : bool
        Whether the names were given, and not made up.
    """

    names: NDArray[Any]
    is_category: NDArray[np.bool_]
    edges: NDArray[np.float64]
    edge_offsets: Integers
    categories: NDArray[Any]
    category_offsets: Integers
    term_columns: Integers
    term_cells: Integers
    maps: NDArray[np.uint8] | NDArray[np.uint16]
    scores: NDArray[np.float64]
    weights: NDArray[np.float64]
    intercept: NDArray[np.float64]
    classes: NDArray[Any]
    feature_names: bool
    params: dict[str, Any]
    fitted: dict[str, Any]
    kind: str = "TableClassifier"

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", of_old_names(self.params))  # of files of older versions
        check_names(self.kind, self.params, self.fitted)
        check_classes(self.classes)
        check_numbers(self.intercept, (count_rows(len(self.classes)),), "intercept")
        self._check_columns()
        self._check_terms()

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.names)

    def edges_of(self, column: int) -> NDArray[np.float64]:
        """Return the edges of a column."""
        begin, end = self.edge_offsets[column : column + 2]
        return self.edges[begin:end]

    def categories_of(self, column: int) -> NDArray[Any]:
        """Return the categories of a column."""
        begin, end = self.category_offsets[column : column + 2]
        return self.categories[begin:end]

    def n_bins(self, column: int) -> int:
        """Return how many codes a column has: all bins, and one for missing."""
        return 2 + len(self.edges_of(column)) + len(self.categories_of(column))

    def terms(self) -> Iterator[TermPart]:
        """Return where each term stands."""
        map_at = cell_at = 0
        for columns, cells in zip(
            self.term_columns.tolist(), self.term_cells.tolist(), strict=True
        ):
            n_axes = 1 if columns[1] == NO_COLUMN else 2
            maps = []
            for column in columns[:n_axes]:
                maps.append(slice(map_at, map_at + self.n_bins(column)))
                map_at = maps[-1].stop
            n_cells = cells[0] * cells[1]
            yield TermPart(
                tuple(columns[:n_axes]),
                tuple(maps),
                tuple(cells[:n_axes]),
                slice(cell_at, cell_at + n_cells),
            )
            cell_at += n_cells

    def _check_columns(self) -> None:
        check_strings(self.names, "names", None)
        n = self.n_columns
        if n == 0 or len(set(self.names.tolist())) < n:
            raise ValueError("names must be those of one column or more, all different")
        if type(self.feature_names) is not bool:
            raise TypeError(f"feature_names must be a bool, got {excerpt(self.feature_names)}")
        check_array(self.is_category, np.bool_, (n,), "is_category")
        check_numbers(self.edges, (len(self.edges),), "edges")
        check_strings(self.categories, "categories", None)
        allowed = self.is_category
        _check_offsets(self.edge_offsets, n, len(self.edges), "edges", ~allowed, MOST_EDGES)
        _check_offsets(
            self.category_offsets, n, len(self.categories), "categories", allowed, MOST_CATEGORIES
        )
        rises = np.ones(max(len(self.edges) - 1, 0), dtype=bool)
        np.greater(self.edges[1:], self.edges[:-1], out=rises)
        cuts = self.edge_offsets[1:-1]
        # From one column to the next any order is fine.
        rises[cuts[(cuts > 0) & (cuts < len(self.edges))] - 1] = True
        if not rises.all():
            raise ValueError("edges must ascend in each column")
        for column in np.flatnonzero(self.is_category):
            found = self.categories_of(int(column)).tolist()
            if len(set(found)) < len(found):
                raise ValueError(f"column {excerpt(self.names[column])} has a category twice")

    def _check_terms(self) -> None:
        n_terms, n_columns = len(self.term_columns), self.n_columns
        check_array(self.term_columns, np.int64, (n_terms, 2), "term_columns")
        check_array(self.term_cells, np.int64, (n_terms, 2), "term_cells")
        first, second = self.term_columns.T
        if np.any((first < 0) | (first >= n_columns) | (second < NO_COLUMN)):
            raise ValueError(f"term_columns must be within 0..{n_columns - 1}")
        if np.any((second >= n_columns) | (first == second)):
            raise ValueError(f"term_columns must be two columns within 0..{n_columns - 1}")
        ordered = np.sort(self.term_columns, axis=1)
        if len(np.unique(ordered, axis=0)) < n_terms:
            raise ValueError("term_columns has a term twice")
        most = np.where(second == NO_COLUMN, MOST_CATEGORIES + 2, MOST_CELLS)[:, None]
        if np.any((self.term_cells < 1) | (self.term_cells > most)):
            raise ValueError(
                f"term_cells must be within 1..{MOST_CATEGORIES + 2}, of a pair 1..{MOST_CELLS}"
            )
        if np.any(self.term_cells[second == NO_COLUMN, 1] != 1):
            raise ValueError("term_cells must be 1 where there is no second column")
        parts = list(self.terms())
        n_maps = parts[-1].maps[-1].stop if parts else 0
        n_cells = parts[-1].cells.stop if parts else 0
        is_two_bytes = getattr(self.maps, "dtype", None) == np.uint16
        check_array(self.maps, np.uint16 if is_two_bytes else np.uint8, (n_maps,), "maps")
        check_numbers(self.scores, (n_cells, len(self.intercept)), "scores")
        check_numbers(self.weights, (n_cells,), "weights")
        for part in parts:
            self._check_term(part)

    def _check_term(self, part: TermPart) -> None:
        for column, where, n_cells in zip(part.columns, part.maps, part.shape, strict=True):
            cells = self.maps[where]
            name = excerpt(self.names[column])
            found = np.bincount(cells, minlength=n_cells)
            if len(found) > n_cells or not found.all():
                raise ValueError(f"maps must lead the codes of {name} to cells 0..{n_cells - 1}")
            if len(part.columns) == 1 and n_cells != len(cells):
                raise ValueError(f"term_cells must be {len(cells)} for {name}, got {n_cells}")
            is_ordered = len(part.columns) == 1 or not self.is_category[column]
            # The last code is that of missing, which may go anywhere in a pair.
            n_ordered = len(cells) - (len(part.columns) == 2)
            if is_ordered and np.any(cells[1:n_ordered] < cells[: n_ordered - 1]):
                raise ValueError(f"maps must keep the codes of {name} in order")
        weights = self.weights[part.cells]
        if np.any((weights < 0) | (weights > 1.5)) or not abs(weights.sum() - 1.0) < 1e-6:
            raise ValueError("weights of a term must not be negative, and sum to 1")


def _check_offsets(
    offsets: Integers, n: int, length: int, name: str, allowed: NDArray[np.bool_], most: int
) -> None:
    check_array(offsets, np.int64, (n + 1,), f"the offsets of {name}")
    if offsets[0] != 0 or offsets[-1] != length or np.any(offsets[1:] < offsets[:-1]):
        raise ValueError(f"the offsets of {name} do not cut them into columns")
    counts = np.diff(offsets)
    if np.any(counts > most):
        raise ValueError(f"a column has more than {most} {name}")
    if np.any(counts[~allowed] > 0):
        raise ValueError(f"a column has {name} that should have none")
