"""Rows distributed over parts: the interface of ``tauboost.rows``, answered by a pool of actors.

A block of coordinates costs one round: the call with its steps also asks for the next block's sums.
Only when the objective rose does another follow, which takes half of the steps back and asks again.
Each way, 8 to 16 bytes per coordinate travel (24 up for columns of varying values), whatever the
number of rows.
"""

from __future__ import annotations

import itertools
import math
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Self

import numpy as np
from distributed import Client
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Vector
from ..base.threads import resolve_threads
from ..losses import Evaluation, RowSum
from ..penalty import Penalty
from ..problem import SparseProblem
from ..rows import Columns, DrawOutcome, Draws, Iterate, Point, Rows, Surface, is_safe_range
from ..sparse.design import SparseDesign, is_wide, random_places
from ..sparse.scaling import Units
from .actors import ActorPool, Member, Patience
from .loading import LoadedParts, check_client, found_features, used_features
from .sparse_part import Part, PartLevel, PartSpec, Position, Shape

__all__ = ["DaskProblem", "RemotePoint", "RemoteRows", "RemoteSurface"]


# Nonzeros of a part that a round may go through in the thread that answers everybody: a few
# milliseconds.
BRIEF_WORK = 2**20
Calls = list[tuple[str, tuple[Any, ...]]]


class RemoteRows(Rows):
    """The rows of a problem, behind its pool of actors."""

    def __init__(self, problem: DaskProblem) -> None:
        self.problem, self.pool = problem, problem.pool
        self.loss, self.message_cost = problem.loss_function, problem.message_cost
        self.counts = problem.column_counts()
        self.levels: list[PartLevel] = []
        self.position: Position | None = None  # of the rows, before the next round

    def replay(self) -> Calls:
        """Return the calls that bring a new part to where the others are."""
        return [] if self.position is None else [("place", (self.position,))]

    def point(self, lam: Vector) -> RemotePoint:
        return RemotePoint(self.problem, lam, "point", lam)

    def surface(self, lam: Vector) -> RemoteSurface:
        return RemoteSurface(self.problem, self.point(lam))

    def refresh(self, lam: Vector, point: Point | None = None) -> Evaluation:
        here = point if isinstance(point, RemotePoint) else self.point(lam)
        self.problem.in_use = weakref.ref(self)
        self.position = None
        self.levels = self.pool.ask("weigh", here.key, here.largest)
        self.position = Position(lam, here.largest)
        return self._level()

    def resum(self) -> Evaluation:
        return self._level()

    def is_safe(self) -> bool:
        least = min(level.least for level in self.levels)
        return is_safe_range(least, max(level.most for level in self.levels))

    def slope(self) -> Vector:
        return added(self.pool.ask("slope"))

    def exact_sweep(
        self,
        at: Iterate,
        columns: Columns,
        tau: int,
        gain: Vector,
        n_threads: int,  # noqa: ARG002 - parts use those of their workers
    ) -> _core.SweepOutcome:
        with self._rounds() as rounds:
            return _core.remote_sweep(
                self.problem.matrix, *at, columns, tau, gain, self.loss.has_odds, rounds
            )

    def pcdm(
        self,
        at: Iterate,
        draws: Draws,
        max_drift: float,
        n_threads: int,  # noqa: ARG002
    ) -> DrawOutcome:
        with self._rounds() as rounds:
            outcome = _core.remote_pcdm(
                self.problem.matrix,
                *at,
                draws.beta,
                draws.sampling,
                draws.first,
                draws.n_iterations,
                max_drift,
                rounds,
            )
        return DrawOutcome(outcome.bundles, outcome.drift)

    @contextmanager
    def _rounds(self) -> Iterator[Rounds]:
        assert self.position is not None
        rounds = Rounds(self, self.position)
        yield rounds
        self.position = rounds.rest
        if rounds.asked is not None:  # it stopped before its blocks were over
            self.levels = self.pool.ask("level")

    def is_brief(self, *blocks: Columns | None) -> bool:
        """Return True if a round on these is over in a few milliseconds."""
        present = [block for block in blocks if block is not None]
        work = sum(8 * len(block) + int(self.counts[block].sum()) for block in present)
        return work < BRIEF_WORK * len(self.pool.members)

    def _level(self) -> Evaluation:
        total = math.fsum(level.total for level in self.levels)
        assert self.position is not None
        return self.loss.evaluation(total, self.position.shift, self.problem.c_total)


