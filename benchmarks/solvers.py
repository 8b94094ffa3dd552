"""Seconds to a given gap in the objective, for every method of tauboost and for its peers.

Only the solve is timed; the methods take turns within each repeat, and medians over the repeats
count. Gaps are to the best objective that a long run of ``exact`` finds. Two more modes: --scaling
holds more threads against one, --sweep holds one sweep of ``exact`` against a pure gather.
"""

from __future__ import annotations

import argparse
import math
import re
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

import common
import tauboost as tb
from solver_peers import GAPS, IN_TABLE, LEVELS, PEERS, Contender, Row, Task, Trace, peers
from sweeps import gather_once, sweep_arguments, sweep_once
from tauboost.base.arrays import Vector
from tauboost.datasets import find_data
from tauboost.paper.figures import SPARE, STYLES

USUAL_GAP = 3  # of these: 1e-4
TARGET_EPOCHS = 3
REST = 0.3  # seconds
BLOCK = 256
SWEEPS = (
    {"loss": "exponential", "alpha": 0.0, "l1_ratio": 1.0},
    {"loss": "exponential", "alpha": 1e-3, "l1_ratio": 1.0},
    {"loss": "exponential", "alpha": 1e-3, "l1_ratio": 0.0},
    {"loss": "logistic", "alpha": 3e-4, "l1_ratio": 0.0},
)


# The methods of tauboost.


