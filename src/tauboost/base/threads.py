"""How many threads to use. One question, one answer.

"All" respects the affinity and the cgroup of the process, or what TAUBOOST_CORES says in their
place, and the variables by which people and joblib tell numerical libraries to share a machine.
"""

from __future__ import annotations

import _thread
import math
import os
import threading
from collections.abc import Callable, Iterable
from mmap import mmap
from numbers import Integral
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from .. import _core
from .messages import shown

__all__ = [
    "available_cores",
    "resolve_jobs",
    "resolve_threads",
    "side_by_side",
    "threads_for",
    "useful_threads",
]


# How many nonzeros are worth a thread: a pass over all, for which it has to wake up; a draw of the
# paper's methods; a share of a block, for which it is awake.
NONZEROS_WORTH_A_THREAD = {"pass": 2**17, "draw": 2**14, "share": 2**12}
WORTH_ASKING = 2 * NONZEROS_WORTH_A_THREAD["pass"]
MOST_THREADS = 1024
# How many cores to believe in, whatever the machine has.
BELIEVED = "TAUBOOST_CORES"
# The first number of each is a limit, if there is one.
LIMITS = ("OMP_NUM_THREADS", "LOKY_MAX_CPU_COUNT")
CGROUP = Path("/sys/fs/cgroup")


def resolve_threads(n_threads: int | None) -> int:
    """Return ``n_threads`` checked; None means every core this process may use."""
    if n_threads is None:
        return _all_threads()
    number = _integer(n_threads, "n_threads", "a positive integer or None")
    if not 1 <= number <= MOST_THREADS:
        raise ValueError(f"n_threads must be between 1 and {MOST_THREADS}, got {shown(number)}")
    return number


def resolve_jobs(n_jobs: int | None, nonzeros: float = math.inf) -> int:
    """Return how many threads scikit-learn's ``n_jobs`` means: -1 all cores, -2 all but one.

    The children of a pool of processes share the cores: there, all of them are one. For work on
    few nonzeros it is one as well: to ask how many cores there are takes longer.
    """
    number = -1 if n_jobs is None else _integer(n_jobs, "n_jobs", "an integer or None")
    if nonzeros < WORTH_ASKING and number != 0 and abs(number) <= MOST_THREADS:
        return 1
    if n_jobs is None:
        return _configured_jobs()
    if number == 0 or abs(number) > MOST_THREADS:
        raise ValueError(
            f"n_jobs must be between 1 and {MOST_THREADS}, or negative to count from all cores "
            f"down (-1: all), got {shown(number)}"
        )
    return _allowed(number) if number > 0 else _counted_down(number)


def _configured_jobs() -> int:
    """Return how many threads joblib's configuration asks for."""
    from joblib.parallel import get_active_backend  # noqa: PLC0415 - only estimators need it

    _, n_jobs = get_active_backend()  # with a hint for threads it would always be 1
    return _counted_down(n_jobs) if n_jobs is not None and n_jobs < 0 else _allowed(n_jobs)


def _counted_down(n_jobs: int) -> int:
    """Return how many threads a negative number means; joblib may allow for one only."""
    from multiprocessing import current_process  # noqa: PLC0415 - joblib has it already

    if current_process().daemon or _allowed(2) == 1:
        return 1
    return max(1, _all_threads() + 1 + n_jobs)


def _allowed(n_jobs: int | None) -> int:
    """Return how many of these threads joblib's backend allows for.

    It is asked for threads: the processes that it has by default would not do within a pool.
    """
    from joblib.parallel import get_active_backend  # noqa: PLC0415 - only estimators need it

    if n_jobs == 1:
        return 1
    backend, _ = get_active_backend(prefer="threads")
    return max(1, min(int(backend.effective_n_jobs(n_jobs)), MOST_THREADS))


def _all_threads() -> int:
    given = (os.environ.get(name, "").split(",")[0].strip() for name in LIMITS)
    limits = [int(text) for text in given if text.isascii() and text.isdigit()]
    return max(1, min(available_cores(), MOST_THREADS, *limits))


def available_cores() -> int:
    """Return how many cores the affinity and the cgroup of this process let it use.

    The environment variable TAUBOOST_CORES takes their place, where it is set.
    """
    believed = os.environ.get(BELIEVED)
    if believed is not None:
        return _believed_cores(believed)
    cores = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    quota, period = _cgroup_quota()
    return min(cores, math.ceil(quota / period)) if quota > 0 and period > 0 else cores


def _believed_cores(text: str) -> int:
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(MOST_THREADS))
    if not is_number or not 1 <= int(text) <= MOST_THREADS:
        raise ValueError(
            f"the environment variable {BELIEVED} must be an integer between 1 and {MOST_THREADS}, "
            f"or not be set, got {shown(text)}"
        )
    return int(text)


def _cgroup_quota() -> tuple[int, int]:
    """Return the time on processors that the cgroup has in each period; 0: no limit."""
    versions = (["cpu.max"], ["cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us"])
    for names in versions:
        try:
            words = " ".join((CGROUP / name).read_text() for name in names).split()
            quota, period = (0 if word == "max" else int(word) for word in words)
        except (OSError, ValueError):
            continue
        return quota, period
    return 0, 0


def _integer(value: Any, name: str, accepted: str) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be {accepted}, got {shown(value)}")
    return int(value)


def threads_for(nonzeros: int) -> int:
    """Return how many threads a pass over this many nonzeros takes, of all there are."""
    return 1 if nonzeros < WORTH_ASKING else useful_threads(resolve_threads(None), nonzeros)


def useful_threads(n_threads: int, nonzeros: int, work: str = "pass") -> int:
    """Return how many of the threads pay off for work on this many nonzeros."""
    return max(1, min(n_threads, nonzeros // NONZEROS_WORTH_A_THREAD[work]))


# Python threads side by side, the caller's among them, also where no other can be started.
#
# Items are claimed one by one, and only claimed ones are waited for. A pool would wait for ever
# for a thread that died of a lack of memory before it began, and would fail where none can be
# started.


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
