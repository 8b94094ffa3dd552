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
from ..rows import DrawOutcome, Draws
from .random_draws import RandomDraws
from .start import Start

__all__ = ["Pcdm"]


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
