"""When fits stop: one loop, one rule.

`run` takes a fit, or fits that run side by side, from one point to the next until whoever watches
says stop. What is watched for is a `StoppingRule`: the tolerances and limits of a solve, a search
or a regularization path are fields of it.

- ``edge``: the largest excess edge. With g the gradient of F and v_i the distance of 0 from the
  i-th component of the subdifferential of F + psi,

      edge = max_i v_i / u_i,    u_i = max_j |A_ji|,

  which does not depend on the scale of the features: without psi it is the largest weighted
  correlation, between 0 and 1, of a weak hypothesis with the labels, 0 exactly at the optimum.
  (For a classifier's columns in which few values are large u_i is less: design.edge_units.)
- ``gap``, ``relative_gap``: how far the objective can be above the optimum (certificate.py).
- ``decrease``: how much a sweep lowers the objective. It costs nothing, and proves nothing: enough
  to compare penalties by validation loss.
- ``target``, ``max_epochs``, ``time_limit``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar

import numpy as np

from ..base.arrays import Vector
from ..validation import check_real
from .result import Status

__all__ = ["Advancing", "Fits", "Iteration", "StoppingRule", "SweepMonitor", "Watcher", "run"]


DEFAULT_EDGE = 1e-4
DEFAULT_MAX_EPOCHS = 1000


class Advancing(Protocol):
    """Whatever goes on step by step, and counts its work in epochs."""

    def epochs(self) -> float:
        """Work done, in epochs."""

    def advance(self, epochs_left: float) -> None:
        """Go on to the next point worth an evaluation, at most ``epochs_left`` further."""


class Iteration(Advancing, Protocol):
    """What a method of ``solve`` shows of itself: where it is, how much it has done."""

    lam: Vector
    value: float
    updates: int
    # A cheap guess at the edge, worth a test when it is near the tolerance, and corrected by it.
    # None: no idea; 0: the gradient is available, and every evaluation is worth a test.
    edge_hint: float | None

    @property
    def is_monotone(self) -> bool:
        """Whether the objective never rises, rounding aside."""

    def gradient(self) -> Vector:
        """Gradient of F at lam."""

    def finish(self) -> None:
        """Make value exact at the final lam."""


class Fits(Advancing, Protocol):
    """Fits that run side by side, an epoch being a sweep of each that is still open."""

    def open_all(self) -> None:
        """Sweep all of them from now on."""

    def close(self, decrease: float) -> bool:
        """Leave out those whose last sweep gained no more than this; True: none is left."""


A = TypeVar("A", bound=Advancing)
Seen_contra = TypeVar("Seen_contra", contravariant=True)
F = TypeVar("F", bound=Fits)


class Watcher(Protocol[Seen_contra]):
    """Who decides when a fit stops."""

    def observe(self, at: Seen_contra) -> Status | None:
        """Check the current point; a status means: stop here."""

    def epochs_left(self, at: Seen_contra) -> float:
        """Return how far it may still go."""


def run(at: A, watcher: Watcher[A]) -> Status:
    """Go on until the watcher says stop: the one loop of all fits."""
    while (status := watcher.observe(at)) is None:
        at.advance(watcher.epochs_left(at))
    return status


@dataclass(frozen=True, kw_only=True)
class StoppingRule:
    """Tolerances and limits, of which the first that is met ends a fit; see ``tauboost.solve``."""

    edge: float = 0.0  # 0: not tested
    gap: float = 0.0  # 0: not tested
    relative_gap: float = 0.0
    decrease: float = -np.inf
    target: float = -np.inf
    max_epochs: float = np.inf
    time_limit: float = np.inf

    @classmethod
    def build(
        cls,
        *,
        tol: float | None = None,
        gap: float | None = None,
        relative_gap: float | None = None,
        target: float | None = None,
        max_epochs: float | None = None,
        time_limit: float | None = None,
    ) -> Self:
        """Check the arguments of ``solve``; None means the default."""
        if max_epochs is None:
            max_epochs = DEFAULT_MAX_EPOCHS
        if tol is None:  # a gap says more
            tol = DEFAULT_EDGE if gap is None and relative_gap is None else 0.0
        limits = {
            "max_epochs": check_real(max_epochs, "max_epochs", least=0.0),
            "edge": check_real(tol, "tol", least=0.0),
        }
        if time_limit is not None:
            limits["time_limit"] = check_real(time_limit, "time_limit", least=0.0)
        if target is not None:
            limits["target"] = check_real(target, "target")
        for name, value in (("gap", gap), ("relative_gap", relative_gap)):
            if value is not None:
                limits[name] = check_real(value, name, least=0.0, above=True)
        return cls(**limits)

    def wanted_gap(self, objective: float, is_logarithm: bool) -> float:
        """Return the gap to stop on; 0: none."""
        return max(self.gap, self.relative_gap * (1.0 if is_logarithm else objective))

    def limit_met(self, epochs: float, seconds: float) -> tuple[Status, str] | None:
        """Return how a fit ends that has used up its epochs or its time."""
        if epochs >= self.max_epochs:
            return Status.MAX_EPOCHS, f"Out of epochs: {epochs:g} of {self.max_epochs:g} done."
        if seconds >= self.time_limit:
            said = f"Out of time: {seconds:.3g} s of {self.time_limit:.3g} s."
            return Status.TIME_LIMIT, said
        return None


class SweepMonitor(Generic[F]):
    """Watches fits by what their sweeps gain: no objective is computed.

    Every fit is swept once at least. ``report`` is called after each sweep; True asks to stop.
    """

    def __init__(self, rule: StoppingRule, report: Callable[[], bool] | None = None) -> None:
        self.rule, self.report = rule, report
        self._start = time.perf_counter()
        self._has_begun = False

    def observe(self, at: F) -> Status | None:
        """Close the fits that are solved; a status means: stop here."""
        if not self._has_begun:
            self._has_begun = True
            at.open_all()
        elif self.report is not None and self.report():
            return Status.INTERRUPTED
        elif time.perf_counter() - self._start >= self.rule.time_limit:
            return Status.TIME_LIMIT
        elif at.close(self.rule.decrease):
            return Status.CONVERGED
        return Status.MAX_EPOCHS if at.epochs() >= self.rule.max_epochs else None

    def epochs_left(self, at: F) -> float:
        """Return how many sweeps may still be made."""
        return self.rule.max_epochs - at.epochs()
