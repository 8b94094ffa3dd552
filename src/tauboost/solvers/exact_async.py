"""The exact step lock-free: no bundles, no barriers, atomic updates (cpp/kernels/lockfree.hpp).

Each thread takes the next columns of the sweep and moves them at once. Not monotone by
construction, and not repeatable to the bit with several threads; it ends with an exact refresh.
"""

from __future__ import annotations

import math

from .. import _core
from ..problem import SparseProblem
from ..rows import LocalRows
from .start import Start
from .sweep_plan import SweepPlan
from .weights import MAX_DRIFT, MultiplicativeWeights

__all__ = ["ExactAsync"]


class ExactAsync(MultiplicativeWeights):
    """A point that threads move, each by the exact step."""

    is_monotone = False
    problem: SparseProblem
    rows: LocalRows  # threads share them

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        self.plan = SweepPlan(self.problem, start.seed)

    def advance(self, epochs_left: float) -> None:
        """Go on with the sweep at hand, as far as the next look."""
        columns = self.plan.take(self.updates_in(epochs_left))
        while len(columns) > 0:  # a call ends early where the numbers ask for a refresh
            # Rows drift by far less than the sum of all steps, which is all that threads can tell
            # each other; so it ends a call early only where weights are already hard to represent.
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
