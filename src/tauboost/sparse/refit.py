"""The first part of a fit with many columns: sweeps of all tasks side by side, in a batch.

Where a Newton step over all columns is cheap, ``solve`` takes it at once. Else sweeps with steps in
a subspace (batch.py) come near the optimum sooner than it does by itself. Of two classes they
are certified here, and there is nothing left to solve.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import nan
from typing import Any

import numpy as np

from ..base.arrays import Vector
from ..losses import LOSSES
from ..penalty import Factors, Penalty
from ..problem import Problem
from ..search.options import Options
from ..search.search import Candidate, Row, Watch
from ..solvers.certificate import value_and_gap, why_unbounded
from ..solvers.exact import WARM
from ..solvers.newton import MOST_DENSE, dense_price
from ..solvers.result import Status
from ..solvers.stopping import SweepMonitor, run
from .factors import factors_of
from .search import AlphaPath
from .training import Samples

__all__ = [
    "Approach",
    "Minimum",
    "Trained",
    "goal_of",
    "is_worth_it",
    "message_of",
    "model_at",
    "stopped_early",
    "with_link",
]


# What a fit ends with: points of the core, and the classifier that they are.


# A smaller gap is rounding, which differs between machines.
ROUNDING = 1e-8


@dataclass(frozen=True)
class Trained:
    """What training found, for the features that are kept."""

    coef: Vector  # (tasks, features kept)
    intercept: Vector  # (tasks,)
    candidate: Candidate
    n_sweeps: int
    objective: Vector  # F without psi, (tasks,)
    penalty: Vector  # psi, in the scale of the columns, (tasks,)
    message: str
    held_out_loss: float = nan
    table: list[dict[str, float | str]] = field(default_factory=list)
    caution: str = ""  # what there is to warn of
    gap: float | None = None  # at most so far from the least objective, where that is proved


@dataclass(frozen=True)
class Minimum:
    """Where the fit of one task ended."""

    point: Vector  # of the core
    value: float  # F
    objective: float  # F + psi
    n_sweeps: int
    message: str
    status: Status
    gap: float | None  # at most so far from the optimum, where that is proved
    loss: str

    @property
    def share(self) -> float:
        """The gap as a share of the objective; of a logarithm it is one already."""
        if self.gap is None:
            return nan
        return self.gap / self.objective if LOSSES[self.loss].has_odds and self.gap else self.gap


def goal_of(psi: Penalty, tol: float) -> dict[str, Any]:
    """Return the option of ``solve`` that ends a fit: a certified gap, where there can be one."""
    is_certain = why_unbounded(psi) is None and tol > 0
    return {"relative_gap": tol} if is_certain else {"tol": tol}


def message_of(found: list[Minimum], tol: float) -> str:
    """Return how far a fit went: what its worst task did."""

    def badness(minimum: Minimum) -> tuple[bool, bool, float]:
        is_open = minimum.status is not Status.CONVERGED
        return is_open, minimum.gap is None, 0.0 if minimum.gap is None else minimum.share

    worst = max(found, key=badness)
    if worst.gap is None:
        return worst.message
    of_what = " of the objective" if LOSSES[worst.loss].has_odds else ""
    is_rounding = worst.share < ROUNDING <= tol
    size = f"below {ROUNDING:g}" if is_rounding else f"{worst.share:.2g}"
    gap = f"certified gap {size}{of_what}"
    if worst.status is Status.CONVERGED:
        return f"Converged: {gap}, tol={tol:g}."
    why, _, _ = worst.message.partition(" The optimum is at least")  # the message has that already
    return f"Not converged to tol={tol:g}: {gap}. {why}"


def model_at(
    samples: Samples,
    points: Vector,
    candidate: Candidate,
    n_sweeps: int,
    values: Vector,
    message: str,
    factors: list[Factors | None] | None = None,
) -> Trained:
    """Return the model that points of the core are, with F there."""
    design = samples.design
    parts = [design.coefficients(point) for point in points]
    coef, intercept = np.stack([coef for coef, _ in parts]), np.array([b for _, b in parts])
    factors = factors_of(samples) if factors is None else factors
    each = zip(points, factors, strict=True)
    penalty = np.array([candidate.psi(design.n_penalised, own).value(x) for x, own in each])
    return Trained(coef, intercept, candidate, n_sweeps, values, penalty, message)


def with_link(model: Trained, slope: float, offset: float) -> Trained:
    """Scale and shift the model, so that the loss's own link is the one fitted on validation.

    A sigmoid of slope H + offset is the natural one of (slope H + offset) / natural slope.
    """
    loss = LOSSES[model.candidate.loss]
    scale = slope / loss.link_slope
    return replace(
        model,
        coef=model.coef * scale,
        intercept=model.intercept * scale + offset / loss.link_slope,
    )


# Sweeps go on while one lowers the objective by more than this share of what may be left.
ENOUGH = 0.2
# Where the gap is still too large then, sweeps have to fall as far as it has to, to this power.
POWER, LEAST_SHARE, MOST_SHARE = 1.4, 0.05, 0.7
# Where MOST_SWEEPS sweeps are not enough, other methods are better.
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
        super().__init__(watch.rule(0.0, most), self._report)
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
        """Return True if more sweeps are of no use; else set how far they are to go."""
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

    def _report(self) -> bool:
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
    """Return True if sweeps of a batch are the faster way to begin."""
    if candidate.loss != "logistic" or candidate.l1_ratio > 0 or candidate.alpha == 0:
        return False
    matrix = samples.matrix
    price = dense_price(matrix.m, matrix.n, matrix.nnz)
    return matrix.n > MOST_DENSE or price > 2 * WARM * matrix.nnz


# Early stopping: sweeps at one alpha, ended where the validation loss is least.
#
# What is kept is no optimum, and depends on the order of the sweeps: for those who ask for it.


# After PATIENCE sweeps without an improvement by this share, no more are made.
PATIENCE, LEAST_IMPROVEMENT = 3, 1e-4


class Patience:
    """Watches the validation loss after each sweep, and keeps the best."""

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
    """Sweep over the training part, and keep the sweep with the least validation loss."""
    path = AlphaPath(samples, candidate, [held], start, seed=samples.seed, in_subspace=False)
    seen = Patience(path, max_iter, watch)
    run(path, seen)
    message = f"Stopped early: sweep {seen.best} of {path.n_sweeps}, the best on held-out samples."
    if watch.is_over:
        message += f" The time limit of {watch.limit:g} s cut it short."
    at = (seen.points, candidate, seen.best, seen.values)
    model = model_at(samples, *at, message, path.factors[0])
    return replace(model, held_out_loss=float(seen.least), table=seen.table)
