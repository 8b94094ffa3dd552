"""What a round over Dask costs beyond the kernels, and how a cluster compares with one process.

    python benchmarks/dask_rounds.py                      # the cost of a round, generated data
    python benchmarks/dask_rounds.py --data FILE.svm.xz   # and time to an AUC, against one process

A round is a block: steps go out, sums come back. Its cost is the time of the round less that of
the slowest part's kernels, measured on the workers themselves. Workers are processes of one thread.
"""

from __future__ import annotations

import argparse
import time
import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from distributed import Client, LocalCluster
from sklearn.metrics import roc_auc_score

import tauboost as tb
import tauboost.dask as td
from common import print_table


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--data", type=Path, help="an svmlight file, plain or compressed")
    parser.add_argument("--auc", type=float, default=0.953)
    chosen = parser.parse_args()
    warnings.filterwarnings("ignore", "Sending large graph")
    options = {"n_workers": chosen.workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        print_rounds(client, chosen.rounds)
        if chosen.data:
            print_race(client, *tb.load_svmlight(chosen.data), chosen.auc)


def print_rounds(client: Client, n_rounds: int) -> None:
    """Time rounds of several sizes on sparse generated data."""
    n = 200_000
    X = sp.random(20_000, n, density=1e-4, format="csr", random_state=np.random.default_rng(0))
    X.data[:] = 1.0
    y = np.where(np.arange(20_000) % 3 == 0, 1, -1)
    problem = td.DaskProblem(cut(X, y, len(client.ncores())), client=client)
    rows = problem.rows(1)
    rows.refresh(np.zeros(n))
    table = []
    for tau in (1, 1_000, 10_000, 100_000):
        columns = np.arange(tau, dtype=np.int32)
        whole, kernels, before = [], [], problem.pool.bytes
        problem.pool.ask("round", 0.0, None, 0.0, columns)
        for k in range(n_rounds):
            steps = np.full(tau, 1e-6 * (-1) ** k)
            begin = time.perf_counter()
            replies = problem.pool.ask("round", 0.0, steps, 1.0, columns)
            whole.append(time.perf_counter() - begin)
            kernels.append(max(reply.seconds for reply in replies))
        beyond = np.median(np.subtract(whole, kernels))
        sent = (problem.pool.bytes - before) / (n_rounds + 1) / len(problem.pool.members)
        cells = [1e3 * np.median(whole), 1e3 * np.median(kernels), 1e3 * beyond, sent / 1e3]
        table.append([f"{tau:,}", *(f"{cell:.2f}" for cell in cells)])
    print_table(
        f"one round, {len(problem.pool.members)} workers; medians of {n_rounds}",
        ("tau", "ms", "kernels ms", "beyond ms", "kB a part"),
        table,
    )


def print_race(client: Client, X: Any, y: Any, auc: float) -> None:
    """Time to an AUC on test rows, every fifth, on one process and on the cluster."""
    X = sp.csr_array(X)
    held = np.arange(len(y)) % 5 == 0
    whole = tb.Problem(X[~held], y[~held])
    parts = td.DaskProblem(cut(X[~held], y[~held], len(client.ncores())), client=client)
    n_workers = len(client.ncores())
    ways = {
        "one process, one thread": (whole, {"n_threads": 1}),
        f"one process, {n_workers} threads": (whole, {"n_threads": n_workers}),
        f"{n_workers} workers": (parts, {}),
        f"{n_workers} workers, local start": (parts, {"local_start": True}),
    }
    table = []
    for name, (problem, how) in ways.items():
        times = [seconds_to(problem, X[held], y[held], auc, how) for _ in range(3)]
        table.append([name, f"{np.median(times):.3f}"])
    print_table(f"seconds to AUC {auc}", ("where", "seconds"), table)


def seconds_to(problem: tb.Problem, X: Any, y: Any, auc: float, how: dict[str, Any]) -> float:
    """Return the seconds a solve took to reach the AUC; looking at it is not counted."""
    looking = 0.0

    def reached(at: tb.Snapshot) -> bool:
        nonlocal looking
        begin = time.perf_counter()
        is_there = roc_auc_score(y, -(X @ at.lam)) >= auc
        looking += time.perf_counter() - begin
        return bool(is_there)

    options = {"alpha": 1e-3, "l1_ratio": 0.0, "max_epochs": 10, "random_state": 0} | how
    begin = time.perf_counter()
    if isinstance(problem, td.DaskProblem):
        td.solve(None, problem, callback=reached, **options)
    else:
        tb.solve(problem, callback=reached, **options)
    return time.perf_counter() - begin - looking


def cut(X: Any, y: Any, n: int) -> list[Any]:
    """Cut rows into parts."""
    cuts = np.linspace(0, len(y), n + 1).astype(int)
    return [(X[a:b], y[a:b]) for a, b in pairwise(cuts)]


if __name__ == "__main__":
    main()
