"""The paper's experiments again: Figure 1 (algorithms on w8a) and Figure 3 (larger tau).

Figure 3 is held against the theory: moving tau coordinates at once should save a factor tau / beta
of iterations (Theorem 1), which is the same as costing a factor beta more epochs. The target is
the objective that tau = 1 reaches after a few epochs; tables and pictures show medians over seeds.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator

import common
import tauboost as tb
from tauboost import paper

PAPER_TAU = 16
MEASURED = ("epochs", "iterations", "seconds")
COLORS = ("#d1221f", "#1f4fd1")

Row = dict[str, Any]


# Figure 1: the objective over time, for each algorithm.


def figure_1(data: common.Data, chosen: argparse.Namespace, origin: Row) -> None:
    """Run the paper's four algorithms, pcdm and lbfgs for the same time each."""
    with_tau = {"tau": PAPER_TAU}
    settings = [
        paper.MethodSetting(f"pcdm-async, τ = {PAPER_TAU}", "pcdm-async", with_tau),
        paper.MethodSetting("fully parallel", "fully-parallel"),
        paper.MethodSetting("accelerated", "accelerated"),
        paper.MethodSetting("greedy (classical AdaBoost)", "greedy"),
        paper.MethodSetting(f"pcdm, τ = {PAPER_TAU}", "pcdm", with_tau),
        paper.MethodSetting("L-BFGS-B (SciPy)", "lbfgs"),
        paper.MethodSetting("exact", "exact"),
    ]
    with common.Neighbours() as others:
        comparison = paper.compare(
            tb.Problem(data.X, data.y),
            settings,
            name=data.name,
            time_limit=chosen.seconds,
            n_threads=chosen.threads,
            random_state=chosen.seed,
        )
    show_comparison(comparison)
    common.remark_on(others.cores)
    about = {"data": data.name, "threads": chosen.threads}
    about["other_cores_busy"] = round(others.cores, 2)
    common.write_csv(chosen.out / "figure1.csv", common.trace_rows(comparison, about), origin)
    paper.plot_comparison(comparison, chosen.out / "figure1.png")


def show_comparison(comparison: paper.Comparison) -> None:
    """Print when each algorithm came how near the best objective found."""
    levels = [f"to gap {level.gap:g}" for level in comparison.levels()]
    common.print_table(
        f"Figure 1, {comparison.name}: seconds to gaps from the best, {comparison.best:.6f}",
        ("algorithm", *levels, "objective", "epochs"),
        [
            (
                row.label,
                *map(common.clock, row.seconds_to),
                f"{row.objective:.6f}",
                f"{row.epochs:,.0f}",
            )
            for row in comparison.table()
        ],
    )


# Figure 3: the work to a target, for each tau.


@dataclass(frozen=True)
class Sweep:
    """What Figure 3 is measured with: so many epochs of tau = 1 set the target."""

    data: common.Data
    epochs: float
    taus: Sequence[int]
    seeds: Sequence[int]
    threads: Sequence[int]


def run_sweep(sweep: Sweep) -> list[Row]:
    """Run pcdm for every tau, and pcdm-async for every tau and number of threads."""
    problem = tb.Problem(sweep.data.X, sweep.data.y)
    alone = [
        tb.solve(problem, "pcdm", tau=1, max_epochs=sweep.epochs, tol=0, random_state=seed)
        for seed in sweep.seeds
    ]
    target = median(result.objective for result in alone)
    ways = [("pcdm", tau, max(sweep.threads)) for tau in sweep.taus]
    # No more threads than tau: the step is safe for tau coordinates at a time.
    ways += [("pcdm-async", tau, k) for tau in sweep.taus for k in sweep.threads if k <= tau]
    return [
        run_to_target(problem, sweep, target, seed, *way) for seed in sweep.seeds for way in ways
    ]