def best_objective(task: Task) -> float:
    """Run ``exact`` until the later half of the run has gained next to nothing."""
    seen: list[float] = []

    def is_flat(now: tb.Snapshot) -> bool:
        seen.append(now.objective)
        return bool(len(seen) > 64 and seen[len(seen) // 2] - now.objective < GAPS[-1] / 100)

    result = task.solve("exact", callback=is_flat, time_limit=10 * task.chosen.time_limit)
    if result.status is not tb.Status.INTERRUPTED:
        print(f"note: gaps are to where exact got, and it was still falling. {result.message}")
    return result.objective


def own_methods(task: Task, built: float) -> Iterator[Contender]:
    """Yield those that take the loss and psi; asking them also starts their threads."""
    for name, method in tb.METHODS.items():
        if name not in task.chosen.methods:
            continue
        label, options = name, {}
        if method.steps_without_psi and not task.penalty.is_zero:
            options["step"] = next(s for s in method.steps if s not in method.steps_without_psi)
            label = f"{name}, {options['step']}"
        try:
            task.solve(name, max_epochs=0, **options)
        except ValueError as refusal:
            print(f"skipped: {name} ({str(refusal).partition(';')[0]})")
        else:
            yield Contender(name, label, built, partial(run_own, task, name, options))


def run_own(task: Task, name: str, options: Row, seed: int) -> Trace:
    """Solve to the smallest gap, or as far as the time allows."""
    limits = {"target": task.target, "time_limit": task.chosen.time_limit}
    trace = task.solve(name, random_state=seed, **limits, **options).trace
    return list(zip(trace.seconds, trace.objective, strict=True))


# The comparison: every method to every gap.


def compare(data: common.Data, chosen: argparse.Namespace, origin: Row) -> None:
    """Measure, show, write and draw the time to gaps on one data set."""
    began = time.perf_counter()
    task = Task.build(data, chosen)
    built = time.perf_counter() - began
    task = replace(task, best=best_objective(task) if chosen.best is None else chosen.best)
    contenders = [*own_methods(task, built), *peers(task)]
    with common.Neighbours() as others, threadpool_limits(chosen.threads, user_api="blas"):
        rounds = [
            [
                seconds_to(task.best + LEVELS, rested(runner, chosen.seed + k))
                for runner in contenders
            ]
            for k in range(chosen.repeats)
        ]
    times = np.median(rounds, axis=0)
    rows = gap_rows(task, contenders, times[:, IN_TABLE])
    show(task, contenders, rows)
    common.remark_on(others.cores)
    psi = [f"{name}_{alpha:g}" for name, alpha in task.terms.items()]
    stem = file_stem("solvers", data.name, chosen.loss, *psi)
    busy = {"other_cores_busy": round(others.cores, 2)}
    common.write_csv(chosen.out / f"{stem}.csv", [row | busy for row in rows], origin)
    draw(task, contenders, times, chosen.out / f"{stem}.png")


def rested(runner: Contender, seed: int) -> Trace:
    """Run after a pause: threads that the one before left spinning have gone to sleep by then."""
    time.sleep(REST)
    return runner.run(seed)


def file_stem(*parts: str) -> str:
    """Join words into a name for files."""
    return re.sub(r"[^\w.-]+", "-", "_".join(parts))


def seconds_to(objectives: Vector, trace: Trace) -> Vector:
    """Return the least time to each; infinite where it was not reached."""
    seconds, reached = np.array(trace).reshape(-1, 2).T
    return np.array([seconds[reached <= goal].min(initial=np.inf) for goal in objectives])


def gap_rows(task: Task, contenders: Sequence[Contender], times: Vector) -> list[Row]:
    """Return a row for each method and gap; the time to what was not reached is infinite."""
    names = [contender.name for contender in contenders]
    exact = times[names.index("exact")] if "exact" in names else np.full(len(GAPS), np.inf)
    about = task.label() | {"best": task.best, "threads": task.chosen.threads}
    return [
        about
        | {"method": contender.label, "preparation": contender.preparation, "gap": float(gap)}
        | {"seconds": seconds, "ratio_to_exact": seconds / base if base < np.inf else np.nan}
        for contender, line in zip(contenders, times.tolist(), strict=True)
        for gap, seconds, base in zip(GAPS, line, exact.tolist(), strict=True)
    ]


def show(task: Task, contenders: Sequence[Contender], rows: Sequence[Row]) -> None:
    """Print the time of each method to each gap, and its ratio to that of ``exact``."""
    lines = []
    for contender in contenders:
        mine = [row for row in rows if row["method"] == contender.label]
        ratios = [(row["ratio_to_exact"], row["gap"]) for row in mine[: USUAL_GAP + 1]]
        finite = [pair for pair in ratios if math.isfinite(pair[0])] or [(math.nan, math.nan)]
        ratio, at = finite[-1]
        where = f" at {at:.0e}" if at > GAPS[USUAL_GAP] else ""
        cells = [brief(row["seconds"]) for row in mine]
        lines.append((contender.label, *cells, brief(ratio) + where))
    chosen = task.chosen
    common.print_table(
        f"{task.words()}: seconds to gaps from {task.best:.9g}; medians of {chosen.repeats}",
        ("method", *(f"{gap:.0e}" for gap in GAPS), f"x exact, {GAPS[USUAL_GAP]:.0e}"),
        lines,
    )
    before = {"Problem": contenders[0].preparation}
    before |= {c.label: c.preparation for c in contenders if c.name in PEERS}
    made = "; ".join(f"{name} {seconds:.3f} s" for name, seconds in before.items())
    print(f"not counted, making the input: {made}")


def brief(number: float) -> str:
    """Format a number for a table with the two digits that count, if it is one."""
    if not math.isfinite(number):
        return "-"
    return f"{number:,.0f}" if number >= 100 else f"{number:.2g}"


def draw(task: Task, contenders: Sequence[Contender], times: Vector, path: Path) -> None:
    """Draw the gap against seconds; the legend has the methods in the order they come in."""
    figure = Figure(figsize=(9, 5.4), layout="constrained")
    axes = figure.subplots()
    styles = STYLES | dict(zip(PEERS, cycle(SPARE[1:])))  # the same for a peer in every picture
    start = task.problem.value(np.zeros(task.problem.n_features))
    # Who gets further comes before who gets somewhere sooner.
    for k in sorted(range(len(times)), key=lambda k: tuple(times[k][::-1])):
        line: Row = {"linewidth": 1.7, "markersize": 6, "markevery": (0.0, 0.08)}
        line |= styles.get(contenders[k].name, SPARE[0])
        shown = (task.best + LEVELS < start) & np.isfinite(times[k])
        if shown.any():
            axes.loglog(times[k][shown], LEVELS[shown], label=contenders[k].label, **line)
    axes.set(xlabel="time (seconds)", ylabel="gap to the best objective, lower is better")
    axes.set_ylim(bottom=GAPS[-1])
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    axes.grid(color="#dddddd")
    axes.set_axisbelow(True)
    axes.set_title(task.words(), parse_math=False)
    figure.legend(loc="outside right center", frameon=False)
    figure.savefig(path, dpi=150)


# More threads, and one sweep.


def scaling(chosen: argparse.Namespace, origin: Row) -> None:
    """Time ``exact`` to the same objective with one thread and with more, on a url-like set."""
    task = Task.build(common.url_like(chosen.nnz, chosen.seed), chosen)
    target = task.solve("exact", n_threads=1, max_epochs=TARGET_EPOCHS).objective
    counts = sorted({1, 2, chosen.threads})
    with common.Neighbours() as others:
        rounds = [
            [task.solve("exact", n_threads=k, target=target).trace.seconds[-1] for k in counts]
            for _ in range(chosen.repeats)
        ]
    medians = np.median(rounds, axis=0).tolist()
    about = task.label() | {"target": target, "other_cores_busy": round(others.cores, 2)}
    rows = [
        about | {"threads": k, "seconds": seconds, "ratio_to_one_thread": medians[0] / seconds}
        for k, seconds in zip(counts, medians, strict=True)
    ]
    print("exact on {data}, {nnz:,} nonzeros, to objective {target:.6g}".format(**rows[0]))
    cells = ("{threads}", "{seconds:.3f}", "{ratio_to_one_thread:.2f}")
    lines = [[cell.format(**row) for cell in cells] for row in rows]
    common.print_table(
        f"medians of {chosen.repeats}", ("threads", "seconds", "x one thread"), lines
    )
    common.remark_on(others.cores)
    common.write_csv(chosen.out / "solvers_scaling.csv", rows, origin)


def sweep(data: common.Data, chosen: argparse.Namespace, origin: Row) -> None:
    """Time one sweep of ``exact`` from lam = 0 next to a pure gather, for several psi."""
    rows: list[Row] = []
    for case in SWEEPS:
        task = Task.build(data, argparse.Namespace(**vars(chosen) | case))
        for threads in sorted({1, chosen.threads}):
            start = partial(sweep_arguments, task.problem, task.penalty, BLOCK)
            kernels = [partial(run, threads) for run in (sweep_once, gather_once)]
            timings = common.time_in_turns(
                [common.Candidate(start, run) for run in kernels], chosen.repeats
            )
            ns, limit = (1e9 * seconds / task.problem.nnz for seconds in timings.medians)
            about = task.label() | {"tau": BLOCK, "threads": threads, "ns_per_nonzero": ns}
            about |= {"pure_gather": limit, "ratio_to_pure_gather": ns / limit}
            rows.append(about | {"other_cores_busy": round(timings.other_cores, 2)})
    cells = ["{loss}", "{alpha:g}", "{l1_ratio:g}", "{threads}", "{ns_per_nonzero:.2f}"]
    cells += ["{pure_gather:.2f}", "{ratio_to_pure_gather:.2f}"]
    common.print_table(
        "{data}: one sweep of exact, {nnz:,} nonzeros; medians of {repeats}".format(**rows[0]),
        ("loss", "alpha", "l1 ratio", "threads", "ns per nonzero", "pure gather", "ratio"),
        [[cell.format(**row) for cell in cells] for row in rows],
    )
    common.remark_on(max(row["other_cores_busy"] for row in rows))
    common.write_csv(chosen.out / f"{file_stem('solvers_sweep', data.name)}.csv", rows, origin)


# The command line.


def arguments() -> argparse.Namespace:
    """Read the command line."""
    options = common.parser(__doc__)
    add = options.add_argument
    add(
        "data",
        nargs="*",
        help="public sets by name, or svmlight files; by default w8a, for --sweep imdb_unigram",
    )
    add("--alpha", type=float, default=0.0, help="alpha of psi")
    add("--l1-ratio", type=float, default=1.0, help="1: l1, 0: l2")
    add("--loss", choices=("exponential", "logistic"), default="exponential", help="the loss")
    every = [*tb.METHODS, *PEERS]
    add(
        "--methods",
        nargs="+",
        choices=every,
        default=every,
        metavar="METHOD",
        help="methods to run",
    )
    add("--repeats", type=int, default=5, help="runs of each method")
    add(
        "--time-limit",
        type=float,
        default=30.0,
        help="seconds for a run; the reference has ten times that",
    )
    add("--best", type=float, help="the best objective, where it is known")
    add("--nnz", type=float, default=50e6, help="--scaling: nonzeros of the url-like set")
    modes = options.add_mutually_exclusive_group()
    modes.add_argument("--scaling", action="store_true", help="more threads against one")
    modes.add_argument("--sweep", action="store_true", help="one sweep against a pure gather")
    chosen = options.parse_args()
    if chosen.quick:
        chosen.repeats, chosen.time_limit, chosen.nnz = 2, 0.1, 1e5
    if chosen.best is not None and len(chosen.data) > 1:
        options.error("--best is that of one data set")
    return chosen


def load(name: str) -> common.Data:
    """Read a file, or a public set that TAUBOOST_DATA has."""
    try:
        if Path(name).is_file():
            return common.Data(Path(name).name.partition(".")[0], *tb.load_svmlight(name))
        return common.Data(name, *tb.load_svmlight(find_data(name)))
    except (OSError, ValueError) as problem:
        raise SystemExit(f"error: {problem}") from None


def main() -> None:
    """Run the mode asked for; each writes CSV files, the comparison a picture as well."""
    warnings.simplefilter("ignore", ConvergenceWarning)  # fits that are cut short on purpose
    chosen = arguments()
    origin = common.provenance(chosen.seed)
    if chosen.scaling:
        scaling(chosen, origin)
        return
    default = ["imdb_unigram"] if chosen.sweep and not chosen.quick else []
    sets = [load(name) for name in chosen.data or default] or [
        common.w8a(chosen.seed, chosen.quick)
    ]
    for data in sets:
        (sweep if chosen.sweep else compare)(data, chosen, origin)


if __name__ == "__main__":
    main()
