"""Exact coordinate minimisation: the default method. Parallel, monotone, deterministic.

Sweeps of exact steps (cpp/exact.hpp) over columns in bundles. The order of the columns is shuffled
anew for every sweep, in runs long enough to be read as a stream. Between full sweeps come sweeps
over the columns that still move, and, where it pays, a Newton step on the free coordinates. Every
decision is taken from counts and values, never from clocks or threads: the bits are the same for
any number of threads.
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

__all__ = ["solve"]

EPOCHS_BETWEEN_REFRESHES = 64
NONZEROS_BETWEEN_LOOKS = 2**25
# A run of neighbouring columns with fewer nonzeros than this costs more to find than to read.
NONZEROS_IN_A_RUN = 2**11
# What a column costs beyond its nonzeros, in nonzeros.
COLUMN_OVERHEAD = 32
# Bundles start so small that a row meets this many of their columns on average.
FIRST_OVERLAP = 0.3
SMALLEST_TAU, LARGEST_TAU = 4, 8192
NONZEROS_WORTH_A_THREAD = 2**12
# Weights outside this range have lost, or are about to lose, bits to underflow or overflow.
SAFE_RANGE = (1e-280, 1e280)
MAX_DRIFT = 300.0


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


class _Exact:
    is_monotone = True
    edge_hint: float | None
    w: Vector
    E: Vector | None = None  # logistic loss only: exp(r)
    value: float
    total: float
    shift: float  # exponential loss: value = shift + log(total)
    was_safe: bool  # at the last refresh
    drift: float  # since then, no residual has moved by more
    refreshed_at: float

    def __init__(
        self,
        problem: Problem,
        penalty: Penalty,
        lam: Vector,
        tau: int | None,
        seed: int,
        n_threads: int,
    ) -> None:
        self.problem, self.penalty, self.n_threads = problem, penalty, n_threads
        self.is_logistic = problem.loss == "logistic"
        self.lam = lam
        self.updates = 0
        self.bundles = _BundleSize(problem, tau)
        self.plan = _Plan(problem, seed)
        self.newton = NewtonFinish(problem, penalty, n_threads)
        self.edge_hint = math.inf
        self.sweep_edge = 0.0
        self.finish()

    def advance(self, epochs_left: float) -> None:
        """Go on with the sweep at hand, as far as the next look; after it, plan the next."""
        most = math.ceil(epochs_left * self.problem.n_coordinates)
        columns = self.plan.take(most)
        outcome = self._sweep(columns)
        self.updates += len(columns)
        self.bundles.learn(outcome)
        self.sweep_edge = max(self.sweep_edge, outcome.edge)
        self._settle(outcome.longest)
        if not self.plan.is_done:
            return
        if self.plan.was_full:
            self.edge_hint = self.sweep_edge
        self.sweep_edge = 0.0
        self.plan.next_sweep()
        self.newton.pay(self.plan.work)
        if self.newton.is_due:
            self._newton_step()

    def _sweep(self, columns: NDArray[np.int32]) -> _core.SweepOutcome:
        tau = min(self.bundles.tau, max(len(columns), 1))
        work = tau * self.problem.matrix.nnz // self.problem.n_coordinates
        busy = max(1, work // NONZEROS_WORTH_A_THREAD)
        return _core.exact_sweep(
            self.problem.matrix,
            self.w,
            self.E,
            self.problem.c if self.is_logistic else None,
            self.lam,
            self.total,
            self.penalty.l1,
            self.penalty.l2,
            self.penalty.lower,
            self.penalty.upper,
            self.penalty.n,
            columns,
            tau,
            self.plan.gain,
            min(self.n_threads, self.problem.matrix.n_shards, busy),
        )

    def _settle(self, longest: float) -> None:
        """Sum the weights anew; refresh everything where multiplication may have lost bits."""
        kept = self.w if self.E is None else self.E
        self.drift += self.problem.omega * longest
        # Where some weights are truly too small to represent, mind only whether they come back.
        worn = not _is_safe(kept) if self.was_safe else self.drift > MAX_DRIFT
        if worn or self.epochs() - self.refreshed_at >= EPOCHS_BETWEEN_REFRESHES:
            self.finish()
        elif self.E is not None:
            self.value = float(np.sum(self.problem.c * np.log1p(self.E)))
        else:
            self.total = float(self.w.sum())
            self.value = self.shift + math.log(self.total)

    def _newton_step(self) -> None:
        before = self.value + self.penalty.value(self.lam)
        found = self.newton.step(self.lam, before)
        if found is not None:
            self.lam, r = found
            self._start_from(r)

    def gradient(self) -> Vector:
        neg, pos = self.problem.signed_sums(self.w, self.n_threads)
        return (pos - neg) / self.total

    def epochs(self) -> float:
        return self.updates / self.problem.n_coordinates

    def finish(self) -> None:
        self._start_from(self.problem.residuals(self.lam, self.n_threads))

    def _start_from(self, r: Vector) -> None:
        """Everything that follows from the residuals, exactly."""
        weights = self.problem.weigh(r)
        self.w, self.total, self.value = weights.w, weights.total, weights.value
        self.shift = self.value - math.log(self.total)
        if self.is_logistic:
            self.E = np.exp(np.clip(r, -700.0, 700.0))
        self.was_safe = _is_safe(self.w if self.E is None else self.E)
        self.drift = 0.0
        self.refreshed_at = self.epochs()


def _is_safe(values: Vector) -> bool:
    return bool(values.min() > SAFE_RANGE[0] and values.max() < SAFE_RANGE[1])


class _BundleSize:
    """tau, adapted to what is seen: grow while bundles decrease F as single columns would."""

    def __init__(self, problem: Problem, tau: int | None) -> None:
        matrix = problem.matrix
        self.is_fixed = tau is not None
        self.most = max(SMALLEST_TAU, min(LARGEST_TAU, matrix.n // 4))
        mean_overlap = max(matrix.nnz, 1) / (matrix.m * matrix.n)
        first = int(min(FIRST_OVERLAP / mean_overlap, LARGEST_TAU))
        self.tau = tau if tau is not None else max(SMALLEST_TAU, min(first, self.most))

    def learn(self, outcome: _core.SweepOutcome) -> None:
        if self.is_fixed or outcome.predicted <= 0:
            return
        efficiency = outcome.decrease / outcome.predicted
        if outcome.undone > 0.02 * outcome.bundles or efficiency < 0.6:
            self.tau = max(SMALLEST_TAU, self.tau // 2)
        elif outcome.undone == 0 and efficiency > 0.9:
            self.tau = min(self.most, 2 * self.tau)


class _Plan:
    """Which columns the sweeps visit, and in which order.

    ``gain`` is what the kernel expected from each column when it last visited it. A sweep over the
    columns whose gain per cost is worth it is repeated while it stays so; then all columns again.
    """

    columns: NDArray[np.int32]  # of the sweep at hand, in order
    position: int  # how many of them have been visited
    stride: int  # how many are visited between two looks at the objective
    work: int  # their cost
    was_full: bool

    def __init__(self, problem: Problem, seed: int) -> None:
        matrix = problem.matrix
        self.random = np.random.Generator(np.random.Philox(key=seed))
        counts = np.empty(matrix.n, dtype=np.int64)
        matrix.column_counts(counts)
        self.cost = counts + COLUMN_OVERHEAD
        self.gain = np.zeros(matrix.n)
        self.nonempty = np.flatnonzero(counts).astype(np.int32)
        self.run_length = max(1, NONZEROS_IN_A_RUN * len(self.nonempty) // max(matrix.nnz, 1))
        self.partial_sweeps = 0
        self._begin(self.nonempty)

    @property
    def is_done(self) -> bool:
        return self.position >= len(self.columns)

    def take(self, most: int) -> NDArray[np.int32]:
        """Return the next columns, at most so many, and no more than until the next look."""
        stop = min(len(self.columns), self.position + most, self.position + self.stride)
        taken = self.columns[self.position : stop]
        self.position = stop
        return taken

    def next_sweep(self) -> None:
        """Choose the columns of the next sweep from what the last visits gained."""
        rate = self.gain / self.cost
        mean = self.gain.sum() / self.cost.sum()
        promising = np.flatnonzero(rate > 0.1 * mean).astype(np.int32)
        share = self.cost[promising].sum() / self.cost.sum()
        if self.partial_sweeps < 4 and 0 < share < 0.5:
            self.partial_sweeps += 1
            self._begin(promising)
        else:
            self.partial_sweeps = 0
            self._begin(self.nonempty)

    def _begin(self, chosen: NDArray[np.int32]) -> None:
        self.was_full = len(chosen) == len(self.nonempty)
        self.work = int(self.cost[chosen].sum())
        self.columns = self._shuffled(chosen)
        self.position = 0
        mean_cost = max(1, self.work // max(len(chosen), 1))
        self.stride = max(1, NONZEROS_BETWEEN_LOOKS // mean_cost)

    def _shuffled(self, columns: NDArray[np.int32]) -> NDArray[np.int32]:
        n_runs = max(1, len(columns) // self.run_length)
        whole = n_runs * self.run_length
        if whole > len(columns):
            return self.random.permutation(columns)
        runs = columns[:whole].reshape(n_runs, self.run_length)
        shuffled = runs[self.random.permutation(n_runs)].ravel()
        return np.concatenate([shuffled, columns[whole:]])
