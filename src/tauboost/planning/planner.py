"""What a fit will cost, before it is run: a count of its memory, and a pilot fit on some rows.

Data in memory are looked at whole, and so are files that are read within the time allowed; of
others some rows are read. Default fits of ever more rows run while there is time. If the last has
all rows, its time is the prediction; else that is scaled by nonzeros. The matrix is laid out, and
sweeps are timed, on as many rows as there is time for, and scaled likewise.
"""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeAlias

import numpy as np

from ..base.messages import FitWarning
from ..base.process import available_bytes
from ..base.progress import progress_bar
from ..base.threads import resolve_threads
from ..methods import PAPER_TAU, solve
from ..paper.eso import beta
from ..parameters import LinearParameters
from ..problem import Problem
from ..search.folds import n_parts
from ..search.search import Event
from ..solvers.exact import COLUMN_OVERHEAD, LARGEST_OVERLAP, BlockSize, Shape
from ..solvers.result import Status
from ..sparse.design import are_sparse, shard_count
from ..sparse.fitting import fit
from ..sparse.training import FEATURES_FOR_AN_ENTRY, Samples
from ..validation import ROWS_AT_ONCE, check_real
from .data import Data, Rows, sample_data
from .result import Plan, in_bytes, in_seconds

__all__ = ["plan"]


TIMES = ("seconds", "sweeps")
RUN = "measured: all of it was run"
# The truth may be so much less or more: than what was run, and than what was scaled.
MEASURED, SCALED = (0.85, 1.2), (0.4, 2.5)
# Entries of the first pilot fits: one that loads what is loaded when it is first used, and one that
# counts.
TINY, FIRST, GROWTH = 2**12, 2**19, 4
# The share of a pilot fit's time that more rows do not lengthen: columns, candidates, sweeps to the
# optimum. From 0.5 million nonzeros to 20 (url-like data) or 7 (reviews) it is 0.5 to 0.7.
FIXED = 0.6
# Sweeps to an accuracy grow with this power of the entries (the same data: 0.13 to 0.17).
MORE_SWEEPS = 0.15
MOST_REPEATS = 10  # of a sweep
SLOWEST = 0.999  # a ratio of decreases beyond this would be noise
# Bytes of a number; vectors over rows and columns that a fit keeps (labels, weights, fingerprints;
# counts, gains, coefficients); of its search, and of each fit in that; of ``solve``.
NUMBER, PER_ROW, PER_COLUMN = 8, 8, 11
SEARCH_PER_ROW, BATCH_PER_ROW, BATCH_PER_COLUMN = 28, 7.4, 11
SOLVE_PER_ROW, SOLVE_PER_COLUMN = 6, 8
WORTH_A_THREAD = 0.95  # a thread more pays where a sweep then takes less than this share
# One round of messages between a driver and two workers on one machine, and the nonzeros below
# which one thread is as fast as any cluster (docs/dask.md).
ROUND_SECONDS, BREAK_EVEN = 1.5e-3, 1.5e9

PHASES = {
    "build": "building the matrix",
    "select": "choosing alpha",
    "fit": "fitting the choice",
}
# Of each field of a plan: the value, how it was got, and whether all of it was run.
Predictions: TypeAlias = dict[str, tuple[Any, str, bool]]


def plan(
    data: Any,
    *,
    n_threads: int | None = None,
    accuracy: float = 1e-3,
    seconds: float = 0.3,
    progress: bool = False,
) -> Plan:
    """Predict what a default fit, and ``solve``, will cost on this machine.

    Parameters
    ----------
    data : path, Store, (X, y), (X, y, sample_weight) or Problem
        A path leads to an svmlight file or a store.
    n_threads : int, optional
        The most threads to reckon with; None means every core this process may use.
    accuracy : float
        The largest excess edge, ``tol`` of ``solve``, for which sweeps are counted.
    seconds : float
        How long each measurement may take, reading included: the whole takes about five times as
        long. More time makes the predictions better.
    progress : bool
        Whether to show on the terminal what is being done, where it takes long.

    Returns
    -------
    Plan

    Examples
    --------
    >>> import tauboost as tb
    >>> plan = tb.plan(tb.make_w8a_like(2000, random_state=0))
    >>> plan.how["fit_seconds"]
    'measured: all of it was run'
    """
    began = time.perf_counter()
    n_threads = resolve_threads(n_threads)
    accuracy = check_real(accuracy, "accuracy", least=0.0, most=1.0, above=True)
    seconds = check_real(seconds, "seconds", least=0.0, most=1e6, above=True)
    if isinstance(data, Problem):
        shape = Shape(data.n_samples, data.n_coordinates, data.nnz)
        given = Data("", shape, data.n_features, data.omega)
        found = of_problem(data, shape, n_threads, accuracy, seconds)
        parts: dict[str, float] = {}
    else:
        given = sample_data(data, seconds, n_threads, progress)
        found, parts = of_data(given, n_threads, accuracy, seconds, progress)
        shape = given.shape._replace(n=max(given.n_used, 1))
    values = {name: value for name, (value, _, _) in found.items()}
    advice = advice_on(values, given, shape)
    return Plan(
        **values,
        **{name: value for name, (value, _, _) in advice.items()},
        name=given.name,
        n_samples=shape.m,
        n_features=given.width,
        nnz=shape.nnz,
        omega=given.omega,
        share=given.share,
        accuracy=accuracy,
        fit_parts=parts,
        how={name: how for name, (_, how, _) in (found | advice).items()},
        ranges={
            name: around(*found[name])
            for name in found
            if name.endswith(TIMES) and values[name] is not None
        },
        plan_seconds=time.perf_counter() - began,
    )


