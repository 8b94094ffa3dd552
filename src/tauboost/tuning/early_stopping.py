"""Early stopping: sweeps at one alpha, ended where held-out samples like them best.

What is kept is no optimum, and depends on the order of the sweeps: for those who ask for it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..base.arrays import Vector
from ..search.search import Candidate, Row
from ..search.watch import Watch
from ..solvers.result import Status
from ..solvers.stopping import run
from .alpha_path import AlphaPath
from .samples import Samples
from .trained import Trained, model_at

__all__ = ["stopped_early"]

# After so many sweeps without an improvement by this share, no more are made.
PATIENCE, LEAST_IMPROVEMENT = 3, 1e-4


class Patience:
    """Watches what held-out samples make of each sweep, and keeps the best."""

    def __init__(self, path: AlphaPath, max_iter: int, watch: Watch) -> None:
        self.rule, self.watch = watch.rule(-np.inf, max_iter), watch
        self.least, self.best, self.waited = np.inf, 0, 0
        self.points, self.values = path.points(), path.values()[0]
        self.table: list[Row] = []

    def observe(self, path: AlphaPath) -> Status | None:
        """Score the last sweep."""
        if path.n_sweeps == 0:
            return None
        n_sweeps, loss = path.n_sweeps, path.validation().loss
        self.table.append(path.candidate.row(n_sweeps, loss))
        is_better = loss < self.least * (1.0 - LEAST_IMPROVEMENT)
        self.waited = 0 if is_better else self.waited + 1
        if loss < self.least:
            self.least, self.best = loss, n_sweeps
            self.points, self.values = path.points(), path.values()[0]
        if self.watch.tell("fit", n_sweeps, path.objective, loss):
            return Status.INTERRUPTED
        if self.watch.is_over:
            return Status.TIME_LIMIT
        if self.waited >= PATIENCE:
            return Status.CONVERGED
        return Status.MAX_EPOCHS if n_sweeps >= self.rule.max_epochs else None

    def epochs_left(self, path: AlphaPath) -> float:
        """Return how many sweeps may still be made."""
        return self.rule.max_epochs - path.epochs()


def stopped_early(
    samples: Samples,
    candidate: Candidate,
    held: Vector,
    start: Vector | None,
    max_iter: int,
    watch: Watch,
) -> Trained:
    """Sweep over what is not held out, and keep the sweep with the least held-out loss."""
    path = AlphaPath(samples, candidate, [held], start, seed=samples.seed, in_subspace=False)
    seen = Patience(path, max_iter, watch)
    run(path, seen)
    message = f"Stopped early: sweep {seen.best} of {path.n_sweeps}, the best on held-out samples."
    if watch.is_over:
        message += f" The time limit of {watch.limit:g} s cut it short."
    at = (seen.points, candidate, seen.best, seen.values)
    model = model_at(samples, *at, message, path.factors[0])
    return replace(model, held_out_loss=float(seen.least), table=seen.table)
