"""The first part of a fit with many columns: sweeps of all tasks side by side, in lanes.

Where a Newton step over all columns is cheap, ``solve`` takes it at once. Else sweeps with steps in
a subspace (subspace.py) come near the optimum sooner than it does by itself. Of two classes they
are certified here, and there is nothing left to solve.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..base.arrays import Vector
from ..penalty import Factors
from ..problem import Problem
from ..search.search import Candidate
from ..search.watch import Watch
from ..solvers.bound import value_and_gap
from ..solvers.exact import WARM
from ..solvers.newton import MOST_DENSE, dense_price
from ..solvers.result import Status
from ..solvers.stopping import SweepMonitor, run
from .alpha_path import AlphaPath
from .options import Options
from .samples import Samples
from .trained import Minimum

__all__ = ["Approach", "is_worth_it"]

# Sweeps go on while one lowers the objective by more than this share of what may be left.
ENOUGH = 0.2
# Where the gap is still too large then, sweeps have to fall as far as it has to, to this power.
POWER, LEAST_SHARE, MOST_SHARE = 1.4, 0.05, 0.7
# Where so many sweeps are not enough, others are better.
MOST_SWEEPS = 30


class Approach(SweepMonitor[AlphaPath]):
    """Sweeps of all tasks towards the optimum on all samples."""

    def __init__(
        self,
        samples: Samples,
        candidate: Candidate,
        factors: list[Factors | None],
        start: Vector | None,
        options: Options,
        watch: Watch,
        n_before: int,
        note: Callable[[], None],
    ) -> None:
        self.samples, self.candidate, self.factors = samples, candidate, factors
        self.tol, self.watch, self.n_before, self.note = options.tol, watch, n_before, note
        held = [np.zeros(samples.n)]
        self.path = AlphaPath(samples, candidate, held, start, factors=[factors])
        most = min(MOST_SWEEPS, options.max_iter - 1) - n_before
        super().__init__(watch.rule(0.0, most), self._look)
        self.share = ENOUGH
        self.found: Minimum | None = None
        self._go_on(self.path.objective())

    @property
    def n_sweeps(self) -> int:
        """Sweeps of all tasks so far."""
        return self.n_before + self.path.n_sweeps

    def run(self) -> Minimum | None:
        """Sweep while it pays; returns the optimum if it is proved to be there."""
        run(self.path, self)
        return self.found

    def observe(self, at: AlphaPath) -> Status | None:
        """Sweep on where all fits have come to a rest too early."""
        status = super().observe(at)
        is_at_rest = status in (Status.CONVERGED, Status.MAX_EPOCHS) and at.n_sweeps > 0
        if not is_at_rest or self._is_enough(at):
            return status
        at.open_all()
        return Status.MAX_EPOCHS if at.epochs() >= self.rule.max_epochs else None

    def _is_enough(self, at: AlphaPath) -> bool:
        """Return True if more sweeps are of no use; else say how far they are to go."""
        tol, objective = self.tol, at.objective()
        if objective >= 0.8 * self.objective:
            if not self.samples.is_binary:
                return True
            found = self._certified()
            if found.gap is None:
                return True
            if found.gap <= tol * found.objective:
                self.found = found
                return True
            still = tol * found.objective / found.gap
            self.share *= min(max(still**POWER, LEAST_SHARE), MOST_SHARE)
        self._go_on(objective)
        return False

    def _go_on(self, objective: float) -> None:
        self.objective = objective
        enough = self.share * self.tol * objective / self.samples.n_tasks
        self.rule = replace(self.rule, decrease=enough)

    def _look(self) -> bool:
        self.note()
        return self.watch.tell("fit", self.n_sweeps, self.path.objective)

    def _certified(self) -> Minimum:
        samples, (point,) = self.samples, self.path.points()
        problem = Problem.of_design(
            samples.design, samples.weights, loss=self.candidate.loss, n_threads=samples.n_threads
        )
        psi = self.candidate.psi(samples.design.n_penalised, self.factors[0])
        value, gap = value_and_gap(problem, psi, point, samples.n_threads)
        return Minimum(
            point,
            value,
            value + psi.value(point),
            self.n_sweeps,
            "",
            Status.CONVERGED,
            gap if np.isfinite(gap) else None,
            self.candidate.loss,
        )


def is_worth_it(samples: Samples, candidate: Candidate) -> bool:
    """Tell whether sweeps in lanes are the faster way to begin."""
    if candidate.loss != "logistic" or candidate.l1_ratio > 0 or candidate.alpha == 0:
        return False
    matrix = samples.matrix
    price = dense_price(matrix.m, matrix.n, matrix.nnz)
    return matrix.n > MOST_DENSE or price > 2 * WARM * matrix.nnz
