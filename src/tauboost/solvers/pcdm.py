"""The paper's Algorithm 2, Parallel AdaBoost: synchronous, tau-nice sampling.

    S a random set of tau coordinates;  for i in S, in parallel:
        lam_i <- argmin_x  grad_i F (x - lam_i) + beta L_i / 2 (x - lam_i)^2 + psi_i(x)
    undo if F + psi rose

with beta of Theorem 1. Without psi the step is -grad_i F / (beta L_i). Bits do not depend on the
number of threads: the sampling is a function of (seed, iteration), sums run in shard order.
"""

from __future__ import annotations

from .. import _core
from ..base.arrays import Vector
from ..base.threads import useful_threads
from ..penalty import Penalty
from ..problem import BaseProblem
from ..rows import DrawOutcome, Draws
from .random_draws import RandomDraws
from .result import Result
from .stopping import Monitor, drive

__all__ = ["solve"]


def solve(
    problem: BaseProblem,
    penalty: Penalty,
    monitor: Monitor,
    lam: Vector,
    *,
    tau: int,
    seed: int,
    n_threads: int,
) -> Result:
    """Minimise F + psi."""
    return drive(_Pcdm(problem, penalty, lam, tau, seed, n_threads), monitor)


class _Pcdm(RandomDraws):
    is_monotone = True

    def __init__(
        self,
        problem: BaseProblem,
        penalty: Penalty,
        lam: Vector,
        tau: int,
        seed: int,
        n_threads: int,
    ) -> None:
        super().__init__(problem, penalty, lam, tau, seed, n_threads)
        matrix = problem.matrix
        self.sampling = _core.NiceSampling(matrix.n, tau, seed)
        self.iterations = 0
        most, work = min(n_threads, matrix.n_shards), tau * matrix.nnz // matrix.n
        self.kernel_threads = useful_threads(most, work, "draw")

    def run(self, n_updates: int, max_drift: float) -> DrawOutcome:
        draws = Draws(self.beta, self.sampling, self.iterations, -(-n_updates // self.tau))
        outcome = self.rows.pcdm(self.iterate(), draws, max_drift, self.kernel_threads)
        self.iterations += outcome.done
        self.updates += outcome.done * self.tau
        return outcome