def around(value: Any, _: str, is_run: bool) -> tuple[float, float]:
    """Return the least and the most to expect; of times by threads, in times of each."""
    low, high = MEASURED if is_run else SCALED
    return (low, high) if isinstance(value, dict) else (low * value, high * value)


def of_problem(
    problem: Problem, shape: Shape, n_threads: int, accuracy: float, seconds: float
) -> Predictions:
    """Predict ``solve`` on a problem: its own sweeps are timed."""
    times = sweep_times(problem, 0.0, n_threads, seconds)
    sweeps, is_done = count_sweeps(problem, 0.0, n_threads, accuracy, seconds)
    counted = "measured: gone through" if is_done else "from the fall of the first sweeps"
    matrix = int(problem.matrix.nbytes)
    peak = matrix + NUMBER * (SOLVE_PER_ROW * shape.m + SOLVE_PER_COLUMN * shape.n)
    return {
        "read_seconds": (0.0, "", True),
        "build_seconds": (0.0, "the matrix is there", True),
        "sweep_seconds": (times, "measured on the problem, without psi", True),
        "sweeps": (sweeps, counted, is_done),
        "fit_seconds": (None, "a problem keeps no rows to hold out: give plan (X, y)", True),
        "data_bytes": (0, "a problem keeps no X", True),
        "matrix_bytes": (matrix, "counted", True),
        "peak_bytes": (peak, "counted: the matrix, and vectors over rows and columns", True),
    }


def of_data(
    data: Data, n_threads: int, accuracy: float, seconds: float, progress: bool
) -> tuple[Predictions, dict[str, float]]:
    """Predict a default fit of all rows, and ``solve`` on them; return its parts as well."""
    assert data.rows is not None
    with progress_bar("planning", 2, "steps", visible=progress) as show:
        pilot = last_pilot(data.rows, n_threads, 3 * seconds)
        show(1)
        # As many rows as are laid out in the time of a measurement, going by the pilot fit.
        share = max(seconds / pilot.parts["building the matrix"], 1.0)
        rows = data.rows.some(share * pilot.rows.nnz)
        began = time.perf_counter()
        problem = rows.problem(n_threads)
        build = time.perf_counter() - began
        times = sweep_times(problem, pilot.alpha, n_threads, seconds)
        sweeps, _ = count_sweeps(problem, pilot.alpha, n_threads, accuracy, seconds)
    is_whole = data.share == 1.0
    is_built, is_fitted = (is_whole and some is data.rows for some in (rows, pilot.rows))
    if not is_built:
        growth = data.shape.nnz / max(rows.nnz, 1)
        work = data.shape.m + data.shape.nnz + COLUMN_OVERHEAD * data.n_used
        n_used = int(np.count_nonzero(problem.column_counts()))
        scale = work / max(problem.n_samples + rows.nnz + COLUMN_OVERHEAD * n_used, 1)
        times = {n: scale * spent for n, spent in times.items()}
        build, sweeps = growth * build, sweeps * growth**MORE_SWEEPS
    parts = scaled_parts(data, pilot, is_run=is_fitted)

    def how(what: str, some: Rows, is_run: bool) -> tuple[str, bool]:
        return RUN if is_run else f"{what} {len(some.codes):,} rows, scaled by nonzeros", is_run

    peak = fit_bytes(data, pilot.rows, problem)
    return {
        "read_seconds": (data.read_seconds, data.how_read, is_whole),
        "build_seconds": (data.check_seconds + build, *how("the layout of", rows, is_built)),
        "sweep_seconds": (times, *how("sweeps over", rows, is_built)),
        "sweeps": (sweeps, *how("a run on", rows, is_built)),
        "fit_seconds": (sum(parts.values()), *how("a fit of", pilot.rows, is_fitted)),
        "data_bytes": (data.data_bytes, "counted" if is_whole else "scaled", is_whole),
        "matrix_bytes": (matrix_bytes(data.shape, problem), "counted by nonzeros", is_built),
        "peak_bytes": (peak, "counted: the matrix, and the vectors of a search", False),
    }, parts


