"""Processes of their own, and what they cost: time, and memory at the peak."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Spent", "forget_the_peak", "in_a_child", "memory", "run_tauboost"]

WATCHER = """
import os, sys, time
began = time.perf_counter()
nowhere = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[nowhere])
_, status, used = os.wait4(pid, 0)
print(time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def in_a_child(work: Callable[..., dict[str, float]], *given: Any) -> dict[str, float]:
    """Return what a function returns in a separate process."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as children:
        return children.submit(work, *given).result()


def forget_the_peak() -> None:
    """Let the peak of this process be what it has now."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def memory(kind: str) -> float:
    """Return bytes that Linux counts for this process: VmRSS now, VmHWM at the peak."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(kind):
            return float(line.split()[1]) * 1024
    return float("nan")


@dataclass(frozen=True)
class Spent:
    """What a command took: seconds by the clock, of the processor, and bytes at the peak."""

    seconds: float
    processor_seconds: float
    peak: float


def run_tauboost(words: Sequence[str]) -> Spent:
    """Run a command of tauboost, from its start to its end; an error of it is one here.

    Between it and this process is a small one: to Linux, a parent's memory is its child's at first.
    """
    command = [sys.executable, "-m", "tauboost", *words]
    done = subprocess.run(
        [sys.executable, "-c", WATCHER, *command], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return Spent(*map(float, done.stdout.split()))
