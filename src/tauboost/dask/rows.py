"""Rows that are spread over parts: the interface of ``tauboost.rows``, answered by a crew.

A bundle costs one round: the call that carries its steps also asks for the sums of the next bundle.
Only when the objective rose does another follow, which takes half of the steps back and asks again.
Each way, 8 to 16 bytes per coordinate travel (24 up for columns of varying values), whatever the
number of rows.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .. import _core
from ..base.arrays import Vector
from ..losses import Evaluation, RowSum
from ..rows import Columns, DrawOutcome, Draws, Iterate, Point, Rows, Surface, is_safe_range
from .part import PartLevel, Position

if TYPE_CHECKING:
    from .problem import DaskProblem

__all__ = ["RemotePoint", "RemoteRows", "RemoteSurface"]

# Nonzeros of a part that a round may go through in the thread that answers everybody: a few
# milliseconds.
BRIEF_WORK = 2**20
Calls = list[tuple[str, tuple[Any, ...]]]


class RemoteRows(Rows):
    """The rows of a problem, behind its crew of parts."""

    def __init__(self, problem: DaskProblem) -> None:
        self.problem, self.crew = problem, problem.crew
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
        self.levels = self.crew.ask("weigh", here.key, here.largest)
        self.position = Position(lam, here.largest)
        return self._level()

    def resum(self) -> Evaluation:
        return self._level()

    def is_safe(self) -> bool:
        least = min(level.least for level in self.levels)
        return is_safe_range(least, max(level.most for level in self.levels))

    def slope(self) -> Vector:
        return added(self.crew.ask("slope"))

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
        if rounds.asked is not None:  # it stopped before its bundles were over
            self.levels = self.crew.ask("level")

    def is_brief(self, *bundles: Columns | None) -> bool:
        """Tell whether a round on these is over in a few milliseconds."""
        there = [bundle for bundle in bundles if bundle is not None]
        work = sum(8 * len(bundle) + int(self.counts[bundle].sum()) for bundle in there)
        return work < BRIEF_WORK * len(self.crew.members)

    def _level(self) -> Evaluation:
        total = math.fsum(level.total for level in self.levels)
        assert self.position is not None
        return self.loss.evaluation(total, self.position.shift, self.problem.c_total)


class Rounds:
    """The rounds that the driver asks for (cpp/bind/remote.cpp), and where they have brought us.

    The driver moves lam only after a bundle has been judged, before it goes on to the next. So in
    the meantime the rows are at lam with a fraction of the steps of a bundle applied on top.
    """

    def __init__(self, rows: RemoteRows, at: Position) -> None:
        self.rows, self.rest = rows, Position(at.lam, at.shift)
        self.bundle: Columns | None = None
        self.steps: Vector | None = None
        self.asked: Columns | None = None

    def round(
        self, undo: float, steps: Vector | None, fraction: float, ask: Columns | None
    ) -> tuple[list[float], Vector | None, Vector | None, Vector | None]:
        """Take steps for the columns asked for last, or less of them; return changes and sums."""
        rows = self.rows
        if steps is not None:
            rows.position = replace(self.rest, asked=self.asked)
            self.bundle, self.steps = self.asked, steps
        # The round that ends a sweep asks for the level: it may take longer.
        is_brief = ask is not None and rows.is_brief(self.bundle, ask)
        replies = rows.crew.ask("round", undo, steps, fraction, ask, is_brief=is_brief)
        self.asked = ask
        rows.position = replace(
            self.rest, bundle=self.bundle, steps=self.steps, fraction=fraction, asked=ask
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
        return math.fsum(level.total for level in self.rows.crew.ask("level"))


class RemotePoint(Point):
    """F around one lam; the parts keep its residuals under a key as long as this is there."""

    largest = 0.0

    def __init__(self, problem: DaskProblem, lam: Vector, how: str, *arguments: Any) -> None:
        self.problem, self.lam = problem, lam.copy()
        self.key = next(problem.keys)
        dropped = tuple(problem.dropped)
        self.parts: list[RowSum] = problem.crew.ask(how, self.key, *arguments, dropped)
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
        found = zip(shares, self.problem.crew.ask("point_sums", self.key, columns), strict=True)
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
        self.problem, self.crew, self.here = problem, problem.crew, here
        self.gradient = here.gradient()
        self.call = ("open_surface", (here.key, here.largest, here.total))
        self.crew.ask(self.call[0], *self.call[1])
        problem.hold(self)

    def replay(self) -> Calls:
        """Return the calls that bring a new part to where the others are."""
        return [self.call]

    def gram(self, columns: Columns) -> Vector:
        return added(self.crew.ask("on_surface", "gram", columns))

    def sums(self, columns: Columns) -> tuple[Vector, Vector]:
        negs, poss = zip(*self.crew.ask("on_surface", "sums", columns), strict=True)
        return added(negs), added(poss)

    def product(self, columns: Columns, d: Vector) -> Vector:
        return added(self.crew.ask("on_surface", "product", columns, d))

    def look_along(self, direction: Vector) -> None:
        """Parts compute residuals anew at each point: a line search looks at two or three."""

    def at(self, lam: Vector, length: float | None) -> RemotePoint:  # noqa: ARG002
        return RemotePoint(self.problem, lam, "point", lam)


def added(vectors: Sequence[Vector]) -> Vector:
    """Add vectors up, in the order of parts."""
    total = np.array(vectors[0])
    for vector in vectors[1:]:
        total += vector
    return total
