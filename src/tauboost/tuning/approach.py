"""The first part of a fit with many columns: sweeps of all tasks side by side, in lanes.

Where a Newton step over all columns is cheap, ``solve`` takes it at once. Else sweeps with steps in
a subspace (subspace.py) come near the optimum sooner than it does by itself; there it proves how
near, and goes on if that is not near enough.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..penalty import Factors
from ..solvers.exact import WARM
from ..solvers.newton import MOST_DENSE, dense_price
from .alpha_path import AlphaPath
from .options import Job
from .samples import Samples
from .strength import Strength

__all__ = ["approached"]

# Sweeps end where one lowers the objective by no more than this share of what may be left.
ENOUGH = 0.5


def approached(job: Job, strength: Strength, factors: list[Factors | None]) -> tuple[Job, int]:
    """Return the job from a better start, and how many sweeps that took."""
    samples, options = job.samples, job.options
    if options.tol == 0 or not is_worth_it(samples, strength):
        return job, 0
    path = AlphaPath(
        samples,
        strength,
        [np.zeros(samples.n)],
        job.start,
        seed=samples.seed,
        factors=[factors],
    )
    while path.n_sweeps < options.max_iter - 1 and not job.clock.is_over:
        objective = path.objective()
        fall = path.converge(0.0, 1)
        if job.tell("fit", path.n_sweeps, objective):
            break
        if fall <= ENOUGH * options.tol * objective / samples.n_tasks:
            break
    return replace(job, start=path.points()), path.n_sweeps


def is_worth_it(samples: Samples, strength: Strength) -> bool:
    """Tell whether sweeps in lanes are the faster way to begin."""
    if strength.loss != "logistic" or strength.l1_ratio > 0 or strength.alpha == 0:
        return False
    matrix = samples.matrix
    price = dense_price(matrix.m, matrix.n, matrix.nnz)
    return matrix.n > MOST_DENSE or price > 2 * WARM * matrix.nnz
