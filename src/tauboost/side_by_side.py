"""Python threads side by side, the caller's among them, also where no other can be started.

Items are claimed one by one, and only claimed ones are waited for. A pool would wait for ever for a
thread that died of a lack of memory before it began, and would fail where none can be started.
"""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

__all__ = ["side_by_side"]

T = TypeVar("T")


def side_by_side(work: Callable[[T], Any], items: Iterable[T], n_threads: int) -> None:
    """Call work(item) for every item; what one raises is raised here, and the rest left undone."""
    run = _Run(work, list(items))
    for _ in range(min(n_threads, len(run.left)) - 1):
        try:
            _thread.start_new_thread(run.help, ())
        except (RuntimeError, MemoryError):  # fewer do as well
            break
    try:
        run.help()
    finally:
        run.wait()
    if run.error is not None:
        raise run.error


class _Run:
    def __init__(self, work: Callable[[Any], Any], items: list[Any]) -> None:
        self.work, self.left = work, items[::-1]
        self.n_claimed = 0
        self.error: BaseException | None = None
        self.turn = threading.Condition()

    def help(self) -> None:
        """Work until nothing is left to claim."""
        while True:
            with self.turn:
                if not self.left or self.error is not None:
                    return
                item = self.left.pop()
                self.n_claimed += 1
            try:
                self.work(item)
            except BaseException as error:
                self.error = self.error or error
            finally:
                with self.turn:
                    self.n_claimed -= 1
                    self.turn.notify_all()

    def wait(self) -> None:
        """Wait for what others have claimed; on Ctrl-C, until what they are at has ended."""
        with self.turn:
            while self.n_claimed:
                try:
                    self.turn.wait()
                except KeyboardInterrupt as error:
                    self.error = self.error or error
