"""Exact coordinate minimisation: the default method. Parallel, monotone, deterministic.

Sweeps of exact steps (cpp/kernels/driver.hpp) over columns in bundles of tau, in the order of
sweep_plan.py, and, where it pays, a Newton step on the free coordinates (newton.py). Every decision
is taken from counts and values, never from clocks or threads: the bits are the same for any number
of threads.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.threads import useful_threads
from ..problem import SparseProblem
from ..rows import Rows
from .newton import NewtonFinish
from .start import Start
from .sweep_plan import SweepPlan
from .weights import MultiplicativeWeights, excess_edge

__all__ = ["BundleSize", "Exact", "Shape"]

SMALLEST_TAU, LARGEST_TAU = 4, 8192
# A bundle's rows are read twice: this many stay in the cache in between.
NONZEROS_IN_A_BUNDLE = 2**16
# On text (imdb_unigram) bundles that a row meets 1.2 times lose 2 % of a sweep, 2.3 times 16 %.
FIRST_OVERLAP, LARGEST_OVERLAP = 0.3, 1.2
# A run that starts from a point of its own takes a Newton step after the first sweep, if its
# Hessian costs no more than so many sweeps.
WARM = 40


class Exact(MultiplicativeWeights):
    """A point that sweeps of exact steps and Newton steps move."""

    is_monotone = True
    problem: SparseProblem
    rows: Rows

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        self.bundles = BundleSize(
            self.problem.matrix, start.tau, message_cost=self.rows.message_cost
        )
        self.plan = SweepPlan(self.problem, start.seed)
        self.newton = NewtonFinish(self.problem, self.penalty, self.plan.counts, self.rows)
        self.edge_hint = math.inf
        self.sweep_edge = 0.0
        self.sweep_decrease = 0.0
        if start.lam.any():  # near the optimum already, as a rule: where Newton's step is good
            self.newton.start_early(2 * WARM * self.problem.matrix.nnz)

    def advance(self, epochs_left: float) -> None:
        """Go on with the sweep at hand, as far as the next look; after it, plan the next."""
        columns = self.plan.take(self.updates_in(epochs_left))
        outcome = self._sweep(columns)
        self.updates += len(columns)
        if outcome.predicted > 0:
            efficiency = outcome.decrease / outcome.predicted
            self.bundles.learn(outcome.undone, outcome.bundles, efficiency)
        self.sweep_edge = max(self.sweep_edge, outcome.edge)
        self.sweep_decrease += outcome.decrease
        self.settle(self.problem.omega * outcome.longest)
        if self.plan.is_done:
            self._after_sweep()

    def _after_sweep(self) -> None:
        if self.plan.is_full:
            self.edge_hint = self.sweep_edge
            self.updates += self.plan.n_empty
        self.newton.pay(self.plan.work, self.sweep_decrease)
        self.sweep_edge = self.sweep_decrease = 0.0
        self.plan.next_sweep()
        if self.newton.is_due:
            found = self.newton.step(self.lam, self.value + self.penalty.value(self.lam))
            if found is not None:
                self.start_from(found.lam, found.point)
                # Known, not guessed: Newton's step may end all that a sweep has seen.
                gradient = found.point.gradient()
                self.edge_hint = excess_edge(self.problem, self.penalty, self.lam, gradient)

    def _sweep(self, columns: NDArray[np.int32]) -> _core.SweepOutcome:
        tau = min(self.bundles.tau, max(len(columns), 1))
        most = min(self.n_threads, self.problem.matrix.n_shards)
        n_threads = useful_threads(most, tau * self.plan.mean_cost, "share")
        return self.rows.exact_sweep(self.iterate(), columns, tau, self.plan.gain, n_threads)


class Shape(NamedTuple):
    """How large a matrix is: rows, columns, nonzeros."""

    m: int
    n: int
    nnz: int


class BundleSize:
    """tau, adapted to what is seen: grow while bundles decrease F as single columns would.

    Bundles start so small that a row meets FIRST_OVERLAP columns on average. Where each costs a
    message, they start as large as makes it worth its while, within reason, and still pay when half
    of a sweep is lost. ``mean_row`` is the number of nonzeros of a row on average, where samples
    have weights.
    """

    def __init__(
        self,
        matrix: _core.Matrix | Shape,
        tau: int | None,
        *,
        mean_row: float | None = None,
        message_cost: float = 0.0,
    ) -> None:
        self.is_fixed = tau is not None
        self.most = max(SMALLEST_TAU, min(LARGEST_TAU, matrix.n // 4))
        is_spread = message_cost > 0.0
        if not is_spread:
            in_the_cache = NONZEROS_IN_A_BUNDLE * matrix.n // max(matrix.nnz, 1)
            self.most = max(SMALLEST_TAU, min(self.most, in_the_cache))
        self.undone, self.shrink, self.grow = (0.1, 0.3, 0.6) if is_spread else (0.02, 0.6, 0.9)
        mean_row = matrix.nnz / matrix.m if mean_row is None else mean_row
        # A bundle that a row meets o times has o m nonzeros.
        overlap = min(max(message_cost / matrix.m, FIRST_OVERLAP), LARGEST_OVERLAP)
        first = int(min(overlap * matrix.n / max(mean_row, 1e-300), self.most))
        self.tau = max(SMALLEST_TAU, first) if tau is None else tau

    def learn(self, undone: int, bundles: int, efficiency: float) -> None:
        """Shrink where bundles were undone or two columns did each other's work; else grow.

        ``efficiency`` is the decrease seen, as a share of the sum of what each column promised.
        """
        if self.is_fixed:
            return
        if undone > self.undone * bundles or efficiency < self.shrink:
            self.tau = max(SMALLEST_TAU, self.tau // 2)
        elif undone == 0 and efficiency > self.grow:
            self.tau = min(self.most, 2 * self.tau)
