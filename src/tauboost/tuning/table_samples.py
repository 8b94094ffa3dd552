"""A binned table as a fit uses it: equal rows as one, in order of class and fold.

A row's fold follows from its content: copies of a row are never on both sides, a row of weight 2 is
the same as that row twice, and the order of the rows does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Mask, Vector
from ..base.cached import cached_property
from ..design.columns import Column
from ..design.table import core_table

__all__ = ["N_FOLDS", "TableSamples"]

N_FOLDS = 5
# Where every class has so many rows, folds drawn at random are as good as even ones.
MANY_ROWS = 1000


@dataclass(frozen=True, eq=False)
class TableSamples:
    """Rows in the core's order with the numbers of their classes and their weights, of sum 1."""

    columns: tuple[Column, ...]
    codes: NDArray[np.uint8]  # (columns, rows)
    labels: NDArray[np.unsignedinteger[Any]]
    folds: NDArray[np.uint8]
    weights: Vector
    n_classes: int
    n_threads: int

    @classmethod
    def build(
        cls,
        columns: tuple[Column, ...],
        codes: NDArray[np.uint8],
        labels: NDArray[np.intp],
        weights: Vector,
        *,
        n_classes: int,
        seed: int,
        n_threads: int,
    ) -> TableSamples:
        """Merge equal rows, deal them to folds, and put them in order, ``codes`` in place."""
        prints = np.empty(len(labels), dtype=np.uint64)
        first = np.empty(len(labels), dtype=np.int64)
        n_different = _core.equal_rows(
            codes.reshape(-1),
            len(columns),
            labels.astype(np.int32),
            seed % 2**64,
            prints,
            first,
            n_threads,
        )
        keep: NDArray[np.intp] | slice = slice(None)
        if n_different < len(labels):
            weights = np.bincount(first, weights, minlength=len(labels)).astype(np.float64)
            keep = np.flatnonzero(first == np.arange(len(first)))
            labels, prints, weights = labels[keep], prints[keep], weights[keep]
        folds = _folds(prints, labels, n_classes)
        # Within a class and fold by content: sums then have the same bits for any order of rows.
        order = np.argsort(prints)
        groups = (labels * N_FOLDS + folds).astype(np.min_scalar_type(n_classes * N_FOLDS))
        order = order[np.argsort(groups[order], kind="stable")]
        rows = order if isinstance(keep, slice) else keep[order]
        del prints, first
        if len(rows) < codes.shape[1]:
            codes = codes.take(rows, axis=1)
        else:
            for column in codes:
                column[:] = column[rows]
        small = np.min_scalar_type(n_classes)
        return cls(
            columns,
            codes,
            labels[order].astype(small),
            folds[order].astype(np.uint8),
            weights[order] / weights.sum(),
            n_classes,
            n_threads,
        )

    @property
    def n(self) -> int:
        """Number of different rows."""
        return len(self.labels)

    @property
    def n_tasks(self) -> int:
        """Number of two-class problems: one for two classes, else one for each."""
        return 1 if self.n_classes == 2 else self.n_classes

    @cached_property
    def table(self) -> _core.Table:
        """The table in the core, a term for each column; pairs are added to it."""
        return self._table_and_groups[0]

    @cached_property
    def shard_folds(self) -> NDArray[np.intp]:
        """The fold of each shard."""
        return np.asarray(self._table_and_groups[1] % N_FOLDS)

    @cached_property
    def shard_rows(self) -> NDArray[np.intp]:
        """The number of rows of each shard."""
        return np.array(self.table.shard_rows())

    @cached_property
    def _table_and_groups(self) -> tuple[_core.Table, NDArray[np.intp]]:
        groups = self.labels.astype(np.int32) * N_FOLDS + self.folds
        labels = np.repeat(np.arange(self.n_classes), N_FOLDS)
        return core_table(self.columns, self.codes, groups, labels)

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Where the levels of each column begin, and where those of the last end."""
        return np.cumsum([0, *(column.n_bins for column in self.columns)])

    @cached_property
    def has_equal_weights(self) -> bool:
        """Whether one weight serves all rows."""
        return bool(np.all(self.weights == self.weights[0]))

    def is_positive(self, tasks: list[int]) -> NDArray[np.uint8]:
        """For each class and lane, whether the task of the lane wants it to be positive."""
        wanted = [1 if self.n_classes == 2 else task for task in tasks]
        return np.equal(np.arange(self.n_classes)[:, None], wanted).astype(np.uint8)

    def shards(self, held: int | None) -> NDArray[np.int32]:
        """Return the shards to learn from, all but those of the fold that is held out."""
        return np.flatnonzero(self.shard_folds != (-1 if held is None else held)).astype(np.int32)

    def held_shards(self, held: int) -> NDArray[np.int32]:
        """Return the others."""
        return np.flatnonzero(self.shard_folds == held).astype(np.int32)

    def trained(self, held: int | None) -> Mask:
        """Return the rows to learn from."""
        return np.ones(self.n, dtype=bool) if held is None else np.asarray(self.folds != held)

    @cached_property
    def level_weights(self) -> Vector:
        """The weight of the rows on each level of the table's terms."""
        table = self.table
        sums = np.empty(table.n_labels * table.n_levels)
        _core.table_histograms(table, self.weights, sums, self.n_threads)
        return np.asarray(sums.reshape(table.n_labels, -1).sum(axis=0))


def _folds(
    prints: NDArray[np.uint64], labels: NDArray[np.intp], n_classes: int
) -> NDArray[np.intp]:
    counts = np.bincount(labels, minlength=n_classes)
    if counts.min() >= MANY_ROWS:
        return np.asarray((prints >> np.uint64(32)) % N_FOLDS, dtype=np.intp)
    folds = np.empty(len(labels), dtype=np.intp)
    for label in range(n_classes):
        of_class = np.flatnonzero(labels == label)
        folds[of_class[np.argsort(prints[of_class])]] = np.arange(len(of_class)) % N_FOLDS
    return folds
