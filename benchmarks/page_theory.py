"""The tables of docs/benchmarks.md about solvers, theory, kernels and reading, and about the run.

Each function takes the results of a run and returns Markdown.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator
from functools import partial

from page_results import Results, Row, seconds, table, times
from parts import PARTS

__all__ = ["GENERATORS"]

WITHIN = (1.3, 1.15)  # what a plan may be off by
SHOWN_TAUS = (4, 16, 64, 128, 256, 1024)
WIDTH = 120


# The run itself.


def machine(results: Results) -> str:
    """Say in a paragraph what was measured with, and how quiet it was."""
    about = results.machine
    busy = {name: done["other_cores_busy"] for name, done in results.parts.items()}
    spent = sum(done["seconds"] for done in results.parts.values())
    mean = sum(busy[name] * done["seconds"] for name, done in results.parts.items()) / spent
    most = max(busy, key=lambda name: busy[name])
    packages = ", ".join(f"{name} {found}" for name, found in about["packages"].items())
    return textwrap.fill(
        f"Commit {about['commit']}, {about['date']}: {about['processor']}, {about['cores']:.0f} "
        f"cores, {about['memory_gb']:.1f} GB of memory; {about['system']}; Python "
        f"{about['python']}; {about['compiler']}; {packages}. The run took {spent / 60:.0f} "
        f"minutes. Meanwhile other processes kept {mean:.2f} cores busy on average, at most "
        f"{busy[most]:.2f}, in the part `{most}`.",
        WIDTH,
        break_on_hyphens=False,
    )


def run_parts(results: Results) -> str:
    """Return the commands of the run, the minutes they took, and the load by others."""
    lines = []
    for part in PARTS:
        if part.name in results.parts:
            done = results.parts[part.name]
            words = " ".join([f"benchmarks/{part.script}", *done["options"]])
            spent = f"{done['seconds'] / 60:.1f}"
            lines.append([part.name, f"`{words}`", spent, f"{done['other_cores_busy']:.2f}"])
    return table(["part", "command", "minutes", "cores others kept busy"], lines)


# Theory.


def figure_3(results: Results) -> str:
    """Return iterations saved by larger tau, measured and predicted."""
    from paper_figures import summarise  # noqa: PLC0415, draws as well

    found = [s for s in summarise(results.rows("paper", "figure3.csv")) if s["method"] == "pcdm"]
    lines = [
        [s["data"], f"{s['tau']:.0f}"]
        + [f"{s[column]:.2f}" for column in ("beta", "predicted", "speedup")]
        for s in found
        if s["tau"] in SHOWN_TAUS
    ]
    off = max(abs(s["speedup"] / s["predicted"] - 1) for s in found)
    words = f"For every tau that was tried the measured points lie within {100 * off:.0f} % of it."
    return table(["data", "tau", "beta", "tau/beta", "measured"], lines) + "\n\n" + words


def to_gaps(results: Results, part: str, pattern: str) -> str:
    """Return the seconds of every method to every gap, and where a peer is ahead."""
    rows = results.rows(part, pattern)
    gaps = list(dict.fromkeys(row["gap"] for row in rows))
    lines = []
    for method in dict.fromkeys(row["method"] for row in rows):
        mine = {row["gap"]: row["seconds"] for row in rows if row["method"] == method}
        lines.append([f"`{method}`", *(seconds(mine[level]) for level in gaps)])
    told = table(["seconds to gap", *map(gap, gaps)], lines)
    return "\n\n".join(filter(None, [told, "\n".join(ahead_of_exact(rows))]))


def gap(value: float) -> str:
    """Write a gap."""
    return f"{value:.0e}".replace("e-0", "e-")


def ahead_of_exact(rows: list[Row]) -> Iterator[str]:
    """Say by how much ``exact`` is ahead of each other method, or behind."""
    others = [row for row in rows if row["method"] != "exact"]
    for method in dict.fromkeys(row["method"] for row in others):
        ratios = {
            gap(row["gap"]): row["ratio_to_exact"]
            for row in others
            if row["method"] == method and math.isfinite(row["ratio_to_exact"])
        }
        if not ratios:
            continue
        said = ", ".join(f"{times(ratio)} at {where}" for where, ratio in ratios.items())
        faster = [where for where, ratio in ratios.items() if ratio < 1]
        note = f" **`exact` is behind at {', '.join(faster)}.**" if faster else ""
        yield f"- Time of `{method}` / time of `exact`: {said}.{note}"


def threads(results: Results) -> str:
    """Return what a second thread gives."""
    scaling = results.rows("threads", "solvers_scaling.csv")
    updates = results.rows("kernels", "async_updates.csv")
    lines = []
    for what, rows in (
        ("`exact` to one objective", scaling),
        ("`pcdm-async`, the same number of updates", updates),
    ):
        for row in rows:
            data = f"{row['data']}, {row['nnz']:,.0f} nonzeros"
            cells = [f"{row['threads']:.0f}", f"{seconds(row['seconds'])} s"]
            lines.append([what, data, *cells, f"{row['ratio_to_one_thread']:.2f}"])
    return table(["what", "data", "threads", "time", "x one thread"], lines)


def certified(results: Results) -> str:
    """Return the price of a certified gap."""
    heads = ["data", "loss", "psi", "ended", "gap", "epochs", "seconds", "x without"]
    lines = []
    for row in results.rows("certified", "gaps.csv"):
        reached = f"{row['gap']:.1e}".replace("e-0", "e-") if math.isfinite(row["gap"]) else "-"
        cells = [row["data"], row["loss"], row["psi"], row["status"], reached]
        cells += [f"{row['epochs']:.0f}", seconds(row["seconds"]), f"{row['ratio']:.2f}"]
        lines.append(cells)
    return table(heads, lines)


def plans(results: Results) -> str:
    """Return predicted over true, for each set and each kind of prediction."""
    rows = results.rows("plan", "plan.csv")
    kinds = list(dict.fromkeys(row["what"] for row in rows))
    lines = []
    for name in dict.fromkeys(row["data"] for row in rows):
        mine = {row["what"]: f"{row['ratio']:.2f}" for row in rows if row["data"] == name}
        lines.append([name, *(mine.get(kind, "-") for kind in kinds)])
    goals = [row["ratio"] for row in rows if row["is_goal"] == "True"]
    counts = [sum(1 / most <= ratio <= most for ratio in goals) for most in WITHIN]
    words = (
        f"Of {len(goals)} predictions of sweeps, default fits and peaks of memory {counts[0]} are "
        f"within 30 %, {counts[1]} within 15 %."
    )
    return table(["predicted / truth", *kinds], lines) + "\n\n" + words


def adaboost(results: Results) -> str:
    """Return AUC and seconds of AdaBoost and of the two ways around it."""
    rows = results.rows("adaboost", "parallel_adaboost.csv")
    names = list(dict.fromkeys(row["data"] for row in rows))
    lines = []
    for model in dict.fromkeys(row["model"] for row in rows):
        mine = {row["data"]: row for row in rows if row["model"] == model}
        cells = [(f"{mine[n]['auc']:.4f}", seconds(mine[n]["seconds"])) for n in names]
        lines.append([model, *(cell for pair in cells for cell in pair)])
    heads = ["model", *(head for name in names for head in (f"{name}: AUC", "seconds"))]
    return table(heads, lines)


# Kernels and files.


def kernels(results: Results) -> str:
    """Return nanoseconds per nonzero of every kernel, in gathers, with one thread and two."""
    found: dict[tuple[str, str], dict[float, str]] = {}
    for row in results.rows("kernels", "kernels.csv"):
        ratio = row["ratio_to_pure_gather"]
        shown = f"{row['ns_per_nonzero']:.2f}, {ratio:.1f}"
        found.setdefault((f"`{row['kernel']}`", row["data"]), {})[row["threads"]] = shown
    for row in results.rows("sweep", "solvers_sweep_*.csv"):
        l1, l2 = row["alpha"] * row["l1_ratio"], row["alpha"] * (1 - row["l1_ratio"])
        psi = f"l1 = {l1:g}" if l1 else f"l2 = {l2:g}" if l2 else "no penalty"
        loss = "" if row["loss"] == "exponential" else f"{row['loss']}, "
        shown = f"{row['ns_per_nonzero']:.2f}, {row['ratio_to_pure_gather']:.1f}"
        key = (f"one sweep of `exact`, {loss}{psi}", row["data"])
        found.setdefault(key, {})[row["threads"]] = shown
    lines = [[*key, cells.get(1.0, ""), cells.get(2.0, "")] for key, cells in found.items()]
    heads = ["kernel", "data", "one thread: ns per nonzero, in gathers", "two threads"]
    return table(heads, lines)


def reading(results: Results) -> str:
    """Return how fast text becomes arrays."""
    rows = results.rows("reading", "reading.csv")
    lines = []
    for row in rows:
        speed, ratio = f"{row['megabytes_per_second']:,.0f}", times(row["ratio_to_scikit_learn"])
        lines.append([row["reader"], f"{row['threads']:.0f}", speed, ratio])
    words = f"{rows[0]['data']}, {rows[0]['bytes'] / 1e6:.1f} MB of text:"
    return words + "\n\n" + table(["reader", "threads", "MB/s", "times scikit-learn"], lines)


def file_to_model(results: Results) -> str:
    """Return the whole way from a file to a model, and building in sweeps."""
    lines = []
    for row in results.rows("file-to-model", "file_to_model.csv"):
        note = ""
        if row["what"].startswith("file to model: tauboost"):
            note = f"{times(row['ratio'])} times as fast"
        elif row["what"].startswith("one exact sweep"):
            note = f"building takes the time of {row['ratio']:.1f} of them"
        lines.append([row["what"], seconds(row["seconds"]), note])
    return table(["what", "seconds", ""], lines)


GENERATORS = {
    "machine": machine,
    "parts": run_parts,
    "figure 3": figure_3,
    "gap w8a": partial(to_gaps, part="gap-w8a", pattern="solvers_*_exponential.csv"),
    "gap exponential": partial(
        to_gaps, part="gap-exponential", pattern="solvers_*_exponential_l2_*.csv"
    ),
    "gap logistic": partial(to_gaps, part="gap-logistic", pattern="solvers_*_logistic_l2_*.csv"),
    "threads": threads,
    "certified": certified,
    "plans": plans,
    "adaboost": adaboost,
    "kernels": kernels,
    "reading": reading,
    "file to model": file_to_model,
}
