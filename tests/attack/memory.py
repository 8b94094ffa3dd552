"""Little memory: every job under limits from 0 to 64 MB above what the process already has.

Each setting runs in a child of a process that has loaded everything and started no thread. A job
must succeed or raise MemoryError, and after that, with the limit lifted, give the usual bits. Never
may the process die or hang.

    python -m attack.memory --steps 200             # from the folder tests; some minutes
    python -m attack.memory --steps 40 build path   # some of them
    python -m attack.memory --steps 40 path:16      # where little is left: no more than 16 MB
"""

from __future__ import annotations

import os

CORES = os.sched_getaffinity(0)
os.sched_setaffinity(0, {min(CORES)})  # before NumPy is loaded: it would start threads for BLAS

import argparse
import ctypes
import faulthandler
import resource
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO

from attack import jobs as attack_jobs

SECONDS = 60
MOST = 64  # MB of the last step
COUNTS = (2, 3, 8)  # of threads, by turns
# One kind of psi is enough: it changes nothing about memory.
JOBS = [
    "build",
    *(f"solve-{name}-exponential" for name in attack_jobs.tb.METHODS),
    *(f"solve-{name}-logistic" for name in ("exact", "exact-async", "lbfgs")),
    "fit-default",
    "fit-lanes",
    "fit-three",
    "path",
    "load-svmlight",
    "load-model",
    "save-model",
    "predict",
    "open-store",
    "convert",
    "fingerprints",
]
OUTCOMES = ("success", "MemoryError", "wrong bits", "another error", "hang", "death")


def size() -> int:
    """Return how much address space this process has."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def keep_no_reserve() -> None:
    """Have every larger array mapped by itself, so that freed ones do not serve the next."""
    trim_threshold, mmap_threshold = -1, -3  # as in malloc.h
    library = ctypes.CDLL(None)
    library.mallopt(mmap_threshold, 2**16)
    library.mallopt(trim_threshold, 2**16)


def limited(job: Callable[[], object], above: int, expected: str, log: IO[str]) -> int:
    """Run a job in little memory; return the place of what happened in OUTCOMES."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (size() + above, hard))
    found, failure = None, None
    try:
        found = job()
    except BaseException as error:
        failure = error
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    if failure is not None and not isinstance(failure, MemoryError):
        log.write(f"{failure!r}\n")
        return 3
    if failure is not None:
        found = job()
    if attack_jobs.bits(found) != expected:
        return 2
    return 0 if failure is None else 1


def in_child(job: Callable[[], object], above: int, expected: str, log: IO[str]) -> str:
    """Run one setting in a child, and say how it ended."""
    child = os.fork()
    if child == 0:
        os.dup2(log.fileno(), 2)
        faulthandler.enable()
        os.sched_setaffinity(0, CORES)
        signal.alarm(SECONDS)  # ends a hang with a signal of its own
        code = 3
        try:
            code = limited(job, above, expected, log)
            log.flush()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "hang" if os.WTERMSIG(status) == signal.SIGALRM else "death"
    code = os.WEXITSTATUS(status)
    return OUTCOMES[code] if code < 4 else "death"


def run(wanted: list[str], steps: int) -> int:
    """Run the jobs; return the number of settings that ended as none may."""
    totals: Counter[str] = Counter()
    keep_no_reserve()
    with tempfile.TemporaryDirectory() as folder:
        every = attack_jobs.prepare(Path(folder))
        for name, _, own in (word.partition(":") for word in wanted):
            most = float(own or MOST)
            expected = attack_jobs.bits(every[name](1))
            counts: Counter[str] = Counter()
            for step in range(steps):
                above = int(most * 2**20) * step // max(1, steps - 1)
                with tempfile.TemporaryFile("w+") as log:
                    job = partial(every[name], COUNTS[step % len(COUNTS)])
                    outcome = in_child(job, above, expected, log)
                    counts[outcome] += 1
                    if outcome not in OUTCOMES[:2]:
                        log.seek(0)
                        text = " ".join(log.read().split())
                        print(f"  {name}, {above / 2**20:.1f} MB: {outcome}: {text[-200:]}")
            print(f"{name:34s}", ", ".join(f"{counts[o]} {o}" for o in OUTCOMES if counts[o]))
            sys.stdout.flush()
            totals += counts
    print("all:", ", ".join(f"{totals[o]} {o}" for o in OUTCOMES))
    return sum(totals[o] for o in OUTCOMES[2:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="jobs, or JOB:MB for another most than 64 MB")
    parser.add_argument("--steps", type=int, default=200)
    options = parser.parse_args()
    sys.exit(1 if run(options.names or JOBS, options.steps) else 0)


if __name__ == "__main__":
    main()
