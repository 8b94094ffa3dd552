"""The weak hypotheses of a table: every threshold of every column, none of them written out.

A numeric column with bins 0 ... B-1 has the stumps h_t(x) = +1 above threshold t, -1 below it and 0
for a missing value, and 1[x is missing] where that occurs; a category column has 1[x = c] for each
category that occurs. Together the stumps of a column are a step function: a level for each bin,

    x_b = sum of lam_t over t < b, less the sum over t >= b,     lam_t = (x_{t+1} - x_t) / 2,

so the core works with levels and the bytes of a cell. Coordinates are in the order of the columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base.arrays import Mask, Vector, cached_property
from ..validation import check_real, check_vector
from .columns import Column, Planes, as_text, split_planes, wide_planes

__all__ = ["LARGEST_SHARD", "TableDesign", "add_column_terms", "core_table"]


# Rows of a shard: they and their sums stay in the cache, and there are shards for many threads.
LARGEST_SHARD = 2**14


def core_table(
    columns: tuple[Column, ...],
    planes: Planes,
    groups: NDArray[np.integer[Any]],
    labels: NDArray[np.intp],
    largest_shard: int = LARGEST_SHARD,
) -> tuple[_core.Table, NDArray[np.intp]]:
    """Lay a table out in the core, with a term for each column.

    ``planes`` are the bytes of the codes. ``groups`` are the numbers of the rows' groups,
    ascending: a shard has rows of one group only. ``labels`` has the label of each group. Also
    returned: the group of each shard.
    """
    table = _core.Table(planes.reshape(-1), len(planes), planes.shape[1])
    ends = np.flatnonzero(np.diff(groups, append=-1)) + 1
    of_shard, first = [], 0
    for end in ends.tolist():
        group = int(groups[first])
        for start in range(first, end, largest_shard):
            table.add_shard(start, min(largest_shard, end - start), int(labels[group]))
            of_shard.append(group)
        first = end
    if not of_shard or of_shard[-1] < len(labels) - 1:  # the kernels count labels by the last one
        table.add_shard(first, 0, int(labels[-1]))
        of_shard.append(len(labels) - 1)
    add_column_terms(table, columns)
    return table, np.array(of_shard)


def add_column_terms(table: _core.Table, columns: tuple[Column, ...]) -> None:
    """Make a term of each column."""
    planes = wide_planes(columns)
    for k, column in enumerate(columns):
        if k in planes:
            table.add_wide_term(*planes[k], column.n_bins)
        else:
            table.add_column_term(k, column.n_bins, column.n_ordered)


@dataclass(frozen=True, eq=False)
class TableDesign:
    """The stumps of a table, and the way from their weights to levels and back."""

    columns: tuple[Column, ...]
    table: _core.Table
    occurs: Mask  # which levels have rows
    row_order: NDArray[np.intp]  # the sample behind each row of the core, where that is known

    fit_intercept = True
    used = None

    # Levels: which column and bin they are, and which coordinates they make

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Where the levels of each column begin, and where those of the last end."""
        return np.concatenate([[0], np.cumsum([column.n_bins for column in self.columns])])

    @cached_property
    def column_of(self) -> NDArray[np.intp]:
        """The column of each level."""
        return np.repeat(np.arange(len(self.columns)), np.diff(self.starts))

    @cached_property
    def is_ordered(self) -> Mask:
        """Which levels belong to the ordered bins of a column."""
        ordered = np.array([column.n_ordered for column in self.columns])
        bins = np.arange(self.starts[-1]) - self.starts[self.column_of]
        return np.asarray(bins < ordered[self.column_of])

    @cached_property
    def is_threshold(self) -> Mask:
        """Which levels have another ordered level of their column above them."""
        same_column = np.append(self.column_of[1:] == self.column_of[:-1], [False])
        above = np.append(self.is_ordered[1:], [False])
        return np.asarray(self.is_ordered & same_column & above)

    @cached_property
    def kept(self) -> NDArray[np.intp]:
        """The level of each coordinate: below a threshold, or a bin that stands for itself."""
        return np.flatnonzero(self.is_threshold | (~self.is_ordered & self.occurs))

    @cached_property
    def term(self) -> NDArray[np.intp]:
        """The column of each hypothesis."""
        return self.column_of[self.kept]

    @cached_property
    def kind(self) -> NDArray[np.intp]:
        """Which of a column's two signs is each hypothesis's: 0: of jumps, 1: of single bins."""
        return np.where(self.is_threshold[self.kept], 0, 1)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.columns)

    @property
    def n_levels(self) -> int:
        """Number of levels of all columns."""
        return int(self.starts[-1])

    @property
    def n_features(self) -> int:
        """Number of hypotheses."""
        return len(self.kept)

    @property
    def n_coordinates(self) -> int:
        """Number of hypotheses and the intercept."""
        return len(self.kept) + 1

    @property
    def n_penalised(self) -> int:
        """Number of coordinates that psi is about: all but the intercept."""
        return len(self.kept)

    @cached_property
    def place(self) -> NDArray[np.int32]:
        """The coordinate of each hypothesis: its number."""
        return np.arange(len(self.kept), dtype=np.int32)

    @cached_property
    def scale(self) -> Vector:
        """max_j |A_ji|: stumps are 1 or -1."""
        return np.ones(self.n_coordinates)

    @property
    def edge_units(self) -> Vector:
        """What excess edges are measured in: the same."""
        return self.scale

    def names(self) -> list[str]:
        """Return what each hypothesis says."""
        found = []
        edges = [as_text(column.edges) for column in self.columns]
        for level in self.kept.tolist():
            column = self.columns[self.column_of[level]]
            k = level - int(self.starts[self.column_of[level]])
            if self.is_threshold[level]:
                found.append(f"{column.name} > {edges[self.column_of[level]][k]}")
            else:
                found.append(f"{column.name} is {column.bin_names()[k]}")
        return found

    # The way in and out

    def coordinates(self, lam: ArrayLike, intercept: float = 0.0) -> Vector:
        """Check lam and put the intercept behind it."""
        given = check_vector(lam, self.n_features, "lam")
        return np.append(given, check_real(intercept, "intercept"))

    def features(self, coordinates: Vector) -> Vector:
        """Return the entries of the hypotheses."""
        return coordinates[:-1].copy()

    def split(self, coordinates: Vector, rest: Vector | None = None) -> tuple[Vector, float]:  # noqa: ARG002
        """Return lam and the intercept."""
        return coordinates[:-1].copy(), float(coordinates[-1])

    def levels(self, coordinates: Vector) -> Vector:
        """Return the level of each bin, without the intercept."""
        lam = np.zeros(self.starts[-1])
        lam[self.kept] = coordinates[:-1]
        jumps = np.where(self.is_threshold, lam, 0.0)
        below = np.cumsum(jumps) - jumps  # of the columns before, too
        sums = np.add.reduceat(jumps, self.starts[:-1])
        inside = below - below[self.starts[self.column_of]]
        return np.where(self.is_ordered, 2.0 * inside - sums[self.column_of], lam)

    def absolute_levels(self, coordinates: Vector) -> Vector:
        """Return for each bin the sum of |lam_t| over the stumps that say something of it."""
        size = np.zeros(self.starts[-1])
        size[self.kept] = np.abs(coordinates[:-1])
        jumps = np.where(self.is_threshold, size, 0.0)
        sums = np.add.reduceat(jumps, self.starts[:-1])
        return np.where(self.is_ordered, sums[self.column_of], size)

    def from_levels(self, levels: Vector, intercept: float) -> Vector:
        """Return the coordinates that have these levels."""
        lam = np.where(self.is_threshold, 0.5 * (np.roll(levels, -1) - levels), levels)
        return np.append(lam[self.kept], intercept)

    def lam(self, levels: Vector) -> Vector:
        """Return the weights of the hypotheses at these levels, of all terms."""
        return self.from_levels(levels[: self.n_levels], 0.0)[:-1]

    def slopes(self, up: Vector, down: Vector) -> Vector:
        """Return the slope of F along each hypothesis, from row weights over the levels."""
        neg, pos = self.sums(up[: self.n_levels], down[: self.n_levels])
        return np.asarray((pos - neg)[:-1])

    def centred(self, levels: Vector) -> Vector:
        """Return coordinates whose decisions are the sums of any levels.

        Those of the stumps of a column are as far below 0 at its first bin as above it at its last:
        what is left of a level goes to the intercept.
        """
        ordered = np.array([column.n_ordered for column in self.columns])
        first = self.starts[:-1]
        last = first + np.maximum(ordered - 1, 0)
        middle = np.where(ordered > 0, 0.5 * (levels[first] + levels[last]), 0.0)
        return self.from_levels(levels - middle[self.column_of], float(middle.sum()))

    def sums(self, up: Vector, down: Vector) -> tuple[Vector, Vector]:
        """Return the sums of w_j over A_ji < 0 and over A_ji > 0, from those over each bin.

        ``up`` and ``down`` are the sums over the rows with y = 1 and y = -1.
        """
        first = self.starts[self.column_of]
        sides = []
        for sums in (up, down):
            ordered = np.where(self.is_ordered, sums, 0.0)
            below = np.cumsum(ordered)
            below -= (below - ordered)[first]
            above = np.add.reduceat(ordered, self.starts[:-1])[self.column_of] - below
            sides.append((below, np.where(self.is_ordered, np.maximum(above, 0.0), sums)))
        (up_below, up_above), (down_below, down_above) = sides
        neg = np.where(self.is_ordered, up_below, 0.0) + down_above
        pos = np.where(self.is_ordered, down_below, 0.0) + up_above
        totals = [float(sums[: self.starts[1]].sum()) for sums in (down, up)]
        return np.append(neg[self.kept], totals[0]), np.append(pos[self.kept], totals[1])

    def explicit(self, planes: Planes) -> Any:
        """Write the hypotheses out as a CSR matrix, a row for each of these samples."""
        import scipy.sparse as sp  # noqa: PLC0415

        blocks = []
        for k, (column, codes) in enumerate(
            zip(self.columns, split_planes(self.columns, planes), strict=True)
        ):
            levels = self.kept[self.column_of[self.kept] == k]
            bins = levels - self.starts[k]
            if not column.is_ordered:  # every code of a row occurs
                places = np.searchsorted(bins, codes)
                ones = np.ones(len(codes))
                shape = (len(codes), len(bins))
                blocks.append(sp.csr_array((ones, places, np.arange(len(codes) + 1)), shape))
                continue
            x = codes.astype(np.intp)[:, None]
            stumps = np.where(x > bins, 1.0, -1.0) * (x < column.n_ordered)
            blocks.append(sp.csr_array(np.where(self.is_threshold[levels], stumps, x == bins)))
        return sp.hstack(blocks, format="csr")
