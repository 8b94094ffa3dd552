"""From a data set in pieces to binned rows in parts, the same as one machine would have made.

The parts count the different values of each column; the driver adds up and makes the bins. Then
they bin their rows, and these are compared by their fingerprints, if they are not too many: a row
that several parts have stays in one of them, and all are dealt to folds together (search/folds.py).
"""

from __future__ import annotations

import itertools
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import numpy as np
from distributed import Client
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Vector
from ..losses import LOSSES
from ..parameters import TableParameters
from ..search.folds import deal
from ..search.record import Record, RowSketch, hash_text
from ..tables.binning import (
    ValueCounts,
    WholeUnit,
    categorical_positions,
    check_max_bins,
    weight_units,
)
from ..tables.columns import Column, n_planes
from ..tables.design import add_column_terms
from ..tables.directions import N_OLDER
from ..tables.fitting import VALUES_A_BIN
from ..tables.pairs import Pair
from ..tables.rows import BatchSpec, End, RowWeights
from ..tables.training import EVEN, BinnedRows
from ..validation.frames import Frame
from ..validation.labels import class_weights, scaled_weights
from .actors import ActorPool, Member, PartError, Patience, RequestBatcher
from .labels import classes_of
from .loading import LoadedParts, common_width
from .sparse import added
from .table_part import Encoding, Fate, TablePart, Weighing, load_table, names_of, sum_up

__all__ = ["ClusterSamples", "ClusterWeights", "TableParts"]


# The rows of a binned table behind a pool of actors: what a fit asks of rows, in sums.
#
# A term costs one round: the call that carries the steps of the last term asks for the sums of
# the next one.


# Rows that a part has at once in all fits side by side, each of them with eight weights: 256 MB.
MOST_WEIGHTS = 2**23
T = TypeVar("T")
Calls = list[tuple[str, tuple[Any, ...]]]


