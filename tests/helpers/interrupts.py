"""Ctrl-C while something runs in this process."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def interrupted(after: float) -> Iterator[None]:
    """Interrupt the block after some seconds; it must end within one more."""
    sent = []

    def interrupt() -> None:
        time.sleep(after)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        yield
    assert time.perf_counter() - sent[0] < 1.0
    thread.join()
