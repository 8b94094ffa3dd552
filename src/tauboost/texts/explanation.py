"""Why a text model says what it says: the words and pairs of a text that spoke for each label.

intercept + the contributions of a text's terms is its decision value. A text may come from anyone:
what is printed holds no control characters, and what becomes HTML is escaped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.messages import shown, shown_label
from ..explanation import FeatureNames, SparseExplanation, as_table, explained_rows
from .features import TextFeatures
from .model import TextModel
from .options import TextOptions

__all__ = [
    "Span",
    "TermContribution",
    "TextExplanation",
    "explain_text",
    "explanation_html",
    "find_features",
    "find_terms",
]


# Where in a text its terms are: n-grams of words, or of characters, and the places they stand at.
#
# This is the counting again, in Python and for one text at a time: counting knows no places.


Span = tuple[int, int]  # the first character, and the one behind the last

WORD = re.compile(r"\S+")
LETTER = re.compile(r"\s\s+|.", re.DOTALL)


def find_features(
    text: str, features: TextFeatures, counted: Iterable[int] | None = None
) -> tuple[str, dict[int, tuple[str, list[Span]]]]:
    """Return the text that places count in, and the name and the places of each feature in it.

    The text is the given one; where lower case is longer than upper case, it is in lower case. The
    name of a hash is every term of this text that leads to it. ``counted`` are the features
    that the text has, where they are known: then no vocabulary is searched.
    """
    is_lower = features.options.lowercase and not callable(features.options.analyzer)
    lowered = text.lower() if is_lower else text
    found: dict[int, tuple[str, list[Span]]] = {}
    if counted is None or features.terms is None:
        terms = find_terms(lowered, features.options)
        columns = columns_of(list(terms), features)
    else:
        known = {features.terms[column]: int(column) for column in counted}
        terms = find_terms(lowered, features.options, known)
        columns = [known[term] for term in terms]
    for (term, spans), column in zip(terms.items(), columns, strict=True):
        if column < 0:
            continue
        if column in found:
            name, others = found[column]
            found[column] = (f"{name} or {term}", sorted(others + spans))
        else:
            found[column] = (term, spans)
    return (text if len(lowered) == len(text) else lowered), found


def columns_of(terms: list[str], features: TextFeatures) -> list[int]:
    """Return the number of each term's feature; -1 where it is none."""
    if features.terms is not None:
        return [features.terms.find(term) for term in terms]
    from sklearn.utils import murmurhash3_32  # noqa: PLC0415

    assert features.options.n_features is not None
    hashes = [
        abs(murmurhash3_32(term.encode(errors="surrogatepass"))) % features.options.n_features
        for term in terms
    ]
    return hashes if features.kept is None else _places_in(features.kept, hashes)


def _places_in(kept: NDArray[np.int32], hashes: list[int]) -> list[int]:
    places = np.minimum(np.searchsorted(kept, hashes), len(kept) - 1)
    return [int(k) for k in np.where(kept[places] == hashes, places, -1)]


def find_terms(
    text: str, options: TextOptions, wanted: Container[str] | None = None
) -> dict[str, list[Span]]:
    """Return the places of each n-gram of words, or characters, in a text in its final case.

    Of runs that are not ``wanted`` (None: all are) nothing is kept: a text has very many.
    """
    found: dict[str, list[Span]] = {}
    for term, span in RUNS.get(options.analyzer, _given_terms)(text, options):
        if wanted is not None and term not in wanted:
            continue
        spans = found.setdefault(term, [])
        if span[0] < span[1]:  # of a space at a word's edge there is nothing to mark
            spans.append(span)
    return found


def _word_runs(text: str, options: TextOptions) -> Iterator[tuple[str, Span]]:
    pattern = re.compile(options.token_pattern)
    group = pattern.groups  # what is caught is the word, if anything is
    left_out = set(options.stop_words)
    words = [(m.group(group) or "", m.span(group)) for m in pattern.finditer(text)]
    words = [(word, span) for word, span in words if word not in left_out]
    least, most = options.ngram_range
    for first, (_, (begin, _)) in enumerate(words):
        for last in range(first + least, min(first + most, len(words)) + 1):
            run = words[first:last]
            yield " ".join(word for word, _ in run), (begin, run[-1][1][1])