@dataclass(frozen=True)
class Pilot:
    """A default fit of some rows, and what its time went into."""

    rows: Rows
    alpha: float
    parts: dict[str, float]


def last_pilot(rows: Rows, n_threads: int, seconds: float) -> Pilot:
    """Fit ever more rows while there is time; return the last fit."""
    pilot_fit(rows.some(TINY), n_threads)
    n_entries, began = FIRST, time.perf_counter()
    while True:
        pilot = pilot_fit(rows.some(n_entries), n_threads)
        n_entries *= GROWTH
        expected = sum(pilot.parts.values()) * min(GROWTH, rows.nnz / max(pilot.rows.nnz, 1))
        if pilot.rows is rows or time.perf_counter() - began + expected > seconds:
            return pilot


def pilot_fit(rows: Rows, n_threads: int) -> Pilot:
    """Fit some rows with default settings, and time it."""
    ends: dict[str, float] = {}
    began = time.perf_counter()

    def note(event: Event) -> bool:
        ends[event.phase] = time.perf_counter() - began
        return False

    options: dict[str, Any] = {"n_threads": n_threads, "sample_weight": rows.weights}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)  # of some rows, it says nothing of all
        model = fit(
            rows.arrays, rows.codes, LinearParameters(random_state=0), report=note, **options
        )
    ends["fit"] = time.perf_counter() - began
    parts, last = {}, 0.0
    for phase, name in PHASES.items():
        if phase != "select" or model.selection:
            parts[name], last = ends[phase] - last, ends[phase]
    return Pilot(rows, model.alpha, parts)


def scaled_parts(data: Data, pilot: Pilot, *, is_run: bool) -> dict[str, float]:
    """Return what a fit of all rows spends its time on, from what the pilot fit did."""
    assert data.rows is not None
    parts = dict(pilot.parts)
    if not is_run:
        growth = FIXED + (1.0 - FIXED) * data.shape.nnz / max(pilot.rows.nnz, 1)
        parts = {name: growth * spent for name, spent in parts.items()}
        if PHASES["select"] in parts:  # of few rows, more folds are used for validation
            counts = np.bincount(data.rows.codes) * (data.shape.m / len(data.rows.codes))
            parts[PHASES["select"]] *= n_parts(counts) / n_parts(np.bincount(pilot.rows.codes))
    parts[PHASES["build"]] += data.check_seconds
    return parts


def sweep_times(problem: Problem, alpha: float, n_threads: int, seconds: float) -> dict[int, float]:
    """Time sweeps with 1, 2, 4, ... threads, of as much of one as there is time for."""
    counts = [*(2**k for k in range(n_threads.bit_length()) if 2**k < n_threads), n_threads]
    each = seconds / 4 / len(counts)

    def sweep(n: int) -> float:
        options: dict[str, Any] = {"alpha": alpha, "l1_ratio": 0.0, "n_threads": n}
        options |= {"max_epochs": 1, "tol": 0.0, "time_limit": each, "random_state": 0}
        trace = solve(problem, **options).trace
        done = float(trace.epoch[-1] - trace.epoch[0])  # a large problem's may end early
        return float(trace.seconds[-1] - trace.seconds[0]) / done if done > 0 else each

    times = {}
    for n in counts:
        began, seen = time.perf_counter(), [sweep(n)]
        while len(seen) < 2 or (len(seen) < MOST_REPEATS and time.perf_counter() - began < each):
            seen.append(sweep(n))
        times[n] = median(seen[1:])  # the first touches memory for the first time
    return times


