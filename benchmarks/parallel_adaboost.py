"""AdaBoost one round after the other, and the two ways around it: AdaBoost.PL and P-AdaBoost.

All run the same number of rounds over the same decision stumps, on a table whose categories are
columns of 0 and 1. "greedy" is AdaBoost as a method of ``tb.solve`` on a table, from histograms,
with a threshold at every bin. Fits are timed in turns, medians count; 30 % of the samples are kept
to score on.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.metrics import accuracy_score, roc_auc_score

import common
import tauboost as tb
from tables_data import LABEL, SETS, Table, load, quick_tables, split
from tables_models import numbers

Row = dict[str, Any]
N_PARTS = 4


class Greedy:
    """AdaBoost by ``tb.solve``: every threshold of a table that was cut into bins."""

    def __init__(self, n_estimators: int, threads: int) -> None:
        self.n_estimators, self.threads = n_estimators, threads

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Cut the table into bins, and run the rounds."""
        problem = tb.TableProblem(X, y, n_threads=self.threads)
        rounds = {"max_epochs": self.n_estimators, "tol": 0, "n_threads": self.threads}
        found = tb.solve(problem, "greedy", **rounds)
        self.classes_, self.design = problem.classes, problem.design
        self.intercept = -found.intercept
        self.levels = -self.design.levels(self.design.coordinates(found.lam))
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Return the vote: the sum of the levels of the bins that a row is in."""
        columns = zip(self.design.columns, self.design.starts, X.T, strict=False)
        return sum(
            (self.levels[start + column.codes(values)] for column, start, values in columns),
            start=np.full(len(X), self.intercept),
        )

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the class that the vote is for."""
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


def models(chosen: argparse.Namespace) -> dict[str, Callable[[], Any]]:
    """Return what makes each of the models."""
    given = {"n_thresholds": chosen.thresholds, "random_state": chosen.seed}
    given["n_jobs"] = chosen.threads
    T, half = chosen.rounds, chosen.rounds // 2
    pl, drawn = tb.AdaBoostPLClassifier, tb.PAdaBoostClassifier
    return {
        "AdaBoost": partial(pl, T, n_parts=1, **given),
        f"AdaBoost, {half} rounds": partial(pl, half, n_parts=1, **given),
        f"AdaBoost.PL, {N_PARTS} parts": partial(pl, T, n_parts=N_PARTS, **given),
        f"P-AdaBoost, {half} serial": partial(drawn, T, n_serial=half, **given),
        f"P-AdaBoost, {half} serial, not scaled": partial(
            drawn, T, n_serial=half, scale_parallel=False, **given
        ),
        "greedy": partial(Greedy, T, chosen.threads),
    }


def compare(table: Table, chosen: argparse.Namespace) -> list[Row]:
    """Fit and score every model on one table."""
    (X_train, y_train), (X_test, y_test) = split(table).values()
    encoder = numbers().fit(X_train)
    X_train, X_test = encoder.transform(X_train), encoder.transform(X_test)
    makers = models(chosen)
    runs = [
        common.Candidate(make, lambda model: model.fit(X_train, y_train))
        for make in makers.values()
    ]
    timings = common.time_in_turns(runs, chosen.repeats)
    rows = []
    for (model, make), seconds in zip(makers.items(), timings.medians, strict=True):
        fitted = make().fit(X_train, y_train)
        decision = fitted.decision_function(X_test)
        rows.append(
            {"data": table.name, "rounds": fitted.n_estimators, "model": model}
            | {"auc": roc_auc_score(y_test, decision)}
            | {"accuracy": accuracy_score(y_test, fitted.predict(X_test)), "seconds": seconds}
            | {"scale": getattr(fitted, "parallel_scale_", np.nan)}
        )
    common.remark_on(timings.other_cores)
    return rows


def show(rows: list[Row]) -> None:
    """Print the table of a data set."""
    common.print_table(
        f"{rows[0]['data']}: {rows[0]['rounds']} rounds",
        ("model", "AUC", "accuracy", "seconds", "scale"),
        [
            (
                row["model"],
                f"{row['auc']:.4f}",
                f"{row['accuracy']:.4f}",
                common.clock(row["seconds"]),
                f"{row['scale']:.3g}".replace("nan", "-"),
            )
            for row in rows
        ],
    )


def arguments() -> argparse.Namespace:
    """Read the command line."""
    options = common.parser(__doc__)
    add = options.add_argument
    add("data", nargs="*", default=["credit_card"], help=f"any of {', '.join(SETS)}, or CSV files")
    add("--label", default=LABEL, help="the column to predict")
    add("--rounds", type=int, default=200, help="T, all rounds")
    add("--thresholds", type=int, default=16, help="the most thresholds of a column")
    add("--repeats", type=int, default=3, help="timed fits of each model")
    chosen = options.parse_args()
    if chosen.quick:
        chosen.rounds, chosen.repeats = 20, 1
    return chosen


def main() -> None:
    """Compare on every table."""
    chosen = arguments()
    found: list[Row] = []
    tables = (
        quick_tables(chosen.seed)
        if chosen.quick
        else [load(name, chosen.label) for name in chosen.data]
    )
    for table in tables:
        rows = compare(table, chosen)
        show(rows)
        found += rows
    common.write_csv(chosen.out / "parallel_adaboost.csv", found, common.provenance(chosen.seed))


if __name__ == "__main__":
    main()
