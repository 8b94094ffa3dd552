"""The time a search may take, and whom it tells where it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

__all__ = ["Clock", "OutOfTime", "Report"]

Report = Callable[[str], Any]


class OutOfTime(Exception):  # noqa: N818 - no error, but what a limit is for
    """There is no time left to decide all rows."""


class Clock:
    """Counts down."""

    def __init__(self, limit: float, report: Report | None = None) -> None:
        self.began, self.limit, self.report = time.perf_counter(), limit, report

    @property
    def seconds(self) -> float:
        """Seconds since it was started."""
        return time.perf_counter() - self.began

    @property
    def left(self) -> float:
        """Seconds left, 0 at least."""
        return max(self.limit - self.seconds, 0.0)

    def say(self, words: str) -> None:
        """Tell what comes next."""
        if self.report is not None:
            self.report(words)

    def check(self) -> None:
        """Raise OutOfTime if there is no time left."""
        if self.left == 0.0:
            raise OutOfTime
