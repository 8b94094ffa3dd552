"""Seconds for a cross-validated regularisation path: folds in a batch, and in other ways.

The same 20 alphas and the same 5 folds, three times: by ``regularization_path``; by the same code
with one problem a batch, so that every problem reads the matrix by itself; and as separate
fits, each from its own matrix and from 0.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from unittest.mock import patch

import numpy as np
from sklearn.model_selection import StratifiedKFold

import common
import tauboost as tb
from common import w8a as w8a_data
from tauboost.datasets import find_data
from tauboost.sparse import path as paths

Row = dict[str, object]
Ways = dict[str, Callable[[], object]]


def ways(data: common.Data, l1_ratio: float, chosen: argparse.Namespace) -> Ways:
    """Return the ways to the same path."""
    X, y = data.X, data.y
    folds = StratifiedKFold(5, shuffle=True, random_state=chosen.seed)
    splits = list(folds.split(X, y))
    options = {"l1_ratio": l1_ratio, "random_state": chosen.seed, "n_jobs": chosen.threads}
    n_alphas = 5 if chosen.quick else 20
    first = tb.regularization_path(X, y, cv=splits, n_alphas=n_alphas, **options)

    def batched() -> object:
        return tb.regularization_path(X, y, cv=splits, alphas=first.alphas, **options)

    def one_by_one() -> object:
        with patch.object(paths, "LANES", (1,)):
            return batched()

    def separate_fits() -> object:
        every = np.arange(len(y))
        return [
            tb.TauBoostClassifier(alpha=alpha, **options).fit(X[train], y[train])
            for train in [*(train for train, _ in splits), every]
            for alpha in first.alphas
        ]

    return {"batched": batched, "one by one": one_by_one, "separate fits": separate_fits}


def measure(data: common.Data, l1_ratio: float, chosen: argparse.Namespace) -> list[Row]:
    """Time all ways on one data set."""
    found = ways(data, l1_ratio, chosen)
    candidates = [
        common.Candidate(lambda: None, lambda _, run=run: run()) for run in found.values()
    ]
    timings = common.time_in_turns(candidates, 1 if chosen.quick else chosen.repeats)
    return [
        {
            "data": data.name,
            "n_samples": data.X.shape[0],
            "n_features": data.X.shape[1],
            "nnz": data.X.nnz,
            "l1_ratio": l1_ratio,
            "way": way,
            "threads": chosen.threads,
            "seconds": seconds,
            "ratio": seconds / timings.medians[0],
            "other_cores_busy": timings.other_cores,
        }
        for way, seconds in zip(found, timings.medians, strict=True)
    ]


def data_sets(chosen: argparse.Namespace) -> list[common.Data]:
    """Return w8a, and a tenth of the movie reviews where they are found."""
    found = [w8a_data(chosen.seed, chosen.quick)]
    if not chosen.quick:
        try:
            X, y = tb.load_svmlight(find_data("imdb_unigram"))
        except FileNotFoundError:
            return found
        rows = np.random.default_rng(chosen.seed).permutation(len(y))[: chosen.rows]
        found.append(common.Data(f"imdb_unigram, {len(rows):,} samples", X[rows], y[rows]))
    return found


def main() -> None:
    """Measure and write paths.csv."""
    options = common.parser(__doc__)
    options.add_argument("--repeats", type=int, default=3, help="the median of N counts")
    options.add_argument("--rows", type=int, default=5000, help="samples of imdb_unigram")
    chosen = options.parse_args()
    rows: list[Row] = []
    for data in data_sets(chosen):
        for l1_ratio in (0.0, 1.0):
            rows += measure(data, l1_ratio, chosen)
    cells = ("{data}", "{way}", "{l1_ratio:g}", "{seconds:.2f}", "{ratio:.1f}")
    common.print_table(
        "20 alphas, 5 folds and all samples",
        ("data", "way", "l1_ratio", "seconds", "x batched"),
        [[cell.format(**row) for cell in cells] for row in rows],
        n_words=2,
    )
    common.remark_on(max(float(str(row["other_cores_busy"])) for row in rows))
    common.write_csv(chosen.out / "paths.csv", rows, common.provenance(chosen.seed))


if __name__ == "__main__":
    main()
