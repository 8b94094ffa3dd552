"""What a comparison comes to: AUC against the best peer, time against the fastest.

Each line has a figure and, for the sets that tauboost has aims for, what is wanted of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import geometric_mean
from typing import Any

from peers_models import DEFAULT, LIBLINEAR, LOGISTIC, QUICK

__all__ = ["SMALL_SETS", "Line", "measure_of", "summary"]

Row = Mapping[str, Any]
SMALL_SETS = ("w8a", "a9a", "sms_spam", "url_uci_slice")
# The least that is wanted: of the AUC minus the best peer's, of the time of LIBLINEAR's fastest fit
# over ours, and of the fastest peer's over ours.
AIMS: dict[str, tuple[float | None, float | None, float | None]] = {
    "imdb_unigram": (0.001, 5.0, 1.0),
    "imdb_unigram_tfidf": (-0.001, None, 1.0),
    **dict.fromkeys(SMALL_SETS, (-0.002, None, None)),
}
QUICK_AUC, QUICK_RATIO = 0.953, 40.0
MULTICLASS_AIMS = (-0.005, 1.0)


@dataclass(frozen=True)
class Line:
    """A figure, and the least that it should be."""

    data: str
    model: str
    what: str
    figure: float
    wanted: float | None = None
    style: str = "{:.1f}"

    @property
    def reached(self) -> str:
        """Return whether the figure is as wanted."""
        if self.wanted is None or math.isnan(self.figure):
            return "-"
        return "yes" if self.figure >= self.wanted else "no"

    def cells(self) -> tuple[str, ...]:
        """Return the line as text."""
        wanted = "-" if self.wanted is None else ">= " + self.style.format(self.wanted)
        figure = "-" if math.isnan(self.figure) else self.style.format(self.figure)
        return (self.data, self.model, self.what, figure, wanted, self.reached)


def summary(tables: Mapping[str, Sequence[Row]]) -> list[Line]:
    """Return the lines for all data sets, each with its rows."""
    lines: list[Line] = []
    for data, rows in tables.items():
        about = two_classes if measure_of(rows) == "auc" else many_classes
        lines.extend(about(data, [row for row in rows if is_complete(row)]))
    ratios = [line.figure for line in lines if line.data in SMALL_SETS and line.what == FASTEST]
    ratios = [ratio for ratio in ratios if not math.isnan(ratio)]
    if len(ratios) > 1:
        small = f"{len(ratios)} small sets"
        what = f"{FASTEST}, geometric mean"
        lines.append(Line(small, DEFAULT, what, geometric_mean(ratios), 1.0))
    return lines


FASTEST = "time of the fastest peer / ours"
OF_LIBLINEAR = "time of the fastest LIBLINEAR / ours"


def two_classes(data: str, rows: Sequence[Row]) -> Iterator[Line]:
    """Compare AUC with the best peer, and time with the fastest."""
    of_auc, of_liblinear, of_fastest = AIMS.get(data, (None, None, None))
    peers = [row for row in rows if row["family"] != "tauboost"]
    best = extreme(max, peers, "auc")
    fastest = extreme(min, peers, "seconds")
    liblinear = extreme(min, [row for row in peers if row["family"] == LIBLINEAR], "seconds")
    for row in rows:
        if row["model"] == DEFAULT:
            gain = row["auc"] - best
            yield Line(data, DEFAULT, "AUC - best peer's", gain, of_auc, "{:+.4f}")
            yield Line(data, DEFAULT, OF_LIBLINEAR, liblinear / row["seconds"], of_liblinear)
            yield Line(data, DEFAULT, FASTEST, fastest / row["seconds"], of_fastest)
        elif row["model"] == QUICK and data == "imdb_unigram":
            yield Line(data, QUICK, "AUC", row["auc"], QUICK_AUC, "{:.4f}")
            yield Line(data, QUICK, OF_LIBLINEAR, liblinear / row["seconds"], QUICK_RATIO)


def many_classes(data: str, rows: Sequence[Row]) -> Iterator[Line]:
    """Compare accuracy and time with LogisticRegression."""
    of_accuracy, of_time = MULTICLASS_AIMS
    named = {row["model"]: row for row in rows}
    if DEFAULT in named and LOGISTIC in named:
        ours, theirs = named[DEFAULT], named[LOGISTIC]
        gain, ratio = ours["accuracy"] - theirs["accuracy"], theirs["seconds"] / ours["seconds"]
        what = "accuracy - LogisticRegression's"
        yield Line(data, DEFAULT, what, gain, of_accuracy, "{:+.4f}")
        yield Line(data, DEFAULT, "time of LogisticRegression / ours", ratio, of_time)


def is_complete(row: Row) -> bool:
    """Whether the classifier gave a result."""
    return not math.isnan(row["seconds"])


def measure_of(rows: Sequence[Row]) -> str:
    """Return the column that says how good a model is: there is no AUC of many classes."""
    return "accuracy" if rows[0]["n_classes"] > 2 else "auc"


def extreme(choose: Callable[..., float], rows: Sequence[Row], column: str) -> float:
    """Return the largest or least of a column; not a number where there are no rows."""
    return choose((row[column] for row in rows), default=math.nan)
