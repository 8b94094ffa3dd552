"""A binned table as a fit uses it: deduplicated rows, in order of class and fold.

Rows are dealt to folds as everywhere (search/folds.py). A row whose duplicates are dealt one by one
becomes a row in each of these folds, with its share of the weight.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Mask, Vector, cached_property
from ..base.threads import side_by_side
from ..losses import LOSSES
from ..search.folds import Split, deal
from .columns import Column
from .design import TableDesign, core_table
from .rows import BatchSpec, End, RowWeights, TableRows

if TYPE_CHECKING:
    from .pairs import Pair

__all__ = ["EVEN", "N_FOLDS", "BinnedRows", "DistinctRows", "TableTraining"]


T = TypeVar("T")

N_FOLDS = 5
EVEN = [1.0 / N_FOLDS] * N_FOLDS  # the shares of the folds
ROWS_AT_ONCE = 2**16  # where a few bytes for each row would be too many


class BinnedRows(ABC):
    """What a fit asks of the rows of a binned table, wherever they are: sums, and no row by itself.

    ``TableTraining`` has them on this machine, ``tauboost.dask`` in parts on a cluster. Rows have
    classes, folds, and weights of sum 1.
    """

    columns: tuple[Column, ...]
    n_classes: int
    n_threads: int  # of this machine, to be used
    n_copies: float  # how many rows they stand for
    repeated: float  # the share of these that may duplicate others with the same label

    @property
    def n_tasks(self) -> int:
        """Number of two-class problems: one for two classes, else one for each."""
        return 1 if self.n_classes == 2 else self.n_classes

    def positive(self, task: int) -> int:
        """Return the class that has y = 1 in a task."""
        return 1 if self.n_classes == 2 else task

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Where the levels of each column begin, and where those of the last end."""
        return np.cumsum([0, *(column.n_bins for column in self.columns)])

    @property
    def n(self) -> int:
        """Number of different rows."""
        return int(self.counts.sum())

    @property
    @abstractmethod
    def table(self) -> _core.Table:
        """The terms in the core: one for each column, then pairs."""

    @abstractmethod
    def add_pairs(self, pairs: Sequence[Pair]) -> None:
        """Make terms of pairs."""

    @property
    @abstractmethod
    def counts(self) -> NDArray[np.intp]:
        """How many rows each fold has of each class."""

    @property
    @abstractmethod
    def fold_weights(self) -> Vector:
        """The weight of each fold."""

    @property
    @abstractmethod
    def fold_squares(self) -> Vector:
        """The sum of squared weights of each fold."""

    @abstractmethod
    def class_weight(self, label: int) -> float:
        """Return the weight of a class."""

    @abstractmethod
    def level_sums(self) -> Vector:
        """Return the weight of the rows on each level of the table's terms."""

    @cached_property
    def level_weights(self) -> Vector:
        """The weight of the rows on each level, of the columns at least."""
        return self.level_sums()

    @cached_property
    def design(self) -> TableDesign:
        """The stumps of all columns."""
        occurs = self.level_weights[: self.starts[-1]] > 0
        return TableDesign(self.columns, self.table, occurs, np.empty(0, dtype=np.intp))

    @abstractmethod
    def class_sums(self, held: int | None) -> Vector:
        """Return the weight of the rows to learn from, by class and level of the columns."""

    @abstractmethod
    def pair_weights(self, pair: Pair) -> Vector:
        """Return the weight of the rows in each cell of a pair."""

    @abstractmethod
    def rows(self, spec: BatchSpec, n_threads: int) -> RowWeights:
        """Return the weights of the rows for some fits."""

    @abstractmethod
    def held_out_sums(self, loss: str, held: int, ends: Sequence[End]) -> Vector:
        """Sum the losses of a fold's rows in each fit by weight, and then the weights.

        ``ends`` has an entry for each task.
        """

    @abstractmethod
    def gain_sums(
        self, loss: str, held: int, first: Sequence[End], second: Sequence[End]
    ) -> Vector:
        """Compare two fits on a fold's rows: g is by how much the second is better.

        Returned are the sums of w, w g, w^2, w^2 g and w^2 g^2.
        """

    def each_fit(self, fit: Callable[[T, int], None], jobs: Sequence[T]) -> None:
        """Call fit(job, n_threads) for fits that have nothing to do with each other."""
        # Side by side they share nothing; but few of them leave a thread idle at the end.
        is_apart = len(jobs) >= 2 * self.n_threads
        n_threads = 1 if is_apart else self.n_threads
        side_by_side(lambda job: fit(job, n_threads), jobs, self.n_threads if is_apart else 1)

    def trained_weight(self, held: int | None) -> float:
        """Return the weight of the rows to learn from."""
        return float(self.fold_weights[_all_but(held)].sum())

    def noise(self, held: int | None) -> float:
        """Return the sum of squared weights of the rows to learn from, where theirs is 1."""
        return float(self.fold_squares[_all_but(held)].sum()) / self.trained_weight(held) ** 2


