"""Single figures about tables: a sweep against its limit, many rows, many columns, many rounds.

Each function measures one of them and returns its facts, with what they ought to be. What takes
memory is measured in a separate process, from the moment when its input is there.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from functools import partial

import numpy as np

import common
import tauboost as tb
from children import forget_the_peak, in_a_child, memory
from tables_data import LABEL, genes, load, many_rows, quick_tables
from tables_models import adaboost
from tauboost import _core
from tauboost.penalty import Penalty
from tauboost.solvers.weights import Start
from tauboost.tables.exact import BlockExact

__all__ = ["SCALES"]

LOSSES = ("exponential", "logistic")
L1 = 1e-4
MIB = 2**20
BYTES_A_ROW = 64
Make = Callable[[int, int, int], tuple[np.ndarray, np.ndarray]]


# A sweep against its limit.


def sweep(chosen: argparse.Namespace) -> common.Facts:
    """Time one block sweep against reading the byte and adding the weight to the histogram."""
    sizes = [(5_000, 6)] if chosen.quick else [(34_000, 14), (1_000_000, 30)]
    facts = common.Facts({"data": "generated"}, "One sweep over all columns, one thread")
    for n_samples, n_columns in sizes:
        X, y = many_rows(n_samples, n_columns, chosen.seed)
        for loss in LOSSES:
            problem = tb.TableProblem(X, y, loss=loss, n_threads=1)
            timings = common.time_in_turns(
                [
                    common.Candidate(partial(start_of, problem), sweep_once),
                    common.Candidate(partial(weights_of, problem), histograms_once),
                ],
                chosen.repeats,
            )
            swept, limit = timings.medians
            what, cells = f"{n_samples:,} x {n_columns}, {loss}", n_samples * n_columns
            facts.add(f"{what}: one sweep", swept / cells * 1e9, "ns a cell")
            facts.add(f"{what}: limit", limit / cells * 1e9, "ns a cell")
            facts.add(f"{what}: sweep / limit", swept / limit, "times", "at most 2.5, aim 1.5")
            common.remark_on(timings.other_cores)
    return facts


def start_of(problem: tb.TableProblem) -> BlockExact:
    """Return the exact method after one sweep: nothing is at 0, as in most of its sweeps."""
    penalty = Penalty(problem.n_features, l1=L1)
    method = BlockExact.of(Start(problem, penalty, np.zeros(problem.n_coordinates), 1))
    method.advance(1.0)
    return method


def sweep_once(at: BlockExact) -> None:
    """Minimise over all stumps of every column."""
    at.batch.sweep()


def weights_of(problem: tb.TableProblem) -> tuple[_core.Table, np.ndarray]:
    """Return the table and the weights of its rows, which the logistic loss computes each time."""
    at = start_of(problem)
    return problem.samples.table, problem.rows().point(at.lam).w


def histograms_once(given: tuple[_core.Table, np.ndarray]) -> None:
    """Add up the weights by bin and label, for every column: the least that a sweep can cost."""
    table, w = given
    sums = np.empty(table.n_labels * table.n_levels)
    _core.table_histograms(table, w, sums, 1)


# Many rows, many columns.


def million(chosen: argparse.Namespace) -> common.Facts:
    """Fit 1,000,000 x 30 with one thread and with two: seconds, and memory beyond the input."""
    n_samples, n_columns = (4_000, 6) if chosen.quick else (1_000_000, 30)
    about = {"data": "generated", "n_samples": n_samples, "n_features": n_columns}
    facts = common.Facts(about, "Many rows: {n_samples:,} x {n_features}")
    repeats = 1 if chosen.quick else 3
    runs = [
        {n: in_a_child(fit_once, many_rows, n_samples, n_columns, n, chosen.seed) for n in (1, 2)}
        for _ in range(repeats)
    ]
    seconds = {n: float(np.median([run[n]["seconds"] for run in runs])) for n in (1, 2)}
    for n, value in seconds.items():
        facts.add(f"fit, {n} thread{'s' * (n > 1)}", value, "seconds")
    facts.add("two threads against one", seconds[1] / seconds[2], "times", "at least 1.7, aim 1.9")
    allowed = n_samples * (n_columns + BYTES_A_ROW) / MIB
    peak = max(run[n]["peak"] for run in runs for n in (1, 2))
    facts.add("peak memory beyond the input", peak / MIB, "MiB", f"at most {allowed:,.0f}")
    return facts


def many_columns(chosen: argparse.Namespace) -> common.Facts:
    """Fit 500 rows x 10,000 columns: seconds, and the memory of the whole process."""
    n_samples, n_columns = (100, 300) if chosen.quick else (500, 10_000)
    about = {"data": "generated", "n_samples": n_samples, "n_features": n_columns}
    facts = common.Facts(about, "Many columns: {n_samples:,} x {n_features:,}")
    run = in_a_child(fit_once, genes, n_samples, n_columns, chosen.threads, chosen.seed)
    facts.add("fit", run["seconds"], "seconds", "at most 5")
    facts.add("peak memory beyond the input", run["peak"] / MIB, "MiB")
    facts.add("peak memory of the process", run["whole"] / MIB, "MiB", "at most 1000")
    return facts


def fit_once(
    make: Make, n_samples: int, n_columns: int, threads: int, seed: int
) -> dict[str, float]:
    """Fit a generated table: seconds, bytes at the peak beyond what was there before, and all."""
    X, y = make(n_samples, n_columns, seed)
    tb.TableClassifier(n_jobs=threads).fit(X[:200], y[:200])  # imports, and the threads' start
    before = memory("VmRSS")
    forget_the_peak()
    began = time.perf_counter()
    tb.TableClassifier(n_jobs=threads, random_state=seed).fit(X, y)
    seconds = time.perf_counter() - began
    peak = memory("VmHWM")
    return {"seconds": seconds, "peak": peak - before, "whole": peak}


# Many rounds.


def greedy(chosen: argparse.Namespace) -> common.Facts:
    """Run 1000 rounds of AdaBoost on adult: ours on histograms, and scikit-learn's."""
    is_there = "TAUBOOST_DATA" in os.environ and not chosen.quick
    table = load("adult", LABEL) if is_there else quick_tables(chosen.seed)[0]
    n_rounds = 20 if chosen.quick else 1000
    about = {"data": table.name, "n_samples": len(table.y), "n_features": table.X.shape[1]}
    facts = common.Facts(about, "{data}: AdaBoost, " + f"{n_rounds} rounds")

    def ours(_: None) -> None:
        tb.solve(tb.TableProblem(table.X, table.y), "greedy", max_epochs=n_rounds, tol=0)

    began = time.perf_counter()
    adaboost(n_estimators=n_rounds).fit(table.X, table.y)
    theirs = time.perf_counter() - began
    (seconds,) = common.time_in_turns([common.Candidate(lambda: None, ours)], 3).medians
    facts.add("greedy, binning included", seconds, "seconds")
    facts.add("AdaBoostClassifier", theirs, "seconds")
    facts.add("AdaBoostClassifier / greedy", theirs / seconds, "times", "at least 100, aim 500")
    return facts


SCALES: dict[str, Callable[[argparse.Namespace], common.Facts]] = {
    "sweep": sweep,
    "million": million,
    "genes": many_columns,
    "greedy": greedy,
}
