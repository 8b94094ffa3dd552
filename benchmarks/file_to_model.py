"""From a file of text to a model: reading, building and fitting, next to what others need.

Building a ``Problem`` from CSR is held against one exact sweep, the whole way against
scikit-learn's reader and LIBLINEAR. The file lies uncompressed in the page cache.
"""

from __future__ import annotations

import argparse
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression

import common
import tauboost as tb
from reading import prepare
from sweeps import sweep_arguments, sweep_once
from tauboost.penalty import Penalty
from tauboost.solvers.exact import BlockSize

QUICK = {"alpha": 3e-4, "l1_ratio": 1.0, "max_iter": 1}
PSIS = {"no psi": (0.0, 0.0), "l1 = 1e-3": (1e-3, 0.0), "l2 = 1e-3": (0.0, 1e-3)}

Row = dict[str, Any]


def whole_way(path: Path, chosen: argparse.Namespace) -> tuple[list[Row], float]:
    """Time file to model, ours and theirs; also how many cores others kept busy."""

    def theirs(_: object) -> None:
        X, y = load_svmlight_file(str(path))
        # The reader makes indices that this solver refuses.
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        LogisticRegression(solver="liblinear", C=0.03).fit(X, y)

    def ours(_: object, **options: Any) -> None:
        X, y = tb.load_svmlight(path, n_threads=chosen.threads)
        tb.TauBoostClassifier(random_state=chosen.seed, n_jobs=chosen.threads, **options).fit(X, y)

    runs = {"scikit-learn + LIBLINEAR": theirs, "tauboost": ours}
    runs["tauboost, quick fit"] = partial(ours, **QUICK)
    timings = common.time_in_turns(
        [common.Candidate(lambda: None, run) for run in runs.values()], chosen.repeats
    )
    slow = timings.medians[0]
    rows = [
        {"what": f"file to model: {name}", "seconds": seconds, "ratio": slow / seconds}
        for name, seconds in zip(runs, timings.medians, strict=True)
    ]
    return rows, timings.other_cores


def building(path: Path, chosen: argparse.Namespace) -> list[Row]:
    """Time CSR to ``Problem``, in turns with sweeps of it."""
    X, y = tb.load_svmlight(path)
    problem = tb.Problem(X, y, n_threads=chosen.threads)
    tau = BlockSize(problem.matrix, None).tau

    def build(_: object) -> None:
        tb.Problem(X, y, n_threads=chosen.threads)

    sweep = partial(sweep_once, chosen.threads)
    starts = [
        partial(sweep_arguments, problem, Penalty(problem.n_features, *psi), tau)
        for psi in PSIS.values()
    ]
    candidates = [
        common.Candidate(lambda: None, build),
        *(common.Candidate(start, sweep) for start in starts),
    ]
    built, *swept = common.time_in_turns(candidates, 3 * chosen.repeats).medians
    rows = [{"what": "CSR to Problem", "seconds": built, "ratio": 1.0}]
    for name, seconds in zip(PSIS, swept, strict=True):
        rows.append({"what": f"one exact sweep, {name}", "seconds": seconds})
        rows[-1]["ratio"] = built / seconds
    return rows


def main() -> None:
    """Measure and write file_to_model.csv."""
    options = common.parser(__doc__)
    options.add_argument("--repeats", type=int, default=5, help="repeats of every way")
    chosen = options.parse_args()
    chosen.repeats = 1 if chosen.quick else chosen.repeats
    with tempfile.TemporaryDirectory() as folder:
        text = prepare(Path(folder), chosen.seed, chosen.quick)
        rows, others = whole_way(text.path, chosen)
        rows += building(text.path, chosen)
    common.print_table(
        f"{text.name}, {chosen.threads} threads",
        ("what", "seconds", "times as fast / building in sweeps"),
        [[row["what"], common.clock(row["seconds"]), f"{row['ratio']:.1f}"] for row in rows],
    )
    common.remark_on(others)
    about = {"data": text.name, "threads": chosen.threads, "other_cores_busy": round(others, 2)}
    origin = common.provenance(chosen.seed)
    common.write_csv(chosen.out / "file_to_model.csv", [about | row for row in rows], origin)


if __name__ == "__main__":
    main()
