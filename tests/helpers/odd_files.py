"""Files that give little at a time, and reading in a process that may be ended by a signal."""

from __future__ import annotations

import io
import os
import traceback
from collections.abc import Callable

__all__ = ["Trickle", "in_child"]


class Trickle(io.RawIOBase):
    """Gives a few bytes at a time, as a pipe may."""

    def __init__(self, data: bytes, size: int) -> None:
        self.data, self.size = io.BytesIO(data), size

    def read(self, size=-1):
        return self.data.read(min(size, self.size))


def in_child(work: Callable[[], object]) -> int:
    """Run in a forked process; return its exit code, or minus the signal that ended it."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
