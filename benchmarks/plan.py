"""What ``tb.plan`` predicts against what then happens.

On every set a plan is made in one process; then, in fresh processes, the file is read, a default
classifier is fitted, and ``solve`` builds, sweeps and goes to the accuracy. The medians of the
repeats are the truth. Memory is the peak beyond the data. Each process has fitted a few rows
before, so that imports count for nobody. A prediction is right if it is within 30 %.
"""

from __future__ import annotations

import argparse
import ctypes
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from scipy import sparse

import common
import tauboost as tb
from children import forget_the_peak, in_a_child, memory
from peers_data import load
from tauboost.datasets import find_data
from tauboost.planning.data import LOSS

Row = dict[str, Any]
URL = "url_like_"  # followed by millions of nonzeros
SETS = (
    "w8a", "a9a", "imdb_unigram", "imdb_unigram_tfidf", "sms_spam", "url_uci_slice", "mushrooms",
    f"{URL}20",
)  # fmt: skip
TOLERABLE = 1.3
# The fields of a plan that are held against the truth.
FIELDS = {
    "read_seconds": "reading",
    "build_seconds": "building",
    "sweep_1": "a sweep, one thread",
    "sweep_n": "a sweep, all threads",
    "sweeps": "sweeps to the accuracy",
    "fit_seconds": "default fit",
    "matrix_bytes": "memory: matrix",
    "peak_bytes": "memory: peak of the fit",
}
GOAL = {"sweep_1", "sweep_n", "fit_seconds", "peak_bytes"}


# In separate processes.


def warm_up(n_threads: int) -> None:
    """Load whatever is loaded when it is first used."""
    X, y = tb.make_w8a_like(500, random_state=0)
    tb.TauBoostClassifier(n_jobs=n_threads, random_state=0).fit(X, y)
    tb.solve(tb.Problem(X, y, loss=LOSS), max_epochs=2)


def read(folder: str) -> tuple[sparse.csr_array, np.ndarray]:
    """Return the data that the parent has left here."""
    X = sparse.csr_array(sparse.load_npz(Path(folder, "X.npz")))
    return X, np.load(Path(folder, "y.npy"))


def predicted(folder: str, path: str, n_threads: int, seconds: float) -> Row:
    """Plan for data in memory, and, for the time of reading, for the file they are from."""
    X, y = read(folder)
    warm_up(n_threads)
    found = tb.plan((X, y), n_threads=n_threads, seconds=seconds)
    of_file = tb.plan(path, n_threads=n_threads, seconds=seconds) if path else found
    sweeps = {"sweep_1": found.sweep_seconds[1], "sweep_n": found.sweep_seconds[n_threads]}
    row = {name: getattr(found, name) for name in FIELDS if hasattr(found, name)} | sweeps
    return row | {
        "read_seconds": of_file.read_seconds,
        "how": found.how["fit_seconds"],
        "plan_seconds": found.plan_seconds,
        "shown": repr(found),
        "accuracy": found.accuracy,
    }


def truth(folder: str, path: str, n_threads: int, accuracy: float, seed: int) -> Row:
    """Do it all, and time it."""
    X, y = read(folder)
    warm_up(n_threads)
    found = fit_truth(X, y, n_threads, seed)
    alpha = found.pop("alpha")
    began = time.perf_counter()
    problem = tb.Problem(
        X, (y == y.max()).astype(float), loss=LOSS, fit_intercept=True, n_threads=n_threads
    )
    found["build_seconds"] = time.perf_counter() - began
    found["matrix_bytes"] = problem.matrix.nbytes
    options = {"alpha": alpha, "l1_ratio": 0.0, "random_state": seed}
    for name, n in (("sweep_1", 1), ("sweep_n", n_threads)):
        runs = [tb.solve(problem, max_epochs=1, tol=0, n_threads=n, **options) for _ in range(4)]
        found[name] = median(run.trace.seconds[-1] - run.trace.seconds[0] for run in runs[1:])
    found["sweeps"] = tb.solve(problem, tol=accuracy, n_threads=n_threads, **options).n_epochs
    if path:
        began = time.perf_counter()
        tb.load_svmlight(path, n_threads=n_threads)
        found["read_seconds"] = time.perf_counter() - began
    return found


def fit_truth(X: sparse.csr_array, y: np.ndarray, n_threads: int, seed: int) -> Row:
    """Fit a default classifier: seconds, and the peak of memory beyond the data."""
    clf = tb.TauBoostClassifier(n_jobs=n_threads, random_state=seed)
    ctypes.CDLL(None).malloc_trim(0)  # what is free but kept would hide what the fit takes
    before = memory("VmRSS")
    forget_the_peak()
    began = time.perf_counter()
    clf.fit(X, y)
    seconds = time.perf_counter() - began
    peak = memory("VmHWM") - before
    return {"fit_seconds": seconds, "peak_bytes": peak, "alpha": clf.alpha_}


# What is compared.


