"""How many threads to use. One question, one answer.

"All" respects the affinity and the cgroup of the process, and OMP_NUM_THREADS, by which people and
joblib tell numerical libraries to share a machine.
"""

from __future__ import annotations

import os
from numbers import Integral
from typing import Any

import joblib

from .messages import shown

__all__ = ["resolve_jobs", "resolve_threads", "useful_threads"]

# How many nonzeros are worth a thread: a pass over all, for which it has to wake up; a draw of the
# paper's methods; a share of a bundle, for which it is awake.
NONZEROS_WORTH_A_THREAD = {"pass": 2**17, "draw": 2**14, "share": 2**12}
MOST_THREADS = 1024


def resolve_threads(n_threads: int | None) -> int:
    """Return ``n_threads`` checked; None means every core this process may use."""
    if n_threads is None:
        return _all_threads()
    number = _integer(n_threads, "n_threads", "a positive integer or None")
    if not 1 <= number <= MOST_THREADS:
        raise ValueError(f"n_threads must be between 1 and {MOST_THREADS}, got {shown(number)}")
    return number


def resolve_jobs(n_jobs: int | None) -> int:
    """Return how many threads scikit-learn's ``n_jobs`` means: -1 all cores, -2 all but one."""
    if n_jobs is None:
        return min(int(joblib.effective_n_jobs(None)), MOST_THREADS)
    number = _integer(n_jobs, "n_jobs", "an integer or None")
    if number == 0 or abs(number) > MOST_THREADS:
        raise ValueError(
            f"n_jobs must be between 1 and {MOST_THREADS}, or negative to count from all cores "
            f"down (-1: all), got {shown(number)}"
        )
    effective = min(int(joblib.effective_n_jobs(number)), MOST_THREADS)
    return effective if number > 0 else min(effective, _all_threads())


def _all_threads() -> int:
    cores = min(int(joblib.cpu_count()), MOST_THREADS)
    limit = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return max(1, min(cores, int(limit))) if limit.isascii() and limit.isdigit() else cores


def _integer(value: Any, name: str, accepted: str) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be {accepted}, got {shown(value)}")
    return int(value)


def useful_threads(n_threads: int, nonzeros: int, work: str = "pass") -> int:
    """Return how many of the threads are worth their while for work on so many nonzeros."""
    return max(1, min(n_threads, nonzeros // NONZEROS_WORTH_A_THREAD[work]))
