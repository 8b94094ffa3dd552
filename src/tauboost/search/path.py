"""Regularization paths: fits that go from alpha to alpha, on all samples and without every fold.

A walk is the fit of one task without one fold. When it is solved at an alpha, that is noted, and it
goes on to the next alpha from where it is. Walks share batches, each at its own pace; what a batch
is made of is not known here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from ..base.arrays import Mask, Vector
from ..base.threads import side_by_side
from ..solvers.result import Status
from ..solvers.stopping import Advancing, StoppingRule, run
from .search import Watch

__all__ = ["Arrival", "Listener", "PathBatch", "Walk", "walk_paths"]


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
    """A fold, a task, the alphas still ahead of them, and the sweeps at the first."""

    fold: int
    task: int
    ahead: list[int]
    n_sweeps: int = 0


class PathBatch(Advancing, Protocol):
    """Walks whose fits share every read of the data."""

    walks: list[Walk]

    def solved(self, decrease: float) -> Mask:
        """Return which fits gained no more than this in the last sweep.

        It is a share of the log-loss that the classes' shares alone give.
        """

    def is_complete(self, is_solved: bool) -> bool:
        """Return True if the last sweep was over all coordinates; plan the next."""

    def arrivals(self, places: list[int], is_solved: Mask) -> list[Arrival]:
        """Return where some walks are, and send them on to their next alphas."""

    def keep(self, going: list[int]) -> None:
        """Continue with some of the walks, where that is less work."""


def walk_paths(
    batch: Callable[[list[Walk], int], PathBatch],
    sizes: tuple[int, int, int],
    rule: StoppingRule,
    listen: Listener,
    watch: Watch,
    *,
    width: int,
    n_threads: int,
) -> None:
    """Walk all paths, and tell about every problem solved.

    ``batch`` makes one of some walks, for so many threads; ``sizes`` are the numbers of folds,
    tasks and alphas; ``width`` is how many fits a batch has at most.
    """
    monitor = _PathMonitor(rule, listen, watch)
    groups = _in_even_groups(_walks(*sizes, width), width)
    if len(groups) == 1:
        run(batch(groups[0], n_threads), monitor)
        return

    def walk(group: list[Walk]) -> None:
        try:
            run(batch(group, 1), monitor)
        except BaseException:
            monitor.is_stopped.set()  # or the other paths would be walked to their ends
            raise

    side_by_side(walk, groups, n_threads)


class _PathMonitor:
    """Sends each walk on to its next alpha when the rule says that the last is solved."""

    def __init__(self, rule: StoppingRule, listen: Listener, watch: Watch) -> None:
        self.rule, self.listen, self.watch = rule, listen, watch
        self.lock, self.is_stopped = threading.Lock(), threading.Event()

    def observe(self, at: PathBatch) -> Status | None:
        """Note what is solved, and go on from there; a status: no walk has an alpha ahead."""
        if self.is_stopped.is_set():
            return Status.INTERRUPTED
        if at.epochs() == 0:
            return None
        walks, is_solved = at.walks, at.solved(self.rule.decrease)
        if not at.is_complete(bool(is_solved.all())):
            return None
        is_over = is_solved | np.array([walk.n_sweeps >= self.rule.max_epochs for walk in walks])
        arrived = [k for k, walk in enumerate(walks) if walk.ahead and is_over[k]]
        for arrival in at.arrivals(arrived, is_solved) if arrived else ():
            self.listen(arrival)
            with self.lock:
                self.watch.tell("select", round(at.epochs()), arrival.value)
        going = [k for k, walk in enumerate(walks) if walk.ahead]
        if not going:
            return Status.CONVERGED
        at.keep(going)
        return None

    def epochs_left(self, at: PathBatch) -> float:  # noqa: ARG002
        """Return how many sweeps may be made: alphas have limits of their own."""
        return np.inf


def _walks(n_folds: int, n_tasks: int, n_alphas: int, width: int) -> list[Walk]:
    """Return one walk a problem; where a batch has room left, several share a problem's alphas.

    Each of these takes every k-th alpha, so that all begin with strong ones, which are solved
    fast.
    """
    stride = max(1, width // ((n_folds + 1) * n_tasks))
    places = list(range(n_alphas))
    return [
        Walk(fold, task, places[first::stride])
        for task in range(n_tasks)
        for fold in range(-1, n_folds)
        for first in range(min(stride, n_alphas))
    ]


def _in_even_groups(walks: list[Walk], size: int) -> list[list[Walk]]:
    """Cut into as few parts as ``size`` allows, all about equally long."""
    n_groups = -(-len(walks) // size)
    cuts = [len(walks) * g // n_groups for g in range(n_groups + 1)]
    return [walks[a:b] for a, b in pairwise(cuts)]
