"""Early stopping: sweeps at one alpha, ended where held-out samples like them best.

What is kept is no optimum, and depends on the order of the sweeps: for those who ask for it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..base.arrays import Vector
from .alpha_path import AlphaPath
from .choice import Row, row_of
from .options import Job
from .strength import Strength
from .trained import Trained, model_at

__all__ = ["stopped_early"]

# After so many sweeps without an improvement by this share, no more are made.
PATIENCE, LEAST_IMPROVEMENT = 3, 1e-4


def stopped_early(job: Job, strength: Strength, held: Vector) -> Trained:
    """Sweep over what is not held out, and keep the sweep with the least held-out loss."""
    samples, options = job.samples, job.options
    path = AlphaPath(samples, strength, [held], job.start, seed=samples.seed)
    least, best, waited = np.inf, 0, 0
    points, values = path.points(), path.values()[0]
    table: list[Row] = []
    while path.n_sweeps < options.max_iter and waited < PATIENCE:
        path.sweep()
        loss = path.held_out_loss(path.held_out_decisions())
        table.append(row_of(strength, path.n_sweeps, loss))
        waited = 0 if loss < least * (1.0 - LEAST_IMPROVEMENT) else waited + 1
        if loss < least:
            least, best = loss, path.n_sweeps
            points, values = path.points(), path.values()[0]
        stop = job.clock.is_over
        if options.report is not None:
            stop |= job.tell("fit", path.n_sweeps, path.objective(), loss)
        if stop:
            break
    message = f"Stopped early: sweep {best} of {path.n_sweeps}, the best on held-out samples."
    if job.clock.is_over:
        message += f" The time limit of {options.time_limit:g} s cut it short."
    model = model_at(samples, points, strength, best, values, message, path.factors[0])
    return replace(model, held_out_loss=float(least), table=table)
