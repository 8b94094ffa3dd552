"""SciPy's L-BFGS-B on F: the outside baseline. Takes a smooth psi (l2) and bounds.

One epoch is one evaluation of F and its gradient, so that line searches are paid for. SciPy's own
tolerances are switched off: the stopping rules are those of every other method.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.arrays import Vector
from ..penalty import Penalty
from ..problem import BaseProblem
from .monitor import Monitor
from .result import Result, Status
from .weights import Start

__all__ = ["Lbfgs", "minimise"]


def minimise(at: Lbfgs, monitor: Monitor) -> Result:
    """Let SciPy drive: F + l2/2 |lam|^2 within bounds."""
    from scipy.optimize import minimize  # noqa: PLC0415 - as slow to import as all the rest

    if monitor.observe(at) is not None:
        return monitor.result(at)

    def objective(lam: Vector) -> tuple[float, Vector]:
        if monitor.epochs_left(at) <= 0:
            raise _OutOfEpochsError
        return at.evaluate(lam)

    def check(intermediate_result: Any) -> None:
        at.accept(intermediate_result.x)
        if monitor.observe(at) is not None:
            raise StopIteration

    options = {"maxiter": 10**9, "maxfun": 10**9, "ftol": 0.0, "gtol": 0.0, "maxcor": 10}
    bounds = _bounds(at.problem, at.penalty)
    try:
        outcome = minimize(
            objective,
            at.lam,
            method="L-BFGS-B",
            jac=True,
            bounds=bounds,
            callback=check,
            options=options,
        )
        if outcome.status != 99:  # anything but our own StopIteration
            monitor.conclude(Status.STALLED, f"No further decrease was found ({outcome.message}).")
    except _OutOfEpochsError:
        monitor.observe(at)
    return monitor.result(at)


class _OutOfEpochsError(Exception):
    pass


class Lbfgs:
    """The point that SciPy has accepted last."""

    is_monotone = False
    edge_hint: float | None = 0.0  # the gradient is available: always test

    def __init__(self, start: Start) -> None:
        self.problem, self.penalty = start.problem, start.penalty
        self.rows = self.problem.rows(start.n_threads)
        self.evaluations = 0
        self.updates = 0
        self.lam = start.lam
        self.finish()

    def evaluate(self, lam: Vector) -> tuple[float, Vector]:
        point = self.rows.point(lam)
        value, gradient = point.value, point.gradient()
        self.evaluations += 1
        self.updates += self.problem.n_coordinates
        self._latest = (lam.copy(), value, gradient)
        n = self.penalty.n
        smooth = gradient.copy()
        smooth[:n] += self.penalty.each_l2 * lam[:n]
        return value + self.penalty.value(lam), smooth

    def accept(self, lam: Vector) -> None:
        if not np.array_equal(lam, self._latest[0]):
            self.evaluate(np.asarray(lam))
        self.lam, self.value, self._gradient = self._latest

    def gradient(self) -> Vector:
        return self._gradient

    def epochs(self) -> float:
        return float(self.evaluations)

    def advance(self, epochs_left: float) -> None:
        raise NotImplementedError("SciPy drives this method")

    def finish(self) -> None:
        point = self.rows.point(self.lam)
        self.value, self._gradient = point.value, point.gradient()


def _bounds(problem: BaseProblem, penalty: Penalty) -> list[tuple[float, float]] | None:
    if penalty.lower is None or penalty.upper is None:
        return None
    free = [(-np.inf, np.inf)] * (problem.n_coordinates - penalty.n)
    return [*zip(penalty.lower.tolist(), penalty.upper.tolist(), strict=True), *free]
