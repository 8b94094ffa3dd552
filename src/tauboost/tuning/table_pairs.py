"""Pairs of columns: which are worth a term, the small tables they are fitted as, and their purity.

Pairs are ranked by what a step in each cell of a coarse grid would gain beyond the terms of single
columns, from histograms of the gradient (cpp/table/pairs.hpp). A fitted pair is made pure: what one
of its columns could say alone is moved to that column's own term.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Vector
from ..design.columns import Column
from .table_lanes import TableLanes
from .table_samples import TableSamples

__all__ = ["Pair", "importances", "purified", "ranked_pairs"]

# Cells along an axis, to rank pairs and to fit them. 32 were no better than 16.
COARSE, FINE = 8, 16
# With more columns than this, pairs are looked for among the most important ones.
MOST_COLUMNS = 100


@dataclass(frozen=True)
class Pair:
    """Two columns, and the cell of each code along their axes."""

    columns: tuple[int, int]
    maps: tuple[NDArray[np.uint8], NDArray[np.uint8]]
    term: int  # its number among the terms of the table
    first_level: int  # where its levels begin

    @classmethod
    def add(cls, samples: TableSamples, columns: tuple[int, int]) -> Pair:
        """Cut both axes into cells of about equal weight, and add the pair to the table's terms."""
        (first, n_first), (second, n_second) = (_cells(samples, k, FINE) for k in columns)
        table = samples.table
        pair = cls(columns, (first, second), table.n_terms, table.n_levels)
        table.add_pair_term(
            columns[0], first.tolist(), n_first, columns[1], second.tolist(), n_second
        )
        return pair

    @property
    def shape(self) -> tuple[int, int]:
        """Number of cells along each axis."""
        return int(self.maps[0].max()) + 1, int(self.maps[1].max()) + 1


def _cells(samples: TableSamples, k: int, n_cells: int) -> tuple[NDArray[np.uint8], int]:
    """Return the cell of each code of a column, and how many cells are ordered.

    Ordered bins are joined with their neighbours, and missing values have a cell of their own;
    categories beyond the heaviest share one.
    """
    column: Column = samples.columns[k]
    weights = samples.level_weights[samples.starts[k] : samples.starts[k + 1]]
    if not column.is_ordered:
        rank = np.empty(column.n_bins, dtype=np.intp)
        rank[np.argsort(-weights, kind="stable")] = np.arange(column.n_bins)
        return np.minimum(rank, n_cells - 1).astype(np.uint8), 0
    ordered = weights[: column.n_ordered]
    middle = np.cumsum(ordered) - 0.5 * ordered
    share = middle / max(float(ordered.sum()), 1e-300)
    cut = np.minimum((share * n_cells).astype(np.intp), n_cells - 1)
    cells = np.unique(cut, return_inverse=True)[1]
    n_ordered = int(cells[-1]) + 1
    return np.append(cells, [n_ordered]).astype(np.uint8), n_ordered


def ranked_pairs(
    samples: TableSamples, g: Vector, h: Vector, noise: float, important: list[int]
) -> tuple[list[tuple[int, int]], Vector]:
    """Return the pairs that would gain something, best first, and their gains.

    ``g`` and ``h`` are gradient and curvature of every row, ``noise`` what g^2 / h of a cell is
    where there is nothing to find; ``important`` are the columns, the most important first.
    """
    chosen = sorted(important[:MOST_COLUMNS])
    pairs = list(combinations(chosen, 2))
    maps = np.zeros((len(chosen), 256), dtype=np.uint8)
    for place, k in enumerate(chosen):
        cells, _ = _cells(samples, k, COARSE)
        maps[place, : len(cells)] = cells
    gains = np.empty(len(pairs))
    _core.pair_gains(
        samples.table,
        np.array(chosen, dtype=np.int32),
        maps.reshape(-1),
        g,
        h,
        noise,
        gains,
        samples.n_threads,
    )
    order = np.argsort(-gains, kind="stable")
    order = order[gains[order] > 0]
    return [pairs[k] for k in order.tolist()], gains[order]


def purified(scores: Vector, weights: Vector) -> tuple[Vector, tuple[Vector, Vector]]:
    """Return a pair's scores without what its rows or its columns say alone, and these two.

    ``scores`` has shape (cells_1, cells_2, tasks). Means are by weight; afterwards none is left.
    """
    n_first, n_second, n_tasks = scores.shape
    rows, columns = weights.sum(axis=1), weights.sum(axis=0)
    # What the rows and the columns say is the best fit of a sum; all can rise in one and fall in
    # the other: the diagonal is a little larger, and a second look mends what that did.
    normal = np.block([[np.diag(rows), weights], [weights.T, np.diag(columns)]])
    normal[np.diag_indices_from(normal)] += 1e-9
    pure, alone = scores.copy(), np.zeros((n_first + n_second, n_tasks))
    for _ in range(4):
        weighted = weights[..., None] * pure
        sums = np.concatenate([weighted.sum(axis=1), weighted.sum(axis=0)])
        if np.abs(sums).max() < 1e-14:
            break
        more = np.linalg.solve(normal, sums)
        pure -= more[:n_first, None] + more[None, n_first:]
        alone += more
    pure[weights == 0] = 0.0
    return pure, (alone[:n_first], alone[n_first:])


def importances(lanes: TableLanes) -> NDArray[np.intp]:
    """Return the columns, those whose levels differ most first."""
    samples = lanes.samples
    levels = lanes.levels[0, : samples.starts[-1]]
    weights = samples.level_weights[: samples.starts[-1]]
    starts = samples.starts[:-1]
    means = np.repeat(np.add.reduceat(weights * levels, starts), np.diff(samples.starts))
    found = np.add.reduceat(weights * np.abs(levels - means), starts)
    return np.argsort(-found, kind="stable")
