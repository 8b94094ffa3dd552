"""One part of a table, on a worker: a Dask actor that counts values, bins rows and sums them up.

It is built from rows as they were loaded, and told step by step what all parts have in common:
classes and weights, columns, folds. From then on it is a separate table, whose sums add up with
those of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from distributed import get_worker
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.threads import useful_threads
from ..search.duplicates import code_fingerprints
from ..search.folds import are_whole, drawn
from ..search.record import RowSketch, hash_sum
from ..tables.binning import (
    ValueCounts,
    WholeUnit,
    count_values,
    encode,
    weight_units,
    whole_weights,
)
from ..tables.columns import Column
from ..tables.pairs import Pair
from ..tables.rows import BatchSpec, TableRows
from ..tables.training import EVEN, DistinctRows, TableTraining
from ..validation.frames import Frame, take_frame
from .actors import IdempotentActor
from .labels import codes_of
from .loading import Summary, check_beside, joined_weights, split_piece, summary_of

__all__ = ["Encoding", "Fate", "LoadedTable", "TablePart", "Weighing", "load_table", "sum_up"]


@dataclass(frozen=True)
class LoadedTable:
    """The rows of a part, as loaded."""

    tables: list[Any]  # data frames or arrays, one after the other, none of them empty
    y: NDArray[Any]
    sample_weight: Vector | None


def load_table(pieces: Sequence[Any], can_widen: bool) -> LoadedTable:  # noqa: ARG001
    """Put the pieces of a part together."""
    tables, labels, weights = [], [], []
    for piece in pieces:
        X, y, sample_weight = split_piece(piece)
        tables.append(X)
        labels.append(np.asarray(y))
        weights.append(check_beside(labels[-1], sample_weight, np.shape(X)[0]))
    full = [X for X in tables if np.shape(X)[0] > 0]
    if len({take_frame(X).names for X in full}) > 1:
        raise ValueError("the parts have different columns: give them the same, in the same order")
    return LoadedTable(full, np.concatenate(labels), joined_weights(weights))


def names_of(loaded: LoadedTable) -> tuple[tuple[str, ...], bool] | None:
    """Return the names of the columns, and whether they were given; None where there is no row."""
    if not loaded.tables:
        return None
    frame = take_frame(loaded.tables[0])
    return frame.names, frame.has_names


def sum_up(loaded: LoadedTable) -> Summary:
    """Summarize the labels and the weights of a part."""
    width = take_frame(loaded.tables[0]).n_columns if loaded.tables else 0
    return summary_of(loaded.y, loaded.sample_weight, width)


@dataclass(frozen=True)
class Weighing:
    """The classes of all parts, and what their samples weigh."""

    classes: NDArray[Any]
    scale: float  # of sample weights
    per_class: Vector


@dataclass(frozen=True)
class Encoding:
    """What a row of any part is, once binned."""

    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Fate:
    """What becomes of the rows of a part, beside those of the others.

    Some of its rows were compared with those of the other parts: duplicates of rows elsewhere have
    weight 0, and the rows that stay that of all duplicates. The rest is dealt to folds by itself.
    """

    total: float  # weight of all parts
    weights: Vector  # of the rows that were compared
    folds: NDArray[np.intp]  # of these; -1: their duplicates are dealt
    shares: Vector  # of the duplicates of these in each fold, (dealt rows, folds)


class TablePart(IdempotentActor):
    """Some of the rows of a table."""

    def __init__(self, loaded: LoadedTable) -> None:
        super().__init__()
        self.n_threads = get_worker().state.nthreads
        self.loaded: LoadedTable | None = loaded
        self.samples: TableTraining | None = None
        self.n_pairs = 0
        self.weights: dict[int, TableRows] = {}

    # Step by step to a table; nothing here does harm if it is done twice

    def weigh(self, weighing: Weighing) -> tuple[float, float, int, Vector, int, bool]:
        """Take up classes and weights.

        Returned are the least and the largest weight, the units of the largest, class sums, the
        number of rows, and whether weights are whole numbers.
        """
        assert self.loaded is not None
        given = self.loaded.sample_weight
        weights = np.ones(len(self.loaded.y)) if given is None else given * weighing.scale
        self.present = np.flatnonzero(weights > 0)
        self.labels = codes_of(self.loaded.y[self.present], weighing.classes)
        weights = weights[self.present] * weighing.per_class[self.labels]
        if not np.all(weights > 0):  # classes that are left out
            is_there = weights > 0
            self.present, self.labels = self.present[is_there], self.labels[is_there]
            weights = weights[is_there]
        self.row_weights = weights
        sums = np.bincount(self.labels, weights, len(weighing.classes)).astype(np.float64)
        ends = float(weights.min(initial=np.inf)), float(weights.max(initial=0.0))
        return *ends, weight_units(weights), sums, len(weights), are_whole(weights)

    def _frames(self) -> list[Frame]:
        """Return the rows that have a weight, in the order of their labels."""
        assert self.loaded is not None
        frames, first = [], 0
        for table in self.loaded.tables:
            frame = take_frame(table)
            begin, end = np.searchsorted(self.present, [first, first + frame.n_rows])
            rows = self.present[begin:end] - first
            first += frame.n_rows
            if len(rows) > 0:
                frames.append(frame if len(rows) == frame.n_rows else frame.select(rows))
        return frames

    def count(
        self, columns: Sequence[int], categories: set[int], unit: WholeUnit | None
    ) -> list[ValueCounts]:
        """Count the values of some columns; None: every row weighs one."""
        whole = None if unit is None else whole_weights(self.row_weights, unit)
        frames = self._frames()
        ends = np.cumsum([0, *(frame.n_rows for frame in frames)]).tolist()
        found = []
        for k in columns:
            parts = [
                count_values(frame, k, None if whole is None else whole[a:b], k in categories)
                for frame, a, b in zip(frames, ends, ends[1:], strict=False)
            ]
            name = frames[0].names[k]
            found.append(ValueCounts.merged(parts, name).bounded(name))
        return found

    def encode(self, encoding: Encoding) -> tuple[int, RowSketch]:
        """Bin the rows, merge equal ones; returns a hash and a sketch of all."""
        self.columns = encoding.columns
        frames = self._frames()
        parts = [encode(encoding.columns, frame, self.n_threads) for frame in frames]
        codes = np.ascontiguousarray(np.concatenate(parts, axis=1))
        ratios = np.ones(int(self.labels.max(initial=0)) + 1)  # the driver has those of all parts
        self.rows = DistinctRows.build(codes, self.labels, self.row_weights, ratios, self.n_threads)
        prints = code_fingerprints(codes, 0)
        return hash_sum(prints, self.labels), RowSketch.of(prints)

    def fingerprints(self, most: int) -> tuple[Any, ...]:
        """Return fingerprints, labels and weights of the heaviest rows, and whether that is all."""
        chosen = self.rows.take(self._heaviest(most))
        is_all = len(chosen.labels) == len(self.rows.labels)
        return chosen.prints, chosen.labels, chosen.weights, is_all

    def _heaviest(self, most: int) -> NDArray[np.intp]:
        rows = self.rows
        return np.lexsort((rows.labels, rows.prints, -rows.weights))[:most]

    def settle(self, number: int, fate: Fate, n_classes: int) -> tuple[Any, ...]:
        """Become a table; returns counts, weights and squared weights of its folds."""
        if self.samples is None:
            self.samples = self._samples(fate, n_classes)
            self.loaded = None
        self.number = number
        return self.samples.counts, self.samples.fold_weights, self.samples.fold_squares

    def _samples(self, fate: Fate, n_classes: int) -> TableTraining:
        rows, compared = self.rows, self._heaviest(len(fate.weights))
        folds, weights = drawn(rows.prints, np.array(EVEN)), rows.weights.copy()
        folds[compared], weights[compared] = fate.folds, fate.weights
        dealt = compared[fate.folds < 0]
        rows, folds = replace(rows, weights=weights).dealt(folds, dealt, fate.shares)
        stay = np.flatnonzero(rows.weights > 0)
        del self.rows
        useful = useful_threads(self.n_threads, len(stay), "share")
        return TableTraining.ordered(
            self.columns, rows.take(stay), folds[stay], fate.total, n_classes, useful
        )

    def restore(
        self,
        number: int,
        weighing: Weighing | None,
        encoding: Encoding | None,
        fate: Fate | None,
        pairs: Sequence[Pair],
    ) -> None:
        """Come to where the others are, as far as they are."""
        if self.samples is None:
            if weighing is not None:
                self.weigh(weighing)
            if encoding is not None:
                self.encode(encoding)
            if fate is not None:
                assert weighing is not None
                self.settle(number, fate, len(weighing.classes))
        self.add_pairs(pairs)
        self.number = number

    # Sums over the rows

    def add_pairs(self, pairs: Sequence[Pair]) -> None:
        """Make terms of all these pairs, where they are none yet."""
        if self.samples is not None:
            self.samples.add_pairs(pairs[self.n_pairs :])
            self.n_pairs = len(pairs)

    def on_samples(self, name: str, *arguments: Any) -> Any:
        """Ask the table."""
        return getattr(self.samples, name)(*arguments)

    def open(self, key: int, spec: BatchSpec, dropped: Sequence[int]) -> None:
        """Begin some fits, and drop those nobody needs any more."""
        assert self.samples is not None
        for old in dropped:
            self.weights.pop(old, None)
        self.weights[key] = self.samples.rows(spec, self.samples.n_threads)

    def one_pass(
        self, key: int, last: int, growth: Vector | None, following: int, n_cells: int
    ) -> Vector:
        """Take the steps of one term, and sum the following one up, in one pass."""
        return self.weights[key].one_pass(last, growth, following, n_cells)

    def on_weights(
        self, key: int, last: int, growth: Vector | None, name: str, *arguments: Any
    ) -> Any:
        """Take the steps of a term, and ask the rows of some fits."""
        weights = self.weights[key]
        if last >= 0:
            weights.one_pass(last, growth, -1, 0)
        return getattr(weights, name)(*arguments)