def run_to_target(
    problem: tb.Problem, sweep: Sweep, target: float, seed: int, method: str, tau: int, threads: int
) -> Row:
    """Measure one way to the target; nan where it is not reached."""
    n = problem.n_features
    beta = tb.beta(n, problem.omega, tau, problem.n_samples)
    limits: Row = {"target": target, "tol": 0, "max_epochs": 4 * beta * sweep.epochs}
    result = tb.solve(problem, method, tau=tau, n_threads=threads, random_state=seed, **limits)
    epochs = crossing(result.trace, "epoch", target)
    return {
        "data": sweep.data.name,
        "n_samples": problem.n_samples,
        "n_features": n,
        "nnz": problem.nnz,
        "omega": problem.omega,
        "method": method,
        "tau": tau,
        "threads": threads,
        "random_state": seed,
        "beta": beta,
        "target": target,
        "epochs": epochs,
        "iterations": epochs * n / tau,
        "seconds": crossing(result.trace, "seconds", target),
    }


def crossing(trace: tb.Trace, column: str, target: float) -> float:
    """Return where the objective met the target, between the two evaluations around it."""
    reached = np.flatnonzero(trace.objective <= target)
    if not reached.size:
        return float("nan")
    around = slice(max(reached[0] - 1, 0), reached[0] + 1)
    return float(np.interp(-target, -trace.objective[around], trace[column][around]))


