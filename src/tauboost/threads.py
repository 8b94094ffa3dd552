"""How many threads to use. One question, one answer: affinity and cgroup limits are respected."""

from __future__ import annotations

from numbers import Integral

import joblib

__all__ = ["resolve_threads", "useful_threads"]

# A thread takes microseconds to wake up: time for some tens of thousands of nonzeros.
NONZEROS_WORTH_A_THREAD = 2**17


def resolve_threads(n_threads: int | None) -> int:
    """Return ``n_threads`` checked; None means every core this process may use."""
    if n_threads is None:
        return int(joblib.cpu_count())
    if isinstance(n_threads, bool) or not isinstance(n_threads, Integral):
        raise TypeError(f"n_threads must be a positive integer or None, got {n_threads!r}")
    if not 1 <= n_threads <= 1024:
        raise ValueError(f"n_threads must be between 1 and 1024, got {n_threads}")
    return int(n_threads)


def useful_threads(n_threads: int, nonzeros: int) -> int:
    """Return how many of the threads are worth waking up for a pass over so many nonzeros."""
    return max(1, min(n_threads, nonzeros // NONZEROS_WORTH_A_THREAD))