def _all_but(held: int | None) -> Mask:
    return np.asarray(np.arange(N_FOLDS) != (-1 if held is None else held))


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """Rows of which no two are equal, each with a number that follows from its features."""

    codes: NDArray[np.uint8]  # (columns, rows), of these and others: they are copied once, in order
    places: NDArray[np.intp]  # of these
    labels: NDArray[np.intp]
    weights: Vector
    prints: NDArray[np.uint64]  # rows with the same features share them, whatever their labels
    copies_a_weight: Vector  # how many rows a row of weight 1 stands for, by class
    groups: NDArray[np.uint64] | None = None  # keys of the groups that stay together

    @classmethod
    def build(
        cls,
        codes: NDArray[np.uint8],
        labels: NDArray[np.intp],
        weights: Vector,
        copies_a_weight: Vector,
        n_threads: int,
        groups: NDArray[np.uint64] | None = None,
    ) -> DistinctRows:
        """Merge duplicates (of the same group): their weights add up."""
        prints = np.empty(len(labels), dtype=np.uint64)
        first = np.empty(len(labels), dtype=np.int64)
        apart = labels
        if groups is not None:
            pairs = np.column_stack([labels.astype(np.uint64), groups])
            apart = np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1)
        n_different = _core.equal_rows(
            codes.reshape(-1), len(codes), apart.astype(np.int32), prints, first, n_threads
        )
        if groups is not None:
            prints += groups
        places = np.arange(len(labels))
        rows = cls(codes, places, labels, weights, prints, copies_a_weight, groups)
        if n_different == len(labels):
            return rows
        weights = np.bincount(first, weights, minlength=len(labels)).astype(np.float64)
        return replace(rows, weights=weights).take(np.flatnonzero(first == np.arange(len(first))))

    def take(self, rows: NDArray[np.intp]) -> DistinctRows:
        """Return some rows, in this order."""
        return replace(
            self,
            places=self.places[rows],
            labels=self.labels[rows],
            weights=self.weights[rows],
            prints=self.prints[rows],
            groups=None if self.groups is None else self.groups[rows],
        )

    def split(self) -> Split:
        """Deal the rows to folds of equal size."""
        keys = self.prints if self.groups is None else self.groups
        return deal(keys, self.labels, self.copies, EVEN, by_copy=self.groups is None)

    @property
    def copies(self) -> Vector:
        """How many rows each of them stands for."""
        return np.asarray(self.weights * self.copies_a_weight[self.labels])

    def dealt(
        self, fold: NDArray[np.intp], dealt: NDArray[np.intp], shares: Vector
    ) -> tuple[DistinctRows, NDArray[np.intp]]:
        """Return the rows and their folds; those ``dealt`` are in several, with a share in each."""
        if len(dealt) == 0:
            return self, fold
        whole = np.flatnonzero(fold >= 0)
        row, folds = np.nonzero(shares)
        rows = self.take(np.append(whole, dealt[row]))
        weights = rows.weights * np.append(np.ones(len(whole)), shares[row, folds])
        return replace(rows, weights=weights), np.append(fold[whole], folds)