def summarise(rows: Sequence[Row]) -> list[Row]:
    """Take medians over the seeds, and set them in relation to pcdm with tau = 1."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        way = (row["data"], row["method"], row["threads"], row["tau"])
        groups.setdefault(way, []).append(row)
    summaries = [
        group[0] | {name: float(np.median([row[name] for row in group])) for name in MEASURED}
        for group in groups.values()
    ]
    alone = {
        s["data"]: s["iterations"] for s in summaries if s["method"] == "pcdm" and s["tau"] == 1
    }
    for s in summaries:
        s["predicted"] = s["tau"] / s["beta"]
        s["speedup"] = alone[s["data"]] / s["iterations"]
    return summaries


def show_sweep(summaries: Sequence[Row]) -> None:
    """Print iterations against the prediction for one data set, and the time of every method."""
    ways = list(dict.fromkeys((s["method"], s["threads"]) for s in summaries))
    seconds = {(s["method"], s["threads"], s["tau"]): s["seconds"] for s in summaries}
    title = "Figure 3, {data}: {n_samples:,} x {n_features:,}, to objective {target:.4f}"
    common.print_table(
        title.format(**summaries[0]),
        ("tau", "beta", "tau/beta", "measured", *(f"{name} x{k}, s" for name, k in ways)),
        [
            (
                *(cell.format(**s) for cell in ("{tau}", "{beta:.2f}", "{predicted:.2f}")),
                f"{s['speedup']:.2f}",
                *(common.clock(seconds.get((*way, s["tau"]))) for way in ways),
            )
            for s in summaries
            if s["method"] == "pcdm"
        ],
    )


def figure_3(sweeps: Sequence[Sweep], out: Path, origin: Row) -> None:
    """Measure, show, write and draw Figure 3."""
    with common.Neighbours() as others:
        rows = [row for sweep in sweeps for row in run_sweep(sweep)]
    summaries = summarise(rows)
    for sweep in sweeps:
        show_sweep([s for s in summaries if s["data"] == sweep.data.name])
    common.remark_on(others.cores)
    busy = {"other_cores_busy": round(others.cores, 2)}
    common.write_csv(out / "figure3.csv", [row | busy for row in rows], origin)
    draw_figure_3(summaries, [sweep.data.name for sweep in sweeps], out / "figure3.png")


def draw_figure_3(summaries: Sequence[Row], names: Sequence[str], path: Path) -> None:
    """Draw the saving in iterations for all data, and the time for the last, the sparse one."""
    figure = Figure(figsize=(12, 5.4), layout="constrained")
    saving, time = figure.subplots(1, 2)
    for name, color in zip(names, COLORS, strict=True):
        pcdm = [s for s in summaries if s["data"] == name and s["method"] == "pcdm"]
        taus = [s["tau"] for s in pcdm]
        measured = {"marker": "o", "markersize": 9, "mfc": "none", "mew": 2, "linestyle": "none"}
        saving.plot(taus, [s["speedup"] for s in pcdm], color=color, **measured)
        saving.plot(taus, [s["predicted"] for s in pcdm], color=color, label=name)
    saving.plot([], [], color="#444444", label="lines: predicted, τ / β (Theorem 1)")
    saving.plot([], [], color="#444444", label="circles: measured, pcdm", **measured)
    saving.set(title="Iterations saved", ylabel="iterations with τ = 1  /  iterations with τ")
    draw_times(time, [s for s in summaries if s["data"] == names[-1]])
    time.set(title=f"Time to the same objective, {names[-1]}", ylabel="seconds")
    for axes in (saving, time):
        frame(axes, taus)
    figure.savefig(path, dpi=150)


def draw_times(axes: Any, summaries: Sequence[Row]) -> None:
    """Draw the time for the threads that there are, and what tau processors promise."""
    ways = list(dict.fromkeys((s["method"], s["threads"]) for s in summaries))
    for (method, threads), marker in zip(ways, cycle("oxs^Dv")):
        line = [s for s in summaries if (s["method"], s["threads"]) == (method, threads)]
        axes.plot(
            [s["tau"] for s in line],
            [s["seconds"] for s in line],
            color="#e8871a" if method == "pcdm" else "#d1221f",
            linestyle="--" if threads == 1 else "-",
            marker=marker,
            mfc="white",
            label=f"{method}, {threads} {'thread' if threads == 1 else 'threads'}",
        )
    pcdm = [s for s in summaries if s["method"] == "pcdm"]
    promised = [pcdm[0]["seconds"] / s["predicted"] for s in pcdm]
    label = "predicted with τ processors"
    axes.plot([s["tau"] for s in pcdm], promised, color="#888888", linestyle=":", label=label)


def frame(axes: Any, taus: Sequence[int]) -> None:
    """Give both axes logarithmic scales with plain numbers, a grid and a legend."""
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(taus)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.minorticks_off()
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
    axes.set_xlabel("τ: coordinates that move together")
    axes.grid(color="#dddddd")
    axes.set_axisbelow(True)
    axes.legend(frameon=False)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    options = common.parser(__doc__)
    options.add_argument("--seconds", type=float, default=10.0, help="Figure 1: for each algorithm")
    options.add_argument("--nnz", type=float, default=3e6, help="Figure 3: of the url-like set")
    options.add_argument("--epochs", type=float, default=8.0, help="Figure 3: set the target")
    options.add_argument("--seeds", type=int, default=3, help="Figure 3: runs of each kind")
    chosen = options.parse_args()
    if chosen.quick:
        chosen.seconds, chosen.nnz, chosen.epochs, chosen.seeds = 0.1, 1e5, 2.0, 2
    return chosen


def main() -> None:
    """Write figure1 and figure3, each as CSV and PNG."""
    chosen = arguments()
    origin = common.provenance(chosen.seed)
    dense, sparse = common.w8a(chosen.seed, chosen.quick), common.url_like(chosen.nnz, chosen.seed)
    figure_1(dense, chosen, origin)
    powers = [2**k for k in range(5 if chosen.quick else 11)]
    seeds = [chosen.seed + k for k in range(chosen.seeds)]
    threads = sorted({2**k for k in range(11) if 2**k < chosen.threads} | {chosen.threads})
    figure_3(
        [
            Sweep(data, chosen.epochs, [tau for tau in powers if tau <= most], seeds, threads)
            for data, most in ((dense, 256), (sparse, 1024))
        ],
        chosen.out,
        origin,
    )


if __name__ == "__main__":
    main()
