"""A table model as points on paper: find the points of each column, add the integers.

score = offset + factor * log odds, with factor = pdo / log 2 and offset = points - factor *
log(odds). log odds = slope * H, where the slope is 2 for the exponential loss and 1 for the
logistic one. H is the intercept plus one score of each term. The points that every row starts with,
offset and intercept, are divided among the terms in whole points, and what a bin adds is rounded.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.messages import shown_label
from ..explanation import as_table
from ..io.atomic import new_file
from ..losses import LOSSES
from ..validation import check_real
from .columns import Planes
from .model import TableModel, TermData
from .terms import Axis, make_axis

__all__ = ["Scorecard", "ScorecardRow", "make_scorecard"]


BASE = "base points"


class ScorecardRow(NamedTuple):
    """One line of the card."""

    term: str
    bin: str
    points: int
    weight: float  # share of the training data
    score: float  # what the bin adds to the decision value; a mean where bins differ


@dataclass(frozen=True, eq=False, repr=False)
class Scorecard:
    """Points for each bin; neighbouring bins with equal points are one line.

    Attributes
    ----------
    rows : list of ScorecardRow
        ``term``, ``bin``, ``points``, ``weight``, ``score``.
    factor, offset : float
        score = offset + factor * log(odds of ``positive``), but for rounding.
    positive : label
        The class that more points speak for.
    """

    rows: list[ScorecardRow]
    factor: float
    offset: float
    positive: Any
    _points: TableModel
    _codes: Callable[[Any], Planes]

    def score(self, X: Any) -> NDArray[np.int64]:
        """Return the points of each row of a table: the sum of the lines that it meets."""
        decisions = self._points.decisions(self._codes(X))
        return np.rint(decisions[:, 0]).astype(np.int64)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        lines, last = [], None
        for row in self.rows:
            name = "" if row.term == last else row.term
            lines.append((name, row.bin, str(row.points), f"{row.weight:.1%}", f"{row.score:+.4f}"))
            last = row.term
        head = f"Scorecard: more points speak for {shown_label(self.positive)}"
        return head + "\n" + as_table(("term", "bin", "points", "data", "score"), "<<>>>", lines)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the lines: term, bin, points, weight, score."""
        with new_file(path, overwrite=True) as file:
            file.write(self._as_csv().encode())

    def _as_csv(self) -> str:
        from io import StringIO  # noqa: PLC0415

        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(ScorecardRow._fields)
        writer.writerows(
            (row.term, row.bin, row.points, repr(row.weight), repr(row.score)) for row in self.rows
        )
        return text.getvalue()


def make_scorecard(
    model: TableModel,
    codes: Callable[[Any], Planes],
    points: float,
    odds: float,
    pdo: float,
    place: int,
) -> Scorecard:
    """Return the card on which more points speak for the class at this place."""
    if model.n_tasks > 1:
        raise ValueError(f"a scorecard needs two classes, and the model has {len(model.classes)}")
    points = check_real(points, "points")
    odds = check_real(odds, "odds", least=0.0, above=True)
    pdo = check_real(pdo, "pdo", least=0.0, above=True)
    factor = pdo / np.log(2.0)
    offset = points - factor * np.log(odds)
    slope = (1.0 if place == 1 else -1.0) * factor * LOSSES[model.loss].link_slope
    base = offset + slope * float(model.intercept[0])
    used = [term for term in model.terms if np.any(term.scores)]
    # Whole points for each term: else the rounding of every term would err to the same side.
    shares = [int(part) for part in np.diff(np.linspace(0, round(base), len(used) + 1).round())]
    cards = [
        replace(term, scores=share + np.rint(slope * term.scores))
        for term, share in zip(used, shares, strict=True)
    ]
    rows = [ScorecardRow(BASE, "", round(base), 1.0, float(model.intercept[0]))] if not used else []
    for term, card in zip(used, cards, strict=True):
        rows += _rows(model, term, card)
    intercept = np.array([0.0 if used else float(round(base))])
    card_model = replace(model, terms=tuple(cards), intercept=intercept)
    return Scorecard(rows, factor, offset, model.classes[place], card_model, codes)


def _rows(model: TableModel, term: TermData, card: TermData) -> list[ScorecardRow]:
    name = model.term_name(term)
    axes = [
        make_axis(model.columns[column], cells)
        for column, cells in zip(term.columns, term.maps, strict=True)
    ]
    if len(axes) == 1:
        return _lines(name, "", axes[0], term, card)
    rows = []
    for cell in range(term.weights.shape[0]):
        parts = [
            TermData(t.columns[1:], t.maps[1:], t.scores[cell], t.weights[cell])
            for t in (term, card)
        ]
        rows += _lines(name, f"{axes[0].label(cell)}, ", axes[1], *parts)
    return rows


def _lines(
    name: str, before: str, axis: Axis, term: TermData, card: TermData
) -> list[ScorecardRow]:
    rows = []
    for first, last in axis.runs(card.scores):
        cells = slice(first, last + 1)
        label = axis.label(first, last) if before else axis.short_label(first, last)
        points, weights = int(card.scores[first, 0]), term.weights[cells]
        score = _mean(term.scores[cells, 0], weights)
        rows.append(ScorecardRow(name, before + label, points, float(weights.sum()), score))
    return rows


def _mean(scores: Vector, weights: Vector) -> float:
    return float(np.average(scores, weights=weights if weights.sum() > 0 else None))
