"""The paper's second experiment at full size: URL reputation, 2,396,130 x 3,231,961.

Figure 2 is every method on the same store, objective against time; Figure 3 is one thread against
two. Around them: the time of one exact sweep next to a pure gather of the same nonzeros, the time
``exact`` needs to the objective that ``pcdm-async`` reaches in ten minutes, and the peak memory of
``tauboost fit``. The store is given (``tauboost generate url --out url.store``) or generated.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import common
import tauboost as tb
from sweeps import gather_once, sweep_arguments, sweep_once
from tauboost import paper
from tauboost.paper.comparison import Run
from tauboost.penalty import Penalty
from tauboost.solvers.exact import BlockSize
from tauboost.solvers.monitor import is_unbounded

PAPER_TAU = 16
GIB = 2**30
ABOUT = "{data}: {n_samples:,} x {n_features:,}, {nnz:,} nonzeros"
SETTINGS = {
    "exact": ("exact (tauboost's own)", {}),
    "pcdm-async": (f"pcdm-async, τ = {PAPER_TAU}", {"tau": PAPER_TAU}),
    "fully-parallel": ("fully parallel", {}),
    "accelerated": ("accelerated", {}),
    "greedy": ("greedy (classical AdaBoost)", {}),
    "pcdm": (f"pcdm, τ = {PAPER_TAU}", {"tau": PAPER_TAU}),
    "lbfgs": ("L-BFGS-B (SciPy)", {}),
}

Row = dict[str, Any]


@contextmanager
def store_of(chosen: argparse.Namespace) -> Iterator[tb.Store]:
    """Open the store that was given, or generate one for as long as the run lasts."""
    if chosen.store is not None:
        yield tb.open_store(chosen.store)
        return
    with tempfile.TemporaryDirectory(dir=chosen.out) as folder:
        path = Path(folder) / "url.store"
        tb.generate_url(path, scale=chosen.scale, random_state=chosen.seed)
        yield tb.open_store(path)


# Figure 2: the objective over time, for each method.


def figure_2(
    problem: tb.Problem, chosen: argparse.Namespace, facts: common.Facts
) -> paper.Comparison:
    """Run every method for its time, from lam = 0."""
    runs = []
    for method in chosen.methods:
        label, options = SETTINGS[method]
        limit = chosen.pcdm_seconds if method == "pcdm-async" else chosen.time_limit
        result = tb.solve(
            problem,
            method,
            **options,
            tol=0,
            max_epochs=np.inf,
            time_limit=limit,
            n_threads=chosen.threads,
            random_state=chosen.seed,
        )
        runs.append(Run(paper.MethodSetting(label, method, options), result))
        facts.add(f"objective of {method}", result.objective, f"after {result.seconds:.0f} s")
        sys.stderr.write(f"{label}: {result}\n")
    best = min((run.result for run in runs), key=lambda result: result.value)
    return paper.Comparison(
        name=facts.about["data"],
        n_samples=problem.n_samples,
        n_features=problem.n_features,
        nnz=problem.nnz,
        omega=problem.omega,
        runs=tuple(runs),
        n_threads=chosen.threads,
        random_state=chosen.seed,
        time_limit=chosen.time_limit,
        max_epochs=None,
        is_separable=is_unbounded(problem, Penalty(problem.n_features), best.value, best.lam),
    )


def race_to_pcdm(comparison: paper.Comparison, facts: common.Facts) -> None:
    """Note how long ``exact`` took to where ``pcdm-async`` ended."""
    runs = {run.setting.method: run for run in comparison.runs}
    if not {"exact", "pcdm-async"} <= runs.keys():
        return
    slow = runs["pcdm-async"].result
    seconds = runs["exact"].seconds_to(slow.objective)
    what = f"exact to the objective of pcdm-async after {slow.seconds:.0f} s"
    facts.add(what, np.inf if seconds is None else seconds, "seconds")
    share = np.inf if seconds is None else seconds / slow.seconds
    facts.add("the same, as a share of its time", share, "", "at most 1/20, aim 1/100")


# Figure 3: one thread against more.


def figure_3(problem: tb.Problem, chosen: argparse.Namespace, facts: common.Facts) -> None:
    """Time the same epochs with one thread and with all."""
    for method, epochs in (("exact", 3.0), ("pcdm-async", chosen.pcdm_epochs)):
        _, options = SETTINGS[method]
        seconds = {
            threads: tb.solve(
                problem,
                method,
                **options,
                tol=0,
                max_epochs=epochs,
                n_threads=threads,
                random_state=chosen.seed,
            ).trace.seconds[-1]
            for threads in sorted({1, chosen.threads})
        }
        for threads, value in seconds.items():
            facts.add(f"{method}, {epochs:g} epochs, {threads} threads", value, "seconds")
        facts.add(f"{method}: more threads against one", seconds[1] / value, "times faster")


# One sweep, and memory.


def one_sweep(problem: tb.Problem, chosen: argparse.Namespace, facts: common.Facts) -> None:
    """Time an exact sweep from lam = 0 next to a pure gather, in turns."""
    tau = BlockSize(problem.matrix, None).tau
    start = partial(sweep_arguments, problem, Penalty(problem.n_features), tau)
    for threads in sorted({1, chosen.threads}):
        kernels = [partial(run, threads) for run in (sweep_once, gather_once)]
        timings = common.time_in_turns(
            [common.Candidate(start, run) for run in kernels], chosen.repeats
        )
        swept, gathered = timings.medians
        facts.add(f"one exact sweep, {threads} threads", swept, "seconds")
        facts.add(f"pure gather, {threads} threads", gathered, "seconds")
        goal = "at most 3, aim 2" if threads > 1 else ""
        facts.add(f"sweep / gather, {threads} threads", swept / gathered, "times", goal)


def fit_memory(store: tb.Store, chosen: argparse.Namespace, facts: common.Facts) -> None:
    """Run ``tauboost fit`` on the store in a separate process, and note what it takes.

    To be called while this process is small: to Linux, its memory is the child's at first.
    """
    command = [sys.executable, "-m", "tauboost", "fit", str(store.path), "--json"]
    command += ["--threads", str(chosen.threads), "--seed", str(chosen.seed)]
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - began
    document = json.loads(done.stdout)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / GIB
    facts.add("tauboost fit: peak memory", peak, "GiB", "at most 4, aim 2.5")
    facts.add("tauboost fit: all of it", seconds, "seconds")
    for stage, value in document["seconds"].items():
        facts.add(f"tauboost fit: {stage}", value, "seconds")
    facts.add("tauboost fit: log-loss of the choice", document["held_out_loss"] or np.nan, "")


# The command line.


def arguments() -> argparse.Namespace:
    """Read the command line."""
    options = common.parser(__doc__)
    add = options.add_argument
    add("--store", type=Path, help="a url-like store; generated if not given")
    add("--scale", type=float, default=1.0, help="size of the generated store, 1: full")
    add("--time-limit", type=float, default=120.0, help="seconds for each method")
    add("--pcdm-seconds", type=float, default=600.0, help="seconds for pcdm-async")
    add("--pcdm-epochs", type=float, default=0.25, help="Figure 3: epochs of pcdm-async")
    add("--repeats", type=int, default=3, help="of the timed sweep")
    every = list(SETTINGS)
    add("--methods", nargs="+", choices=every, default=every, metavar="METHOD", help="to run")
    chosen = options.parse_args()
    if chosen.quick:
        chosen.store, chosen.scale, chosen.repeats = None, 1e-3, 1
        chosen.time_limit = chosen.pcdm_seconds = 0.2
    chosen.out.mkdir(parents=True, exist_ok=True)
    return chosen


def run(store: tb.Store, chosen: argparse.Namespace, origin: Row) -> None:
    """Measure, show, write and draw everything."""
    about: Row = {"data": "url-like", "n_samples": store.shape[0]}
    about |= {"n_features": store.shape[1], "nnz": store.nnz}
    facts = common.Facts(about | {"all_threads": chosen.threads}, ABOUT)
    with common.Neighbours() as others:
        fit_memory(store, chosen, facts)
        began = time.perf_counter()
        problem = tb.Problem(store, store.y, n_threads=chosen.threads)
        facts.add("store -> Problem", time.perf_counter() - began, "seconds")
        facts.add("omega", problem.omega, "nonzeros")
        facts.add("the matrix in memory", problem.matrix.nbytes / GIB, "GiB")
        one_sweep(problem, chosen, facts)
        figure_3(problem, chosen, facts)
        comparison = figure_2(problem, chosen, facts)
        race_to_pcdm(comparison, facts)
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / GIB
        facts.add("all methods, one after the other: peak memory", own, "GiB")
    facts.show()
    common.remark_on(others.cores)
    busy = {"other_cores_busy": round(others.cores, 2)}
    common.write_csv(chosen.out / "url_scale.csv", [row | busy for row in facts.rows], origin)
    common.write_csv(
        chosen.out / "url_scale_traces.csv", common.trace_rows(comparison, about | busy), origin
    )
    paper.plot_comparison(comparison, chosen.out / "url_scale.png")


def main() -> None:
    """Write url_scale.csv, url_scale_traces.csv and url_scale.png."""
    chosen = arguments()
    with store_of(chosen) as store:
        run(store, chosen, common.provenance(chosen.seed))


if __name__ == "__main__":
    main()
