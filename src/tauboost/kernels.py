"""The compiled kernels, loaded so that waiting threads do not starve a busy machine.

OpenMP threads that wait for each other spin, by default for milliseconds: on a machine shared with
other work that can make two threads ten times slower than one. They are told to spin for some tens
of microseconds and then sleep. The setting is read once, when the library is loaded; a user's own
setting is left alone, and nothing of it reaches child processes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["_core"]


@contextmanager
def _brief_spinning() -> Iterator[None]:
    if "GOMP_SPINCOUNT" in os.environ or "OMP_WAIT_POLICY" in os.environ:
        yield
        return
    os.environ["GOMP_SPINCOUNT"] = "10000"
    try:
        yield
    finally:
        del os.environ["GOMP_SPINCOUNT"]


with _brief_spinning():
    from . import _core
