"""What is worth using: threads, tau, one machine or a cluster."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ..solvers.exact import LARGEST_OVERLAP, BundleSize
from .words import in_bytes, in_seconds

__all__ = ["first_tau", "message_seconds", "place", "thread_counts", "useful"]

# A thread more is worth it if it makes a sweep this much faster.
WORTH_A_THREAD = 0.95
# One round of messages between a driver and two workers on one machine (docs/dask.md).
ROUND_SECONDS = 1.5e-3
# With fewer nonzeros, one thread is as fast as any cluster (docs/dask.md).
BREAK_EVEN = 1.5e9


def thread_counts(n_threads: int) -> list[int]:
    """Return 1, 2, 4 and so on, and the most."""
    return [*(2**k for k in range(n_threads.bit_length()) if 2**k < n_threads), n_threads]


def useful(sweep_seconds: dict[int, float]) -> int:
    """Return the fewest threads that are about as fast as any."""
    best = 1
    for n, seconds in sorted(sweep_seconds.items()):
        if seconds < WORTH_A_THREAD * sweep_seconds[best]:
            best = n
    return best


def first_tau(m: int, n: int, nnz: int) -> int:
    """Return the size of the first bundles."""
    return BundleSize(_shape(m, n, nnz), None).tau


def message_seconds(m: int, n: int, nnz: int) -> float:
    """Return what the messages of a sweep take on a cluster of two workers."""
    tau = BundleSize(_shape(m, n, nnz), None, message_cost=LARGEST_OVERLAP * m).tau
    return ROUND_SECONDS * -(-n // tau)


def _shape(m: int, n: int, nnz: int) -> Any:
    """Return what the size of a bundle is read from, in place of a matrix."""
    return SimpleNamespace(m=m, n=n, nnz=nnz)


def place(
    needed: int, available: int | None, nnz: int, sweep: float, messages: float
) -> tuple[str, str]:
    """Choose between one machine and a cluster; returns the place and why."""
    if available is not None and needed > available:
        why = f"{in_bytes(needed)} are needed, and {in_bytes(available)} are free"
        return "a cluster", f"{why} (tauboost.dask, or a machine with more memory)"
    fits = "it fits the memory"
    if available is not None:
        fits = f"{in_bytes(needed)} of the {in_bytes(available)} that are free"
    if nnz >= BREAK_EVEN and messages < sweep / 2:
        why = f"messages would take {in_seconds(messages)} of a sweep of {in_seconds(sweep)}"
        return "one machine", f"{fits}; a cluster may pay as well: {why}"
    why = f"the messages of a sweep would take {in_seconds(messages)}"
    return "one machine", f"{fits}; on a cluster, {why}"