def _runs_in_words(text: str, options: TextOptions) -> Iterator[tuple[str, Span]]:
    """Find runs within words that have a space on either side; a short word is one run, once."""
    least, most = options.ngram_range
    for match in WORD.finditer(text):
        begin, end = match.span()
        padded = f" {match.group()} "
        for length in range(least, min(most, max(least, len(padded))) + 1):
            for at in range(max(len(padded) - length, 0) + 1):
                # The space before the word is at begin - 1, and is not marked.
                span = (max(begin + at - 1, begin), min(begin + at - 1 + length, end))
                yield padded[at : at + length], span


def _character_runs(text: str, options: TextOptions) -> Iterator[tuple[str, Span]]:
    """Find character n-grams; two spaces or more are one."""
    parts = [(m.group() if len(m.group()) == 1 else " ", m.span()) for m in LETTER.finditer(text)]
    for length in range(options.ngram_range[0], min(options.ngram_range[1], len(parts)) + 1):
        for first in range(len(parts) - length + 1):
            run = parts[first : first + length]
            yield "".join(letter for letter, _ in run), (run[0][1][0], run[-1][1][1])


def _given_terms(text: str, options: TextOptions) -> Iterator[tuple[str, Span]]:
    """Ask the function that says what the terms are; where they are it does not say."""
    return ((term, (0, 0)) for term in options.analyzer(text))


RUNS = {"word": _word_runs, "char_wb": _runs_in_words, "char": _character_runs}


