"""One live line while a fit runs: sweep, objective, held-out loss, seconds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ..validation import check_verbose
from .options import Event, Report

__all__ = ["live_line"]


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
