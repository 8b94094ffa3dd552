"""The clock of a fit, and who is told how far it is: one live line, a callback, a trace."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf, nan

from ..solvers.stopping import StoppingRule
from ..validation import check_verbose

__all__ = ["Event", "Report", "Watch", "describe", "live_line"]


@dataclass(frozen=True)
class Event:
    """What is told when the matrix has been built (without an objective), and after each sweep."""

    phase: str  # "build", "select" or "fit"
    sweep: int
    objective: float
    held_out_loss: float
    seconds: float


Report = Callable[[Event], bool]


class Watch:
    """Seconds since the start, whether they are used up, and whether somebody asked to stop."""

    def __init__(self, limit: float | None = None, report: Report | None = None) -> None:
        self.start, self.limit, self.report = time.perf_counter(), limit, report
        self.is_stopped = False

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

    def tell(
        self,
        phase: str,
        sweep: int,
        objective: Callable[[], float] | float = nan,
        held_out_loss: float = nan,
    ) -> bool:
        """Report, if anybody listens; True asks to stop, and does so from then on.

        An objective that has to be computed is a function.
        """
        if self.report is not None:
            value = objective() if callable(objective) else objective
            event = Event(phase, sweep, value, held_out_loss, self.seconds)
            self.is_stopped |= bool(self.report(event))
        return self.is_stopped

    def rule(self, decrease: float, max_epochs: float) -> StoppingRule:
        """Return when batched fits stop: by what a sweep gains, after so many, or out of time."""
        time_limit = inf if self.left is None else self.left
        return StoppingRule(decrease=decrease, max_epochs=max_epochs, time_limit=time_limit)


@contextmanager
def live_line(verbose: int) -> Iterator[Report | None]:
    """Give a report function that keeps one line of the terminal up to date."""
    if not check_verbose(verbose):
        yield None
        return
    stream = sys.stderr
    is_live = stream.isatty()
    last = ""

    def show(event: Event) -> bool:
        nonlocal last
        last = describe(event)
        if is_live:
            stream.write(f"\r\x1b[2K{last}")
            stream.flush()
        return False

    try:
        yield show
    finally:
        # Where no line can be rewritten (a file, a notebook's log), only the last state is shown.
        if last:
            stream.write("\n" if is_live else f"{last}\n")
            stream.flush()


def describe(event: Event) -> str:
    """Say in one line where a fit is."""
    if event.phase == "build":
        return f"tauboost built the matrix, {event.seconds:.1f} s"
    what = {"select": "choosing", "fit": "fitting"}[event.phase]
    parts = [f"tauboost {what}: sweep {event.sweep}"]
    if event.objective == event.objective:  # not NaN
        parts.append(f"objective {event.objective:.6g}")
    if event.held_out_loss == event.held_out_loss:
        parts.append(f"held-out loss {event.held_out_loss:.5f}")
    parts.append(f"{event.seconds:.1f} s")
    return ", ".join(parts)
