"""A Newton step over a few directions after each sweep of some lanes (cpp/kernels/subspace.hpp).

Coordinate steps crawl where many columns say the same; where they have come from shows where they
are heading. For the logistic loss without l1, whose objective is smooth.
"""

from __future__ import annotations

import numpy as np

from .. import _core
from ..base.sigmoid import log
from .lanes import Lanes, flat

__all__ = ["Subspace"]

MEMORY = ("row_point", "row_step", "row_older", "point", "step", "older")


class Subspace:
    """Remembers the last two sweeps of some lanes, and steps in their span."""

    def __init__(self, lanes: Lanes) -> None:
        self.lanes, self.n_taken = lanes, 0
        matrix, width = lanes.matrix, lanes.width
        self.is_useful = lanes.E is not None and not lanes.l1.any()
        if not self.is_useful:
            return
        c = np.zeros((matrix.m, width))
        c[:, : lanes.k] = lanes.c
        labels = None
        if matrix.n > lanes.n_penalised:  # the column of the intercept has the labels
            labels, unit = np.zeros(matrix.m), np.zeros(matrix.n)
            unit[-1] = 1.0
            _core.add_all(matrix, unit, labels, lanes.n_threads)
        self.row_point = log(np.ascontiguousarray(lanes.E))
        self.row_step, self.row_older = (np.zeros((matrix.m, width)) for _ in range(2))
        self.point = lanes.lam.copy()
        self.step, self.older = (np.zeros((matrix.n, width)) for _ in range(2))
        self.kernel = _core.Subspace(
            matrix,
            c.reshape(-1),
            labels,
            lanes.l2,
            flat(lanes.l2_factors),
            lanes.columns,
            lanes.n_penalised,
            *(getattr(self, name).reshape(-1) for name in MEMORY),
        )

    def take(self) -> None:
        """Take the step that the sweep just made allows for; what it gains is the sweep's."""
        if self.is_useful:
            gain = self.kernel.run(self.lanes.rows.reshape(-1), self.lanes.lam.reshape(-1))
            self.n_taken += 1
            self.lanes.decrease = self.lanes.decrease + np.array(gain[: self.lanes.k])
