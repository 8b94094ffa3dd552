"""Regularization paths of linear models: walks (search/path.py) in batches on one matrix.

A fit of a batch is one fold's problem at one alpha. When it is solved only psi changes: no weight
is computed anew. Up to eight fits share every read of the matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from ..base.arrays import Mask, Vector
from ..losses import LOSSES
from ..penalty import Penalty
from ..search.path import Arrival, Listener, Walk, walk_paths
from ..search.search import Candidate, Watch
from ..solvers.stopping import StoppingRule
from ..validation import CsrArrays
from . import search as alpha_path
from .batch import WIDTHS, Batch
from .factors import factors_of
from .training import Samples, intercepts_at_best

__all__ = ["Fold", "LinearPaths"]


# Sweeps over the columns in use are worth their while if these hold at most this share of the
# nonzeros; at most this many may follow each other.
LARGEST_SHARE = 0.5
MOST_PARTIAL_SWEEPS = 8


@dataclass(frozen=True)
class Fold:
    """What each sample weighs where one fold learns, and those that it is scored on."""

    trained: Vector
    arrays: CsrArrays  # the scored rows
    codes: NDArray[np.intp]
    weights: Vector  # of sum 1

    @classmethod
    def of_all(cls, samples: Samples) -> Fold:
        """Return the fold that learns from all samples and is scored on them."""
        weights = samples.weights
        return cls(weights, samples.arrays, samples.codes, weights / weights.sum())

    @classmethod
    def of(cls, samples: Samples, trained: Vector, scored: Vector) -> Fold:
        """Return the fold that learns from, and is scored on, these shares of each sample."""
        rows = scored > 0.0
        weights = (samples.weights * scored)[rows]
        return cls(
            samples.weights * trained,
            samples.arrays.select(rows),
            samples.codes[rows],
            weights / weights.sum(),
        )


class LinearPaths:
    """Paths over candidates, the strongest first, for all samples and without every fold."""

    def __init__(self, samples: Samples, candidates: list[Candidate], folds: list[Fold]) -> None:
        self.samples, self.candidates, self.n_folds = samples, candidates, len(folds)
        self.codes = samples.codes[samples.order]
        given = [*(fold.trained for fold in folds), samples.weights]
        held = [1.0 - weights / samples.weights for weights in given]
        self.factors = [factors_of(samples, of_fold) for of_fold in held]  # the last: of all
        learning = [weights[samples.order] for weights in given]
        self.c = np.stack([weights / weights.sum() for weights in learning], axis=1)

    def run(self, tol: float, max_iter: int, listen: Listener, watch: Watch) -> None:
        """Walk all paths, and report every problem solved.

        That is when a sweep over all columns lowers F + psi by no more than ``tol`` times the
        log-loss that the classes' shares alone give, or after ``max_iter`` sweeps.
        """
        walk_paths(
            lambda walks, n_threads: LinearPathBatch(self, walks, n_threads),
            (self.n_folds, self.samples.n_tasks, len(self.candidates)),
            StoppingRule(decrease=tol, max_epochs=max_iter),
            listen,
            watch,
            width=WIDTHS[-1],
            n_threads=self.samples.n_threads,
        )

    def psi(self, walk: Walk) -> Penalty:
        """Return the penalty at the next alpha of a walk."""
        factors = self.factors[walk.fold][walk.task]
        return self.candidates[walk.ahead[0]].psi(self.samples.design.n_penalised, factors)

    def share(self, walk: Walk) -> float:
        """Return what the positive samples weigh that a walk learns from; all weigh 1."""
        is_positive = self.samples.is_positive(walk.task, self.codes)
        return float(self.c[:, walk.fold] @ is_positive)


class LinearPathBatch:
    """Some walks, and the batch they are in.

    Between sweeps over all columns come some over those that any fit uses, if these are few.
    """

    def __init__(self, paths: LinearPaths, walks: list[Walk], n_threads: int) -> None:
        self.paths, self.walks = paths, walks
        samples, loss = paths.samples, paths.candidates[0].loss
        shares = np.array([paths.share(walk) for walk in walks])
        # What a sweep gains is measured in the log-loss of always predicting these shares.
        self.unit = -np.asarray(xlogy(shares, shares) + xlogy(1.0 - shares, 1.0 - shares))
        self.batch = Batch(
            samples.matrix,
            LOSSES[loss],
            paths.c[:, [walk.fold for walk in walks]],
            samples.opposite([walk.task for walk in walks]),
            [paths.psi(walk) for walk in walks],
            seed=alpha_path.SEED,
            n_threads=n_threads,
            start=intercepts_at_best(samples, loss, shares.tolist()),
        )
        self.every, self.counts = self.batch.columns, self.batch.counts
        self.n_partial = 0  # since the last sweep over all

    def epochs(self) -> float:
        """Sweeps so far."""
        return float(self.batch.n_sweeps)

    def advance(self, epochs_left: float) -> None:  # noqa: ARG002 - always one sweep
        """Sweep each problem once, over all columns or over those in use."""
        self.batch.sweep()
        for walk in self.walks:
            walk.n_sweeps += 1

    def solved(self, decrease: float) -> Mask:
        """Return which fits gained no more than this share in the last sweep."""
        return np.asarray(self.batch.decrease <= decrease * self.unit)

    def is_complete(self, is_solved: bool) -> bool:
        """Choose the columns of the next sweep; True: the last one was over all columns."""
        was_full = self.batch.columns is self.every
        if was_full:
            self.n_partial = 0
            self.batch.columns = self._used()
        else:
            self.n_partial += 1
            if is_solved or self.n_partial >= MOST_PARTIAL_SWEEPS:
                self.batch.columns = self.every
        return was_full

    def _used(self) -> NDArray[np.int32]:
        is_used = self.batch.lam[self.every].any(axis=1) | (self.every >= self.batch.n_penalised)
        used = self.every[is_used]
        few = self.counts[used].sum() <= LARGEST_SHARE * self.batch.matrix.nnz
        return used if few and len(used) else self.every

    def arrivals(self, places: list[int], is_solved: Mask) -> list[Arrival]:
        """Return where some walks are, and send them on to their next alphas."""
        values = self.batch.values()
        return [self._arrive(k, float(values[k]), bool(is_solved[k])) for k in places]

    def _arrive(self, k: int, value: float, is_solved: bool) -> Arrival:
        walk, paths = self.walks[k], self.paths
        point, penalty = np.ascontiguousarray(self.batch.lam[:, k]), paths.psi(walk)
        coef, intercept = paths.samples.design.coefficients(point)
        arrival = Arrival(
            walk.fold,
            walk.task,
            walk.ahead.pop(0),
            coef,
            intercept,
            value,
            penalty.value(point),
            walk.n_sweeps,
            is_solved,
        )
        walk.n_sweeps = 0
        if walk.ahead:
            psi = paths.psi(walk)
            self.batch.l1[k], self.batch.l2[k] = psi.l1, psi.l2
        return arrival

    def keep(self, going: list[int]) -> None:
        """Continue with some of the walks, where that makes the batch narrower."""
        if len(going) <= self.batch.width // 2:
            self.batch.keep(going)
            self.walks, self.unit = [self.walks[k] for k in going], self.unit[going]
