"""Python threads side by side, the caller's among them, also where no other can be started.

Items are claimed one by one, and only claimed ones are waited for. A pool would wait for ever for a
thread that died of a lack of memory before it began, and would fail where none can be started.
"""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable, Iterable
from mmap import mmap
from typing import Any, TypeVar

import numpy as np

from .. import _core

__all__ = ["side_by_side"]

T = TypeVar("T")

# What a new thread needs at once, with plenty to spare: NumPy keeps 46 kB for each.
ROOM = 2**18


def side_by_side(work: Callable[[T], Any], items: Iterable[T], n_threads: int) -> None:
    """Call work(item) for every item; what one raises is raised here, and the rest left undone."""
    if n_threads == 1:
        for item in items:
            work(item)
        return
    run = _Run(work, list(items))
    for _ in range(min(n_threads, len(run.left)) - 1):
        try:
            _thread.start_new_thread(run.help, (mmap(-1, ROOM),))
        except (RuntimeError, MemoryError, OSError):  # fewer do as well
            break
    try:
        run.work_through()
    finally:
        run.wait()
    if run.error is not None:
        raise run.error


class _Run:
    def __init__(self, work: Callable[[Any], Any], items: list[Any]) -> None:
        self.work, self.left = work, items[::-1]
        self.n_helping = 0  # helpers at work; a Ctrl-C, which only the caller sees, cannot upset it
        self.error: BaseException | None = None
        self.turn = threading.Condition()

    def work_through(self) -> None:
        """Work until nothing is left to claim."""
        while self.error is None:
            with self.turn:
                if not self.left:
                    return
                item = self.left.pop()
            self.attempt(item)

    def help(self, room: mmap) -> None:
        """Do the same as a helper, whom the caller waits for while it has an item."""
        # NumPy and the C++ library set themselves up in every thread when it first uses them, and
        # end the process where memory is short then: better now, in memory kept free for it.
        room.close()
        _core.fill_with_ones(np.empty(0), 1)
        with self.turn:
            self.n_helping += 1
        try:
            self.work_through()
        finally:
            with self.turn:
                self.n_helping -= 1
                self.turn.notify_all()

    def attempt(self, item: Any) -> None:
        try:
            self.work(item)
        except BaseException as error:
            self.error = self.error or error

    def wait(self) -> None:
        """Wait for the helpers that have begun; nothing is left for those that have not."""
        with self.turn:
            self.left.clear()
            while self.n_helping:
                try:
                    self.turn.wait()
                except KeyboardInterrupt as error:  # raised when what they are at has ended
                    self.error = self.error or error
