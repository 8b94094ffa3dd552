"""Dask chaos: a random worker is killed every few seconds, while fits follow one another.

Nannies put a new worker in the place of the dead one. Every fit must end, and with the objective of
an undisturbed one. Dask gives a task up once four workers died under it, and a nanny whose new
worker is not there within 15 s. Neither is at fault here: it is told to be more patient. Workers
are forked from a process that has loaded everything, or the machine would do nothing but import.

    python -m attack.chaos --seconds 300 --every 3   # from the folder tests; --kind tables, texts
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import dask
from distributed import Client, LocalCluster
from distributed.utils import get_mp_context

import tauboost as tb
import tauboost.dask as td
from dask_parts import pieces, table_piece, text_piece
from problems import CASES

CLOSE = 1e-9
N_WORKERS = 8  # each lives for some 24 s: a worker takes seconds to start and to load its part
SETTLING = 2.0  # seconds that a worker has been there before it may be killed
PATIENT = {
    "distributed.scheduler.allowed-failures": 1000,
    "distributed.deploy.lost-worker-timeout": "1h",
    "distributed.worker.multiprocessing-method": "forkserver",
}
OPTIONS = {"random_state": 1, "tau": 4, "max_epochs": 25, "tol": 0}


@contextmanager
def patience_of_dask() -> Iterator[None]:
    """Have Dask wait for workers, and these begin with everything loaded."""
    with dask.config.set(PATIENT):
        context = get_mp_context()
        context.set_forkserver_preload(["distributed", "tauboost.dask", "dask_parts"])
        yield


@contextmanager
def kills(cluster: LocalCluster, every: float, seed: int) -> Iterator[list[int]]:
    """Kill a random worker that is there every few seconds; yield those killed so far."""
    victims: list[int] = []
    done = threading.Event()
    chance = random.Random(seed)

    def strike() -> None:
        settled: dict[int, float] = {}
        while not done.wait(every):
            present = set(cluster.scheduler.workers)
            nannies = [n for n in list(cluster.workers.values()) if n.worker_address in present]
            pids = [n.process.pid for n in nannies if n.process and n.process.pid]
            settled = {pid: settled.get(pid, time.monotonic()) for pid in pids}
            # A nanny gives up for good where its worker dies while it starts.
            ripe = [pid for pid, since in settled.items() if time.monotonic() - since >= SETTLING]
            if ripe:
                victims.append(chance.choice(ripe))
                with suppress(ProcessLookupError):
                    os.kill(victims[-1], signal.SIGKILL)

    thread = threading.Thread(target=strike)
    thread.start()
    try:
        yield victims
    finally:
        done.set()
        thread.join()


def of_rows(client: Client, patience: td.Patience, k: int) -> tuple[str, float, int]:
    """Solve a problem of rows; return its name, the objective, and the parts built again."""
    name = ("mixed", "binary")[k % 2]
    problem = td.DaskProblem(
        pieces(name, 4), client=client, n_parts=4, patience=patience, **CASES[name].options
    )
    found = tb.solve(problem, callback=lambda _: time.sleep(0.02), **OPTIONS)
    return name, found.objective, problem.pool.rebuilt


def of_tables(client: Client, patience: td.Patience, _: int) -> tuple[str, float, int]:
    """Fit a table classifier."""
    parts = [dask.delayed(table_piece)(a, a + 100) for a in range(0, 400, 100)]
    options = {"alpha": 1e-4, "interactions": 0, "tol": 1e-9, "random_state": 0}
    clf = td.TableClassifier(client=client, n_parts=4, patience=patience, **options).fit(parts)
    return "table", float(clf.objective_[0]), 0


def of_texts(client: Client, patience: td.Patience, _: int) -> tuple[str, float, int]:
    """Fit a text classifier."""
    parts = [dask.delayed(text_piece)(a, a + 100) for a in range(0, 400, 100)]
    options = {"alpha": 1e-4, "min_df": 1, "tol": 1e-9, "max_iter": 10_000}
    clf = td.TextClassifier(client=client, n_parts=4, patience=patience, **options).fit(parts)
    return "text", float(clf.objective_[0]), 0


KINDS = {"rows": of_rows, "tables": of_tables, "texts": of_texts}


def run(seconds: float, every: float, seed: int = 0, kind: str = "rows") -> tuple[int, int, float]:
    """Fit until the time is over; return the numbers of fits and kills, and the largest error."""
    patience = td.Patience(silence=0.5, pulse=5.0, workers=300.0)
    n_fits, n_rebuilt, largest = 0, 0, 0.0
    options = {"n_workers": N_WORKERS, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        patience_of_dask(),
        LocalCluster(**options) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        # What comes of it where nobody is killed.
        undisturbed = (KINDS[kind](client, patience, k) for k in range(2))
        expected = {name: objective for name, objective, _ in undisturbed}
        end = time.monotonic() + seconds
        with kills(cluster, every, seed) as victims:
            while time.monotonic() < end:
                name, objective, rebuilt = KINDS[kind](client, patience, n_fits)
                n_rebuilt += rebuilt
                largest = max(largest, abs(objective - expected[name]))
                n_fits += 1
    print(f"{n_fits} fits of {kind}, {len(victims)} workers killed, {n_rebuilt} parts built again")
    print(f"largest difference of an objective: {largest:.1e}", flush=True)
    return n_fits, len(victims), largest


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--every", type=float, default=3)
    parser.add_argument("--kind", choices=KINDS, default="rows")
    options = parser.parse_args()
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    _, _, largest = run(options.seconds, options.every, kind=options.kind)
    return int(largest > CLOSE)


if __name__ == "__main__":
    sys.exit(main())
