"""From the levels of a table's columns to the hypotheses that psi is about, and back.

lam_t = (x_{t+1} - x_t) / 2 for a threshold between two ordered bins, x_b for a bin by itself.
"""

from __future__ import annotations

import numpy as np

from ..base.arrays import Vector
from ..design.table import TableDesign
from .binned_rows import BinnedRows

__all__ = ["TableStumps"]


class TableStumps:
    """The hypotheses of all columns, one after the other."""

    def __init__(self, samples: BinnedRows) -> None:
        n_levels = int(samples.starts[-1])
        occurs = samples.level_weights[:n_levels] > 0
        order = np.empty(0, dtype=np.intp)
        self.design = TableDesign(samples.columns, samples.table, order, occurs)
        self.n_columns, self.n_levels = len(samples.columns), n_levels
        self.term = self.design.column_of[self.design.kept]  # of each hypothesis
        # Which of a term's two signs is its own: of jumps, or of bins by themselves.
        self.kind = np.where(self.design.is_threshold[self.design.kept], 0, 1)

    def lam(self, levels: Vector) -> Vector:
        """Return the hypotheses' weights at these levels, of all terms."""
        return self.design.from_levels(levels[: self.n_levels], 0.0)[:-1]

    def slopes(self, up: Vector, down: Vector) -> Vector:
        """Return the slope of F along each, from row weights of both classes over the levels."""
        neg, pos = self.design.sums(up[: self.n_levels], down[: self.n_levels])
        return np.asarray((pos - neg)[:-1])
