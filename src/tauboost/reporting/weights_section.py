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

Weights = tuple[NDArray[np.intp], Vector]  # of a task: columns, and their weights, none of them 0


def weights_section(subject: Subject, data: Data | None) -> Section:
    """Return the weights that speak most for each class, and a table of more to search."""
    weights = [subject.weights(task) for task in range(len(subject.fit.intercept))]
    n_used, n_weights = (
        sum(len(columns) for columns, _ in weights),
        len(weights) * subject.n_columns,
    )
    what = "terms" if subject.row_word == "text" else "columns"
    words = paragraph(
        f"The decision value of a {subject.row_word} is an intercept plus, for each of its {what}, "
        f"a weight times its value. {n_used:,} of {n_weights:,} weights are not 0. "
        "The lists show what speaks most for each class."
    )
    parts = [words, _lists(subject, weights), tag("h3", f"The largest weights, by {what[:-1]}")]
    parts.append(_table(subject, weights, data, what))
    return Section("says", "What the model says", join(parts))


def largest(values: Vector, most: int) -> NDArray[np.intp]:
    """Return the places of the largest values, the largest first, without sorting all of them."""
    if most < len(values):
        places = np.flatnonzero(values >= np.partition(values, len(values) - most)[-most])
    else:
        places = np.arange(len(values))
    return places[np.argsort(-values[places], kind="stable")[:most]]


def _lists(subject: Subject, weights: list[Weights]) -> Markup:
    """Return a list for each class of what speaks most for it."""
    columns, values = weights[0]
    both = [(columns, -values), (columns, values)]
    sides = both if subject.is_binary else weights[:MOST_LISTS]
    found = [
        _list(subject, side, label) for side, label in zip(sides, subject.labels, strict=False)
    ]
    more = len(weights) - MOST_LISTS
    last = note(f"And {more:,} more classes; the table below has all.") if more > 0 else None
    return join([tag("div", *found, class_="lists"), last])


def _list(subject: Subject, side: Weights, label: str) -> Markup:
    columns, weights = side
    places = [int(k) for k in largest(weights, MOST_IN_A_LIST) if weights[k] > 0]
    top = float(weights[places[0]]) if places else 1.0
    digits = decimals(top)
    items = [
        tag(
            "tr",
            tag("td", given(subject.column_name(int(columns[k])), 40)),
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


def _counts(data: Data | None, columns: NDArray[np.intp]) -> NDArray[np.intp] | None:
    """Return how many rows of the data, if there are any, have an entry in these columns."""
    if data is None or not isinstance(data.rows, LinearRows):
        return None
    different, places = np.unique(columns, return_inverse=True)
    return data.rows.column_counts(different)[places]


def _table(
    subject: Subject,
    weights: list[Weights],
    data: Data | None,
    what: str,
) -> Markup:
    columns, values = (np.concatenate(parts) for parts in zip(*weights, strict=True))
    tasks = np.repeat(np.arange(len(weights)), [len(found) for found, _ in weights])
    places = largest(np.abs(values), MOST_IN_THE_TABLE)
    top = float(np.abs(values[places[0]])) if len(places) else 1.0
    counts = _counts(data, columns[places])
    rows = []
    for k, place in enumerate(places.tolist()):
        task, column, weight = int(tasks[place]), int(columns[place]), float(values[place])
        cells = [
            given(subject.column_name(column)),
            Cell(signed(weight, decimals(top)), weight),
            Cell(bar(weight, top), abs(weight)),
            _side(subject, task, weight > 0),
        ]
        if counts is not None and data is not None:
            n = int(counts[k])
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
    n_more = len(values) - len(rows)
    return join(
        [
            box,
            note(f"The largest {len(rows):,}; {n_more:,} more are smaller.")
            if n_more > 0
            else None,
        ]
    )
