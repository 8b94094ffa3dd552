"""The last fit of a table model: sweeps and steps in their span, until the gap is small enough.

A certificate costs about two sweeps, and is made when it is likely to be good: slopes are off by
about the square root of what a sweep gains, and the gap of the columns by as much, that of the
pairs by its square, which is what a sweep gains. How much exactly one certificate tells the next.
Where the pairs' part of the gap is small already, sweeps are over the columns alone: their slopes
have limits that must be met to the last few percent, and most of the terms are pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..search.watch import Watch
from ..solvers.result import Status
from .table_gap import Certified, TableGap
from .table_lanes import TableLanes
from .table_options import TableOptions
from .table_span import Span
from .trained import Minimum

__all__ = ["Descent"]

FIRST = 10  # sweeps before the first certificate
LATEST = 1.5  # times the sweeps of the last certificate: then the next one is due anyway
OF_PAIRS, LIKELY = 0.4, 0.8  # shares of the tolerance: for pairs, and what is hoped for
# Without a certificate a fit ends where a sweep gains no more than this share of the tolerance.
GAINED = 0.01
NOTHING, MOST_IDLE = 1e-15, 3  # a gain that is rounding, and so many sweeps of it


class Descent:
    """The fit of one task; ``look`` is told of each sweep, and asked whether to stop."""

    def __init__(
        self,
        gap: TableGap,
        span: Span,
        options: TableOptions,
        clock: Watch,
        look: Callable[[TableLanes], bool],
    ) -> None:
        self.gap, self.span, self.lanes = gap, span, gap.lanes
        self.options, self.clock, self.look = options, clock, look
        self.with_pairs = bool(gap.grids)
        self.last = 0  # the sweep after which the last certificate was made
        self.enough = 0.0  # what a sweep gains when the next one is likely to be good

    def run(self, columns: NDArray[np.int32], terms: NDArray[np.int32]) -> Minimum:
        """Sweep over the terms, or over those of columns."""
        lanes, idle, swept = self.lanes, 0, 0.0
        while True:
            # A fit ends with a sweep, after which levels that may be equal are so.
            fall = self.span.take(swept) if swept > 0.0 else 0.0
            swept = float(lanes.sweep(terms if self.with_pairs else columns)[0])
            fall += swept
            is_stopped = self.look(lanes)
            wanted = self._wanted(self.span.objective - swept)
            idle = idle + 1 if fall <= NOTHING * abs(self.span.objective) else 0
            if not self.gap.is_possible and fall <= GAINED * wanted:
                why = f"Converged: a sweep gained {fall:.2g}; without a penalty there is no gap."
                return self._minimum(self.gap.now(), Status.CONVERGED, why)
            cut = self._cut(idle, is_stopped)
            if cut is not None or self._is_due(fall):
                found = self.gap.now()
                if self.options.tol > 0.0 and found.gap <= self._wanted(found.objective):
                    return self._minimum(found, Status.CONVERGED)
                if cut is not None:
                    return self._minimum(found, *cut)
                self._expect(found, fall, wanted)

    def _wanted(self, objective: float) -> float:
        """Return the gap that is small enough."""
        return self.options.tol * (objective if self.lanes.loss.has_odds else 1.0)

    def _is_due(self, fall: float) -> bool:
        if not self.gap.is_possible or self.options.tol == 0.0:
            return False
        n_sweeps = self.lanes.n_sweeps
        if self.last == 0:
            return n_sweeps >= FIRST
        return n_sweeps > LATEST * self.last + 2 or fall <= self.enough

    def _expect(self, found: Certified, fall: float, wanted: float) -> None:
        """Plan the next certificate."""
        self.last = self.lanes.n_sweeps
        if math.isnan(found.gap):
            self.enough = 0.25 * fall
            return
        most = OF_PAIRS * wanted
        self.with_pairs = found.of_pairs > most
        if self.with_pairs:
            part = most / found.of_pairs
        else:
            part = (LIKELY * (wanted - found.of_pairs) / (found.gap - found.of_pairs)) ** 2
        self.enough = part * fall

    def _cut(self, idle: int, is_stopped: bool) -> tuple[Status, str] | None:
        """Return how the fit ends if it may not go on."""
        if idle == MOST_IDLE:
            return Status.STALLED, "No sweep lowers the objective any more."
        if is_stopped:
            return Status.INTERRUPTED, "Interrupted by the callback."
        if self.clock.is_over:
            return Status.TIME_LIMIT, f"Out of time: {self.clock.seconds:.3g} s."
        if self.lanes.n_sweeps >= self.options.max_iter:
            return Status.MAX_EPOCHS, f"Out of sweeps: {self.options.max_iter} done."
        return None

    def _minimum(self, found: Certified, status: Status, message: str = "") -> Minimum:
        lanes = self.lanes
        return Minimum(
            lanes.levels[0],
            found.objective - lanes.psi_value(),
            found.objective,
            lanes.n_sweeps,
            message,
            status,
            None if math.isnan(found.gap) else found.gap,
            lanes.loss.name,
        )
