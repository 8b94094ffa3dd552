"""The rows of a table on this machine, behind the interface of rows.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import _core
from .base.arrays import Vector
from .base.threads import useful_threads
from .design.table import TableDesign
from .losses import Loss
from .penalty import Penalty
from .rows import Columns, LocalWeights

__all__ = ["BIN_SIGN", "TableRows", "term_signs"]

# Newton steps over the bins of a term, at most, before its rows are looked at again.
NEWTON_STEPS = 4
BIN_SIGN = 1  # where the sign of single bins stands, behind that of jumps
CELLS_FOR_A_NONZERO = 2  # a cell costs half of what a nonzero of a sparse matrix does


class TableRows(LocalWeights):
    """All rows of a table: weights in the core's order."""

    def __init__(
        self,
        design: TableDesign,
        loss: Loss,
        c: Vector,
        y: Vector,
        n_threads: int,
        *,
        has_equal_weights: bool,
    ) -> None:
        super().__init__(loss, c, has_equal_weights=has_equal_weights)
        self.design, self.y = design, y
        self.n_threads = useful_threads(
            n_threads, len(c) * len(design.columns) // CELLS_FOR_A_NONZERO
        )
        self.shards = np.arange(design.table.n_shards, dtype=np.int32)
        self.is_positive = np.array([0, 1], dtype=np.uint8)[: design.table.n_labels]

    def add_columns(self, d: Vector, r: Vector) -> None:
        r += self.y * self._values(self.design.levels(d), d[-1])

    def absolute_residuals(self, lam: Vector) -> Vector:
        """Return |A| |lam|: stumps are 1 or -1 wherever they say something."""
        return self._values(self.design.absolute_levels(lam), abs(lam[-1]))

    def _values(self, levels: Vector, intercept: float) -> Vector:
        values, start = np.empty(len(self.c)), np.array([intercept])
        _core.table_values(self.design.table, levels, start, self.shards, values, self.n_threads)
        return values

    def signed_sums(self, w: Vector, columns: Columns | None = None) -> tuple[Vector, Vector]:
        table = self.design.table
        sums = np.empty(table.n_labels * table.n_levels)
        _core.table_histograms(table, w, sums, self.n_threads)
        down, up = sums.reshape(2, -1)
        neg, pos = self.design.sums(up, down)
        return (neg, pos) if columns is None else (neg[columns], pos[columns])

    @property
    def w(self) -> Vector:
        """The weights of the rows; the kernel keeps nothing but E of the logistic loss."""
        return self._w if self.E is None else self.c * (self.E / (1.0 + self.E))

    @w.setter
    def w(self, w: Vector) -> None:
        self._w = w

    def sweep(
        self, lam: Vector, total: float, penalty: Penalty, terms: Columns
    ) -> tuple[Vector, _core.LaneOutcome]:
        """Minimise over all levels of each of these terms in turn; returns the new lam."""
        design, table = self.design, self.design.table
        levels, intercept = design.levels(lam), lam[-1:].copy()
        outcome = _core.table_sweep(
            table,
            self.w if self.E is None else self.E,
            self.kernel_c,
            self.is_positive,
            self.shards,
            levels,
            intercept,
            np.array([total]),
            np.full(table.n_terms, penalty.l1),
            np.full(table.n_terms, penalty.l2),
            term_signs(design, penalty).reshape(-1),
            terms,
            NEWTON_STEPS,
            self.n_threads,
        )
        return design.from_levels(levels, float(intercept[0])), outcome


def term_signs(design: TableDesign, penalty: Penalty) -> NDArray[np.int8]:
    """Return the signs that bounds ask of each term: of its jumps, and of its single bins.

    1: not below 0; -1: not above 0; 0: free. Other bounds are for sparse problems.
    """
    signs = np.zeros((len(design.columns), 2), dtype=np.int8)
    if penalty.lower is None or penalty.upper is None:
        return signs
    lower, upper = penalty.lower, penalty.upper
    is_sign = (np.isneginf(lower) | (lower == 0)) & (np.isposinf(upper) | (upper == 0))
    kind = np.where(lower == 0, 1, 0) - np.where(upper == 0, 1, 0)
    if not is_sign.all() or np.any((lower == 0) & (upper == 0)):
        raise ValueError(
            "bounds of a TableProblem are signs: lower 0 or -inf, upper 0 or inf, not both 0"
        )
    is_jump = design.is_threshold[design.kept]
    column = design.column_of[design.kept]
    for place, chosen in ((0, is_jump), (BIN_SIGN, ~is_jump)):
        signs[column[chosen], place] = kind[chosen]
        if np.any(signs[column[chosen], place] != kind[chosen]):
            raise ValueError("bounds of a TableProblem must be the same for all of a column")
    return signs
