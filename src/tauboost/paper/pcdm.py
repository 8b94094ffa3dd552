"""The paper's Algorithm 2, Parallel AdaBoost: synchronous, tau-nice sampling.

    S a random set of tau coordinates;  for i in S, in parallel:
        lam_i <- argmin_x  grad_i F (x - lam_i) + beta L_i / 2 (x - lam_i)^2 + psi_i(x)
    undo if F + psi rose

with beta of Theorem 1. Without psi the step is -grad_i F / (beta L_i). Bits do not depend on the
number of threads: the sampling is a function of (seed, iteration), sums run in shard order.
"""

from __future__ import annotations

from .. import _core
from ..base.threads import useful_threads
from ..problem import SparseProblem
from ..rows import DrawOutcome, Draws, LocalRows, Rows
from ..solvers.weights import MAX_DRIFT, MultiplicativeWeights, Start
from .eso import beta

__all__ = ["Pcdm", "PcdmAsync", "RandomDraws"]


# What the paper's coordinate methods share: coordinates drawn at random, a few at a time.


NONZEROS_BETWEEN_CHECKS = 2**24
# What a column costs beyond its nonzeros, in nonzeros.
COLUMN_OVERHEAD = 64


class RandomDraws(MultiplicativeWeights):
    """A point that kernels move by drawn coordinates, with the step of Theorem 1 for tau of them.

    On huge data the objective is looked at several times an epoch, so that limits are noticed in
    time.
    """

    problem: SparseProblem
    rows: Rows

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        assert start.tau is not None
        matrix, tau = self.problem.matrix, start.tau
        self.tau, self.seed = tau, start.seed
        self.beta = beta(matrix.n, max(matrix.omega, 1), tau, matrix.m)
        work = matrix.nnz + COLUMN_OVERHEAD * matrix.n
        self.stride = max(1, min(matrix.n, matrix.n * NONZEROS_BETWEEN_CHECKS // work))

    def advance(self, epochs_left: float) -> None:
        """Run up to the next multiple of the stride, refreshing where the numbers ask for it."""
        limit = self.updates + self.updates_in(epochs_left)
        goal = min((self.updates // self.stride + 1) * self.stride, limit)
        while self.updates < goal:
            outcome = self.run(goal - self.updates, MAX_DRIFT)
            self.settle(outcome.drift)

    def run(self, n_updates: int, max_drift: float) -> DrawOutcome:
        """Carry out about ``n_updates`` coordinate updates."""
        raise NotImplementedError


class Pcdm(RandomDraws):
    """A point that Algorithm 2 moves."""

    is_monotone = True

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        matrix = self.problem.matrix
        self.sampling = _core.NiceSampling(matrix.n, self.tau, self.seed)
        self.iterations = 0
        most, work = min(self.n_threads, matrix.n_shards), self.tau * matrix.nnz // matrix.n
        self.kernel_threads = useful_threads(most, work, "draw")

    def run(self, n_updates: int, max_drift: float) -> DrawOutcome:
        draws = Draws(self.beta, self.sampling, self.iterations, -(-n_updates // self.tau))
        outcome = self.rows.pcdm(self.iterate(), draws, max_drift, self.kernel_threads)
        self.iterations += outcome.done
        self.updates += outcome.done * self.tau
        return outcome


# The paper's asynchronous version: tau-independent sampling, lock-free.
#
# Each thread draws a coordinate, reads its column through whatever the others have written so
# far, and passes its step on with atomic updates: nothing is locked, nothing is lost. The step is
# that of Algorithm 2 for tau processors. Not monotone by construction, and the order of updates
# is the machine's, so two runs agree only to what the method makes of that; the draws are always
# the same.


class PcdmAsync(RandomDraws):
    """A point that at most ``tau`` threads move."""

    is_monotone = False
    rows: LocalRows  # threads share them

    def run(self, n_updates: int, max_drift: float) -> DrawOutcome:
        outcome = _core.pcdm_async(
            matrix=self.rows.matrix,
            w=self.rows.w,
            lam=self.lam,
            total=self.total,
            psi=self.penalty.kernel,
            beta=self.beta,
            seed=self.seed,
            first=self.updates,
            n_draws=n_updates,
            max_drift=max_drift,
            n_threads=min(self.n_threads, self.tau),
        )
        self.updates += outcome.done
        return DrawOutcome(outcome.done, outcome.drift)
