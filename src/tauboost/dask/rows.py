"""Rows that are spread over parts: the interface of ``tauboost.rows``, answered by a crew.

A bundle costs one round: the call that carries its steps also asks for the sums of the next bundle.
Only when the objective rose is there a round more, which takes half of the steps back and asks
again. Each way, 8 to 16 bytes a coordinate travel (24 up for columns of varying values), whatever
the number of rows.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .. import _core
from ..base.arrays import Vector
from ..losses import Evaluation, RowSum
from ..rows import Columns, DrawOutcome, Draws, Iterate, Point, Rows, Surface, is_safe_range
from .part import PartLevel, Position, Reply

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
        matrix, has_odds = self.problem.matrix, self.loss.has_odds
        steps = _core.BundleSteps(matrix, at.psi, at.lam, at.total, gain, has_odds, None, tau)
        bundles = [columns[k : k + tau] for k in range(0, len(columns), tau)]
        for _ in self._rounds(steps, bundles, can_halve=True):
            pass
        return steps.outcome

    def pcdm(
        self,
        at: Iterate,
        draws: Draws,
        max_drift: float,
        n_threads: int,  # noqa: ARG002
    ) -> DrawOutcome:
        matrix = self.problem.matrix
        subset = np.empty(draws.sampling.tau, dtype=np.int64)
        point = (at.psi, at.lam, at.total, np.empty(matrix.n))
        steps = _core.BundleSteps(matrix, *point, False, draws.beta, len(subset))

        def bundles() -> Iterator[Columns]:
            for t in range(draws.first, draws.first + draws.n_iterations):
                draws.sampling.draw(t, subset)
                yield subset.astype(np.int32)

        done, drift = 0, 0.0
        for bundle, kept in self._rounds(steps, bundles(), can_halve=False):
            done += 1
            drift += float(np.sum(np.abs(kept) * matrix.scale[bundle]))
            if drift > max_drift:
                break
        self.levels = self.crew.ask("level")
        return DrawOutcome(done, drift)

    def _rounds(
        self, steps: _core.BundleSteps, bundles: Any, *, can_halve: bool
    ) -> Iterator[tuple[Columns, Vector]]:
        """Carry out bundle after bundle; yield each with the steps that were kept."""
        assert self.position is not None
        rest = Position(self.position.lam, self.position.shift)
        ahead = chain(bundles, [None])
        first = next(ahead)
        replies = self._round(rest, 0.0, None, 0.0, first)
        for bundle, after in pairwise(chain([first], ahead)):
            self.position = replace(rest, asked=bundle)
            change = self._decide(steps, bundle, replies)
            replies = self._round(self.position, 0.0, change, 1.0, after)
            steps.judge([reply.change for reply in replies])
            while steps.rose:
                fraction, undo = steps.shorter if can_halve else 0.0, steps.fraction
                at = Position(rest.lam, rest.shift, bundle, change, undo, after)
                replies = self._round(at, undo, None, fraction, after)
                steps.judge_shorter(fraction, [reply.change for reply in replies])
            self.position = replace(rest, asked=after)
            if steps.is_worn:
                steps.renew(math.fsum(level.total for level in self.crew.ask("level")))
            yield bundle, steps.fraction * change

    def _round(
        self, at: Position, undo: float, steps: Vector | None, fraction: float, ask: Columns | None
    ) -> list[Reply]:
        self.position = at
        moved = at.bundle if steps is None else at.asked
        replies = self.crew.ask(
            "round", undo, steps, fraction, ask, is_brief=self._is_brief(moved, ask)
        )
        if ask is None:
            self.levels = [reply.level for reply in replies]
        return replies

    def _is_brief(self, moved: Columns | None, ask: Columns | None) -> bool:
        """Tell whether a round is over in a few milliseconds; one that ends a sweep may not be."""
        if ask is None:
            return False
        bundles = [bundle for bundle in (moved, ask) if bundle is not None]
        work = sum(8 * len(bundle) + int(self.counts[bundle].sum()) for bundle in bundles)
        return work < BRIEF_WORK * len(self.crew.members)

    def _decide(self, steps: _core.BundleSteps, bundle: Columns, replies: list[Reply]) -> Vector:
        change, square = np.empty(len(bundle)), np.zeros(len(bundle))
        valued = self.problem.valued[bundle]
        if valued.any():
            square[valued] = self._sum(replies, "square")
        neg, pos = self._sum(replies, "neg"), self._sum(replies, "pos")
        steps.decide(bundle, neg, pos, square, change)
        return change

    @staticmethod
    def _sum(replies: list[Reply], name: str) -> Vector:
        return added([getattr(reply, name) for reply in replies])

    def _level(self) -> Evaluation:
        total = math.fsum(level.total for level in self.levels)
        assert self.position is not None
        return self.loss.evaluation(total, self.position.shift, self.problem.c_total)


class RemotePoint(Point):
    """F around one lam; the parts keep its residuals under a key as long as this is there."""

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

    def sums(self) -> tuple[Vector, Vector]:
        loss = self.problem.loss_function
        shares = [loss.share(part.largest - self.largest) for part in self.parts]
        found = zip(shares, self.problem.crew.ask("point_sums", self.key), strict=True)
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
