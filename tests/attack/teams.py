"""All users of the thread pool with teams of 1 to 64 members, changing at random, under load.

Every job of attack/jobs.py runs in turn with a random number of threads, now and then several at
once in Python threads of their own, while other processes take the cores away at random moments.
Results must be those of one thread, bit for bit; matrices with a NaN or a bad index at a random
place must be refused.

    python -m attack.teams --seconds 600             # from the folder tests
    python -m attack.teams --rounds 2 --seed 7       # every job twice, as in that run
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import tauboost as tb
from attack.jobs import Job, bits, prepare
from tauboost import _core

MOST = 64
AT_ONCE = 3


def disturb(seed: int) -> None:
    """Be busy and asleep in turns of random length."""
    chance = random.Random(seed)
    while True:
        end = time.monotonic() + chance.expovariate(1000)
        while time.monotonic() < end:
            pass
        time.sleep(chance.expovariate(1000))


@contextmanager
def load(n_processes: int) -> Iterator[None]:
    context = multiprocessing.get_context("spawn")
    others = [context.Process(target=disturb, args=(k,), daemon=True) for k in range(n_processes)]
    for other in others:
        other.start()
    try:
        yield
    finally:
        for other in others:
            other.kill()


def team_size(chance: random.Random) -> int:
    """Choose from 1 ... 64, small ones as often as large ones."""
    return chance.choice((1, 2, 3, 5, 8, 16, MOST, chance.randint(1, MOST)))


class BadMatrices:
    """A matrix of many chunks, spoiled at one entry at a time."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        m, n_per_row = 50_000, 20  # 16 chunks of the check
        self.n_features = 400
        step = self.n_features // n_per_row
        indices = rng.integers(0, step, (m, n_per_row)) + step * np.arange(n_per_row)
        self.indices = indices.astype(np.int32).ravel()
        self.indptr = np.arange(0, m * n_per_row + 1, n_per_row, dtype=np.int32)
        self.data = rng.normal(size=self.indices.size)
        self.y = np.arange(m) % 2

    def accepted(self, chance: random.Random, n_threads: int) -> int:
        """Spoil an entry in two ways; return how often that was not noticed."""
        at, data, indices = chance.randrange(self.data.size), self.data, self.indices
        value, index = data[at], indices[at]
        data[at] = chance.choice((np.nan, np.inf, -np.inf))
        n_accepted = self.is_accepted(n_threads, lambda facts: facts.is_finite)
        data[at] = value
        indices[at] = chance.choice((-1, self.n_features, 2**31 - 1))
        n_accepted += self.is_accepted(
            n_threads,
            lambda facts: facts.least_index >= 0 and facts.most_index < self.n_features,
        )
        indices[at] = index
        return n_accepted

    def is_accepted(self, n_threads, is_sound) -> int:
        facts = _core.inspect_csr(self.indptr, self.indices, self.data, n_threads)
        if is_sound(facts):
            return 1
        X = sp.csr_array((len(self.y), self.n_features))
        X.indptr, X.indices, X.data = self.indptr, self.indices, self.data
        try:
            tb.Problem(X, self.y, n_threads=n_threads)
        except ValueError:
            return 0
        return 1


def run(jobs: dict[str, Job], seconds: float, rounds: int, seed: int) -> tuple[int, int]:
    """Run all jobs round by round; return how many there were and how many went wrong."""
    chance = random.Random(seed)
    expected = {name: bits(job(1)) for name, job in jobs.items()}
    bad = BadMatrices()
    n_done = n_wrong = 0
    end = time.monotonic() + seconds
    while rounds > 0 and time.monotonic() < end:
        rounds -= 1
        names = chance.sample(sorted(jobs), len(jobs))
        while names and time.monotonic() < end:
            # Most alone, some at once: then each has a crew of its own, and there are many of them.
            now = [names.pop() for _ in range(min(chance.choice((1, 1, 1, AT_ONCE)), len(names)))]
            sizes = [team_size(chance) for _ in now]
            with ThreadPoolExecutor(len(now)) as pool:
                found = list(pool.map(lambda name, n: bits(jobs[name](n)), now, sizes))
            for name, n, value in zip(now, sizes, found, strict=True):
                if value != expected[name]:
                    print(f"{name} differs with {n} threads", flush=True)
                    n_wrong += 1
            n_accepted = bad.accepted(chance, team_size(chance))
            if n_accepted:
                print(f"{n_accepted} bad matrices accepted after {now}", flush=True)
            n_wrong += n_accepted
            n_done += len(now) + 2
    return n_done, n_wrong


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--rounds", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=None, help="default: another one each time")
    parser.add_argument("--load", type=int, default=2, help="processes that disturb")
    parser.add_argument("--only", default="", help="how names of jobs begin")
    asked = parser.parse_args(arguments)
    seed = random.SystemRandom().randrange(2**32) if asked.seed is None else asked.seed
    print(f"seed {seed}", flush=True)
    warnings.simplefilter("ignore", tb.FitWarning)
    with tempfile.TemporaryDirectory() as folder, load(asked.load):
        jobs = {k: job for k, job in prepare(Path(folder)).items() if k.startswith(asked.only)}
        n_done, n_wrong = run(jobs, asked.seconds, asked.rounds, seed)
    print(f"{n_done} jobs, {n_wrong} wrong")
    return min(n_wrong, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