@dataclass(frozen=True, eq=False)
class TableTraining(BinnedRows):
    """Rows in the core's order with the numbers of their classes and their weights, of sum 1."""

    columns: tuple[Column, ...]
    codes: NDArray[np.uint8]  # (columns, rows)
    labels: NDArray[np.unsignedinteger[Any]]
    folds: NDArray[np.uint8]
    weights: Vector
    n_classes: int
    n_threads: int
    n_copies: float = 0.0
    repeated: float = 0.0

    @classmethod
    def build(
        cls,
        columns: tuple[Column, ...],
        codes: NDArray[np.uint8],
        labels: NDArray[np.intp],
        weights: Vector,
        *,
        n_classes: int,
        n_threads: int,
        copies_a_weight: Vector | None = None,
        groups: NDArray[np.uint64] | None = None,
    ) -> TableTraining:
        """Merge duplicates, deal rows to folds, and put them in order, ``codes`` in place."""
        ratios = np.ones(n_classes) if copies_a_weight is None else copies_a_weight
        rows = DistinctRows.build(codes, labels, weights, ratios, n_threads, groups)
        total, n_copies = float(rows.weights.sum()), float(rows.copies.sum())
        split = rows.split()
        rows, folds = rows.dealt(split.fold, split.dealt, split.shares)
        samples = cls.ordered(columns, rows, folds, total, n_classes, n_threads)
        return replace(samples, n_copies=n_copies, repeated=split.repeated)

    @classmethod
    def ordered(
        cls,
        columns: tuple[Column, ...],
        rows: DistinctRows,
        folds: NDArray[np.intp],
        total: float,
        n_classes: int,
        n_threads: int,
    ) -> TableTraining:
        """Put rows in order, their codes in place; ``total`` is the weight that is to be 1."""
        # Within a class and fold by content: sums are then bit-identical for any order of rows.
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
        """For each class and fit, whether the task of the fit wants it to be positive."""
        wanted = [self.positive(task) for task in tasks]
        return np.equal(np.arange(self.n_classes)[:, None], wanted).astype(np.uint8)

    def shards(self, held: int | None) -> NDArray[np.int32]:
        """Return the training shards, all but those of the validation fold."""
        return np.flatnonzero(self.shard_folds != (-1 if held is None else held)).astype(np.int32)

    def held_shards(self, held: int) -> NDArray[np.int32]:
        """Return the others."""
        return np.flatnonzero(self.shard_folds == held).astype(np.int32)

    def trained(self, held: int | None) -> Mask:
        """Return the rows to learn from."""
        return np.ones(len(self.labels), bool) if held is None else np.asarray(self.folds != held)

    def histograms(
        self, w: Vector, n_threads: int, terms: NDArray[np.int32] | None = None
    ) -> Vector:
        """Sum w over the rows of each class and level, (classes, levels), of these terms."""
        table = self.table
        sums = np.empty(table.n_labels * table.n_levels)
        _core.table_histograms(table, w, sums, n_threads, terms)
        return sums.reshape(table.n_labels, -1)

    def level_sums(self) -> Vector:
        return np.asarray(self.histograms(self.weights, self.n_threads).sum(axis=0))

    def class_sums(self, held: int | None) -> Vector:
        columns = np.arange(len(self.columns), dtype=np.int32)
        weights = self.weights * self.trained(held)
        return self.histograms(weights, self.n_threads, columns)[:, : self.starts[-1]]

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

    def rows(self, spec: BatchSpec, n_threads: int) -> TableRows:
        return TableRows(self, spec, n_threads)

    def values(
        self, shards: NDArray[np.int32], levels: Vector, intercepts: Vector, n_threads: int
    ) -> Vector:
        """Return the sums of levels of the rows in these shards, (rows, fits).

        Where terms were added since, those of the levels come first.
        """
        fits = len(levels)
        values = np.empty((int(self.shard_rows[shards].sum()), fits))
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
        """Return the losses of a fold's rows in each fit, (rows, fits)."""
        shards, n_threads = self.held_shards(held), self.n_threads
        labels, row_losses = self.labels[self.folds == held], LOSSES[loss].row_losses
        values: Any = np.stack([self.values(shards, *end, n_threads) for end in ends], axis=2)
        decisions = np.negative(values, out=values)
        fits = range(decisions.shape[1])
        return np.stack([row_losses(decisions[:, k], labels) for k in fits], axis=1)


def _in_order(codes: NDArray[np.uint8], places: NDArray[np.intp]) -> NDArray[np.uint8]:
    """Return the codes of the rows in these places: in place if there are as many."""
    if len(places) != codes.shape[1]:
        return codes.take(places, axis=1)
    for column in codes:
        column[:] = column[places]
    return codes
