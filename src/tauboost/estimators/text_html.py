"""A text as HTML with its words marked: blue speaks for a class, orange against it.

Colours are laid over the page's own and letters keep the page's, so that both can be read on light
and on dark ground. Nothing of a text is left that a browser would take for more than letters.
"""

from __future__ import annotations

import re
from collections import Counter
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..base.messages import shown_label

if TYPE_CHECKING:
    from .text_explanation import TermContribution, TextExplanation

__all__ = ["explanation_html"]

FOR, AGAINST = "0,114,255", "255,128,0"  # red, green, blue
STRONGEST = 0.6  # how opaque the strongest mark is
WEAKEST = 0.04  # weaker ones are not drawn
NAMED = 4  # terms that the label of a mark has
# Control characters, halves of pairs of UTF-16 and what is no character cannot stand in HTML.
NO_LETTER = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    # What turns the direction of writing would reach beyond a mark.
    "\u202a-\u202e\u2066-\u2069]"
)

BLOCK = (
    '<div style="white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:isolate;'
    'line-height:1.7;margin:0.6em 0" dir="auto">{}</div>'
)
CELL = '<td style="text-align:left;padding:0.1em 0.8em 0.1em 0">{}</td>'


def explanation_html(found: TextExplanation) -> str:
    """Return an explanation as one element of HTML."""
    legend = f"{_mark(f'for {found.class_}', FOR, 0.5)} {_mark(_against(found), AGAINST, 0.5)}"
    parts = [f"<div>{_safe(found.summary())}</div>", f"<div>{legend}</div>"]
    parts += [BLOCK.format(marked_text(found.text, found.largest())), _table(found)]
    return f'<div class="tauboost-text">{"".join(parts)}</div>'


def _against(found: TextExplanation) -> str:
    return f"against {found.class_}" if len(found.classes) > 2 else f"for {found.against}"


def marked_text(text: str, terms: list[TermContribution]) -> str:
    """Return a text with marks, whose strength is what the terms at each place add together.

    A term that occurs several times has its share at each of them.
    """
    edges: dict[int, Counter[int]] = {0: Counter(), len(text): Counter()}
    for k, term in enumerate(terms):
        for begin, end in term.spans:
            edges.setdefault(begin, Counter())[k] += 1
            edges.setdefault(end, Counter())[k] -= 1
    shares = [term.contribution / max(len(term.spans), 1) for term in terms]
    pieces: list[tuple[int, int, float, list[int]]] = []
    active: Counter[int] = Counter()
    places = sorted(edges)
    for begin, end in pairwise(places):
        active.update(edges[begin])
        active = +active  # those that have ended are gone
        here = sorted(active)  # the terms are in order of size
        pieces.append((begin, end, sum(shares[k] * active[k] for k in here), here))
    strongest = max((abs(score) for _, _, score, _ in pieces), default=0.0)
    return "".join(
        _piece(text[begin:end], score, strongest, [terms[k] for k in here[:NAMED]])
        for begin, end, score, here in pieces
    )


def _piece(text: str, score: float, strongest: float, terms: list[TermContribution]) -> str:
    if not terms or strongest == 0.0 or abs(score) < WEAKEST * strongest:
        return _safe(text)
    named = ", ".join(f"{term.term} {term.contribution:+.3g}" for term in terms)
    strength = STRONGEST * abs(score) / strongest
    return _mark(text, FOR if score > 0 else AGAINST, strength, named)


def _mark(text: str, colour: str, strength: float, title: str = "") -> str:
    label = f' title="{_safe(title)}"' if title else ""
    style = f"background-color:rgba({colour},{strength:.2f});border-radius:0.2em"
    return f'<span style="{style}"{label}>{_safe(text)}</span>'


def _table(found: TextExplanation) -> str:
    """Return a row for each class with the terms that speak most for it, the likeliest first."""
    order = sorted(range(len(found.classes)), key=lambda k: -float(found.decisions[k]))
    rows = "".join(_row(found, k) for k in order)
    return f'<table style="border-collapse:collapse">{rows}</table>'


def _row(found: TextExplanation, k: int) -> str:
    label: Any = found.classes[k]
    words = [f"{part.term} {part.contribution:+.3g}" for part in found.most_for(label)]
    cells = [shown_label(label), f"{found.probabilities[k]:.3f}", ", ".join(words)]
    return f"<tr>{''.join(CELL.format(_safe(cell)) for cell in cells)}</tr>"


def _safe(text: str) -> str:
    return escape(NO_LETTER.sub("\ufffd", text), quote=True)
