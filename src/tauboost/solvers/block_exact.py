"""The exact method on tables: all stumps of a column at once. Parallel, monotone, deterministic.

A sweep visits every column, in a new order each time, and minimises over all of its levels from one
histogram (cpp/table/block_steps.hpp). No step is ever undone. The bits are the same for any number
of threads.
"""

from __future__ import annotations

import math

import numpy as np

from ..table_rows import TableRows
from .start import Start
from .weights import MultiplicativeWeights

__all__ = ["BlockExact"]


class BlockExact(MultiplicativeWeights):
    """A point that sweeps over the columns of a table move."""

    is_monotone = True
    rows: TableRows

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        self.n_terms = self.rows.design.table.n_terms
        self.random = np.random.Generator(np.random.Philox(key=start.seed))
        self.edge_hint = math.inf

    def advance(self, epochs_left: float) -> None:
        """Sweep over the columns once, or over as many as there are epochs left for."""
        n = min(self.n_terms, max(1, math.ceil(epochs_left * self.n_terms - 1e-6)))
        terms = self.random.permutation(self.n_terms)[:n].astype(np.int32)
        self.lam, outcome = self.rows.sweep(self.lam, self.total, self.penalty, terms)
        self.updates += math.ceil(self.problem.n_coordinates * n / self.n_terms)
        if n == self.n_terms:
            self.edge_hint = outcome.edge[0]
        self.settle(n * outcome.longest[0])
