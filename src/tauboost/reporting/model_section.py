"""What a model says: its largest weights by class, or every term of a table model."""

from __future__ import annotations

from itertools import compress

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.messages import number
from ..kinds.rows import NamedModel
from ..tables.model import are_used
from ..tables.terms import Term
from .html import (
    Cell,
    Markup,
    Section,
    bar,
    decimals,
    figure,
    given,
    join,
    note,
    paragraph,
    percent,
    signed,
    table,
    tag,
)
from .quality import ReportData
from .term_pictures import draw_term, spoken

__all__ = ["largest", "model_section"]


MOST_IN_A_LIST = 15  # for each side, or class
MOST_LISTS = 12  # classes
MOST_WEIGHTS = 1000

Weights = tuple[NDArray[np.intp], Vector]  # of a task: columns, and their weights, none of them 0


def model_section(model: NamedModel, data: ReportData | None) -> Section:
    """Return all terms, or the weights of columns."""
    return _weights_section(model, data) if model.terms is None else _terms_section(model)


def _weights_section(model: NamedModel, data: ReportData | None) -> Section:
    """Return the weights that contribute most to each class, and a table of more to search."""
    weights = [model.weights(task) for task in range(len(model.fit.intercept))]
    n_used, n_weights = (
        sum(len(columns) for columns, _ in weights),
        len(weights) * model.n_columns,
    )
    what = model.kind.columns_word
    words = paragraph(
        f"The decision value of a {model.row_word} is an intercept plus, for each of its {what}, "
        f"a weight times its value. {n_used:,} of {n_weights:,} weights are not 0. "
        "The lists show what speaks most for each class."
    )
    parts = [words, _lists(model, weights), tag("h3", f"The largest weights, by {what[:-1]}")]
    parts.append(_weights_table(model, weights, data, what))
    return Section("says", "What the model says", join(parts))


def largest(values: Vector, most: int) -> NDArray[np.intp]:
    """Return the places of the largest values, the largest first, without sorting all of them."""
    if most < len(values):
        places = np.flatnonzero(values >= np.partition(values, len(values) - most)[-most])
    else:
        places = np.arange(len(values))
    return places[np.argsort(-values[places], kind="stable")[:most]]


def _lists(model: NamedModel, weights: list[Weights]) -> Markup:
    """Return a list for each class of what contributes most to it."""
    columns, values = weights[0]
    both = [(columns, -values), (columns, values)]
    sides = both if model.is_binary else weights[:MOST_LISTS]
    found = [_list(model, side, label) for side, label in zip(sides, model.labels, strict=False)]
    more = len(weights) - MOST_LISTS
    last = note(f"And {more:,} more classes; the table below has all.") if more > 0 else None
    return join([tag("div", *found, class_="lists"), last])


def _list(model: NamedModel, side: Weights, label: str) -> Markup:
    columns, weights = side
    places = [int(k) for k in largest(weights, MOST_IN_A_LIST) if weights[k] > 0]
    top = float(weights[places[0]]) if places else 1.0
    digits = decimals(top)
    items = [
        tag(
            "tr",
            tag("td", given(model.column_name(int(columns[k])), 40)),
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


def _class_of_weight(model: NamedModel, task: int, is_for: bool) -> Markup:
    """Return the class that a weight contributes to."""
    if model.is_binary:
        return given(model.labels[int(is_for)])
    return given(model.labels[task]) if is_for else join(["not ", given(model.labels[task])])


def _counts(data: ReportData | None, columns: NDArray[np.intp]) -> NDArray[np.intp] | None:
    """Return how many rows of the data, if there are any, have an entry in these columns."""
    if data is None:
        return None
    different, places = np.unique(columns, return_inverse=True)
    counts = data.rows.column_counts(different)
    return None if counts is None else counts[places]


def _weights_table(
    model: NamedModel, weights: list[Weights], data: ReportData | None, what: str
) -> Markup:
    columns, values = (np.concatenate(parts) for parts in zip(*weights, strict=True))
    tasks = np.repeat(np.arange(len(weights)), [len(found) for found, _ in weights])
    places = largest(np.abs(values), MOST_WEIGHTS)
    top = float(np.abs(values[places[0]])) if len(places) else 1.0
    counts = _counts(data, columns[places])
    rows = []
    for k, place in enumerate(places.tolist()):
        task, column, weight = int(tasks[place]), int(columns[place]), float(values[place])
        cells = [
            given(model.column_name(column)),
            Cell(signed(weight, decimals(top)), weight),
            Cell(bar(weight, top), abs(weight)),
            _class_of_weight(model, task, weight > 0),
        ]
        if counts is not None and data is not None:
            n = int(counts[k])
            cells.append(Cell(percent(n / data.rows.n), n))
        rows.append(cells)
    heads = [what[:-1], "weight", "size", "speaks for"]
    if counts is not None:
        heads.append(f"in {model.row_word}s of the data")
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


MOST_BYTES = 420_000  # of pictures: terms beyond are in the table
MOST_PICTURES = 120
MOST_TERMS = 10_000


def _terms_section(model: NamedModel) -> Section:
    """Return all terms."""
    terms = list(model.terms.by_importance())
    used = list(compress(terms, are_used([term.importance for term in terms])))
    start = (
        "The decision value of a row is an intercept plus one score of each term, and that is the "
        "whole model. Scores are centred: over the data of the fit each term adds 0."
    )
    words = [start]
    if model.is_binary:
        words += [" Above 0 a score speaks for ", given(model.labels[1]), "."]
    words.append(
        " Grey is where the data are: a step with little grey below it rests on few rows. In "
        "strips and pairs of columns, blue speaks for the class and orange against it; empty cells "
        "had no rows."
    )
    pictures = _pictures(model, used)
    parts = [paragraph(*words), tag("div", *pictures, class_="pictures terms")]
    if len(pictures) < len(used):
        parts.append(note(f"The {len(pictures)} most important of {len(used):,} terms are drawn."))
    parts += [tag("h3", "All terms"), _terms_table(terms)]
    return Section("says", "What the model says", join(parts))


def _pictures(model: NamedModel, terms: list[Term]) -> list[Markup]:
    """Draw terms, the most important first, as long as they are not too many or too large."""
    found: list[Markup] = []
    size = 0
    for term in terms[:MOST_PICTURES]:
        one = _picture(model, term)
        size += len(one)
        if size > MOST_BYTES and found:
            break
        found.append(one)
    return found


def _picture(model: NamedModel, term: Term) -> Markup:
    code = spoken(term)
    whose = () if code is None else (", for ", given(model.labels[code], 30))
    interval = f", band of {term.band.level:.0%}" if term.band is not None else ""
    return figure(
        draw_term(term),
        tag("strong", given(term.name)),
        f" importance {number(term.importance)}{interval}",
        *whose,
        is_below=False,
    )


def _terms_table(terms: list[Term]) -> Markup:
    rows = [
        (
            given(term.name),
            term.kind,
            Cell(f"{term.importance:.4f}", term.importance),
            Cell(signed(float(np.min(term.scores))), float(np.min(term.scores))),
            Cell(signed(float(np.max(term.scores))), float(np.max(term.scores))),
        )
        for term in terms[:MOST_TERMS]
    ]
    box = table(
        "All terms",
        ["term", "kind", "importance", "least score", "largest score"],
        rows,
        aligns="<<>>>",
        id_="terms",
        is_sorted=True,
        filter_label="Find terms",
    )
    more = len(terms) - len(rows)
    return join([box, note(f"And {more:,} more, of less importance.") if more > 0 else None])
