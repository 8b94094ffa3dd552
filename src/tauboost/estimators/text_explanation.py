"""Why a text model says what it says: the words and pairs of a text that spoke for each label.

intercept + the contributions of a text's terms is its decision value. A text may come from anyone:
what is printed holds no control characters, and what becomes HTML is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.messages import shown, shown_label
from ..tuning.text_model import TextModel
from .explanation import FeatureNames, SparseExplanation, explained_rows
from .tables import as_table
from .text_html import explanation_html
from .text_spans import Span, find_features

__all__ = ["TermContribution", "TextExplanation", "explain_text"]

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
        Above 0 the term speaks for the class.
    intercepts, decisions, probabilities : ndarray of shape (n_classes,)
        A decision is the intercept plus the contributions. With two classes those of the first are
        those of the second with the other sign.
    classes : ndarray of shape (n_classes,)
    class_ : label
        The class that what is shown speaks for.
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
        """Say what a contribution below 0 speaks for."""
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
