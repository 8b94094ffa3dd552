"""Ctrl-C, from the first line of the package to the end of the process: one word, exit code 130.

Before a command runs nothing is there to be cleaned up, and the process ends at once. A command is
unwound, so that files in the making are removed; but no module is left half loaded, as extension
modules may abort. After the command the process ends in any case, and is left to it.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from .. import _interrupted as at_once

__all__ = ["of_process", "unwinding"]


SECONDS_TO_LOAD = 0.001  # after which to check again whether modules are being loaded


@contextmanager
def of_process() -> Iterator[None]:
    """Answer Ctrl-C, unless it is ignored, or somebody else answers it."""
    before = signal.getsignal(signal.SIGINT)
    if before not in (at_once, signal.default_int_handler):
        yield
        return
    signal.signal(signal.SIGINT, at_once)
    signal.signal(signal.SIGALRM, _unless_loading)
    sys.unraisablehook = _unraisable
    try:
        yield
    finally:
        # A program that has called the command line goes on; the command itself ends.
        signal.signal(signal.SIGINT, signal.SIG_IGN if before is at_once else before)


@contextmanager
def unwinding() -> Iterator[None]:
    """Raise ``KeyboardInterrupt`` within, where Ctrl-C would end the process at once."""
    if signal.getsignal(signal.SIGINT) is not at_once:
        yield
        return
    signal.signal(signal.SIGINT, _unless_loading)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, at_once)
        waiting, _ = signal.setitimer(signal.ITIMER_REAL, 0.0)
    if waiting > 0.0:  # Ctrl-C came during an import, and the command was over before the timer
        raise KeyboardInterrupt


def _unless_loading(_: int, frame: FrameType | None) -> None:
    """Raise it, or come back if an import is under way."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            signal.setitimer(signal.ITIMER_REAL, SECONDS_TO_LOAD)
            return
        frame = frame.f_back
    raise KeyboardInterrupt


def _unraisable(lost: Any) -> None:
    """End as well where Python would drop the exception: in a destructor or a callback."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        at_once()
    sys.__unraisablehook__(lost)