class ClusterSamples(BinnedRows):
    """Binned rows in parts, all of which have their classes, folds and weights."""

    n_threads = 1

    def __init__(
        self,
        pool: ActorPool,
        columns: tuple[Column, ...],
        facts: Sequence[tuple[NDArray[np.intp], Vector, Vector]],
        n_copies: float,
        repeated: float,
    ) -> None:
        self.batcher, self.columns = RequestBatcher(pool), columns
        self.n_copies, self.repeated = n_copies, repeated
        counts, weights, squares = zip(*facts, strict=True)
        self._counts: NDArray[np.intp] = np.sum(counts, axis=0)
        self._fold_weights, self._fold_squares = added(weights), added(squares)
        self.n_classes = self._counts.shape[1]
        self.pairs: list[Pair] = []
        self._table = _core.Table(np.empty(0, np.uint8), n_planes(columns), 0)
        self._table.add_shard(0, 0, self.n_classes - 1)
        add_column_terms(self._table, columns)
        self.n_cells = [column.n_bins for column in columns]  # of each term
        self.n_rows = self.n // len(pool.members)  # of a part, about
        self.keys = itertools.count()
        self.dropped: deque[int] = deque()  # keys of fits that nobody needs any more
        self.in_use: dict[int, Callable[[], ClusterWeights | None]] = {}

    def replay(self) -> Calls:
        """Return the calls that bring a new part, with its pairs, to where the others are."""
        in_use = [use() for use in list(self.in_use.values())]
        return [call for weights in in_use if weights is not None for call in weights.replay()]

    @property
    def table(self) -> _core.Table:
        return self._table

    @property
    def counts(self) -> NDArray[np.intp]:
        return self._counts

    @property
    def fold_weights(self) -> Vector:
        return self._fold_weights

    @property
    def fold_squares(self) -> Vector:
        return self._fold_squares

    def class_weight(self, label: int) -> float:
        return float(sum(self.batcher.ask("on_samples", "class_weight", label)))

    def add_pairs(self, pairs: Sequence[Pair]) -> None:
        for pair in pairs:
            pair.add_to(self._table)
            self.n_cells.append(pair.shape[0] * pair.shape[1])
        self.pairs += pairs
        self.batcher.ask("add_pairs", self.pairs)

    def level_sums(self) -> Vector:
        return self._sum("level_sums")

    def class_sums(self, held: int | None) -> Vector:
        return self._sum("class_sums", held)

    def pair_weights(self, pair: Pair) -> Vector:
        return self._sum("pair_weights", pair)

    def held_out_sums(self, loss: str, held: int, ends: Sequence[End]) -> Vector:
        return self._sum("held_out_sums", loss, held, ends)

    def gain_sums(
        self, loss: str, held: int, first: Sequence[End], second: Sequence[End]
    ) -> Vector:
        return self._sum("gain_sums", loss, held, first, second)

    def _sum(self, name: str, *arguments: Any) -> Vector:
        return added(self.batcher.ask("on_samples", name, *arguments))

    def take_dropped(self) -> list[int]:
        """Return the keys of fits that the parts may forget; several threads may ask."""
        found: list[int] = []
        with suppress(IndexError):
            while True:
                found.append(self.dropped.popleft())
        for key in found:
            self.in_use.pop(key)
        return found

    def each_fit(self, fit: Callable[[T, int], None], jobs: Sequence[T]) -> None:
        at_once = max(1, MOST_WEIGHTS // max(1, self.n_rows))
        for first in range(0, len(jobs), at_once):
            self.batcher.run(fit, jobs[first : first + at_once])

    def rows(self, spec: BatchSpec, n_threads: int) -> ClusterWeights:  # noqa: ARG002
        return ClusterWeights(self, spec)


class ClusterWeights(RowWeights):
    """The weights of all rows in some fits; the parts keep them as long as this is there."""

    def __init__(self, samples: ClusterSamples, spec: BatchSpec) -> None:
        self.samples, self.spec = samples, spec
        self.has_odds = LOSSES[spec.loss].has_odds
        self.key = next(samples.keys)
        self.starts = np.cumsum([0, *samples.n_cells]).tolist()
        # Steps that the rows have not taken yet: they go out with the next call.
        self.last = -1
        self.growth: Vector | None = None
        # Where the rows are: what it takes to put a new part in the place of a lost one.
        self.levels = np.zeros((spec.width, self.starts[-1]))
        self.intercepts, self.shift = np.zeros(spec.width), np.zeros(spec.width)
        # The last steps of a fit with directions, and those before them: (steps, levels).
        self.marked: Vector | None = None
        self.before = np.zeros((N_OLDER, self.starts[-1] + 1))
        samples.batcher.ask("open", self.key, spec, samples.take_dropped())
        samples.in_use[self.key] = weakref.ref(self)
        weakref.finalize(self, samples.dropped.append, self.key)

    def replay(self) -> Calls:
        """Return the calls that bring a new part to where the others are."""
        place = (self.key, -1, None, "place", self.levels, self.intercepts, self.shift)
        calls: Calls = [("open", (self.key, self.spec, ())), ("on_weights", place)]
        if self.marked is not None:
            steps = np.vstack([self._here() - self.marked, self.before])
            ends = np.ascontiguousarray(steps[:, :-1]), np.ascontiguousarray(steps[:, -1])
            calls.append(("on_weights", (self.key, -1, None, "recall", *ends)))
        return calls

    def largest(self, levels: Vector, intercepts: Vector) -> Vector:
        return np.asarray(np.max(self._ask("largest", levels, intercepts), axis=0))

    def place(self, levels: Vector, intercepts: Vector, shift: Vector) -> Vector:
        totals = added(self._ask("place", levels, intercepts, shift))
        self.levels[:, : levels.shape[1]], self.intercepts[:] = levels, intercepts
        self.shift[:] = shift
        return totals

    def rescale(self, bits: NDArray[np.int32]) -> Vector:
        totals = added(self._ask("rescale", bits))
        self.shift -= np.log(2.0) * bits
        return totals

    def sweep(self, *plan: Any) -> _core.LaneOutcome:
        is_one = self.spec.width == 1
        sweep: Any = _core.remote_table_sweep if is_one else _core.remote_table_lane_sweep
        outcome: _core.LaneOutcome = sweep(self.samples.table, self, self.has_odds, *plan)
        return outcome

    def mark(self) -> None:
        self._ask("mark")
        self.marked = self._here()

    def _here(self) -> Vector:
        """Return the levels of the first fit, and its intercept."""
        return np.append(self.levels[0], self.intercepts[0])

    def span_sums(self, steps: Vector) -> Vector:
        return added(self._ask("span_sums", steps))

    def take_span(self, steps: Vector) -> Vector:
        totals = added(self._ask("take_span", steps))
        assert self.marked is not None
        here = self._here()
        along = np.vstack([here - self.marked, self.before, np.zeros(len(here))])
        along[-1, -1] = 1.0
        move = steps @ along
        self.before = np.vstack([along[0] + move, self.before])[:N_OLDER]
        self.marked = here + move
        self.levels[0], self.intercepts[0] = self.marked[:-1], self.marked[-1]
        return totals

    def exact_sums(
        self, levels: Vector, intercepts: Vector, shift: Vector, terms: NDArray[np.int32]
    ) -> Vector:
        return added(self._ask("exact_sums", levels, intercepts, shift, terms))

    def conjugate(self, levels: Vector, intercepts: Vector, scales: tuple[float, float]) -> float:
        return float(sum(self._ask("conjugate", levels, intercepts, scales)))

    def loss_sum(self, fit: int) -> float:
        return float(sum(self._ask("loss_sum", fit)))

    def pair_sums(
        self,
        fit: int,
        total: float,
        columns: NDArray[np.int32],
        maps: NDArray[np.uint8],
        side: int,
    ) -> Vector:
        return added(self._ask("pair_sums", fit, total, columns, maps, side))

    # What the driver asks for (cpp/bind/remote_tables.cpp)

    def keep(self, last: int, growth: Vector | None, _: int = 0) -> None:
        """Keep the steps of a term for the next call."""
        if last >= 0:
            self.last, self.growth = last, growth

    def round(self, last: int, growth: Vector | None, following: int) -> Vector:
        """Have the rows take the steps of one term, and return the sums of another."""
        self.keep(last, growth)
        n_cells = self.samples.n_cells[following]
        call = ("one_pass", self.key, self.last, self.growth, following, n_cells)
        work = self.samples.n_rows * self.spec.width
        replies = self.samples.batcher.ask(*call, work=work)
        self._taken()
        return added(replies)

    def total(self, last: int, growth: Vector | None, fit: int) -> float:
        """Sum the weights of a fit anew."""
        self.keep(last, growth)
        return self.loss_sum(fit)

    def _ask(self, name: str, *arguments: Any) -> list[Any]:
        call = ("on_weights", self.key, self.last, self.growth, name, *arguments)
        replies = self.samples.batcher.ask(*call)
        self._taken()
        return replies

    def _taken(self) -> None:
        """Remember where the rows are now."""
        if self.growth is not None:
            of_term = slice(*self.starts[self.last : self.last + 2])
            self.levels[:, of_term] += np.log(self.growth).reshape(self.spec.width, -1)
        self.last, self.growth = -1, None


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
        self.pool = ActorPool(client, patience)
        self.weighing: Weighing | None = None
        self.encoding: Encoding | None = None
        self.fates: list[Fate] = []
        self.samples: ClusterSamples | None = None
        loaded = LoadedTables(self.pool, data, None, n_parts)
        summaries = loaded.summaries
        common_width(summaries, False, None)
        self.classes, self.class_counts = classes_of(loaded.labels), loaded.class_counts()
        self.record: Record | None = None
        self.frame = self._frame(loaded)
        self.largest = max(summary.largest_weight for summary in summaries)
        self.pool.replay = self._replay
        actors = loaded.on_each("table", TablePart, chosen=loaded.present, actor=True)
        self.pool.assemble(actors, [1.0] * len(actors))

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
        calls = [("restore", (self.pool.done, self.weighing, self.encoding, fate, pairs))]
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
        found = self.pool.tell_each("weigh", lambda _: (weighing,))
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
        found = self.pool.tell_each("count", lambda _: (some, categories, unit))
        return list(zip(*found, strict=True))

    def _encode(self, columns: tuple[Column, ...]) -> None:
        """Bin the rows. What a fit was made on is known then, and kept as ``record``."""
        encoding = Encoding(columns)
        hashes, sketches = zip(*self.pool.tell_each("encode", lambda _: (encoding,)), strict=True)
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
        found = self.pool.tell_each("fingerprints", lambda _: (MOST_COMPARED,))
        assert self.weighing is not None
        ratios = self.copies_a_weight / self.weighing.per_class
        fates, repeated = fates_of(found, ratios, total)
        facts = self.pool.tell_each(
            "settle", lambda member: (self.pool.done, fates[member.index], n_classes)
        )
        self.fates = fates
        self.samples = ClusterSamples(
            self.pool, columns, facts, self.n_copies, 0.0 if self.is_weighted else repeated
        )
        return self.samples


def fates_of(
    found: Sequence[tuple[NDArray[np.uint64], NDArray[np.intp], Vector, bool]],
    copies_a_weight: Vector,
    total: float,
) -> tuple[list[Fate], float]:
    """Return for each part what becomes of the rows it sent, of which several parts may have some.

    Of duplicates the first has all the weight; they are dealt as the rows of one machine are. Also
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
