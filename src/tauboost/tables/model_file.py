"""The file of a table model, format version 2: its arrays, and the checks that they fit together.

Column k has the edges from ``edge_offsets[k]`` to ``edge_offsets[k + 1]``, which ascend, or the
same of the categories, which are all different. A term has two columns (-1: no second one), the
number of cells along each (1 for no second one), for each of its columns the cell of every code in
``maps``, and in ``scores`` and ``weights`` a row for each of its cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Mask
from ..io.model_arrays import (
    ArrayKind,
    Numbers,
    Strings,
    check_array,
    check_numbers,
    check_strings,
    count_rows,
)
from ..io.model_file import Format, ModelFile, is_size
from ..io.tensors import excerpt

__all__ = ["FORMAT", "TermPart", "terms_of_file"]


# Edges and categories of a column: with the other codes, what one byte and two can distinguish.
MOST_EDGES, MOST_CATEGORIES = 254, 2**16 - 2
MOST_CELLS = 256  # of a pair along an axis
NO_COLUMN = -1  # in place of a second column

Arrays = Mapping[str, Any]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class TermPart:
    """Where one term stands in the arrays of all."""

    columns: tuple[int, ...]
    maps: tuple[slice, ...]
    shape: tuple[int, ...]
    cells: slice


def terms_of_file(arrays: Arrays) -> list[TermPart]:
    """Return where each term stands."""
    # A code for each bin, and one for missing.
    n_bins = np.diff(arrays["edge_offsets"]) + np.diff(arrays["category_offsets"]) + 2
    found, map_at, cell_at = [], 0, 0
    for columns, cells in zip(
        arrays["term_columns"].tolist(), arrays["term_cells"].tolist(), strict=True
    ):
        n_axes = 1 if columns[1] == NO_COLUMN else 2
        maps = []
        for column in columns[:n_axes]:
            maps.append(slice(map_at, map_at + int(n_bins[column])))
            map_at = maps[-1].stop
        end = cell_at + cells[0] * cells[1]
        part = TermPart(
            tuple(columns[:n_axes]), tuple(maps), tuple(cells[:n_axes]), slice(cell_at, end)
        )
        found.append(part)
        cell_at = end
    return found


def _kinds(header: Mapping[str, Any]) -> dict[str, ArrayKind]:
    n_columns, n_terms = header["n_columns"], header["n_terms"]
    tasks = count_rows(header["n_classes"])
    real, integer = frozenset({"F64"}), frozenset({"I64"})
    return {
        "is_category": Numbers(frozenset({"BOOL"}), (n_columns,)),
        "edges": Numbers(real, (None,)),
        "edge_offsets": Numbers(integer, (n_columns + 1,)),
        "category_offsets": Numbers(integer, (n_columns + 1,)),
        "term_columns": Numbers(integer, (n_terms, 2)),
        "term_cells": Numbers(integer, (n_terms, 2)),
        "maps": Numbers(frozenset({"U8", "U16"}), (None,)),
        "scores": Numbers(real, (None, tasks)),
        "weights": Numbers(real, (None,)),
        "names": Strings(n_columns),
        "categories": Strings(None),
    }


def _check(file: ModelFile) -> None:
    """Check that columns and terms fit together."""
    if type(file.header["feature_names"]) is not bool:
        raise TypeError(
            f"feature_names must be a bool, got {excerpt(file.header['feature_names'])}"
        )
    _check_columns(file.arrays)
    parts = _check_terms(file.arrays)
    for part in parts:
        _check_term(part, file.arrays)


def _check_columns(arrays: Arrays) -> None:
    names, edges, categories = (arrays[name] for name in ("names", "edges", "categories"))
    check_strings(names, "names", None)
    n = len(names)
    if n == 0 or len(set(names.tolist())) < n:
        raise ValueError("names must be those of one column or more, all different")
    is_category: Mask = arrays["is_category"]
    check_array(is_category, np.bool_, (n,), "is_category")
    check_numbers(edges, (len(edges),), "edges")
    check_strings(categories, "categories", None)
    _check_offsets(arrays["edge_offsets"], n, len(edges), "edges", ~is_category, MOST_EDGES)
    _check_offsets(
        arrays["category_offsets"], n, len(categories), "categories", is_category, MOST_CATEGORIES
    )
    rises = np.ones(max(len(edges) - 1, 0), dtype=bool)
    np.greater(edges[1:], edges[:-1], out=rises)
    cuts = arrays["edge_offsets"][1:-1]
    # From one column to the next any order is fine.
    rises[cuts[(cuts > 0) & (cuts < len(edges))] - 1] = True
    if not rises.all():
        raise ValueError("edges must ascend in each column")
    begins = arrays["category_offsets"]
    for column in np.flatnonzero(is_category):
        found = categories[begins[column] : begins[column + 1]].tolist()
        if len(set(found)) < len(found):
            raise ValueError(f"column {excerpt(names[column])} has a category twice")


def _check_terms(arrays: Arrays) -> list[TermPart]:
    columns, sizes, maps = (arrays[name] for name in ("term_columns", "term_cells", "maps"))
    n_terms, n_columns = len(columns), len(arrays["names"])
    check_array(columns, np.int64, (n_terms, 2), "term_columns")
    check_array(sizes, np.int64, (n_terms, 2), "term_cells")
    first, second = columns.T
    if np.any((first < 0) | (first >= n_columns) | (second < NO_COLUMN)):
        raise ValueError(f"term_columns must be within 0..{n_columns - 1}")
    if np.any((second >= n_columns) | (first == second)):
        raise ValueError(f"term_columns must be two columns within 0..{n_columns - 1}")
    if len(np.unique(np.sort(columns, axis=1), axis=0)) < n_terms:
        raise ValueError("term_columns has a term twice")
    most = np.where(second == NO_COLUMN, MOST_CATEGORIES + 2, MOST_CELLS)[:, None]
    if np.any((sizes < 1) | (sizes > most)):
        raise ValueError(
            f"term_cells must be within 1..{MOST_CATEGORIES + 2}, of a pair 1..{MOST_CELLS}"
        )
    if np.any(sizes[second == NO_COLUMN, 1] != 1):
        raise ValueError("term_cells must be 1 where there is no second column")
    parts = terms_of_file(arrays)
    n_maps = parts[-1].maps[-1].stop if parts else 0
    n_cells = parts[-1].cells.stop if parts else 0
    is_two_bytes = getattr(maps, "dtype", None) == np.uint16
    check_array(maps, np.uint16 if is_two_bytes else np.uint8, (n_maps,), "maps")
    check_numbers(arrays["scores"], (n_cells, len(arrays["intercept"])), "scores")
    check_numbers(arrays["weights"], (n_cells,), "weights")
    return parts


def _check_term(part: TermPart, arrays: Arrays) -> None:
    for column, where, n_cells in zip(part.columns, part.maps, part.shape, strict=True):
        cells = arrays["maps"][where]
        name = excerpt(arrays["names"][column])
        found = np.bincount(cells, minlength=n_cells)
        if len(found) > n_cells or not found.all():
            raise ValueError(f"maps must lead the codes of {name} to cells 0..{n_cells - 1}")
        if len(part.columns) == 1 and n_cells != len(cells):
            raise ValueError(f"term_cells must be {len(cells)} for {name}, got {n_cells}")
        is_ordered = len(part.columns) == 1 or not arrays["is_category"][column]
        # The last code is that of missing, which may go anywhere in a pair.
        n_ordered = len(cells) - (len(part.columns) == 2)
        if is_ordered and np.any(cells[1:n_ordered] < cells[: n_ordered - 1]):
            raise ValueError(f"maps must keep the codes of {name} in order")
    weights = arrays["weights"][part.cells]
    if np.any((weights < 0) | (weights > 1.5)) or not abs(weights.sum() - 1.0) < 1e-6:
        raise ValueError("weights of a term must not be negative, and sum to 1")


def _check_offsets(
    offsets: Integers, n: int, length: int, name: str, allowed: Mask, most: int
) -> None:
    check_array(offsets, np.int64, (n + 1,), f"the offsets of {name}")
    if offsets[0] != 0 or offsets[-1] != length or np.any(offsets[1:] < offsets[:-1]):
        raise ValueError(f"the offsets of {name} do not cut them into columns")
    counts = np.diff(offsets)
    if np.any(counts > most):
        raise ValueError(f"a column has more than {most} {name}")
    if np.any(counts[~allowed] > 0):
        raise ValueError(f"a column has {name} that should have none")


FORMAT = Format(
    2,
    {
        "n_columns": is_size,
        "n_terms": lambda value: type(value) is int and 0 <= value < 2**62,
        "feature_names": lambda value: isinstance(value, bool),
    },
    _kinds,
    _check,
)
