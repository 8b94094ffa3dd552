"""Regularisation paths in lanes: every fold, and every class, walks down its own path in a lane.

A lane holds one fold's problem at one alpha. When it is solved, its point is noted and only psi
changes: the next alpha starts from there, and no weight is computed anew. Up to eight lanes share
every read of the matrix, each at its own pace.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from ..base.arrays import Vector
from ..base.side_by_side import side_by_side
from ..design.sparse import flipped
from ..losses import LOSSES
from ..penalty import Penalty
from ..search.search import Candidate
from ..search.watch import Event, Report
from ..solvers.result import Status
from ..solvers.stopping import StoppingRule, run
from ..validation import CsrArrays
from . import alpha_path
from .first_step import factors_of
from .lanes import LANES, Lanes
from .samples import Samples
from .strongest import best_intercept

__all__ = ["Arrival", "Fold", "LanePaths"]

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


@dataclass(frozen=True)
class Arrival:
    """One problem solved: where, how well and after how many sweeps."""

    fold: int  # -1: all samples
    task: int
    place: int  # number of the alpha
    coef: Vector  # of the kept features
    intercept: float
    value: float  # F
    penalty: float  # psi, in the units of the columns
    n_sweeps: int
    is_converged: bool


Listener = Callable[[Arrival], None]  # threads may call it at the same time


@dataclass
class Walk:
    """One lane: a fold, a class, the alphas still ahead of it, and the sweeps at the first."""

    fold: int
    task: int
    ahead: list[int]
    n_sweeps: int = 0


class LanePaths:
    """Paths over the strengths, for all samples and for every fold.

    Parameters
    ----------
    strengths : the candidates, the strongest first
    tol : a problem is solved when a sweep over all columns lowers F + psi by no more than this
        share of the log-loss that the classes' shares alone give
    max_iter : the most sweeps for one alpha
    """

    def __init__(
        self,
        samples: Samples,
        strengths: list[Candidate],
        folds: list[Fold],
        tol: float,
        max_iter: int,
        report: Report | None,
    ) -> None:
        self.samples, self.strengths = samples, strengths
        self.rule = StoppingRule(decrease=tol, max_epochs=max_iter)
        self.report, self.start = report, time.perf_counter()
        self.codes = samples.codes[samples.order]
        given = [*(fold.trained for fold in folds), samples.weights]
        held = [1.0 - weights / samples.weights for weights in given]
        self.factors = [factors_of(samples, of_fold) for of_fold in held]  # the last: of all
        learning = [weights[samples.order] for weights in given]
        self.c = np.stack([weights / weights.sum() for weights in learning], axis=1)
        self.lock, self.is_stopped = threading.Lock(), threading.Event()

    def run(self, listen: Listener) -> None:
        """Walk all paths, and tell about every problem solved."""
        groups = in_even_groups(self._walks(), LANES[-1])
        n_threads = self.samples.n_threads
        if len(groups) == 1:
            self._walk(groups[0], n_threads, listen)
            return
        side_by_side(lambda group: self._walk_or_stop(group, listen), groups, n_threads)

    def _walk_or_stop(self, walks: list[Walk], listen: Listener) -> None:
        try:
            self._walk(walks, 1, listen)
        except BaseException:
            self.is_stopped.set()  # or the other paths would be walked to their ends
            raise

    def _walks(self) -> list[Walk]:
        """Return one walk a problem; where lanes are left over, several share a problem's alphas.

        Each of these takes every k-th alpha, so that all begin with strong ones, which are
        solved fast.
        """
        n_folds, n_tasks = self.c.shape[1] - 1, self.samples.n_tasks
        stride = max(1, LANES[-1] // ((n_folds + 1) * n_tasks))
        places = list(range(len(self.strengths)))
        return [
            Walk(fold, task, places[first::stride])
            for task in range(n_tasks)
            for fold in range(-1, n_folds)
            for first in range(min(stride, len(places)))
        ]

    def _walk(self, walks: list[Walk], n_threads: int, listen: Listener) -> None:
        shares = np.array([self._share(walk) for walk in walks])
        batch = PathBatch(walks, self._lanes(walks, n_threads), entropy(shares))
        run(batch, PathMonitor(self, listen))

    def _lanes(self, walks: list[Walk], n_threads: int) -> Lanes:
        samples = self.samples
        return Lanes(
            samples.matrix,
            LOSSES[self.strengths[0].loss],
            self.c[:, [walk.fold for walk in walks]],
            samples.opposite([walk.task for walk in walks]),
            [self._psi(walk) for walk in walks],
            seed=alpha_path.SEED,
            n_threads=n_threads,
            start=self._start(walks),
        )

    def _start(self, walks: list[Walk]) -> Vector | None:
        """Coefficients 0, the intercepts at their best: where psi is strong, nothing else moves."""
        if not self.samples.fit_intercept:
            return None
        start = np.zeros((self.samples.matrix.n, len(walks)))
        loss = self.strengths[0].loss
        start[-1] = flipped(np.array([best_intercept(loss, self._share(walk)) for walk in walks]))
        return start

    def _psi(self, walk: Walk) -> Penalty:
        factors = self.factors[walk.fold][walk.task]
        return self.strengths[walk.ahead[0]].psi(self.samples.design.n_penalised, factors)

    def _share(self, walk: Walk) -> float:
        """Weight of the positive samples that a walk learns from; that of all is 1."""
        is_positive = self.samples.is_positive(walk.task, self.codes)
        return float(self.c[:, walk.fold] @ is_positive)

    def arrive(
        self, walk: Walk, lanes: Lanes, k: int, value: float, is_solved: bool, listen: Listener
    ) -> None:
        """Note where a walk is, and send it on to its next alpha."""
        point, penalty = np.ascontiguousarray(lanes.lam[:, k]), self._psi(walk)
        design, place = self.samples.design, walk.ahead.pop(0)
        coef, intercept = design.coefficients(point)
        arrival = Arrival(
            walk.fold,
            walk.task,
            place,
            coef,
            intercept,
            value,
            penalty.value(point),
            walk.n_sweeps,
            is_solved,
        )
        walk.n_sweeps = 0
        if walk.ahead:
            psi = self._psi(walk)
            lanes.l1[k], lanes.l2[k] = psi.l1, psi.l2
        listen(arrival)
        with self.lock:
            seconds = time.perf_counter() - self.start
            if self.report is not None:
                self.report(Event("select", lanes.n_sweeps, value, float("nan"), seconds))


class PathBatch:
    """Some walks, and the lanes they are in."""

    def __init__(self, walks: list[Walk], lanes: Lanes, unit: Vector) -> None:
        self.walks, self.lanes = walks, lanes
        self.unit = unit  # of what a sweep gains, in each lane
        self.active = ActiveColumns(lanes)

    def epochs(self) -> float:
        """Sweeps so far."""
        return float(self.lanes.n_sweeps)

    def advance(self, epochs_left: float) -> None:  # noqa: ARG002 - always one sweep
        """Sweep each problem once, over all columns or over those in use."""
        self.lanes.sweep()
        for walk in self.walks:
            walk.n_sweeps += 1

    def keep(self, going: list[int]) -> None:
        """Go on with some of the walks, where that makes lanes narrower."""
        if len(going) <= self.lanes.width // 2:
            self.lanes.keep(going)
            self.walks, self.unit = [self.walks[k] for k in going], self.unit[going]


class PathMonitor:
    """Sends each walk on to its next alpha when the rule says that the last is solved."""

    def __init__(self, paths: LanePaths, listen: Listener) -> None:
        self.paths, self.listen = paths, listen

    def observe(self, at: PathBatch) -> Status | None:
        """Note what is solved, and go on from there; a status: no walk has an alpha ahead."""
        if self.paths.is_stopped.is_set():
            return Status.INTERRUPTED
        if at.epochs() == 0:
            return None
        rule, walks = self.paths.rule, at.walks
        is_solved = at.lanes.decrease <= rule.decrease * at.unit
        if at.active.go_on(bool(is_solved.all())):
            return None
        is_over = is_solved | np.array([walk.n_sweeps >= rule.max_epochs for walk in walks])
        arrived = [k for k, walk in enumerate(walks) if walk.ahead and is_over[k]]
        values = at.lanes.values() if arrived else np.empty(0)
        for k in arrived:
            one = (walks[k], at.lanes, k, float(values[k]), bool(is_solved[k]))
            self.paths.arrive(*one, self.listen)
        going = [k for k, walk in enumerate(walks) if walk.ahead]
        if not going:
            return Status.CONVERGED
        at.keep(going)
        return None

    def epochs_left(self, at: PathBatch) -> float:  # noqa: ARG002
        """Return how many sweeps may be made: alphas have limits of their own."""
        return np.inf


def entropy(shares: Vector) -> Vector:
    """Return the log-loss of always saying how large the share is."""
    return -np.asarray(xlogy(shares, shares) + xlogy(1.0 - shares, 1.0 - shares))


class ActiveColumns:
    """Between sweeps over all columns come some over those that any lane uses, if these are few."""

    def __init__(self, lanes: Lanes) -> None:
        self.lanes, self.every = lanes, lanes.columns
        self.counts = lanes.counts
        self.n_partial = 0  # since the last sweep over all

    def go_on(self, is_solved: bool) -> bool:
        """Choose the columns of the next sweep; False: the last one was over all columns."""
        was_full = self.lanes.columns is self.every
        if was_full:
            self.n_partial = 0
            self.lanes.columns = self._used()
        else:
            self.n_partial += 1
            if is_solved or self.n_partial >= MOST_PARTIAL_SWEEPS:
                self.lanes.columns = self.every
        return not was_full

    def _used(self) -> NDArray[np.int32]:
        is_used = self.lanes.lam[self.every].any(axis=1) | (self.every >= self.lanes.n_penalised)
        used = self.every[is_used]
        few = self.counts[used].sum() <= LARGEST_SHARE * self.lanes.matrix.nnz
        return used if few and len(used) else self.every


def in_even_groups(walks: list[Walk], size: int) -> list[list[Walk]]:
    """Cut into as few parts as ``size`` allows, all about equally long."""
    n_groups = -(-len(walks) // size)
    cuts = [len(walks) * g // n_groups for g in range(n_groups + 1)]
    return [walks[a:b] for a, b in pairwise(cuts)]
