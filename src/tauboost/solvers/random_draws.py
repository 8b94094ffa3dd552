"""What the paper's coordinate methods share: coordinates drawn at random, a few at a time."""

from __future__ import annotations

from ..eso import beta
from ..problem import SparseProblem
from ..rows import DrawOutcome, Rows
from .start import Start
from .weights import MAX_DRIFT, MultiplicativeWeights

__all__ = ["RandomDraws"]

NONZEROS_BETWEEN_LOOKS = 2**24
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
        self.stride = max(1, min(matrix.n, matrix.n * NONZEROS_BETWEEN_LOOKS // work))

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
