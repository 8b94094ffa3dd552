"""What a fit is asked for, what it tells on its way, and its clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Clock", "Event", "Options", "Report"]


@dataclass(frozen=True)
class Event:
    """What is told after each sweep."""

    phase: str  # "select" or "fit"
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