def compare(name: str, data: common.Data, path: str, chosen: argparse.Namespace) -> list[Row]:
    """Return a row for each prediction: what was said, what was found."""
    with tempfile.TemporaryDirectory() as folder:
        sparse.save_npz(Path(folder, "X.npz"), sparse.csr_matrix(data.X), compressed=False)
        np.save(Path(folder, "y.npy"), data.y)
        with common.Neighbours(children=True) as others:
            said = in_a_child(predicted, folder, path, chosen.threads, chosen.seconds)
            given = (folder, path, chosen.threads, said["accuracy"], chosen.seed)
            found = [in_a_child(truth, *given) for _ in range(chosen.repeats)]
    about = {"data": name, "n_samples": data.X.shape[0], "n_features": data.X.shape[1]}
    about |= {"nnz": data.X.nnz, "plan_seconds": said["plan_seconds"], "how": said["how"]}
    about |= {"seconds_allowed": chosen.seconds, "other_cores_busy": others.cores}
    if chosen.show:
        print(said["shown"], "\n")
    rows = []
    for field, what in FIELDS.items():
        values = [float(run[field]) for run in found if field in run]
        if not values:
            continue
        value = median(values)
        ratio = said[field] / value
        rows.append(
            about
            | {"what": what, "predicted": said[field], "truth": value, "ratio": ratio}
            | {"least": min(values), "most": max(values), "is_goal": field in GOAL}
        )
    return rows


def sets(chosen: argparse.Namespace) -> Iterator[tuple[str, common.Data, str]]:
    """Yield the sets and, where they are from one, their files."""
    if chosen.quick and not chosen.data:
        yield "w8a-like", common.w8a(chosen.seed, quick=True), ""
        return
    for name in chosen.data or SETS:
        if name.startswith(URL):
            yield name, common.url_like(float(name.removeprefix(URL)) * 1e6, chosen.seed), ""
            continue
        try:
            data = load(name, chosen.seed)
        except (FileNotFoundError, ValueError) as why:
            if chosen.data:
                raise SystemExit(f"error: {why}") from None
            print(f"skipped: {name} ({why})")
            continue
        yield data.name, data, file_of(name)


def file_of(name: str) -> str:
    """Return the file that a set is read from; there may be none."""
    if Path(name).is_file():
        return name
    try:
        return str(find_data(name))
    except (FileNotFoundError, ValueError):
        return ""


# What is shown.


def show(rows: list[Row]) -> None:
    """Print the predictions of one set."""
    first = rows[0]
    title = (
        "{data}: {n_samples:,} x {n_features:,}, {nnz:,} nonzeros; planned in {plan_seconds:.2f} s"
    )
    common.print_table(
        title.format(**first) + f"\ndefault fit: {first['how']}",
        ("what", "predicted", "truth", "least", "most", "predicted / truth"),
        [
            (r["what"], *(f"{r[k]:,.4g}" for k in ("predicted", "truth", "least", "most")),
             f"{r['ratio']:.2f}")
            for r in rows
        ],
    )  # fmt: skip
    common.remark_on(first["other_cores_busy"])


def summary(rows: list[Row]) -> None:
    """Say how many of the predictions that matter are within 30 %."""
    aims = [row for row in rows if row["is_goal"]]
    good = [row for row in aims if 1 / TOLERABLE <= row["ratio"] <= TOLERABLE]
    print(f"within 30 %: {len(good)} of {len(aims)} times of a sweep, default fits and peaks")
    for row in aims:
        if row not in good:
            print(f"  not: {row['data']}, {row['what']}: {row['ratio']:.2f}")


def draw(rows: list[Row], path: Path) -> None:
    """Draw predicted over truth, a line for each kind of prediction."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    names = list(dict.fromkeys(row["data"] for row in rows))
    kinds = [what for what in FIELDS.values() if any(row["what"] == what for row in rows)]
    figure = Figure(figsize=(9, 1.4 + 0.42 * len(kinds)), layout="constrained")
    axes = figure.subplots()
    axes.axvspan(1 / TOLERABLE, TOLERABLE, color="#009e73", alpha=0.12, label="within 30 %")
    axes.axvspan(1 / 1.15, 1.15, color="#009e73", alpha=0.18, label="within 15 %")
    marks = "osD^vP*X<>"
    for k, name in enumerate(names):
        own = [row for row in rows if row["data"] == name]
        spread = (k - (len(names) - 1) / 2) * 0.6 / max(len(names), 1)
        heights = [kinds.index(row["what"]) + spread for row in own]
        ratios = [row["ratio"] for row in own]
        axes.plot(ratios, heights, marks[k % len(marks)], markersize=6, label=name)
    axes.set_xscale("log")
    ticks = (0.25, 0.5, 0.77, 1, 1.3, 2, 4)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_yticks(range(len(kinds)), kinds)
    axes.invert_yaxis()
    axes.set_xlabel("predicted / truth")
    axes.grid(axis="y", alpha=0.2)
    figure.legend(loc="outside right upper", fontsize="small", frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)


def main() -> None:
    """Plan for each set, then find out."""
    options = common.parser(__doc__)
    options.add_argument("data", nargs="*", help=f"svmlight files, or any of {', '.join(SETS)}")
    options.add_argument("--repeats", type=int, default=3, help="runs that are the truth")
    options.add_argument("--seconds", type=float, default=0.3, help="what a plan may measure")
    options.add_argument("--show", action="store_true", help="print the plans, too")
    chosen = options.parse_args()
    if chosen.repeats < 1 or chosen.seconds <= 0:
        options.error("--repeats must be at least 1, --seconds above 0")
    if chosen.quick:
        chosen.repeats = 1
    rows: list[Row] = []
    for name, data, path in sets(chosen):
        found = compare(name, data, path, chosen)
        show(found)
        rows += found
    summary(rows)
    common.write_csv(chosen.out / "plan.csv", rows, common.provenance(chosen.seed))
    draw(rows, chosen.out / "plan.png")


if __name__ == "__main__":
    main()