# A text as HTML with its words marked: blue contributes to a class, orange counts against it.
#
# Colours are laid over the page's own and letters keep the page's, so that both can be read on
# light and on dark ground. Nothing of a text is left that a browser would take for more than
# letters.


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
    """Return a text with marks, whose opacity is what the terms at each place add together.

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
    opacity = STRONGEST * abs(score) / strongest
    return _mark(text, FOR if score > 0 else AGAINST, opacity, named)


def _mark(text: str, colour: str, opacity: float, title: str = "") -> str:
    label = f' title="{_safe(title)}"' if title else ""
    style = f"background-color:rgba({colour},{opacity:.2f});border-radius:0.2em"
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


MOST_TERMS, LEAST = 20, 0.00005  # in print; a smaller contribution would read 0
LARGEST = 5  # terms named for each of several classes


class TermContribution(NamedTuple):
    """What one term adds to the decision value of a text, and where in the text it is."""

    term: str
    contribution: float
    spans: tuple[Span, ...]


@dataclass(frozen=True, eq=False, repr=False)
class TextExplanation:
    """What each term of a text adds to its decision values.

    Prints as a table; ``html()`` is the text with its words marked, which notebooks show. Iterating
    gives the terms, the largest contribution first.

    Attributes
    ----------
    text : str
        The text that the spans count in: the given one, or, where lower case is longer than upper
        case, that in lower case.
    terms : list of str
        Those of the text that the model knows.
    spans : list of lists of (begin, end)
        Where each of them is.
    contributions : ndarray of shape (n_terms, n_classes)
        Above 0 the term contributes to the class.
    intercepts, decisions, probabilities : ndarray of shape (n_classes,)
        A decision is the intercept plus the contributions. With two classes those of the first are
        those of the second with the other sign.
    classes : ndarray of shape (n_classes,)
    class_ : label
        The class that what is shown contributes to.
    """

    text: str
    terms: list[str]
    spans: list[list[Span]]
    contributions: Vector
    intercepts: Vector
    decisions: Vector
    probabilities: Vector
    classes: NDArray[Any]
    class_: Any

    def __len__(self) -> int:
        return len(self.terms)

    def __iter__(self) -> Iterator[TermContribution]:
        return iter(self.largest())

    def largest(self, n: int | None = None, class_: Any = None) -> list[TermContribution]:
        """Return the terms, or the n of them that matter most to a class, the largest first."""
        values = self.contributions[:, self._place(class_)]
        order = np.argsort(-np.abs(values), kind="stable")[:n]
        return [
            TermContribution(self.terms[k], float(values[k]), tuple(self.spans[k])) for k in order
        ]

    def speaking_for(self, class_: Any) -> TextExplanation:
        """Return the same explanation, shown for another class."""
        self._place(class_)
        return replace(self, class_=class_)

    def _place(self, class_: Any = None) -> int:
        wanted = self.class_ if class_ is None else class_
        where = np.flatnonzero(self.classes == wanted)
        if len(where) != 1:
            known = shown(self.classes.tolist())
            raise ValueError(f"class_ must be one of {known}, got {shown(wanted)}")
        return int(where[0])

    @property
    def against(self) -> str:
        """Return the class that a contribution below 0 counts for."""
        if len(self.classes) > 2:
            return f"not {shown_label(self.class_)}"
        return str(self.classes[1 - self._place()])

    def summary(self) -> str:
        """Say in one line what is predicted."""
        place = self._place()
        return (
            f"{shown_label(self.class_)} has probability {self.probabilities[place]:.3f}, "
            f"decision value {self.decisions[place]:+.4f}"
        )

    def most_for(self, class_: Any, n: int = LARGEST) -> list[TermContribution]:
        """Return the terms that speak most for a class, and not against it."""
        return [term for term in self.largest(class_=class_) if term.contribution >= LEAST][:n]

    def __repr__(self) -> str:
        place, parts = self._place(), self.largest()
        rows = [("intercept", "", f"{self.intercepts[place]:+.4f}")]
        n_shown = sum(abs(p.contribution) >= LEAST for p in parts[:MOST_TERMS])
        n_shown += len(parts) == n_shown + 1
        rows += [(p.term, str(len(p.spans)), f"{p.contribution:+z.4f}") for p in parts[:n_shown]]
        rest = parts[n_shown:]
        if rest:
            total = sum(part.contribution for part in rest)
            rows.append((f"{len(rest)} more terms", "", f"{total:+z.4f}"))
        rows.append(("decision value", "", f"{self.decisions[place]:+.4f}"))
        table = as_table(("term", "times", "contribution"), "<>>", rows)
        return f"{self.summary()}\n{table}{self._classes_table()}"

    def _classes_table(self) -> str:
        if len(self.classes) == 2:
            return ""
        rows = []
        for k in np.argsort(-self.decisions, kind="stable"):
            words = ", ".join(part.term for part in self.most_for(self.classes[k]))
            numbers = (f"{self.probabilities[k]:.3f}", f"{self.decisions[k]:+.4f}")
            rows.append((str(self.classes[k]), *numbers, words))
        heads = ("class", "probability", "decision", "terms that speak most for it")
        return "\n\n" + as_table(heads, "<>><", rows)

    def html(self) -> str:
        """Return the text as HTML, its words marked by what they say."""
        return explanation_html(self)

    def _repr_html_(self) -> str:
        return self.html()


def explain_text(
    model: TextModel, text: str, class_: Any = None, n_threads: int = 1
) -> TextExplanation:
    """Explain one text.

    By default the numbers shown speak for the second of two classes, as decision values do, and for
    the likeliest of more.
    """
    rows = model.features.rows([text], n_threads)
    columns = np.asarray(rows.indices, dtype=np.intp)
    values = rows.values()
    added = values[:, None] * model.model.coef[:, columns].T
    decisions = model.model.decisions(rows, n_threads)
    if class_ is None:
        class_ = model.classes[1] if model.n_tasks == 1 else model.labels(decisions)[0]
    marked, found = find_features(text, model.features, columns.tolist())
    places = [found.get(int(column), ("", [])) for column in columns]
    explanation = TextExplanation(
        marked,
        [name for name, _ in places],
        [spans for _, spans in places],
        _of_classes(added),
        _of_classes(model.intercept[None])[0],
        _of_classes(decisions)[0],
        model.probabilities(decisions)[0],
        model.classes,
        class_,
    )
    return explanation.speaking_for(class_)


@dataclass(frozen=True, eq=False, repr=False)
class TextsExplanation(SparseExplanation):
    """What each term adds to the decision values of some texts; ``[j]`` is that of one of them."""

    texts: Sequence[str]
    model: TextModel

    def __getitem__(self, rows: Any) -> Any:
        if not isinstance(rows, int | np.integer):
            return super().__getitem__(rows)
        if not -len(self) <= rows < len(self):
            raise IndexError(f"text {rows} of {len(self)}")
        return explain_text(self.model, self.texts[self.indices[rows]], self.classes[rows])

    def __repr__(self) -> str:
        return self._several()


def explain_texts(
    model: TextModel, texts: Sequence[str], class_: Any = None, n_threads: int = 1
) -> TextsExplanation:
    """Explain several texts, each for a class or for its likeliest one."""
    rows = model.features.rows(texts, n_threads)
    terms = model.features.terms
    names = FeatureNames(terms, model.features.n_features)  # type: ignore[arg-type]
    found = explained_rows(model.model, rows, names, class_, n_threads)
    return TextsExplanation(**vars(found), texts=texts, model=model)


def _of_classes(values: Vector) -> Vector:
    """Return numbers of tasks as numbers of classes: of two, the first has the other sign."""
    return np.hstack([-values, values]) if values.shape[1] == 1 else values
