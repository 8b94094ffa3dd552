"""The paper's asynchronous version: tau-independent sampling, lock-free.

Each thread draws a coordinate, reads its column through whatever the others have written so far,
and passes its step on with atomic updates: nothing is locked, nothing is lost. The step is that of
Algorithm 2 for tau processors. Not monotone by construction, and the order of updates is the
machine's, so two runs agree only to what the method makes of that; the draws are always the same.
"""

from __future__ import annotations

from .. import _core
from ..rows import DrawOutcome, LocalRows
from .random_draws import RandomDraws

__all__ = ["PcdmAsync"]


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