class Rounds:
    """The rounds that the driver asks for (cpp/bind/remote.cpp), and where they have brought us.

    The driver changes lam only after a block has been accepted, before it goes on to the next.
    Until then the rows are at lam with a fraction of the steps of a block applied on top.
    """

    def __init__(self, rows: RemoteRows, at: Position) -> None:
        self.rows, self.rest = rows, Position(at.lam, at.shift)
        self.block: Columns | None = None
        self.steps: Vector | None = None
        self.asked: Columns | None = None

    def round(
        self, undo: float, steps: Vector | None, fraction: float, ask: Columns | None
    ) -> tuple[list[float], Vector | None, Vector | None, Vector | None]:
        """Take steps for the columns asked for last, or less of them; return changes and sums."""
        rows = self.rows
        if steps is not None:
            rows.position = replace(self.rest, asked=self.asked)
            self.block, self.steps = self.asked, steps
        # The round that ends a sweep asks for the level: it may take longer.
        is_brief = ask is not None and rows.is_brief(self.block, ask)
        replies = rows.pool.ask("round", undo, steps, fraction, ask, is_brief=is_brief)
        self.asked = ask
        rows.position = replace(
            self.rest, block=self.block, steps=self.steps, fraction=fraction, asked=ask
        )
        changes = [reply.change for reply in replies]
        if ask is None:
            rows.levels = [reply.level for reply in replies]
            return changes, None, None, None
        square = np.zeros(len(ask))
        valued = rows.problem.valued[ask]
        if valued.any():
            square[valued] = added([reply.square for reply in replies])
        neg, pos = (added([getattr(reply, side) for reply in replies]) for side in ("neg", "pos"))
        return changes, neg, pos, square

    def total(self) -> float:
        """Sum the weights anew."""
        return math.fsum(level.total for level in self.rows.pool.ask("level"))


class RemotePoint(Point):
    """F around one lam; the parts keep its residuals under a key as long as this is there."""

    largest = 0.0

    def __init__(self, problem: DaskProblem, lam: Vector, how: str, *arguments: Any) -> None:
        self.problem, self.lam = problem, lam.copy()
        self.key = next(problem.keys)
        dropped = tuple(problem.dropped)
        self.parts: list[RowSum] = problem.pool.ask(how, self.key, *arguments, dropped)
        del problem.dropped[: len(dropped)]
        weakref.finalize(self, problem.dropped.append, self.key)
        problem.hold(self)
        self.largest, level = problem.loss_function.merged(self.parts, problem.c_total)
        self.value, self.total = level.value, level.total

    def replay(self) -> Calls:
        """Return the calls that bring a new part to where the others are."""
        return [("point", (self.key, self.lam, ()))]

    def sums(self, columns: Columns | None = None) -> tuple[Vector, Vector]:
        loss = self.problem.loss_function
        shares = [loss.share(part.largest - self.largest) for part in self.parts]
        found = zip(shares, self.problem.pool.ask("point_sums", self.key, columns), strict=True)
        neg, pos = zip(*((share * neg, share * pos) for share, (neg, pos) in found), strict=True)
        return added(neg), added(pos)

    def moved(self, lam: Vector, d: Vector) -> RemotePoint:
        return RemotePoint(self.problem, lam, "moved", self.key, d)

    def extrapolated(self, before: Self, momentum: float) -> RemotePoint:
        lam = self.lam + momentum * (self.lam - before.lam)
        keys = (self.key, before.key)
        return RemotePoint(self.problem, lam, "extrapolated", *keys, momentum)


