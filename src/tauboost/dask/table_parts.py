"""From a data set in pieces to binned rows in parts, the same as one machine would have made.

The parts count the different values of each column; the driver adds up and makes the bins. Then
they bin their rows, and these are compared by their fingerprints, if they are not too many: a row
that several parts have stays in one of them, and all are dealt to folds together (search/folds.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from distributed import Client
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..parameters import TableParameters
from ..search.folds import deal
from ..tables.binning import (
    ValueCounts,
    WholeUnit,
    categorical_positions,
    check_max_bins,
    weight_units,
)
from ..tables.columns import Column
from ..tables.fitting import VALUES_A_BIN
from ..tables.training import EVEN
from ..tuning.record import Record, hash_text
from ..tuning.row_sketch import RowSketch
from ..validation.classes import class_weights
from ..validation.frames import Frame
from ..validation.labels import scaled_weights
from .crew import Crew, Member, PartError, Patience
from .labelled import classes_of
from .parts import LoadedParts, common_width
from .table_part import Encoding, Fate, TablePart, Weighing, load_table, names_of, sum_up
from .table_samples import Calls, ClusterSamples

__all__ = ["TableParts"]

# Rows that a part sends the fingerprints of, at most: the heaviest.
MOST_COMPARED = 2**17
# Columns whose values are counted in one round: what the driver holds of them is bounded.
COLUMNS_A_ROUND = 8


class LoadedTables(LoadedParts):
    """Futures of tables, and a summary of each."""

    load = staticmethod(load_table)
    summarise = staticmethod(sum_up)


class TableParts:
    """The parts of a table, from loading to binned rows."""

    def __init__(
        self, client: Client, data: Any, n_parts: int | None, patience: Patience | None
    ) -> None:
        self.crew = Crew(client, patience)
        self.weighing: Weighing | None = None
        self.encoding: Encoding | None = None
        self.fates: list[Fate] = []
        self.samples: ClusterSamples | None = None
        loaded = LoadedTables(self.crew, data, None, n_parts)
        summaries = loaded.summaries
        common_width(summaries, False, None)
        self.classes, self.class_counts = classes_of(loaded.labels), loaded.class_counts()
        self.record: Record | None = None
        self.frame = self._frame(loaded)
        self.largest = max(summary.largest_weight for summary in summaries)
        self.crew.replay = self._replay
        actors = loaded.on_each("table", TablePart, chosen=loaded.present, actor=True)
        self.crew.assemble(actors, [1.0] * len(actors))

    def _frame(self, loaded: LoadedTables) -> Frame:
        """Return the names of the columns, and the number of rows, in place of a table."""
        found = {names for names in loaded.results("names", names_of) if names is not None}
        if len(found) > 1:
            raise ValueError(
                "the parts have different columns: give them the same, in the same order"
            )
        names, has_names = found.pop()
        n_rows = sum(summary.n_samples for summary in loaded.summaries)
        return Frame(names, has_names, n_rows, lambda *_: np.empty(0))

    def _replay(self, member: Member) -> Calls:
        """Return the calls that bring a new part to where the others are."""
        fate = self.fates[member.index] if self.fates else None
        pairs = [] if self.samples is None else self.samples.pairs
        calls = [("restore", (self.crew.done, self.weighing, self.encoding, fate, pairs))]
        return calls + ([] if self.samples is None else self.samples.replay())

    def binned(self, given: TableParameters) -> ClusterSamples:
        """Bin the rows, and deal them to folds."""
        check_max_bins(given.max_bins)
        name = "categorical_features"
        categories = categorical_positions(self.frame, given.categorical_features, name)
        with in_plain_words():
            unit, total = self._weigh(given.class_weight)
            columns = self._columns(categories, unit, given.max_bins)
            self._encode(columns)
            return self._settle(columns, total)

    def _weigh(self, class_weight: Any) -> tuple[WholeUnit | None, float]:
        """Agree on weights; returns what they are whole numbers of, and their sum."""
        scale = float(scaled_weights(np.array([self.largest]), "sample_weight")[0] / self.largest)
        least, most, units, totals = self._weighed(scale, np.ones(len(self.classes)))
        if class_weight is not None:
            per_class = class_weights(class_weight, self.classes, totals)
            if not per_class.all():
                raise ValueError("sample_weight or class_weight leaves no samples of some classes")
            least, most, units, totals = self._weighed(scale, per_class)
        scaled_weights(np.array([least, most]), "sample_weight")
        unit = None if least == most else WholeUnit.of(most, units, self.frame.n_rows)
        return unit, float(totals.sum())

    def _weighed(self, scale: float, per_class: Vector) -> tuple[float, float, int, Vector]:
        weighing = Weighing(self.classes, scale, per_class)
        found = self.crew.tell_each("weigh", lambda _: (weighing,))
        self.weighing = weighing
        least, most, units, sums, counts, are_whole = zip(*found, strict=True)
        totals = np.sum(sums, axis=0)
        if np.all(per_class == 1.0):  # what a row stands for is not the weight of its class
            self.copies_a_weight = 1.0 if all(are_whole) else float(sum(counts) / totals.sum())
            self.n_copies = float(self.copies_a_weight * totals.sum())
            self.is_weighted = min(least) < max(most)
        own = [end / n if n > 0 else 0.0 for end, n in zip(most, units, strict=True)]
        # Parts without rows have weights of 0. The units of the parts have one in common, or none.
        has_unit = all(n > 0 or end == 0 for end, n in zip(most, units, strict=True))
        common = weight_units(np.array([*own, max(most)])) if has_unit else 0
        return min(least), max(most), common, totals

    def _columns(
        self, categories: set[int], unit: WholeUnit | None, max_bins: int
    ) -> tuple[Column, ...]:
        columns: list[Column] = []
        names = self.frame.names
        for first in range(0, len(names), COLUMNS_A_ROUND):
            some = range(first, min(first + COLUMNS_A_ROUND, len(names)))
            for k, parts in zip(some, self._value_counts(some, categories, unit), strict=True):
                merged = ValueCounts.merged(parts, names[k])
                columns.append(merged.column(names[k], max_bins, VALUES_A_BIN))
        return tuple(columns)

    def _value_counts(
        self, some: range, categories: set[int], unit: WholeUnit | None
    ) -> list[tuple[ValueCounts, ...]]:
        """Return the value counts of all parts for each of some columns."""
        found = self.crew.tell_each("count", lambda _: (some, categories, unit))
        return list(zip(*found, strict=True))

    def _encode(self, columns: tuple[Column, ...]) -> None:
        """Bin the rows. What a fit was made on is known then, and kept as ``record``."""
        encoding = Encoding(columns)
        hashes, sketches = zip(*self.crew.tell_each("encode", lambda _: (encoding,)), strict=True)
        self.encoding = encoding
        self.record = Record.counted(
            self.class_counts,
            len(columns),
            data_hash=hash_text(sum(hashes)),
            sketch=RowSketch.merged(sketches),
        )

    def _settle(self, columns: tuple[Column, ...], total: float) -> ClusterSamples:
        """Compare rows of different parts, and make tables of them."""
        n_classes = len(self.classes)
        found = self.crew.tell_each("fingerprints", lambda _: (MOST_COMPARED,))
        assert self.weighing is not None
        ratios = self.copies_a_weight / self.weighing.per_class
        fates, repeated = fates_of(found, ratios, total)
        facts = self.crew.tell_each(
            "settle", lambda member: (self.crew.done, fates[member.index], n_classes)
        )
        self.fates = fates
        self.samples = ClusterSamples(
            self.crew, columns, facts, self.n_copies, 0.0 if self.is_weighted else repeated
        )
        return self.samples


def fates_of(
    found: Sequence[tuple[NDArray[np.uint64], NDArray[np.intp], Vector, bool]],
    copies_a_weight: Vector,
    total: float,
) -> tuple[list[Fate], float]:
    """Return for each part what becomes of the rows it sent, of which several parts may have some.

    Of equal rows the first has all the weight; they are dealt as the rows of one machine are. Also
    returned is the share of rows that repeat others with the same label.
    """
    prints, labels, weights, are_all = zip(*found, strict=True)
    ends = np.cumsum([len(part) for part in labels])[:-1]
    keys, codes = np.concatenate(prints), np.concatenate(labels)
    order = np.lexsort((codes, keys))
    is_new = np.append(True, (np.diff(keys[order]) != 0) | (np.diff(codes[order]) != 0))
    place = np.empty(len(keys), dtype=np.intp)
    place[order] = np.cumsum(is_new) - 1
    first = order[is_new]
    summed = np.bincount(place, np.concatenate(weights)).astype(np.float64)
    merged = np.zeros(len(keys))
    merged[first] = summed
    copies = summed * copies_a_weight[codes[first]]
    split = deal(keys[first], codes[first], copies, EVEN, is_partial=not all(are_all))
    shares = np.zeros((len(first), split.n_folds))
    shares[split.dealt] = split.shares
    fates = []
    for part, weight in zip(np.split(place, ends), np.split(merged, ends), strict=True):
        folds = split.fold[part]
        fates.append(Fate(total, weight, folds, shares[part[folds < 0]]))
    return fates, split.repeated


@contextmanager
def in_plain_words() -> Iterator[None]:
    """Raise what is wrong with the data as one machine does, not as an error of a part."""
    try:
        yield
    except PartError as error:
        cause = error.args[0]
        if isinstance(cause, TypeError | ValueError):
            raise cause from None
        raise
