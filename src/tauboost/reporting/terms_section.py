"""What a table model says: every term, the most important as pictures, all of them in a table."""

from __future__ import annotations

from itertools import compress

import numpy as np

from ..estimators.terms import Term
from ..tables.model import are_used
from .elements import Cell, Section, figure, note, paragraph, signed, table
from .markup import Markup, given, join, tag
from .scales import number
from .subject import Subject
from .term_pictures import draw_term, spoken

__all__ = ["terms_section"]

MOST_BYTES = 420_000  # of pictures: terms beyond are in the table
MOST_PICTURES = 120
MOST_IN_THE_TABLE = 10_000


def terms_section(subject: Subject) -> Section:
    """Return all terms."""
    terms = list(subject.terms.by_importance())
    used = list(compress(terms, are_used([term.importance for term in terms])))
    start = (
        "The decision value of a row is an intercept plus one score of each term, and that is the "
        "whole model. Scores are centred: over the data of the fit each term adds 0."
    )
    words = [start]
    if subject.is_binary:
        words += [" Above 0 a score speaks for ", given(subject.labels[1]), "."]
    words.append(
        " Grey is where the data are: a step with little grey below it rests on few rows. In "
        "strips and pairs of columns, blue speaks for the class and orange against it; empty cells "
        "had no rows."
    )
    pictures = _pictures(subject, used)
    parts = [paragraph(*words), tag("div", *pictures, class_="pictures terms")]
    if len(pictures) < len(used):
        parts.append(note(f"The {len(pictures)} most important of {len(used):,} terms are drawn."))
    parts += [tag("h3", "All terms"), _table(terms)]
    return Section("says", "What the model says", join(parts))


def _pictures(subject: Subject, terms: list[Term]) -> list[Markup]:
    """Draw terms, the most important first, as long as they are not too many or too large."""
    found: list[Markup] = []
    size = 0
    for term in terms[:MOST_PICTURES]:
        one = _picture(subject, term)
        size += len(one)
        if size > MOST_BYTES and found:
            break
        found.append(one)
    return found


def _picture(subject: Subject, term: Term) -> Markup:
    code = spoken(term)
    whose = () if code is None else (", for ", given(subject.labels[code], 30))
    bands = f", band of {term.band.level:.0%}" if term.band is not None else ""
    return figure(
        draw_term(term),
        tag("strong", given(term.name)),
        f" importance {number(term.importance)}{bands}",
        *whose,
        is_below=False,
    )


def _table(terms: list[Term]) -> Markup:
    rows = [
        (
            given(term.name),
            term.kind,
            Cell(f"{term.importance:.4f}", term.importance),
            Cell(signed(float(np.min(term.scores))), float(np.min(term.scores))),
            Cell(signed(float(np.max(term.scores))), float(np.max(term.scores))),
        )
        for term in terms[:MOST_IN_THE_TABLE]
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