class RemoteSurface(Surface):
    """F to second order around a point, on rows in parts."""

    def __init__(self, problem: DaskProblem, here: RemotePoint) -> None:
        self.problem, self.pool, self.here = problem, problem.pool, here
        self.gradient = here.gradient()
        self.call = ("open_surface", (here.key, here.largest, here.total))
        self.pool.ask(self.call[0], *self.call[1])
        problem.hold(self)

    def replay(self) -> Calls:
        """Return the calls that bring a new part to where the others are."""
        return [self.call]

    def gram(self, columns: Columns) -> Vector:
        return added(self.pool.ask("on_surface", "gram", columns))

    def sums(self, columns: Columns) -> tuple[Vector, Vector]:
        negs, poss = zip(*self.pool.ask("on_surface", "sums", columns), strict=True)
        return added(negs), added(poss)

    def product(self, columns: Columns, d: Vector) -> Vector:
        return added(self.pool.ask("on_surface", "product", columns, d))

    def look_along(self, direction: Vector) -> None:
        """Parts compute residuals anew at each point: a line search evaluates two or three."""

    def at(self, lam: Vector, length: float | None) -> RemotePoint:  # noqa: ARG002
        return RemotePoint(self.problem, lam, "point", lam)


def added(vectors: Sequence[Vector]) -> Vector:
    """Add vectors up, in the order of parts."""
    total = np.array(vectors[0])
    for vector in vectors[1:]:
        total += vector
    return total


# A problem whose rows are distributed over a Dask cluster: the driver knows columns, parts rows.
#
# It describes what a ``tauboost.Problem`` describes, and its rows answer the same questions, so
# that the methods of one machine run on it as they are.


PILOT_ROUNDS = 5
# What a kernel takes to gather and apply, roughly: enough to compare with the time of a round.
SECONDS_A_NONZERO = 4e-9


