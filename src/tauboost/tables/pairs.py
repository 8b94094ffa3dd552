"""Pairs of columns: which are worth a term, the small tables they are fitted as, and their purity.

Pairs are ranked by what a step in each cell of a coarse grid would gain beyond the terms of single
columns, from histograms of the gradient (cpp/table/pairs.hpp). A fitted pair is made pure: what one
of its columns could say alone is moved to that column's own term.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Vector
from .batch import TableBatch
from .columns import Column
from .training import BinnedRows

__all__ = ["Pair", "importances", "purified", "ranked_pairs"]


# Cells along an axis, to rank pairs and to fit them. 32 were no better than 16.
COARSE, FINE = 8, 16
# With more columns than this, pairs are looked for among the most important ones.
MOST_COLUMNS = 100


@dataclass(frozen=True)
class Pair:
    """Two columns, and the cell of each byte of theirs along their axes."""

    columns: tuple[int, int]
    maps: tuple[NDArray[np.uint8], NDArray[np.uint8]]
    n_ordered: tuple[int, int]
    term: int  # its number among the terms of the table
    first_level: int  # where its levels begin

    @classmethod
    def add(cls, samples: BinnedRows, wanted: Sequence[tuple[int, int]]) -> list[Pair]:
        """Split the axes of pairs into cells of about equal weight, and make terms of them."""
        pairs: list[Pair] = []
        term, level = samples.table.n_terms, samples.table.n_levels
        for columns in wanted:
            (first, n_first), (second, n_second) = (_cells(samples, k, FINE) for k in columns)
            pairs.append(cls(columns, (first, second), (n_first, n_second), term, level))
            term, level = term + 1, level + math.prod(pairs[-1].shape)
        if pairs:
            samples.add_pairs(pairs)
        return pairs

    def add_to(self, table: _core.Table) -> None:
        """Make a term of it."""
        table.add_pair_term(
            self.columns[0],
            self.maps[0].tolist(),
            self.n_ordered[0],
            self.columns[1],
            self.maps[1].tolist(),
            self.n_ordered[1],
        )

    @property
    def shape(self) -> tuple[int, int]:
        """Number of cells along each axis."""
        return int(self.maps[0].max()) + 1, int(self.maps[1].max()) + 1


def _cells(samples: BinnedRows, k: int, n_cells: int) -> tuple[NDArray[np.uint8], int]:
    """Return the cell of each byte of a column's plane, and how many cells are ordered."""
    column: Column = samples.columns[k]
    weights = samples.level_weights[samples.starts[k] : samples.starts[k + 1]]
    return column.grouped(weights, n_cells)


def ranked_pairs(batch: TableBatch, important: list[int]) -> tuple[list[tuple[int, int]], Vector]:
    """Return the pairs that would gain something, best first, and their gains.

    Asked of the first fit; ``important`` are the columns, the most important first.
    """
    samples = batch.samples
    chosen = sorted(important[:MOST_COLUMNS])
    pairs = list(combinations(chosen, 2))
    if not pairs:
        return [], np.empty(0)
    maps = np.zeros((len(chosen), 256), dtype=np.uint8)
    for place, k in enumerate(chosen):
        cells, _ = _cells(samples, k, COARSE)
        maps[place, : len(cells)] = cells
    side = COARSE + 1  # missing values have a cell of their own
    columns = np.array(chosen, dtype=np.int32)
    sums = batch.rows.pair_sums(0, float(batch.total[0]), columns, maps, side)
    gains = _gains(sums, samples.noise(batch.held))
    order = np.argsort(-gains, kind="stable")
    order = order[gains[order] > 0]
    return [pairs[k] for k in order.tolist()], gains[order]


def _gains(sums: Vector, noise: float) -> Vector:
    """Return what each pair would gain beyond its columns, from sums (pairs, side, side, 2).

    With gradient g and curvature h a Newton step gains g^2 / 2 h, in a cell of the grid or in a
    whole row or column of it. Rows without a pattern have g^2 about noise * h: that much is
    expected of every cell, and subtracted.
    """

    def newton(sums: Vector) -> Vector:
        g, h = sums[..., 0], sums[..., 1]
        gain = np.divide(np.square(g), h, out=np.full_like(h, noise), where=h > 0) - noise
        return np.asarray(0.5 * gain.reshape(len(gain), -1).sum(axis=1))

    return newton(sums) - newton(sums.sum(axis=2)) - newton(sums.sum(axis=1))


def purified(scores: Vector, weights: Vector) -> tuple[Vector, tuple[Vector, Vector]]:
    """Return a pair's scores without what its rows or its columns say alone, and these two.

    ``scores`` has shape (cells_1, cells_2, tasks). Means are by weight; afterwards none is left.
    """
    n_first, n_second, n_tasks = scores.shape
    rows, columns = weights.sum(axis=1), weights.sum(axis=0)
    # What the rows and the columns contribute is the best fit of a sum; all can rise in one and
    # fall in the other: the diagonal is a little larger, and a second solve corrects for that.
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


def importances(batch: TableBatch) -> NDArray[np.intp]:
    """Return the columns, those whose levels differ most first."""
    samples = batch.samples
    levels = batch.levels[0, : samples.starts[-1]]
    weights = samples.level_weights[: samples.starts[-1]]
    starts = samples.starts[:-1]
    means = np.repeat(np.add.reduceat(weights * levels, starts), np.diff(samples.starts))
    found = np.add.reduceat(weights * np.abs(levels - means), starts)
    return np.argsort(-found, kind="stable")
