"""Exact coordinate minimisation: the default method. Parallel, monotone, deterministic.

Sweeps of exact steps (cpp/kernels/driver.hpp) over columns in blocks of tau, in the order of
`SweepPlan`, and, where it pays, a Newton step on the free coordinates (newton.py). Every decision
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
from ..rows import LocalRows, Rows
from .newton import NewtonFinish
from .weights import MAX_DRIFT, MultiplicativeWeights, Start, excess_edge

__all__ = ["BlockSize", "Exact", "ExactAsync", "Shape", "Shuffle", "SweepPlan"]


# Which columns the sweeps of the exact methods visit, and in which order.
#
# The order is shuffled anew for every sweep, in runs of neighbouring columns long enough to be
# read as a stream: on w8a shuffling brings an epoch-4 gap from 0.048 to 0.015. Between sweeps
# over all columns come, for methods that report what columns gained, sweeps over those that still
# gain something.


NONZEROS_BETWEEN_CHECKS = 2**25
# A run of neighbouring columns with fewer nonzeros than this costs more to find than to read.
NONZEROS_IN_A_RUN = 2**11
# Pointers to so few columns stay in the cache, whatever their order.
FEW_COLUMNS = 2**12
# What a column costs beyond its nonzeros, in nonzeros.
COLUMN_OVERHEAD = 32
# A column is swept again at once if it gained this much of the mean, for its cost; such sweeps are
# worth their while if they are this much shorter, and repeat at most this many times.
WORTH_REPEATING = 0.5
LARGEST_SHARE = 0.8
MOST_PARTIAL_SWEEPS = 8


class SweepPlan:
    """The current sweep, and the choice of the next.

    ``gain`` is what the kernel expected from each column when it last visited it. The columns whose
    gain per cost is worth it are swept a few times; then all columns again.
    """

    columns: NDArray[np.int32]  # of the current sweep, in order
    position: int  # how many of them have been visited
    stride: int  # how many are visited between two evaluations of the objective
    work: int  # what the sweep costs, in nonzeros
    mean_cost: int  # of one of its columns
    is_full: bool  # whether it visits every column that has entries

    def __init__(self, problem: SparseProblem, seed: int) -> None:
        matrix = problem.matrix
        self.counts = problem.column_counts()
        self.cost = self.counts + COLUMN_OVERHEAD
        self.total_cost = int(self.cost[self.counts > 0].sum())
        self.gain = np.zeros(matrix.n)
        self.nonempty = np.flatnonzero(self.counts).astype(np.int32)
        self.n_empty = matrix.n - len(self.nonempty)  # a full sweep passes them in no time
        self.shuffle = Shuffle(len(self.nonempty), matrix.nnz, seed)
        self.partial_sweeps = 0
        self._begin(self.nonempty)

    @property
    def is_done(self) -> bool:
        """Whether the current sweep is over."""
        return self.position >= len(self.columns)

    def take(self, most: int) -> NDArray[np.int32]:
        """Return the next columns, at most ``most``, and none beyond the next evaluation."""
        stop = min(len(self.columns), self.position + most, self.position + self.stride)
        taken = self.columns[self.position : stop]
        self.position = stop
        return taken

    def next_sweep(self) -> None:
        """Choose the columns of the next sweep from what the last visits gained.

        Columns left out keep the gain they had: as the others' gains shrink, their turn comes.
        """
        threshold = WORTH_REPEATING * self.gain.sum() / max(self.total_cost, 1)
        promising = np.flatnonzero(self.gain > threshold * self.cost).astype(np.int32)
        share = self.cost[promising].sum() / max(self.total_cost, 1)
        if self.partial_sweeps < MOST_PARTIAL_SWEEPS and 0 < share < LARGEST_SHARE:
            self.partial_sweeps += 1
            self._begin(promising)
        else:
            self.partial_sweeps = 0
            self._begin(self.nonempty)

    def _begin(self, chosen: NDArray[np.int32]) -> None:
        self.columns = columns = self.shuffle(chosen)
        self.is_full = len(columns) == len(self.nonempty)
        self.work = int(self.cost[columns].sum())
        self.position = 0
        self.mean_cost = max(1, self.work // max(len(columns), 1))
        self.stride = max(1, NONZEROS_BETWEEN_CHECKS // self.mean_cost)


class Shuffle:
    """Random orders of columns, in runs of neighbours long enough to be read as one piece."""

    def __init__(self, n_columns: int, nnz: int, seed: int) -> None:
        self.random = np.random.Generator(np.random.Philox(key=seed))
        long_enough = NONZEROS_IN_A_RUN * n_columns // max(nnz, 1)
        self.run_length = max(1, long_enough) if n_columns > FEW_COLUMNS else 1

    def __call__(self, columns: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the columns in a new random order."""
        n_runs = len(columns) // self.run_length
        if n_runs < 2:
            return self.random.permutation(columns)
        whole = n_runs * self.run_length
        runs = columns[:whole].reshape(n_runs, self.run_length)
        return np.concatenate([self.random.permutation(runs).ravel(), columns[whole:]])


