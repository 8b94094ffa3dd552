"""Exact coordinate minimisation: the default method. Parallel, monotone, deterministic.

Sweeps of exact steps (cpp/exact.hpp) over columns in bundles of tau, in the order of
sweep_plan.py, and, where it pays, a Newton step on the free coordinates (newton.py). Every decision
is taken from counts and values, never from clocks or threads: the bits are the same for any number
of threads.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..arrays import Vector
from ..kernels import _core
from ..penalty import Penalty
from ..problem import Problem
from .newton import NewtonFinish
from .result import Result
from .stopping import Monitor, drive
from .sweep_plan import SweepPlan
from .weights import MultiplicativeWeights

__all__ = ["solve"]

SMALLEST_TAU, LARGEST_TAU = 4, 8192
# Below this many nonzeros a bundle is over before a second thread has joined in.
NONZEROS_WORTH_A_THREAD = 2**12


def solve(
    problem: Problem,
    penalty: Penalty,
    monitor: Monitor,
    lam: Vector,
    *,
    tau: int | None,
    seed: int,
    n_threads: int,
) -> Result:
    """Minimise F + psi; ``tau`` fixes the size of bundles, None adapts it to what is seen."""
    return drive(_Exact(problem, penalty, lam, tau, seed, n_threads), monitor)


class _Exact(MultiplicativeWeights):
    is_monotone = True

    def __init__(
        self,
        problem: Problem,
        penalty: Penalty,
        lam: Vector,
        tau: int | None,
        seed: int,
        n_threads: int,
    ) -> None:
        super().__init__(problem, penalty, lam, n_threads)
        self.bundles = _BundleSize(problem, tau)
        self.plan = SweepPlan(problem, seed)
        self.newton = NewtonFinish(problem, penalty, self.plan.counts, self.rows)
        self.edge_hint = math.inf
        self.sweep_edge = 0.0
        self.sweep_decrease = 0.0

    def advance(self, epochs_left: float) -> None:
        """Go on with the sweep at hand, as far as the next look; after it, plan the next."""
        columns = self.plan.take(self.updates_in(epochs_left))
        outcome = self._sweep(columns)
        self.updates += len(columns)
        self.bundles.learn(outcome)
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
                self.start_from(found.lam, found.r)

    def _sweep(self, columns: NDArray[np.int32]) -> _core.SweepOutcome:
        tau = min(self.bundles.tau, max(len(columns), 1))
        busy = tau * self.plan.mean_cost // NONZEROS_WORTH_A_THREAD
        return self.rows.exact_sweep(
            **self.state(),
            columns=columns,
            tau=tau,
            gain=self.plan.gain,
            n_threads=max(1, min(self.n_threads, self.problem.matrix.n_shards, busy)),
        )


class _BundleSize:
    """tau, adapted to what is seen: grow while bundles decrease F as single columns would.

    Where a bundle costs a message, more is put up with: it still pays when half is lost.
    """

    def __init__(self, problem: Problem, tau: int | None) -> None:
        matrix = problem.matrix
        self.is_fixed = tau is not None
        self.most = max(SMALLEST_TAU, min(LARGEST_TAU, matrix.n // 4))
        self.undone, self.shrink, self.grow = 0.02, 0.6, 0.9
        if problem.is_spread:
            self.undone, self.shrink, self.grow = 0.1, 0.3, 0.6
        mean_overlap = max(matrix.nnz, 1) / (matrix.m * matrix.n)
        first = int(min(problem.first_overlap / mean_overlap, self.most))
        self.tau = max(SMALLEST_TAU, first) if tau is None else tau

    def learn(self, outcome: _core.SweepOutcome) -> None:
        """Shrink where bundles were undone or two columns did each other's work; else grow."""
        if self.is_fixed or outcome.predicted <= 0:
            return
        efficiency = outcome.decrease / outcome.predicted
        if outcome.undone > self.undone * outcome.bundles or efficiency < self.shrink:
            self.tau = max(SMALLEST_TAU, self.tau // 2)
        elif outcome.undone == 0 and efficiency > self.grow:
            self.tau = min(self.most, 2 * self.tau)
