"""The exact method on tables: all stumps of a column at once. Parallel, monotone, deterministic.

A sweep visits every column, in a new order each time, and minimises over all of its levels from one
histogram (cpp/table/term_steps.hpp). No step is ever undone. The bits are the same for any number
of threads.
"""

from __future__ import annotations

import math

import numpy as np

from ..io.saved import Range, State, pack, pack_random, part, prefixed, unpack, unpack_random
from ..table_rows import TableRows
from .start import Start
from .weights import ROWS_STATE, WEIGHTS_STATE, MultiplicativeWeights, check_restored

__all__ = ["BlockExact"]

STATE = WEIGHTS_STATE | {"edge_hint": Range(0.0, math.inf)}


class BlockExact(MultiplicativeWeights):
    """A point that sweeps over the columns of a table move."""

    is_monotone = True
    rows: TableRows

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        self.n_terms = self.rows.design.table.n_terms
        self.random = np.random.Generator(np.random.Philox(key=start.seed))
        self.edge_hint = math.inf
        if start.resume is not None:
            self.restore(start.resume)

    def advance(self, epochs_left: float) -> None:
        """Sweep over the columns once, or over as many as there are epochs left for."""
        n = min(self.n_terms, max(1, math.ceil(epochs_left * self.n_terms - 1e-6)))
        terms = self.random.permutation(self.n_terms)[:n].astype(np.int32)
        self.lam, outcome = self.rows.sweep(self.lam, self.total, self.penalty, terms)
        self.updates += math.ceil(self.problem.n_coordinates * n / self.n_terms)
        if n == self.n_terms:
            self.edge_hint = outcome.edge[0]
        self.settle(n * outcome.longest[0])

    def saved(self) -> State:
        """Return all it takes to go on from here, to the same bits."""
        rows = prefixed("rows", pack(self.rows, ROWS_STATE))
        return pack(self, STATE) | rows | {"random": pack_random(self.random)}

    def restore(self, state: State) -> None:
        """Go on from where `saved` was called."""
        unpack(self, STATE, state)
        unpack(self.rows, ROWS_STATE, part("rows", state))
        unpack_random(self.random, state)
        check_restored(self)
