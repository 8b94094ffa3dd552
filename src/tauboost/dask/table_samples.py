"""The rows of a binned table behind a crew of parts: what a fit asks of rows, in sums.

A term costs one round: the call that carries the steps of the last term asks for the sums of the
next one.
"""

from __future__ import annotations

import itertools
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Vector
from ..losses import LOSSES
from ..tables.columns import Column, n_planes
from ..tables.design import add_column_terms
from ..tables.directions import N_OLDER
from ..tables.pairs import Pair
from ..tables.rows import BatchSpec, End, RowWeights
from ..tables.training import BinnedRows
from .chorus import Chorus
from .crew import Crew
from .rows import added

__all__ = ["ClusterSamples", "ClusterWeights"]

# Rows that a part has at once in all fits side by side, each of them with eight weights: 256 MB.
MOST_WEIGHTS = 2**23
T = TypeVar("T")
Calls = list[tuple[str, tuple[Any, ...]]]


class ClusterSamples(BinnedRows):
    """Binned rows in parts, all of which have their classes, folds and weights."""

    n_threads = 1

    def __init__(
        self,
        crew: Crew,
        columns: tuple[Column, ...],
        facts: Sequence[tuple[NDArray[np.intp], Vector, Vector]],
        n_copies: float,
        repeated: float,
    ) -> None:
        self.chorus, self.columns = Chorus(crew), columns
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
        self.n_rows = self.n // len(crew.members)  # of a part, about
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
        return float(sum(self.chorus.ask("on_samples", "class_weight", label)))

    def add_pairs(self, pairs: Sequence[Pair]) -> None:
        for pair in pairs:
            pair.add_to(self._table)
            self.n_cells.append(pair.shape[0] * pair.shape[1])
        self.pairs += pairs
        self.chorus.ask("add_pairs", self.pairs)

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
        return added(self.chorus.ask("on_samples", name, *arguments))

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
            self.chorus.sing(fit, jobs[first : first + at_once])

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
        samples.chorus.ask("open", self.key, spec, samples.take_dropped())
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
        replies = self.samples.chorus.ask(*call, work=work)
        self._taken()
        return added(replies)

    def total(self, last: int, growth: Vector | None, fit: int) -> float:
        """Sum the weights of a fit anew."""
        self.keep(last, growth)
        return self.loss_sum(fit)

    def _ask(self, name: str, *arguments: Any) -> list[Any]:
        call = ("on_weights", self.key, self.last, self.growth, name, *arguments)
        replies = self.samples.chorus.ask(*call)
        self._taken()
        return replies

    def _taken(self) -> None:
        """Remember where the rows are now."""
        if self.growth is not None:
            of_term = slice(*self.starts[self.last : self.last + 2])
            self.levels[:, of_term] += np.log(self.growth).reshape(self.spec.width, -1)
        self.last, self.growth = -1, None
