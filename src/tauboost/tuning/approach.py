"""The first part of a fit with many columns: sweeps of all tasks side by side, in lanes.

Where a Newton step over all columns is cheap, ``solve`` takes it at once. Else sweeps with steps in
a subspace (subspace.py) come near the optimum sooner than it does by itself. Of two classes they
are certified here, and there is nothing left to solve.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..penalty import Factors
from ..problem import Problem
from ..solvers.bound import value_and_gap
from ..solvers.exact import WARM
from ..solvers.newton import MOST_DENSE, dense_price
from ..solvers.result import Status
from .alpha_path import AlphaPath
from .options import Job
from .samples import Samples
from .strength import Strength
from .trained import Minimum

__all__ = ["Approach", "is_worth_it"]

# Sweeps go on while one lowers the objective by more than this share of what may be left.
ENOUGH = 0.2
# Where the gap is still too large then, sweeps have to fall as far as it has to, to this power.
POWER, LEAST_SHARE, MOST_SHARE = 1.4, 0.05, 0.7
# Where so many sweeps are not enough, others are better.
MOST_SWEEPS = 30


class Approach:
    """Sweeps of all tasks towards the optimum on all samples."""

    def __init__(
        self,
        job: Job,
        strength: Strength,
        factors: list[Factors | None],
        n_before: int,
        note: Callable[[], None],
    ) -> None:
        self.job, self.samples, self.strength = job, job.samples, strength
        self.factors, self.n_before, self.note = factors, n_before, note
        held = [np.zeros(job.samples.n)]
        self.path = AlphaPath(job.samples, strength, held, job.start, factors=[factors])
        self.most = min(MOST_SWEEPS, job.options.max_iter - 1) - n_before
        self.share = ENOUGH

    @property
    def n_sweeps(self) -> int:
        """Sweeps of all tasks so far."""
        return self.n_before + self.path.n_sweeps

    def run(self) -> Minimum | None:
        """Sweep while it pays; returns the optimum if it is proved to be there."""
        path, tol = self.path, self.job.options.tol
        while path.n_sweeps < self.most:
            objective = path.objective()
            enough = self.share * tol * objective / self.samples.n_tasks
            if path.converge(enough, self.most - path.n_sweeps, self._look):
                break
            if path.objective() < 0.8 * objective:
                continue
            if not self.samples.is_binary:
                break
            found = self._certified()
            if found.gap is not None and found.gap <= tol * found.objective:
                return found
            if found.gap is None:
                break
            still = tol * found.objective / found.gap
            self.share *= min(max(still**POWER, LEAST_SHARE), MOST_SHARE)
        return None

    def _look(self) -> bool:
        job = self.job
        self.note()
        told = job.options.report is not None and job.tell(
            "fit", self.n_sweeps, self.path.objective()
        )
        return told or job.clock.is_over

    def _certified(self) -> Minimum:
        samples, (point,) = self.samples, self.path.points()
        problem = Problem.of_design(
            samples.design, samples.weights, loss=self.strength.loss, n_threads=samples.n_threads
        )
        psi = self.strength.psi(samples.design.n_penalised, self.factors[0])
        value, gap = value_and_gap(problem, psi, point, samples.n_threads)
        return Minimum(
            point,
            value,
            value + psi.value(point),
            self.n_sweeps,
            "",
            Status.CONVERGED,
            gap if np.isfinite(gap) else None,
            self.strength.loss,
        )


def is_worth_it(samples: Samples, strength: Strength) -> bool:
    """Tell whether sweeps in lanes are the faster way to begin."""
    if strength.loss != "logistic" or strength.l1_ratio > 0 or strength.alpha == 0:
        return False
    matrix = samples.matrix
    price = dense_price(matrix.m, matrix.n, matrix.nnz)
    return matrix.n > MOST_DENSE or price > 2 * WARM * matrix.nnz