SMALLEST_TAU, LARGEST_TAU = 4, 8192
# A block's rows are read twice: this many stay in the cache in between.
NONZEROS_IN_A_BLOCK = 2**16
# On text (imdb_unigram) blocks that a row meets 1.2 times lose 2 % of a sweep, 2.3 times 16 %.
FIRST_OVERLAP, LARGEST_OVERLAP = 0.3, 1.2
# A run that starts from a given point takes a Newton step after the first sweep, if its
# Hessian costs no more than WARM sweeps.
WARM = 40


class Exact(MultiplicativeWeights):
    """A point that sweeps of exact steps and Newton steps move."""

    is_monotone = True
    problem: SparseProblem
    rows: Rows

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        self.block_size = BlockSize(
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
        """Continue the sweep, as far as the next evaluation of F; at its end, plan the next."""
        columns = self.plan.take(self.updates_in(epochs_left))
        outcome = self._sweep(columns)
        self.updates += len(columns)
        if outcome.predicted > 0:
            efficiency = outcome.decrease / outcome.predicted
            self.block_size.learn(outcome.undone, outcome.bundles, efficiency)
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
        tau = min(self.block_size.tau, max(len(columns), 1))
        most = min(self.n_threads, self.problem.matrix.n_shards)
        n_threads = useful_threads(most, tau * self.plan.mean_cost, "share")
        return self.rows.exact_sweep(self.iterate(), columns, tau, self.plan.gain, n_threads)


class Shape(NamedTuple):
    """How large a matrix is: rows, columns, nonzeros."""

    m: int
    n: int
    nnz: int


class BlockSize:
    """tau, adapted to what is seen: grow while blocks decrease F as single columns would.

    Blocks start so small that a row meets FIRST_OVERLAP columns on average. Where each costs a
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
            in_the_cache = NONZEROS_IN_A_BLOCK * matrix.n // max(matrix.nnz, 1)
            self.most = max(SMALLEST_TAU, min(self.most, in_the_cache))
        self.undone, self.shrink, self.grow = (0.1, 0.3, 0.6) if is_spread else (0.02, 0.6, 0.9)
        mean_row = matrix.nnz / matrix.m if mean_row is None else mean_row
        # A block that a row meets o times has o m nonzeros.
        overlap = min(max(message_cost / matrix.m, FIRST_OVERLAP), LARGEST_OVERLAP)
        first = int(min(overlap * matrix.n / max(mean_row, 1e-300), self.most))
        self.tau = max(SMALLEST_TAU, first) if tau is None else tau

    def learn(self, undone: int, n_blocks: int, efficiency: float) -> None:
        """Shrink where blocks were undone or two columns did each other's work; else grow.

        ``efficiency`` is the decrease seen, as a share of the sum of what each column promised.
        """
        if self.is_fixed:
            return
        if undone > self.undone * n_blocks or efficiency < self.shrink:
            self.tau = max(SMALLEST_TAU, self.tau // 2)
        elif undone == 0 and efficiency > self.grow:
            self.tau = min(self.most, 2 * self.tau)


# The exact step lock-free: no blocks, no barriers, atomic updates (cpp/kernels/lockfree.hpp).
#
# Each thread takes the next columns of the sweep and moves them at once. Not monotone by
# construction, and not repeatable to the bit with several threads; it ends with an exact refresh.


class ExactAsync(MultiplicativeWeights):
    """A point that threads move, each by the exact step."""

    is_monotone = False
    problem: SparseProblem
    rows: LocalRows  # threads share them

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        self.plan = SweepPlan(self.problem, start.seed)

    def advance(self, epochs_left: float) -> None:
        """Continue the current sweep, as far as the next evaluation of the objective."""
        columns = self.plan.take(self.updates_in(epochs_left))
        while len(columns) > 0:  # a call ends early where the numbers ask for a refresh
            # Rows drift by far less than the sum of all steps, which is all that threads can know
            # of each other; so it ends a call early only where weights are hard to represent.
            rows = self.rows
            weights = (rows.matrix, rows.w, rows.E, rows.kernel_c)
            most = math.inf if self.was_safe else MAX_DRIFT
            outcome = _core.exact_async(*weights, *self.iterate(), columns, most, self.n_threads)
            self.updates += outcome.done
            columns = columns[outcome.done :]
            self.settle(outcome.drift)
        if self.plan.is_done:
            self.updates += self.plan.n_empty
            self.plan.next_sweep()
