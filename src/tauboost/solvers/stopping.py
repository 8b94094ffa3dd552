"""When to stop, for every method the same: the rule, and the monitor that applies it.

Tolerance is on the largest excess edge: with g the gradient of F and v_i the distance of 0 from the
i-th component of the subdifferential of F + psi,

    edge = max_i v_i / max_j |A_ji|,

which does not depend on the scale of the features: without psi it is the largest weighted
correlation, between 0 and 1, of a weak hypothesis with the labels, 0 exactly at the optimum. On
separable data no finite optimum exists; a certificate of separability ends the run there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..base.arrays import Vector
from ..io.saved import State
from ..penalty import Penalty
from ..problem import BaseProblem
from ..validation import check_real
from .result import Result, Status, Trace

__all__ = [
    "Callback",
    "Iteration",
    "Monitor",
    "Snapshot",
    "StoppingRule",
    "drive",
    "is_unbounded",
]

DEFAULT_TOL = 1e-4
DEFAULT_MAX_EPOCHS = 1000


class Iteration(Protocol):
    """What a method shows of itself: where it is, how much it has done, how to go on."""

    lam: Vector
    value: float
    updates: int

    @property
    def is_monotone(self) -> bool:
        """Whether the objective never rises, rounding aside."""

    @property
    def edge_hint(self) -> float | None:
        """A cheap guess at the edge, worth a test when it is near the tolerance; None: no idea."""

    def epochs(self) -> float:
        """Work done, in epochs."""

    def gradient(self) -> Vector:
        """Gradient of F at lam."""

    def advance(self, epochs_left: float) -> None:
        """Go on to the next point worth looking at, at most ``epochs_left`` further."""

    def finish(self) -> None:
        """Make value exact at the final lam."""


@dataclass(frozen=True)
class Snapshot:
    """What a callback is given at each look at the objective."""

    epoch: float
    updates: int
    seconds: float
    value: float
    objective: float
    lam: Vector
    intercept: float
    # All it takes to go on from here (``resume`` of solve); only the method "exact" can.
    saved: Callable[[], State] | None = None


Callback = Callable[[Snapshot], Any]


@dataclass(frozen=True)
class StoppingRule:
    """The limits of a solve; see :func:`tauboost.solve` for their meaning."""

    max_epochs: float
    tol: float
    time_limit: float
    target: float

    @classmethod
    def build(
        cls,
        max_epochs: float | None,
        tol: float | None,
        time_limit: float | None,
        target: float | None,
    ) -> StoppingRule:
        """Check the public arguments of ``solve``; None means the default."""
        return cls(
            DEFAULT_MAX_EPOCHS
            if max_epochs is None
            else check_real(max_epochs, "max_epochs", least=0.0),
            DEFAULT_TOL if tol is None else check_real(tol, "tol", least=0.0),
            np.inf if time_limit is None else check_real(time_limit, "time_limit", least=0.0),
            -np.inf if target is None else check_real(target, "target"),
        )


class Monitor:
    """Watches one solve: keeps the trace and the clock, calls back, and gives the verdict."""

    def __init__(
        self,
        problem: BaseProblem,
        penalty: Penalty,
        rule: StoppingRule,
        callback: Callback | None = None,
    ) -> None:
        self.problem, self.penalty, self.rule, self.callback = problem, penalty, rule, callback
        self._rows: list[tuple[float, float, float, float, float]] = []
        self._next_test = 0.0
        self._verdict: tuple[Status, str] | None = None
        self._start = time.perf_counter()

    def observe(self, at: Iteration) -> Status | None:
        """Look at the current point; a status means: stop here."""
        epoch, seconds = at.epochs(), time.perf_counter() - self._start
        objective = at.value + self.penalty.value(at.lam)
        if at.is_monotone and self._rows:
            objective = _without_rounding(objective, self._rows[-1][4])
        value = objective if self.penalty.is_zero else at.value
        self._rows.append((epoch, at.updates, seconds, value, objective))
        self._verdict = self._judge(at, epoch, seconds, objective)
        if self.callback is not None:
            point = self.problem.design.split(at.lam, self.penalty.rest)
            seen = (epoch, at.updates, seconds, value, objective, *point)
            stop = self.callback(Snapshot(*seen, saved=getattr(at, "saved", None)))
            if isinstance(stop, bool | np.bool_) and stop and self._verdict is None:
                self._verdict = (Status.INTERRUPTED, "Interrupted by the callback.")
        return None if self._verdict is None else self._verdict[0]

    def epochs_left(self, at: Iteration) -> float:
        """How far the method may still go."""
        return self.rule.max_epochs - at.epochs()

    def conclude(self, status: Status, message: str) -> None:
        """End the run for a reason of the method's own."""
        self._verdict = (status, message)

    def result(self, at: Iteration) -> Result:
        """Freeze the outcome, after a last exact evaluation."""
        assert self._verdict is not None
        at.finish()
        lam, intercept = self.problem.design.split(at.lam, self.penalty.rest)
        columns = np.array(self._rows, dtype=np.float64).T.copy()
        return Result(
            lam=lam,
            intercept=intercept,
            value=at.value,
            objective=at.value + self.penalty.value(at.lam),
            status=self._verdict[0],
            message=self._verdict[1],
            n_epochs=at.epochs(),
            n_updates=at.updates,
            seconds=time.perf_counter() - self._start,
            trace=Trace(*columns),
        )

    def _judge(
        self, at: Iteration, epoch: float, seconds: float, objective: float
    ) -> tuple[Status, str] | None:
        rule = self.rule
        if not np.isfinite(objective):
            return Status.STALLED, f"The objective is {objective}: lam is too large to evaluate."
        if objective <= rule.target:
            return Status.TARGET, f"Target reached: objective {objective:.9g} <= {rule.target:.9g}."
        if rule.tol > 0 and self._worth_a_test(at, epoch):
            certificate = self._tolerance_test(at)
            if certificate is not None:
                return certificate
        if epoch >= rule.max_epochs:
            return Status.MAX_EPOCHS, f"Out of epochs: {epoch:g} of {rule.max_epochs:g} done."
        if seconds >= rule.time_limit:
            return Status.TIME_LIMIT, f"Out of time: {seconds:.3g} s of {rule.time_limit:.3g} s."
        return None

    def _worth_a_test(self, at: Iteration, epoch: float) -> bool:
        """Tell whether to look at the whole gradient: on a hint, or else now and then."""
        if at.edge_hint is not None:
            is_near = at.edge_hint <= 2 * self.rule.tol
            return is_near or is_unbounded(self.problem, self.penalty, at.value, at.lam)
        if epoch < self._next_test:
            return False
        self._next_test = max(epoch + 1, 1.1 * epoch)
        return True

    def _tolerance_test(self, at: Iteration) -> tuple[Status, str] | None:
        if is_unbounded(self.problem, self.penalty, at.value, at.lam):
            return Status.SEPARABLE, (
                f"The data are separable: every margin is at least {self._least_margin(at):.3g} at "
                f"F = {at.value:.6g}, and no finite lam is optimal. Penalise more, with an l2 "
                "term, or set tol=0 to go on."
            )
        scale = self.problem.design.scale
        violation = self.penalty.violation(at.lam, at.gradient())
        edge = float(np.max(violation / np.where(scale > 0, scale, 1.0), initial=0.0))
        if edge <= self.rule.tol:
            return (
                Status.CONVERGED,
                f"Converged: largest excess edge {edge:.3g} <= {self.rule.tol:.3g}.",
            )
        return None

    def _least_margin(self, at: Iteration) -> float:
        """Return the smallest -(A lam)_j."""
        return -self.problem.rows().point(at.lam).largest


def is_unbounded(problem: BaseProblem, penalty: Penalty, value: float, lam: Vector) -> bool:
    """Tell whether F + psi is proved to fall without end along lam, or to have no minimiser.

    ``value`` is F at lam.
    """
    if penalty.l2 > 0 or penalty.has_bounds:
        return False
    return problem.loss_function.has_no_minimum(
        value, problem.least_weight, penalty.l1, penalty.value(lam)
    )


def drive(at: Iteration, monitor: Monitor) -> Result:
    """Run a method until the monitor says stop: the one loop of all methods."""
    while monitor.observe(at) is None:
        at.advance(monitor.epochs_left(at))
    return monitor.result(at)


def _without_rounding(objective: float, before: float) -> float:
    """Take a rise of a monotone method within the rounding of a refresh for no rise."""
    is_rounding = before < objective <= before + 1e-11 * (1 + abs(before))
    return before if is_rounding else objective
