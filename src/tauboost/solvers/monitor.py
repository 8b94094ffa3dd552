"""Watches one solve: the trace, the tests of its tolerances, the status.

On separable data no finite optimum exists; a certificate of separability ends the run there. Where
the optimum can be bounded from below (certificate.py), a run ends with a gap and may stop on it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..base.arrays import Vector, cached_property
from ..penalty import Penalty
from ..problem import BaseProblem
from .certificate import ENOUGH_EPOCHS, Bounding, rounding_of
from .result import Result, Status, Trace
from .stopping import Iteration, StoppingRule
from .weights import excess_edge

__all__ = ["Callback", "Monitor", "Snapshot", "is_unbounded"]


# Epochs that a bound may take: all it needs to stop on it, some at an optimum found otherwise, and
# a share of the epochs done where a run was cut short.
MOST_EPOCHS, LAST_SHARE = 100.0, 0.25
# A gap of so many times what bounds leave for rounding is the smallest that can be certified.
MOST_ROUNDING = 4.0


@dataclass(frozen=True)
class Snapshot:
    """What a callback is given at each evaluation of the objective.

    Attributes
    ----------
    epoch, updates, seconds, value, objective
        As in :class:`tauboost.Trace`, of this evaluation.
    lam, intercept
        Where the run is.

    Examples
    --------
    >>> import tauboost as tb
    >>> X, y = tb.make_w8a_like(2000, random_state=0)
    >>> def enough(seen):
    ...     return seen.objective < -1
    >>> tb.solve(tb.Problem(X, y), callback=enough, random_state=0).status
    <Status.INTERRUPTED: 'interrupted'>
    """

    epoch: float
    updates: int
    seconds: float
    value: float
    objective: float
    point: Callable[[], tuple[Vector, float]] = field(repr=False)

    @property
    def lam(self) -> Vector:
        """Where the run is, without the intercept."""
        return self._found[0]

    @property
    def intercept(self) -> float:
        """The intercept there; 0 where there is none."""
        return self._found[1]

    @cached_property
    def _found(self) -> tuple[Vector, float]:
        return self.point()


Callback = Callable[[Snapshot], Any]


class Monitor:
    """Watches one solve: keeps the trace and the clock, calls back, and returns the status."""

    def __init__(
        self,
        problem: BaseProblem,
        penalty: Penalty,
        rule: StoppingRule,
        callback: Callback | None = None,
        bounding: Bounding | None = None,
    ) -> None:
        self.problem, self.penalty, self.rule, self.callback = problem, penalty, rule, callback
        self.bounding = bounding
        self._gap_tests = GapTests()
        self._bounded_at: Vector | None = None
        self._rows: list[tuple[float, float, float, float, float]] = []
        self._next_test = 0.0
        self._objective: float | None = None  # at the last evaluation
        self._verdict: tuple[Status, str] | None = None
        self._start = time.perf_counter()

    def observe(self, at: Iteration) -> Status | None:
        """Evaluate the current point; a status means: stop here."""
        epoch, seconds = at.epochs(), time.perf_counter() - self._start
        objective = at.value + self.penalty.value(at.lam)
        if at.is_monotone and self._objective is not None:
            objective = _without_rounding(objective, self._objective)
        self._objective = objective
        value = objective if self.penalty.is_zero else at.value
        self._rows.append((epoch, at.updates, seconds, value, objective))
        self._verdict = self._judge(at, epoch, seconds, objective)
        if self.callback is not None:
            seen = (epoch, at.updates, seconds, value, objective)
            stop = self.callback(Snapshot(*seen, self._point(at)))
            if isinstance(stop, bool | np.bool_) and stop and self._verdict is None:
                self._verdict = (Status.INTERRUPTED, "Interrupted by the callback.")
        return None if self._verdict is None else self._verdict[0]

    def _point(self, at: Iteration) -> Callable[[], tuple[Vector, float]]:
        """Return lam and the intercept as they are now, for those who will ask for them.

        A copy is a fraction of the work of putting coordinates in the order of the features.
        """
        lam = at.lam.copy()
        return lambda: self.problem.design.split(lam, self.penalty.rest)

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
        objective = at.value + self.penalty.value(at.lam)
        bound, gap, message = self._last_bound(at, objective)
        lam, intercept = self.problem.design.split(at.lam, self.penalty.rest)
        columns = np.array(self._rows, dtype=np.float64).T.copy()
        return Result(
            lam=lam,
            intercept=intercept,
            value=at.value,
            objective=objective,
            status=self._verdict[0],
            message=message,
            n_epochs=at.epochs(),
            n_updates=at.updates,
            seconds=time.perf_counter() - self._start,
            trace=Trace(*columns),
            bound=bound,
            gap=gap,
        )

    def _judge(
        self, at: Iteration, epoch: float, seconds: float, objective: float
    ) -> tuple[Status, str] | None:
        rule = self.rule
        if not np.isfinite(objective):
            return Status.STALLED, f"The objective is {objective}: lam is too large to evaluate."
        if objective <= rule.target:
            return Status.TARGET, f"Target reached: objective {objective:.9g} <= {rule.target:.9g}."
        certificate = None
        if rule.edge > 0 and self._worth_a_test(at, epoch):
            certificate = self._tolerance_test(at)
        wanted = rule.wanted_gap(objective, not self.problem.loss_function.has_odds)
        # A start of one's own may be all that is wanted.
        is_warm = epoch == 0 and bool(at.lam.any())
        is_due = is_warm or self._gap_tests.is_due(at.edge_hint, epoch)
        # Where no optimum exists, edges need not fall any further.
        is_due |= wanted > 0 and is_unbounded(self.problem, self.penalty, at.value, at.lam)
        if not certificate and wanted > 0 and is_due:
            certificate = self._gap_test(at, objective, wanted)
        if certificate is not None:
            return certificate
        return rule.limit_met(epoch, seconds)

    def _worth_a_test(self, at: Iteration, epoch: float) -> bool:
        """Return True if the whole gradient is due: on a hint, or else now and then."""
        if at.edge_hint is not None:
            is_near = at.edge_hint <= 2 * self.rule.edge
            return is_near or is_unbounded(self.problem, self.penalty, at.value, at.lam)
        if epoch < self._next_test:
            return False
        self._next_test = max(epoch + 1, 1.1 * epoch)
        return True

    def _tolerance_test(self, at: Iteration) -> tuple[Status, str] | None:
        if is_unbounded(self.problem, self.penalty, at.value, at.lam):
            return self._separable(at)
        edge = excess_edge(self.problem, self.penalty, at.lam, at.gradient())
        if edge <= self.rule.edge:
            return (
                Status.CONVERGED,
                f"Converged: largest excess edge {edge:.3g} <= {self.rule.edge:.3g}.",
            )
        if at.edge_hint:  # a guess, and perhaps far too hopeful
            at.edge_hint = edge
        return None

    def _gap_test(
        self, at: Iteration, objective: float, wanted: float
    ) -> tuple[Status, str] | None:
        if is_unbounded(self.problem, self.penalty, at.value, at.lam):
            return self._separable(at)
        gap = self._bound_at(at, MOST_EPOCHS, objective)
        if gap is not None and gap <= wanted:
            return Status.CONVERGED, f"Converged: the gap is at most {wanted:.3g}."
        if gap is not None and gap <= MOST_ROUNDING * rounding_of(
            at.lam, self.problem.design.scale
        ):
            return Status.STALLED, "Rounding lets no smaller gap be certified."
        self._gap_tests.learn(gap, wanted, at.edge_hint, at.epochs())
        return None

    def _bound_at(self, at: Iteration, most_epochs: float, objective: float) -> float | None:
        """Bound the optimum from where a method is; returns the gap, or None."""
        if self.bounding is None:
            return None
        # From one point there is no more to learn, but for weights that are still to be found.
        is_known = self._bounded_at is not None and np.array_equal(self._bounded_at, at.lam)
        if not is_known or self.bounding.needs_weights:
            if self.bounding.update(at.lam, most_epochs):
                at.finish()  # the sweeps may have used the same rows
            self._bounded_at = at.lam.copy()
        bound = self.bounding.value
        return None if bound is None else max(0.0, objective - bound)

    def _last_bound(
        self, at: Iteration, objective: float
    ) -> tuple[float | None, float | None, str]:
        """Return the bound, the gap and the message of a run that is over."""
        assert self._verdict is not None
        status, message = self._verdict
        if self.bounding is None or status == Status.SEPARABLE:
            return None, None, message
        gap = None
        if np.isfinite(objective):
            is_found = status == Status.CONVERGED
            most_epochs = ENOUGH_EPOCHS if is_found else LAST_SHARE * at.epochs()
            gap = self._bound_at(at, most_epochs, objective)
        if gap is None:
            return None, None, f"{message} No gap is certified: {self.bounding.reason}."
        words = f"The optimum is at least {self.bounding.value:.9g}: certified gap {gap:.3g}."
        return self.bounding.value, gap, f"{message} {words}"

    def _separable(self, at: Iteration) -> tuple[Status, str]:
        return Status.SEPARABLE, (
            f"The data are separable: every margin is at least {self._least_margin(at):.3g} at "
            f"F = {at.value:.6g}, and no finite lam is optimal. Penalise more, with an l2 "
            "term, or set tol=0 to go on."
        )

    def _least_margin(self, at: Iteration) -> float:
        """Return the smallest -(A lam)_j."""
        return -self.problem.rows().point(at.lam).largest


class GapTests:
    """When the gap is worth a test, which costs a gradient.

    A gap falls like the largest edge, or like its square. So the next test comes when the edges of
    a sweep, which cost nothing, have fallen as far as the square asks for; where a method has none
    to show, after a tenth more epochs.
    """

    def __init__(self) -> None:
        self.edge, self.epoch = np.inf, 0.0  # what to wait for

    def is_due(self, edge: float | None, epoch: float) -> bool:
        """Return True if to test here."""
        # Edges may be all rounding: a test is due now and then whatever they are.
        return epoch >= (2.0 * self.epoch if edge else self.epoch) or bool(
            edge and edge < self.edge
        )

    def learn(self, gap: float | None, goal: float, edge: float | None, epoch: float) -> None:
        """Take note of what a test has found, and plan the next one."""
        self.epoch = max(epoch + 1.0, 1.1 * epoch)
        if edge:
            self.edge = edge * (0.25 if gap is None else min(0.5, math.sqrt(goal / gap)))


def is_unbounded(problem: BaseProblem, penalty: Penalty, value: float, lam: Vector) -> bool:
    """Return True if F + psi is proved to fall without end along lam, or to have no minimiser.

    ``value`` is F at lam.
    """
    if penalty.l2 > 0 or penalty.has_bounds:
        return False
    return problem.loss_function.has_no_minimum(
        value, problem.least_weight, penalty.l1, penalty.value(lam)
    )


def _without_rounding(objective: float, before: float) -> float:
    """Take a rise of a monotone method within the rounding of a refresh for no rise."""
    is_rounding = before < objective <= before + 1e-11 * (1 + abs(before))
    return before if is_rounding else objective