class DaskProblem(SparseProblem):
    """One AdaBoost (or logistic) problem, its rows in parts on the workers of a Dask cluster.

    Parameters
    ----------
    data
        A tuple ``(X, y)`` or ``(X, y, sample_weight)``: X a dask array with dense or scipy-sparse
        chunks or a dask dataframe; y a dask array or series, a NumPy array, or the name of a column
        of the dataframe. Or a list of parts, each a delayed or future ``(X, y)`` or ``(X, y,
        sample_weight)``, a path of an svmlight file, or ``(path, start, stop)``, a range of bytes
        of one. Or a store.
    client : distributed.Client, optional
        None takes the current one.
    n_features : int, optional
        For files: the number of columns; None takes the largest index that occurs in any.
    n_parts : int, optional
        Into how many parts to gather the chunks, at most; None takes the number of workers.
    loss, fit_intercept
        As in :class:`tauboost.Problem`.
    n_threads : int, optional
        Threads of a part; None takes those of its worker.
    patience : Patience, optional
        When a worker that does not answer is given up.

    Examples
    --------
    >>> import dask.array as da, tauboost.dask
    >>> from dask.distributed import Client
    >>> client = Client()  # doctest: +SKIP
    >>> X = da.random.default_rng(0).random((2000, 10), chunks=(500, -1)) > 0.7
    >>> y = (X[:, 0] | X[:, 1]).astype(int)
    >>> problem = tauboost.dask.DaskProblem((X, y), client=client)
    >>> problem.n_samples, tauboost.solve(problem, alpha=1e-2, random_state=0).status.value
    (2000, 'converged')
    """

    def __init__(
        self,
        data: Any,
        *,
        client: Client | None = None,
        n_features: int | None = None,
        n_parts: int | None = None,
        loss: str = "exponential",
        fit_intercept: bool = False,
        n_threads: int | None = None,
        patience: Patience | None = None,
    ) -> None:
        super().__init__(loss, fit_intercept)
        if n_threads is not None:
            n_threads = resolve_threads(n_threads)
        self.client = check_client(client)
        self.pool = ActorPool(self.client, patience)
        self.pool.replay = self._replay
        self.in_use: Callable[[], RemoteRows | None] = lambda: None
        self.holders: list[Callable[[], RemotePoint | RemoteSurface | None]] = []
        self.keys = itertools.count()
        self.dropped: list[int] = []  # keys of points that nobody needs any more
        self._load(data, n_features, n_parts, n_threads)

    def _load(
        self, data: Any, n_features: int | None, n_parts: int | None, n_threads: int | None
    ) -> None:
        """Load the parts, agree on what they have in common, build them, put them in place."""
        parts = LoadedParts(self.pool, data, n_features, n_parts)
        self.n_samples = sum(summary.n_samples for summary in parts.summaries)
        width, used, nnz = parts.width(), None, sum(summary.nnz for summary in parts.summaries)
        self.classes = parts.two_classes()
        if is_wide(width, nnz):
            used = found_features(parts.results("used", used_features))
        spec = PartSpec(self.classes, width, used, self.loss, self.fit_intercept, n_threads)
        actors = parts.on_each("part", Part, spec, chosen=parts.present, actor=True)
        self.pool.assemble(actors, parts.shares())
        self._take_shape(spec)

    def _take_shape(self, spec: PartSpec) -> None:
        """Merge what the parts report of their columns, and send them the outcome."""
        shapes: list[Shape] = self.pool.tell_each("shape", lambda _: ())
        scales = np.array([shape.scale for shape in shapes])
        scale = scales.max(axis=0)
        # A column that is constant in every part is not constant if the parts differ.
        valued = np.any([shape.valued for shape in shapes], axis=0)
        valued |= np.any((scales > 0) & (scales < scale), axis=0)
        self.valued = valued
        self._counts: NDArray[np.int64] = np.array([shape.counts for shape in shapes]).sum(axis=0)
        outline = _core.outline(
            sum(shape.m for shape in shapes),
            sum(shape.nnz for shape in shapes),
            max(shape.omega for shape in shapes),
            self.fit_intercept,
            scale,
            valued.astype(np.uint8),
        )
        place = random_places(spec.n_features if spec.used is None else len(spec.used))
        self.design = SparseDesign(outline, place, spec.n_features, self.fit_intercept, spec.used)
        shares = [member.share for member in self.pool.members]
        self.least_weight = min(
            shape.least_weight * share for shape, share in zip(shapes, shares, strict=True)
        )
        if not self.least_weight > 0:
            raise ValueError("sample_weight: the smallest is no number beside the largest")
        self.c_total = math.fsum(
            shape.c_total * share for shape, share in zip(shapes, shares, strict=True)
        )
        self.message_cost = self._message_cost()
        self.pool.tell_each("prepare", lambda member: (self.pool.done, member.share, self.valued))

    def note_units(self, units: Units | None) -> None:
        """Take note of the units in which the columns were given, in all parts."""
        used = self.design.used
        if units is not None and used is not None:
            units = units.select(used)
        self.design = replace(self.design, units=units)

    def _message_cost(self) -> float:
        """Measure the round trip, in nonzeros that all parts together could have read meanwhile."""
        trips = []
        for _ in range(PILOT_ROUNDS):
            begin = time.perf_counter()
            self.pool.tell_each("rest", lambda _: (0.0,))
            trips.append(time.perf_counter() - begin)
        return float(np.median(trips)) / SECONDS_A_NONZERO * len(self.pool.members)

    def _replay(self, member: Member) -> list[tuple[str, tuple[Any, ...]]]:
        """Return the calls that bring a new part to where the others are."""
        if not hasattr(self, "c_total"):
            return []
        calls: list[tuple[str, tuple[Any, ...]]] = [
            ("prepare", (self.pool.done, member.share, self.valued))
        ]
        for holder in (self.in_use(), *(holder() for holder in self.holders)):
            if holder is not None:
                calls += holder.replay()
        return calls

    def hold(self, holder: RemotePoint | RemoteSurface) -> None:
        """Remember what parts have been sent, as long as somebody needs it."""
        alive = [old for old in self.holders if old() is not None]
        self.holders = [*alive, weakref.ref(holder)]

    def column_counts(self) -> NDArray[np.int64]:
        """Return the number of nonzeros of every column of A."""
        return self._counts

    def rows(self, n_threads: int | None = None) -> RemoteRows:  # noqa: ARG002 - workers have theirs
        """Return the rows, on which kernels run and which they change."""
        return RemoteRows(self)

    def local_start(self, penalty: Penalty, seed: int) -> Vector:
        """Return the mean of what one sweep of each part, alone, arrives at; shorter if better.

        One round for a start that is often as good as a first sweep, where that costs hundreds.
        """
        alone = self.pool.ask("solve_alone", replace(penalty), "exact", seed, 1.0)
        mean = np.sum(
            [member.share * lam for member, lam in zip(self.pool.members, alone, strict=True)],
            axis=0,
        )
        starts = [penalty.project(length * mean) for length in (1.0, 0.5, 0.25, 0.0)]
        rows = self.rows()
        return min(starts, key=lambda lam: rows.point(lam).value + penalty.value(lam))

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, {len(self.pool.members)} parts)"
