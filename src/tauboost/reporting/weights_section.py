"""What a linear model says, of columns or of words: its largest weights, by class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from .elements import Cell, Section, bar, decimals, note, paragraph, percent, signed, table
from .markup import Markup, given, join, tag
from .rows import Data, LinearRows
from .subject import Subject

__all__ = ["largest", "weights_section"]

MOST_IN_A_LIST = 15  # for each side, or class
MOST_LISTS = 12  # classes
MOST_IN_THE_TABLE = 1000


def weights_section(subject: Subject, data: Data | None) -> Section:
    """Return the weights that speak most for each class, and a table of more to search."""
    counts = None
    if data is not None and isinstance(data.rows, LinearRows):
        counts = data.rows.column_counts(subject.n_columns)
    n_tasks = len(subject.fit.intercept)
    weights = [subject.weights(task) for task in range(n_tasks)]
    n_used = sum(int(np.count_nonzero(row)) for row in weights)
    what = "terms" if subject.row_word == "text" else "columns"
    words = paragraph(
        f"The decision value of a {subject.row_word} is an intercept plus, for each of its {what}, "
        f"a weight times its value. {n_used:,} of {sum(map(len, weights)):,} weights are not 0. "
        "The lists show what speaks most for each class."
    )
    parts = [words, _lists(subject, weights), tag("h3", f"The largest weights, by {what[:-1]}")]
    parts.append(_table(subject, weights, counts, data, what))
    return Section("says", "What the model says", join(parts))


def largest(values: Vector, most: int) -> NDArray[np.intp]:
    """Return the places of the largest values, the largest first, without sorting all of them."""
    if most < len(values):
        places = np.flatnonzero(values >= np.partition(values, len(values) - most)[-most])
    else:
        places = np.arange(len(values))
    return places[np.argsort(-values[places], kind="stable")[:most]]


def _lists(subject: Subject, weights: list[Vector]) -> Markup:
    """Return a list for each class of what speaks most for it."""
    sides = [-weights[0], weights[0]] if subject.is_binary else weights[:MOST_LISTS]
    found = [
        _list(subject, side, label) for side, label in zip(sides, subject.labels, strict=False)
    ]
    more = len(weights) - MOST_LISTS
    last = note(f"And {more:,} more classes; the table below has all.") if more > 0 else None
    return join([tag("div", *found, class_="lists"), last])


def _list(subject: Subject, weights: Vector, label: str) -> Markup:
    places = [int(k) for k in largest(weights, MOST_IN_A_LIST) if weights[k] > 0]
    top = float(weights[places[0]]) if places else 1.0
    digits = decimals(top)
    items = [
        tag(
            "tr",
            tag("td", given(subject.column_name(k), 40)),
            tag("td", _bar(float(weights[k]) / top)),
            tag("td", f"{weights[k]:.{digits}f}", class_="n"),
        )
        for k in places
    ]
    caption = tag("caption", "for ", given(label))
    body = items or [tag("tr", tag("td", "nothing"))]
    return tag("table", caption, tag("tbody", *body), class_="list")


def _bar(share: float) -> Markup:
    shape = tag("rect", x="0", y="1", width=f"{100 * share:.1f}", height="8", class_="for")
    return tag("svg", shape, viewBox="0 0 100 10", class_="bar", aria_hidden="true")


def _side(subject: Subject, task: int, is_for: bool) -> Markup:
    """Say which class a weight speaks for."""
    if subject.is_binary:
        return given(subject.labels[int(is_for)])
    return given(subject.labels[task]) if is_for else join(["not ", given(subject.labels[task])])


def _table(
    subject: Subject,
    weights: list[Vector],
    counts: NDArray[np.intp] | None,
    data: Data | None,
    what: str,
) -> Markup:
    sizes = np.abs(np.concatenate(weights))
    places = [int(k) for k in largest(sizes, MOST_IN_THE_TABLE) if sizes[k] > 0]
    top = float(sizes[places[0]]) if places else 1.0
    rows = []
    for place in places:
        task, column = divmod(place, len(weights[0]))
        weight = float(weights[task][column])
        cells = [
            given(subject.column_name(column)),
            Cell(signed(weight, decimals(top)), weight),
            Cell(bar(weight, top), abs(weight)),
            _side(subject, task, weight > 0),
        ]
        if counts is not None and data is not None:
            n = int(counts[column])
            cells.append(Cell(percent(n / data.rows.n), n))
        rows.append(cells)
    heads = [what[:-1], "weight", "size", "speaks for"]
    if counts is not None:
        heads.append(f"in {subject.row_word}s of the data")
    aligns = "<>><>"[: len(heads)]
    box = table(
        f"Weights by {what[:-1]}",
        heads,
        rows,
        aligns=aligns,
        id_="weights",
        is_sorted=True,
        filter_label=f"Find {what}",
    )
    n_more = int(np.count_nonzero(sizes)) - len(rows)
    return join(
        [
            box,
            note(f"The largest {len(rows):,}; {n_more:,} more are smaller.")
            if n_more > 0
            else None,
        ]
    )
