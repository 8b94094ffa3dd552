"""What it costs in quality that the Dask classifier chooses alpha on a sample of the rows.

    python benchmarks/dask_sample.py --data w8a.xz

Four fifths of the rows are fitted, the log-loss is that of the others.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
from distributed import Client, LocalCluster
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

import tauboost as tb
import tauboost.dask as td
from common import print_table
from tauboost.dask import labels as labelled

ROWS = (200_000, 10_000, 4_000)
SEEDS = range(5)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="an svmlight file")
    chosen = parser.parse_args()
    warnings.filterwarnings("ignore", "Sending large graph")
    data = train_test_split(*tb.load_svmlight(chosen.data), test_size=0.2, random_state=0)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    rows = [["one machine, all", *(spread(here(data, ratio)) for ratio in (0.0, 1.0))]]
    with LocalCluster(**options) as cluster, Client(cluster):
        for most in ROWS:
            labelled.MOST_ROWS = most
            losses = (spread(on_cluster(data, ratio)) for ratio in (0.0, 1.0))
            rows.append([f"at most {most:,}", *losses])
    print_table("log-loss", ["rows of the sample", "ridge", "lasso"], rows)


def here(data: list, l1_ratio: float) -> list[float]:
    """Return the losses of the local classifier."""
    X, test_X, y, test_y = data
    fits = [tb.TauBoostClassifier(random_state=k, l1_ratio=l1_ratio).fit(X, y) for k in SEEDS]
    return [log_loss(test_y, clf.predict_proba(test_X)) for clf in fits]


def on_cluster(data: list, l1_ratio: float) -> list[float]:
    """Return the losses of the classifier on two parts."""
    X, test_X, y, test_y = data
    parts = [(X[k::2], y[k::2]) for k in range(2)]
    fits = [td.TauBoostClassifier(random_state=k, l1_ratio=l1_ratio).fit(parts) for k in SEEDS]
    return [log_loss(test_y, clf.predict_proba(test_X)) for clf in fits]


def spread(losses: list[float]) -> str:
    """Say the median and the range."""
    return f"{np.median(losses):.4f} ({min(losses):.4f} to {max(losses):.4f})"


if __name__ == "__main__":
    main()
