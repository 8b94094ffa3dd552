"""AdaBoost with decision stumps on a table: paper/greedy.py with histograms kept by rounds.

The histograms of all columns follow from the rows on the smaller side of the last stump
(cpp/table/booster.hpp); now and then everything is computed anew.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..base.arrays import Vector
from ..base.threads import useful_threads
from ..paper.greedy import Greedy
from ..rows import LocalPoint
from ..solvers.weights import Start

if TYPE_CHECKING:
    from .problem import StumpRows

__all__ = ["TableGreedy"]


ROUNDS_BETWEEN_REFRESHES = 128
# Exponents of weights may change by this much before they are computed anew.
MOST_TRAVEL = 200.0


class TableGreedy(Greedy):
    """A point that one stump at a time moves."""

    rows: StumpRows
    total: float

    def __init__(self, start: Start) -> None:
        self.kept = start.problem.design.kept  # type: ignore[attr-defined]
        super().__init__(start)
        self.n_threads = useful_threads(start.n_threads, self.rows.design.table.n_rows, "share")

    def finish(self) -> None:
        """Compute the weights of the rows and the histograms anew."""
        point = self.rows.point(self.lam)
        assert isinstance(point, LocalPoint)
        self.point, self.value, self.total = point, point.value, point.total
        self.shift = point.value - math.log(point.total)
        table = self.rows.design.table
        self.booster = _core.Booster(table, point.w)
        self.sums = np.empty((2, table.n_levels + 1))
        self.rounds, self.travel = 0, 0.0
        self._take_sums()

    def move(self, d: Vector, n_updates: int) -> None:
        """Move the one coordinate that d has."""
        self.iterations += 1
        self.updates += n_updates
        (moved,) = np.flatnonzero(d).tolist() or (0,)
        step = float(d[moved])
        self.lam = self.lam + d
        self.rounds += 1
        self.travel += abs(step)
        if self.rounds >= ROUNDS_BETWEEN_REFRESHES or self.travel > MOST_TRAVEL:
            self.finish()
            return
        is_intercept = moved == len(self.kept)
        level = self.sums.shape[1] - 1 if is_intercept else int(self.kept[moved])
        self.booster.move(level, step, self.n_threads)
        self._take_sums()
        self.total = float(self.neg[-1] + self.pos[-1])
        self.value = self.shift + math.log(self.total)

    def gradient(self) -> Vector:
        """Gradient of F at lam."""
        return np.asarray((self.pos - self.neg) / self.total)

    def _take_sums(self) -> None:
        self.booster.signed_sums(self.sums[0], self.sums[1])
        self.neg, self.pos = (np.append(sums[self.kept], sums[-1]) for sums in self.sums)
