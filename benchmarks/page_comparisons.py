"""The comparisons of a run, of which `page_data.py` makes tables: who ran on which data, how good.

A comparison is all classifiers on one data set, whatever its kind.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from page_results import Results, Row, seconds
from peers_data import SETS as SPARSE_SETS

__all__ = ["OURS", "Comparison", "comparisons", "sparse", "tables", "texts", "without_result"]

OURS = "tauboost"


@dataclass(frozen=True)
class Comparison:
    """All that ran on one data set, and what says how good a model is."""

    kind: str
    name: str
    measure: str
    rows: Sequence[Row]

    @property
    def ours(self) -> Row:
        """Our default."""
        return next(row for row in self.rows if row["model"] == OURS)

    @property
    def peers(self) -> list[Row]:
        """The others that gave a result."""
        return [r for r in self.rows if r["family"] != OURS and math.isfinite(r["seconds"])]

    @property
    def fastest(self) -> Row:
        """The peer with the shortest fit."""
        return min(self.peers, key=lambda row: row["seconds"])

    @property
    def best(self) -> Row:
        """The peer with the best model; of equal ones the faster."""
        return max(self.peers, key=lambda row: (self.score(row), -row["seconds"]))

    def score(self, row: Row) -> float:
        """Return how good a model is, as it is written: what cannot be seen does not count."""
        return round(row[self.measure], 4)

    def against(self, row: Row) -> str:
        """Write how good a peer's model is, and ours."""
        return f"{self.score(row):.4f} against {self.score(self.ours):.4f}"

    def cell(self, row: Row) -> str:
        """Write a result: how good, and how long it took."""
        if not math.isfinite(row["seconds"]):
            return without_result(row)
        return f"{self.score(row):.4f}, {seconds(row['seconds'])} s"


def without_result(row: Row) -> str:
    """Say why there is no result."""
    _, was_stopped, limit = str(row["failure"]).partition("took more than ")
    return f"stopped after {limit}" if was_stopped else f"failed: {row['failure']}"


# The comparisons of a run.


def comparisons(results: Results) -> list[Comparison]:
    """Return the comparisons on all kinds of data."""
    return [*sparse(results), *tables(results), *texts(results)]


def sparse(results: Results) -> list[Comparison]:
    """Return the comparisons on sparse data, in their usual order."""
    files = results.files("peers", "peers_*.csv")
    names = [file.stem.removeprefix("peers_") for file in files]
    found = {name: results.rows("peers", f"peers_{name}.csv") for name in names}
    found.pop("summary", None)
    order = [*SPARSE_SETS, *found]
    return [
        Comparison(
            "sparse",
            name.replace("_tfidf", ", tf-idf"),
            "auc" if found[name][0]["n_classes"] == 2 else "accuracy",
            found[name],
        )
        for name in sorted(found, key=order.index)
    ]


def tables(results: Results) -> list[Comparison]:
    """Return the comparisons on tables."""
    rows = results.rows("tables", "tables.csv")
    names = dict.fromkeys(row["data"] for row in rows)
    return [Comparison("table", n, "auc", [r for r in rows if r["data"] == n]) for n in names]


def texts(results: Results) -> list[Comparison]:
    """Return the comparisons on texts."""
    files = [f for f in results.files("texts", "texts_*.csv") if not f.stem.endswith("_summary")]
    found = [results.rows("texts", file.name) for file in files]
    return [Comparison("texts", rows[0]["data"], "accuracy", rows) for rows in found]
