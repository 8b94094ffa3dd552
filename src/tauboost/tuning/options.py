"""What a fit is asked for, what it tells on its way, its clock, and all of that as one job."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from math import nan
from typing import Any

from ..base.arrays import Vector
from ..io.checkpoint import NoCheckpoint
from .samples import Samples

__all__ = ["Clock", "Event", "Job", "Options", "Report"]

# The options that tell a fit from another.
IDENTITY = (
    *("loss", "alpha", "l1_ratio", "max_iter", "tol"),
    *("early_stopping", "validation_fraction", "calibrate"),
)


@dataclass(frozen=True)
class Event:
    """What is told when the matrix has been built (without an objective), and after each sweep."""

    phase: str  # "build", "select" or "fit"
    sweep: int
    objective: float
    held_out_loss: float
    seconds: float


Report = Callable[[Event], bool]


@dataclass(frozen=True)
class Options:
    """What the user asked for."""

    loss: str
    alpha: float | str
    l1_ratio: float | str
    max_iter: int
    tol: float
    early_stopping: bool
    validation_fraction: float
    calibrate: bool
    time_limit: float | None
    report: Report | None  # None: nobody listens
    checkpoint: NoCheckpoint = field(default_factory=NoCheckpoint)

    def identity(self, samples: Samples) -> dict[str, Any]:
        """Return what tells this fit from others; limits of time and threads do not."""
        return {name: getattr(self, name) for name in IDENTITY} | samples.identity()


class Clock:
    """Seconds since the start, and whether they are used up."""

    def __init__(self, limit: float | None) -> None:
        self.start, self.limit = time.perf_counter(), limit

    @property
    def seconds(self) -> float:
        """Seconds so far."""
        return time.perf_counter() - self.start

    @property
    def left(self) -> float | None:
        """Seconds left; None: no limit."""
        return None if self.limit is None else max(self.limit - self.seconds, 1e-3)

    @property
    def is_over(self) -> bool:
        """Whether the time is used up."""
        return self.limit is not None and self.seconds >= self.limit


@dataclass(frozen=True)
class Job:
    """One fit: its samples, what was asked for, the clock, and where it starts."""

    samples: Samples
    options: Options
    clock: Clock
    start: Vector | None  # a point of the core for each task; None: 0

    def tell(self, phase: str, sweep: int, objective: float, held_out_loss: float = nan) -> bool:
        """Report, if anybody listens; True asks to stop."""
        report = self.options.report
        event = Event(phase, sweep, objective, held_out_loss, self.clock.seconds)
        return report is not None and report(event)

    def build(self) -> None:
        """Have the one matrix laid out that all problems share, and tell when it is."""
        _ = self.samples.matrix
        self.tell("build", 0, nan)
