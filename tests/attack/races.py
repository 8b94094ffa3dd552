"""Every kernel on 2 to 64 threads, several fits at once, callbacks and Ctrl-C: for `make tsan`.

Without the sanitizer it is a test that results do not depend on the number of threads.

    python -m attack.races               # from the folder tests
    python -m attack.races 3 solve-pcdm  # thread counts and how names of jobs begin
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tauboost as tb
from attack.jobs import Job, bits, prepare
from problems import sharded_case

COUNTS = [2, 3, 5, 8, 16, 64]
AT_ONCE = ("solve-exact-exponential-l1", "fit-given", "load-svmlight", "predict", "build")


def compare(jobs: dict[str, Job], counts: list[int]) -> int:
    """Run every job on every number of threads; return how many differ from one thread."""
    n_wrong = 0
    for name, job in jobs.items():
        begin = time.monotonic()
        expected = bits(job(1))
        wrong = [n for n in counts if bits(job(n)) != expected]
        n_wrong += len(wrong)
        verdict = f"differs on {wrong} threads" if wrong else "same bits"
        print(f"{name:38s} {verdict}, {time.monotonic() - begin:.1f} s", flush=True)
    return n_wrong


def at_once(jobs: dict[str, Job], counts: list[int]) -> int:
    """Run several jobs in as many Python threads, each on one after the other of these numbers.

    Return how many differ from one alone.
    """
    chosen = [jobs[name] for name in AT_ONCE if name in jobs] * 2
    expected = [bits(job(1)) for job in chosen]

    def run(k: int) -> bool:
        turns = counts[k % len(counts) :] + counts[: k % len(counts)]
        return all(bits(chosen[k](n)) == expected[k] for n in turns)

    with ThreadPoolExecutor(len(chosen) or 1) as pool:
        return sum(not is_right for is_right in pool.map(run, range(len(chosen))))


def interrupted(method: str, n_threads: int) -> int:
    """Send Ctrl-C into a solve; return 0 if it ended as it must."""
    problem = sharded_case().problem(n_threads=n_threads)
    blow = threading.Timer(0.25, os.kill, (os.getpid(), signal.SIGINT))
    blow.start()
    try:
        for _ in range(1000):  # some end by themselves, sooner or later
            tb.solve(problem, method, n_threads=n_threads, tol=0, max_epochs=10**9)
    except KeyboardInterrupt:
        return 0
    finally:
        blow.join()
    return 1


def main(arguments: list[str]) -> int:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore it
    counts = [int(a) for a in arguments if a.isdigit()] or COUNTS
    names = [a for a in arguments if not a.isdigit()]
    with tempfile.TemporaryDirectory() as folder:
        jobs = prepare(Path(folder))
        if names:
            jobs = {k: job for k, job in jobs.items() if any(map(k.startswith, names))}
        n_wrong = compare(jobs, counts)
        n_wrong += at_once(jobs, counts)
    if not names:
        n_wrong += sum(interrupted(method, n) for method in tb.METHODS for n in counts)
    print(f"{n_wrong} wrong results", flush=True)
    return min(n_wrong, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