def count_sweeps(
    problem: Problem, alpha: float, n_threads: int, accuracy: float, seconds: float
) -> tuple[float, bool]:
    """Return the epochs to an edge of this size, and whether they were gone through.

    Where the time allowed ended before: the objective approaches its minimum about geometrically,
    with the ratio of its last decreases, and the largest edge goes with the root of the gap.
    """
    options: dict[str, Any] = {"alpha": alpha, "l1_ratio": 0.0, "n_threads": n_threads}
    result = solve(problem, tol=accuracy, time_limit=seconds, random_state=0, **options)
    gradient = problem.gradient(result.lam, result.intercept)[: problem.n_features]
    scale = np.sqrt(problem.lipschitz)
    there = scale > 0
    edge = np.max(np.abs(gradient + alpha * result.lam)[there] / scale[there], initial=0.0)
    is_done = result.status in (Status.CONVERGED, Status.SEPARABLE) or edge <= accuracy
    if is_done or result.n_epochs == 0:
        return result.n_epochs, True
    falls = -np.diff(result.trace.objective[-9:])
    epochs = float(result.trace.epoch[-1] - result.trace.epoch[-len(falls) - 1])
    before, after = (part.sum() for part in np.split(falls, [len(falls) // 2]))
    ratio = SLOWEST
    if before > 0 and after > 0:
        ratio = min(float(after / before) ** (2.0 / max(epochs, 1e-9)), SLOWEST)
    return result.n_epochs + 2.0 * math.log(edge / accuracy) / -math.log(ratio), False


def matrix_bytes(shape: Shape, problem: Problem) -> int:
    """Return the size of the matrix of all data, with an intercept, from that of some rows."""
    part = problem.matrix
    valued = part.n_valued / part.n  # of its columns, has values that are not all 1

    def frame(m: int, n: int, n_shards: int) -> float:
        per_shard = 12 + 8 * valued
        return NUMBER * m + (NUMBER + 4 * (valued > 0) + per_shard * n_shards) * n

    entries = max(part.nbytes - frame(part.m, part.n, part.n_shards), 0) / max(part.nnz, 1)
    n_shards = shard_count(shape.m, max(shape.n, 1), shape.nnz)
    return round(frame(shape.m, shape.n + 1, n_shards) + entries * (shape.nnz + shape.m))


def fit_bytes(data: Data, rows: Rows, problem: Problem) -> int:
    """Return the peak of a default fit beyond its data, of whose rows equal ones are merged."""
    merged = Samples.build(
        rows.arrays,
        rows.codes,
        rows.n_classes,
        rows.weights,
        fit_intercept=True,
        seed=0,
        n_threads=problem.n_threads,
    ).merged()
    m = round(data.shape.m * merged.n / len(rows.codes))
    nnz = round(data.shape.nnz * merged.arrays.nnz / max(rows.nnz, 1))
    n = data.n_used if data.shape.n > FEATURES_FOR_AN_ENTRY * nnz else data.shape.n
    n_tasks = merged.n_tasks
    n_fits = n_tasks * n_parts(np.bincount(merged.codes) * (m / merged.n))
    n_kept = data.n_used if are_sparse(n_tasks, data.width, data.n_used) else data.width
    share = nnz / max(rows.nnz, 1)
    indices = share * sum(part.indices.nbytes for part in rows.arrays.parts)
    values = share * sum(part.data.nbytes for part in rows.arrays.parts if part.data is not None)
    is_copied = merged.n < len(rows.codes) or n < data.shape.n
    copied = indices + values if is_copied else 0.0
    vectors = PER_ROW * m + PER_COLUMN * n + n_tasks * n_kept
    search = SEARCH_PER_ROW * m + n_fits * (BATCH_PER_ROW * m + BATCH_PER_COLUMN * n)
    # Before the search begins, values are squared, two blocks of rows at a time.
    squares = values * min(1.0, 2 * ROWS_AT_ONCE / max(m, 1))
    core = matrix_bytes(Shape(m, n, nnz), problem)
    return round(core + copied + NUMBER * vectors + max(NUMBER * search, squares))


def advice_on(values: dict[str, Any], data: Data, shape: Shape) -> Predictions:
    """Return threads, tau and the place that are worth using, and Theorem 1 at the paper's tau."""
    times, best = values["sweep_seconds"], 1
    for n, seconds in sorted(times.items()):
        if seconds < WORTH_A_THREAD * times[best]:
            best = n
    tau, omega = min(PAPER_TAU, shape.n), min(max(data.omega, 1), shape.n)
    worst = beta(shape.n, omega, tau, shape.m)
    block = BlockSize(shape, None, message_cost=LARGEST_OVERLAP * shape.m)
    messages, available = ROUND_SECONDS * -(-shape.n // block.tau), available_bytes()
    needed = values["peak_bytes"] + values["data_bytes"]
    place, why = place_for(needed, available, shape.nnz, times[best], messages)
    rounds = "rounds of messages a sweep, at what one takes between two workers"
    return {
        "available_bytes": (available, "what the machine and its cgroup leave", True),
        "n_threads": (best, "the fewest that are about as fast as any", True),
        "tau": (BlockSize(shape, None).tau, "the size of the first blocks", True),
        "place": (place, why, True),
        "message_seconds": (messages, rounds, False),
        "paper_tau": (tau, "the paper's", True),
        "paper_beta": (worst, "Theorem 1", True),
        "paper_speedup": (tau / worst, "Theorem 1", True),
    }


def place_for(
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
