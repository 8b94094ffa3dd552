"""Nanoseconds per nonzero of the compiled kernels, next to the physical limits.

The limits are a plain read of as much memory as the row indices take, and a pure gather: w at the
row of every nonzero, summed. A coordinate update goes through its column twice, to gather and to
scatter; a nonzero counts once. Ends with what a second thread gives the asynchronous method.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import common
import tauboost as tb
from tauboost import _core
from tauboost.base.arrays import Vector
from tauboost.penalty import Penalty

PAPER_TAU = 16
LIMIT = "pure gather"
NONZEROS_TO_TIME = 20_000_000
MOST_REPEATS = 101
ASYNC_REPEATS = 5
ASYNC_SECONDS = 1.0
ASYNC_TARGET = 1.6

Row = dict[str, Any]
State = tuple[Vector, Vector]  # w and lam: the kernels change them


class Bench:
    """A problem at lam = 0, the kernels on it, and how many nonzeros their draws meet."""

    def __init__(self, data: common.Data, seed: int) -> None:
        self.name = data.name
        self.problem = tb.Problem(data.X, data.y)
        self.matrix = self.problem.matrix
        self.random_state = seed
        # Made as solve makes it, so that the kernel alone draws the same columns.
        self.seed = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
        counts = np.bincount(data.X.indices, minlength=self.problem.n_features)
        self.counts = self.problem.design.coordinates(counts)  # the core has an order of its own

    def label(self) -> Row:
        """Return the cells that say which data a row is about."""
        m, n, nnz = self.matrix.m, self.matrix.n, self.matrix.nnz
        return {"data": self.name, "n_samples": m, "n_features": n, "nnz": nnz}

    def start(self) -> State:
        """Return the state every update kernel starts from."""
        return self.problem.c.copy(), np.zeros(self.matrix.n)

    def pcdm(self, tau: int, state: State) -> None:
        """Run an epoch of Algorithm 2, with the one thread that solve takes for so small a tau."""
        n_iterations = -(-self.matrix.n // tau)
        sampling = _core.NiceSampling(self.matrix.n, tau, self.seed)

        def go_on(done: int, arguments: Mapping[str, Any]) -> tuple[int, float]:
            left = n_iterations - done
            found = _core.pcdm(**arguments, sampling=sampling, first=done, n_iterations=left)
            return found.bundles, found.total

        self._drive(go_on, n_iterations, state, tau, n_threads=1)

    def pcdm_async(self, n_threads: int, n_draws: int, state: State) -> None:
        """Run the asynchronous version, with the steps for the paper's 16 processors."""

        def go_on(done: int, arguments: Mapping[str, Any]) -> tuple[int, float]:
            left = n_draws - done
            found = _core.pcdm_async(**arguments, seed=self.seed, first=done, n_draws=left)
            return found.done, found.total

        self._drive(go_on, n_draws, state, min(PAPER_TAU, self.matrix.n), n_threads)

    def _drive(
        self,
        go_on: Callable[[int, Mapping[str, Any]], tuple[int, float]],
        goal: int,
        state: State,
        tau: int,
        n_threads: int,
    ) -> None:
        arguments: dict[str, Any] = {
            "matrix": self.matrix,
            "w": state[0],
            "lam": state[1],
            "beta": tb.beta(self.matrix.n, self.problem.omega, tau, self.matrix.m),
            "psi": Penalty(self.matrix.n).kernel,
            "max_drift": np.inf,
            "n_threads": n_threads,
        }
        done, total = 0, float(state[0].sum())
        while done < goal:  # a kernel may return early, to let its caller refresh the weights
            more, total = go_on(done, arguments | {"total": total})
            done += more

    def met_by_pcdm(self, tau: int) -> int:
        """Count the nonzeros of an epoch's draws: columns differ too much to take the mean."""
        sampling = _core.NiceSampling(self.matrix.n, tau, self.seed)
        subset = np.empty(tau, dtype=np.int64)
        met = 0
        for t in range(-(-self.matrix.n // tau)):
            sampling.draw(t, subset)
            met += int(self.counts[subset].sum())
        return met

    def met_by_pcdm_async(self) -> int:
        """Count the nonzeros of an epoch's draws."""
        n = self.matrix.n
        draws = [_core.independent_draw(self.seed, u, n) for u in range(n)]
        return int(self.counts[draws].sum())


@dataclass(frozen=True)
class Case:
    """A kernel with its number of threads, and the nonzeros that one call of it meets."""

    kernel: str
    threads: int
    nonzeros: int
    candidate: common.Candidate[Any]


def products(bench: Bench, threads: int) -> Iterator[Case]:
    """Yield the pure gather and the products with the whole matrix."""
    matrix, nnz = bench.matrix, bench.matrix.nnz
    w, d = bench.problem.c, np.full(matrix.n, 1e-3)
    neg, pos = np.empty(matrix.n), np.empty(matrix.n)
    columns = np.arange(matrix.n, dtype=np.int32)

    def case(kernel: str, prepare: Callable[[], Vector], run: Callable[[Vector], object]) -> Case:
        return Case(kernel, threads, nnz, common.Candidate(prepare, run))

    yield case(LIMIT, lambda: w, lambda w: _core.pure_gather(matrix, w, threads))
    yield case(
        "gather_columns",
        lambda: w,
        lambda w: _core.gather_columns(matrix, w, columns, neg, pos, threads),
    )
    yield case(
        "add_all", lambda: np.zeros(matrix.m), lambda r: _core.add_all(matrix, d, r, threads)
    )


def updates(bench: Bench, thread_counts: Sequence[int]) -> Iterator[Case]:
    """Yield the coordinate methods, one epoch each."""
    for tau in (1, min(PAPER_TAU, bench.matrix.n)):
        met = bench.met_by_pcdm(tau)
        candidate = common.Candidate(bench.start, partial(bench.pcdm, tau))
        yield Case(f"pcdm, tau = {tau}", 1, met, candidate)
        if tau == 1:
            yield Case(
                "pcdm, tau = 1, by solve", 1, met, common.Candidate(lambda: bench, _solve_an_epoch)
            )
    met = bench.met_by_pcdm_async()
    for threads in thread_counts:
        run = partial(bench.pcdm_async, threads, bench.matrix.n)
        yield Case("pcdm-async", threads, met, common.Candidate(bench.start, run))


def _solve_an_epoch(bench: Bench) -> None:
    seed = bench.random_state
    tb.solve(bench.problem, "pcdm", tau=1, n_threads=1, max_epochs=1, tol=0, random_state=seed)


def measure(bench: Bench, thread_counts: Sequence[int], repeats: int) -> list[Row]:
    """Time all kernels on one data set, in turns."""
    nnz = bench.matrix.nnz
    memory = np.ones(nnz // 2)  # 4 bytes a nonzero, like the row indices
    cases = [Case("memory read", 1, nnz, common.Candidate(lambda: memory, np.sum))]
    for threads in thread_counts:
        cases += products(bench, threads)
    cases += updates(bench, thread_counts)
    timings = common.time_in_turns([case.candidate for case in cases], repeats)
    timed = list(zip(cases, timings.medians, strict=True))
    limit = {case.threads: seconds / nnz for case, seconds in timed if case.kernel == LIMIT}
    return [
        bench.label()
        | {
            "kernel": case.kernel,
            "threads": case.threads,
            "nonzeros_met": case.nonzeros,
            "repeats": repeats,
            "seconds": seconds,
            "ns_per_nonzero": 1e9 * seconds / case.nonzeros,
            "ratio_to_pure_gather": seconds / case.nonzeros / limit[case.threads],
            "other_cores_busy": round(timings.other_cores, 2),
        }
        for case, seconds in timed
    ]


def show(rows: Sequence[Row]) -> None:
    """Print the table of one data set."""
    shape = "{data}: {n_samples:,} x {n_features:,}, {nnz:,} nonzeros; medians of {repeats}"
    cells = ("{kernel}", "{threads}", "{ns_per_nonzero:.2f}", "{ratio_to_pure_gather:.2f}")
    common.print_table(
        shape.format(**rows[0]),
        ("kernel", "threads", "ns per nonzero", f"x {LIMIT}"),
        [[cell.format(**row) for cell in cells] for row in rows],
    )
    common.remark_on(rows[0]["other_cores_busy"])


def measure_scaling(
    bench: Bench, thread_counts: Sequence[int], seconds: float, repeats: int
) -> list[Row]:
    """Time about so many seconds of pcdm-async: the same updates for every number of threads."""
    least = max(1, bench.matrix.n // 10)
    state = bench.start()
    begin = time.perf_counter()
    bench.pcdm_async(1, least, state)
    n_draws = max(least, round(least * seconds / (time.perf_counter() - begin)))
    runs = [partial(bench.pcdm_async, threads, n_draws) for threads in thread_counts]
    timings = common.time_in_turns([common.Candidate(bench.start, run) for run in runs], repeats)
    alone = timings.medians[0]
    return [
        bench.label()
        | {
            "threads": threads,
            "updates": n_draws,
            "repeats": repeats,
            "seconds": median,
            "updates_per_second": n_draws / median,
            "ratio_to_one_thread": alone / median,
            "other_cores_busy": round(timings.other_cores, 2),
        }
        for threads, median in zip(thread_counts, timings.medians, strict=True)
    ]


def show_scaling(rows: Sequence[Row]) -> None:
    """Print updates per second, and whether the target for two threads is met."""
    cells = ("{threads}", "{seconds:.3f}", "{updates_per_second:,.0f}", "{ratio_to_one_thread:.2f}")
    common.print_table(
        "pcdm-async on {data}: {updates:,} updates; medians of {repeats}".format(**rows[0]),
        ("threads", "seconds", "updates per second", "x one thread"),
        [[cell.format(**row) for cell in cells] for row in rows],
    )
    ratio = next(row["ratio_to_one_thread"] for row in rows if row["threads"] == 2)
    outcome = "met" if ratio >= ASYNC_TARGET else "missed"
    print(f"two threads: {ratio:.2f} x one; target at least {ASYNC_TARGET} x: {outcome}")
    common.remark_on(rows[0]["other_cores_busy"])


def arguments() -> argparse.Namespace:
    """Read the command line."""
    options = common.parser(__doc__)
    options.add_argument("--nnz", type=float, default=20e6, help="nonzeros of the url-like set")
    options.add_argument("--repeats", type=int, default=7, help="repeats on the url-like set")
    return options.parse_args()


def main() -> None:
    """Measure and write kernels.csv and async_updates.csv."""
    chosen = arguments()
    nnz, repeats = (2e5, 2) if chosen.quick else (chosen.nnz, chosen.repeats)
    thread_counts = sorted({1, 2, chosen.threads})
    origin = common.provenance(chosen.seed)
    rows: list[Row] = []
    for data in (common.w8a(chosen.seed, chosen.quick), common.url_like(nnz, chosen.seed)):
        bench = Bench(data, chosen.seed)
        # A short call is noisier, and more of them fit into the same time.
        more = 1 if chosen.quick else max(1, NONZEROS_TO_TIME // bench.matrix.nnz)
        rows_here = measure(bench, thread_counts, max(repeats, min(repeats * more, MOST_REPEATS)))
        show(rows_here)
        rows += rows_here
    seconds, times = (0.01, 2) if chosen.quick else (ASYNC_SECONDS, ASYNC_REPEATS)
    scaling = measure_scaling(bench, thread_counts, seconds, times)  # on the url-like set
    show_scaling(scaling)
    common.write_csv(chosen.out / "kernels.csv", rows, origin)
    common.write_csv(chosen.out / "async_updates.csv", scaling, origin)


if __name__ == "__main__":
    main()
