"""A binned table as a fit uses it: equal rows as one, in order of class and fold.

A row's fold follows from its content: copies of a row are never on both sides, a row of weight 2 is
the same as that row twice, and the order of the rows does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Mask, Vector
from ..base.cached import cached_property
from ..design.columns import Column
from ..design.table import core_table
from ..losses import LOSSES
from .binned_rows import N_FOLDS, BinnedRows, End, LaneSpec
from .table_weights import TableWeights

if TYPE_CHECKING:
    from .table_pairs import Pair

__all__ = ["MANY_ROWS", "DifferentRows", "TableSamples", "deal_to_folds", "drawn_folds"]

# Where every class has so many rows, folds drawn at random are as good as even ones.
MANY_ROWS = 1000
ROWS_AT_ONCE = 2**16  # where a few bytes for each row would be too many


@dataclass(frozen=True, eq=False)
class DifferentRows:
    """Rows of which no two are equal, each with a number that follows from its content."""

    codes: NDArray[np.uint8]  # (columns, rows), of these and others: they are copied once, in order
    places: NDArray[np.intp]  # of these
    labels: NDArray[np.intp]
    weights: Vector
    prints: NDArray[np.uint64]

    @classmethod
    def build(
        cls,
        codes: NDArray[np.uint8],
        labels: NDArray[np.intp],
        weights: Vector,
        seed: int,
        n_threads: int,
    ) -> DifferentRows:
        """Merge equal rows: their weights add up."""
        prints = np.empty(len(labels), dtype=np.uint64)
        first = np.empty(len(labels), dtype=np.int64)
        n_different = _core.equal_rows(
            codes.reshape(-1),
            len(codes),
            labels.astype(np.int32),
            seed % 2**64,
            prints,
            first,
            n_threads,
        )
        rows = cls(codes, np.arange(len(labels)), labels, weights, prints)
        if n_different == len(labels):
            return rows
        weights = np.bincount(first, weights, minlength=len(labels)).astype(np.float64)
        return replace(rows, weights=weights).take(np.flatnonzero(first == np.arange(len(first))))

    def take(self, rows: NDArray[np.intp]) -> DifferentRows:
        """Return some rows, in this order."""
        return DifferentRows(
            self.codes,
            self.places[rows],
            self.labels[rows],
            self.weights[rows],
            self.prints[rows],
        )


@dataclass(frozen=True, eq=False)
class TableSamples(BinnedRows):
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
        rows = DifferentRows.build(codes, labels, weights, seed, n_threads)
        folds = deal_to_folds(rows.prints, rows.labels, n_classes)
        return cls.ordered(columns, rows, folds, float(rows.weights.sum()), n_classes, n_threads)

    @classmethod
    def ordered(
        cls,
        columns: tuple[Column, ...],
        rows: DifferentRows,
        folds: NDArray[np.intp],
        total: float,
        n_classes: int,
        n_threads: int,
    ) -> TableSamples:
        """Put rows in order, their codes in place; ``total`` is the weight that is to be 1."""
        # Within a class and fold by content: sums then have the same bits for any order of rows.
        order = np.argsort(rows.prints)
        groups = (rows.labels * N_FOLDS + folds).astype(np.min_scalar_type(n_classes * N_FOLDS))
        order = order[np.argsort(groups[order], kind="stable")]
        return cls(
            columns,
            _in_order(rows.codes, rows.places[order]),
            rows.labels[order].astype(np.min_scalar_type(n_classes)),
            folds[order].astype(np.uint8),
            rows.weights[order] / total,
            n_classes,
            n_threads,
        )

    @cached_property
    def table(self) -> _core.Table:
        """The table in the core, a term for each column; pairs are added to it."""
        return self._table_and_groups[0]

    def add_pairs(self, pairs: Sequence[Pair]) -> None:
        for pair in pairs:
            pair.add_to(self.table)

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
    def counts(self) -> NDArray[np.intp]:
        """How many rows each fold has of each class."""
        groups = self.folds.astype(np.intp) * self.n_classes + self.labels
        return np.bincount(groups, minlength=N_FOLDS * self.n_classes).reshape(N_FOLDS, -1)

    @cached_property
    def fold_weights(self) -> Vector:
        """The weight of each fold."""
        return np.bincount(self.folds, self.weights, N_FOLDS).astype(np.float64)

    @cached_property
    def fold_squares(self) -> Vector:
        """The sum of squared weights of each fold."""
        return np.bincount(self.folds, np.square(self.weights), N_FOLDS).astype(np.float64)

    def class_weight(self, label: int) -> float:
        return float(self.weights[self.labels == label].sum())

    def trained_weight(self, held: int | None) -> float:
        return float(self.weights[self.trained(held)].sum())

    @cached_property
    def has_equal_weights(self) -> bool:
        """Whether one weight serves all rows."""
        return bool(np.all(self.weights == self.weights[:1]))

    def is_positive(self, tasks: Sequence[int]) -> NDArray[np.uint8]:
        """For each class and lane, whether the task of the lane wants it to be positive."""
        wanted = [self.positive(task) for task in tasks]
        return np.equal(np.arange(self.n_classes)[:, None], wanted).astype(np.uint8)

    def shards(self, held: int | None) -> NDArray[np.int32]:
        """Return the shards to learn from, all but those of the fold that is held out."""
        return np.flatnonzero(self.shard_folds != (-1 if held is None else held)).astype(np.int32)

    def held_shards(self, held: int) -> NDArray[np.int32]:
        """Return the others."""
        return np.flatnonzero(self.shard_folds == held).astype(np.int32)

    def trained(self, held: int | None) -> Mask:
        """Return the rows to learn from."""
        return np.ones(len(self.labels), bool) if held is None else np.asarray(self.folds != held)

    def level_sums(self) -> Vector:
        table = self.table
        sums = np.empty(table.n_labels * table.n_levels)
        _core.table_histograms(table, self.weights, sums, self.n_threads)
        return np.asarray(sums.reshape(table.n_labels, -1).sum(axis=0))

    def pair_weights(self, pair: Pair) -> Vector:
        shape, found = pair.shape, np.zeros(math.prod(pair.shape))
        maps = [cells.astype(np.intp) for cells in pair.maps]
        for start in range(0, len(self.weights), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            first, second = (
                cells[self.codes[k, rows]] for k, cells in zip(pair.columns, maps, strict=True)
            )
            found += np.bincount(first * shape[1] + second, self.weights[rows], len(found))
        return found.reshape(shape)

    def rows(self, spec: LaneSpec, n_threads: int) -> TableWeights:
        return TableWeights(self, spec, n_threads)

    def values(
        self, shards: NDArray[np.int32], levels: Vector, intercepts: Vector, n_threads: int
    ) -> Vector:
        """Return the sums of levels of the rows in these shards, (rows, lanes).

        Where terms were added since, those of the levels come first.
        """
        lanes = len(levels)
        values = np.empty((int(self.shard_rows[shards].sum()), lanes))
        missing = self.table.n_levels - levels.shape[1]
        padded = np.pad(levels, ((0, 0), (0, missing))) if missing else levels
        flat = np.ascontiguousarray(padded).reshape(-1)
        _core.table_values(
            self.table,
            flat,
            np.ascontiguousarray(intercepts),
            shards,
            values.reshape(-1),
            n_threads,
        )
        return values

    def held_out_sums(self, loss: str, held: int, ends: Sequence[End]) -> Vector:
        weights = self.weights[self.folds == held]
        return np.append(weights @ self._held_out_losses(loss, held, ends), weights.sum())

    def gain_sums(
        self, loss: str, held: int, first: Sequence[End], second: Sequence[End]
    ) -> Vector:
        w = self.weights[self.folds == held]
        before, after = (self._held_out_losses(loss, held, ends)[:, 0] for ends in (first, second))
        g = before - after
        return np.array([w.sum(), w @ g, w @ w, w @ (w * g), np.square(w * g).sum()])

    def _held_out_losses(self, loss: str, held: int, ends: Sequence[End]) -> Vector:
        """Return the losses of a fold's rows in each lane, (rows, lanes)."""
        shards, n_threads = self.held_shards(held), self.n_threads
        labels, row_losses = self.labels[self.folds == held], LOSSES[loss].row_losses
        values: Any = np.stack([self.values(shards, *end, n_threads) for end in ends], axis=2)
        decisions = np.negative(values, out=values)
        lanes = range(decisions.shape[1])
        return np.stack([row_losses(decisions[:, k], labels) for k in lanes], axis=1)


def _in_order(codes: NDArray[np.uint8], places: NDArray[np.intp]) -> NDArray[np.uint8]:
    """Return the codes of the rows in these places: in place if they are all there are."""
    if len(places) < codes.shape[1]:
        return codes.take(places, axis=1)
    for column in codes:
        column[:] = column[places]
    return codes


def deal_to_folds(
    prints: NDArray[np.uint64], labels: NDArray[np.intp], n_classes: int
) -> NDArray[np.intp]:
    """Return a fold for each row, by its content: even ones if some class has few rows."""
    folds = drawn_folds(prints)
    counts = np.bincount(labels, minlength=n_classes)
    present = np.flatnonzero(counts)
    if counts[present].min(initial=MANY_ROWS) >= MANY_ROWS:
        return folds
    for label in present:
        of_class = np.flatnonzero(labels == label)
        folds[of_class[np.argsort(prints[of_class])]] = np.arange(len(of_class)) % N_FOLDS
    return folds


def drawn_folds(prints: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Return a fold for each row, by its content alone."""
    return np.asarray((prints >> np.uint64(32)) % N_FOLDS, dtype=np.intp)
