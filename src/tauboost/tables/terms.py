"""The terms of a table model, for people: what each column adds to the decision value, and where.

A decision value is the intercept plus one score of each term, so the terms are the whole model:
nothing is hidden behind them. Scores are centred: over the training data each term adds 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector, cached_property
from ..base.messages import shown, shown_label
from ..explanation import as_table
from ..plots.terms import plot_importances, plot_term, plot_terms
from .columns import Codes, Column, as_text
from .model import TableModel, TermData

__all__ = ["Axis", "Band", "Step", "Term", "Terms", "make_axis", "make_terms"]


# The bins of a term in words: "25 < age <= 31", "city = Oslo", "missing".
#
# A term has one axis for each of its columns, and an axis has cells: the bins of the column, or,
# in a pair, several bins together.


@dataclass(frozen=True, eq=False)
class Axis:
    """The cells of one column in a term.

    Attributes
    ----------
    feature : str
        The name of the column.
    names : list of str
        One for each cell, without the name of the column: "25 to 31", "Oslo", "missing".
    edges : ndarray
        Between the ordered cells: cell k has edges[k - 1] < x <= edges[k]. Empty for categories.
    n_ordered : int
        How many cells are ranges of numbers; they come first. 0 for categories.
    missing : int
        The cell of the missing value.
    """

    feature: str
    names: list[str]
    edges: Vector
    n_ordered: int
    missing: int

    @cached_property
    def bounds(self) -> list[str]:
        """The edges as text."""
        return as_text(self.edges)

    def label(self, first: int, last: int | None = None) -> str:
        """Say in words what a cell, or the ordered cells from first to last, hold."""
        last = first if last is None else last
        if first >= self.n_ordered:
            return f"{self.feature} = {self.names[first]}"
        low = self.bounds[first - 1] if first else ""
        high = self.bounds[last] if last < len(self.edges) else ""
        text = f"{low} < {self.feature} <= {high}"
        if not low or not high:
            text = f"{self.feature} <= {high}" if high else f"{self.feature} > {low}"
        if not low and not high:
            text = f"any {self.feature}"
        return f"{text} or missing" if first <= self.missing <= last else text

    def short_label(self, first: int, last: int) -> str:
        """Say the same where the column is named above: a category by its name alone."""
        return self.names[first] if first >= self.n_ordered else self.label(first, last)

    def runs(self, scores: Vector) -> list[tuple[int, int]]:
        """Return the first and last of ordered cells with equal scores, then the other cells."""
        table = scores.reshape(len(self.names), -1)
        near = 1e-9 * np.abs(table).max(initial=0.0)
        jumps = np.abs(np.diff(table[: self.n_ordered], axis=0)).max(axis=1, initial=0.0) > near
        cuts = (np.flatnonzero(jumps) + 1).tolist()
        begins, ends = [0, *cuts], [*cuts, self.n_ordered]
        ordered = [(b, e - 1) for b, e in zip(begins, ends, strict=True) if e > b]
        return ordered + [(cell, cell) for cell in range(self.n_ordered, len(self.names))]


def make_axis(column: Column, cells: Codes) -> Axis:
    """Return the axis on which the codes of a column have these cells."""
    names, edges = column.axis(cells)
    n_ordered = len(edges) + 1 if column.is_ordered else 0
    return Axis(column.name, names, edges, n_ordered, int(cells[column.missing]))


MOST_LINES = 24  # of a table in print
MOST_CLASSES = 6  # columns of scores in print


class Band(NamedTuple):
    """How far the scores may be off: ``lower`` and ``upper`` have the shape of the scores."""

    lower: Vector
    upper: Vector
    level: float  # such as 0.9


class Step(NamedTuple):
    """Neighbouring bins that have one score."""

    labels: tuple[str, ...]  # one for each column
    score: Any  # float; with more than two classes an array, one for each
    weight: float

    @property
    def label(self) -> str:
        """The bins in words, such as "25 < age <= 31"."""
        return ", ".join(self.labels)


@dataclass(frozen=True, eq=False, repr=False)
class Term:
    """What one column, or a pair of columns, adds to the decision value.

    Attributes
    ----------
    name : str
        Such as "age", or "age x hours" for a pair.
    kind : {"numeric", "category", "pair"}
    axes : tuple of Axis
        One for each column: ``feature``, ``names`` of the bins and, for numbers, ``edges``.
    scores : ndarray of shape (bins,) or (bins, bins); one axis more, classes, where more than two
        Above 0 contributes to the class: for two classes the second one.
    weights : ndarray of shape (bins,) or (bins, bins)
        Share of the training data in each bin.
    importance : float
        Mean absolute score over the training data; mean over the classes where more than two.
    classes : ndarray
    band : Band or None
    """

    name: str
    kind: str
    axes: tuple[Axis, ...]
    scores: Vector
    weights: Vector
    importance: float
    classes: NDArray[Any]
    band: Band | None = None

    @property
    def edges(self) -> Vector:
        """Of a numeric term: bin k has edges[k - 1] < x <= edges[k]."""
        return self._only_axis().edges

    @property
    def bins(self) -> list[str]:
        """The names of the bins of a term of one column."""
        return self._only_axis().names

    def _only_axis(self) -> Axis:
        if len(self.axes) > 1:
            raise AttributeError(f"{self.name} has two axes: see .axes")
        return self.axes[0]

    def steps(self) -> list[Step]:
        """Return the bins, neighbours with equal scores as one; categories by falling score.

        A pair gives its cells, those that matter most (absolute score times weight) first.
        """
        if self.kind == "pair":
            return self._cells()
        axis = self.axes[0]
        steps = []
        for first, last in axis.runs(self.scores):
            weight = float(self.weights[first : last + 1].sum())
            steps.append(Step((axis.short_label(first, last),), self._score(first), weight))
        if self.kind == "category":
            steps.sort(key=lambda step: -np.ravel(step.score)[-1])
        return steps

    def _score(self, cell: Any) -> Any:
        return float(self.scores[cell]) if len(self.classes) == 2 else self.scores[cell]

    def _cells(self) -> list[Step]:
        sizes = np.abs(self.scores).reshape(*self.weights.shape, -1).max(axis=2) * self.weights
        order = np.argsort(-sizes, axis=None, kind="stable")
        names = [[axis.label(k) for k in range(len(axis.names))] for axis in self.axes]
        return [
            Step((names[0][a], names[1][b]), self._score((a, b)), float(self.weights[a, b]))
            for a, b in zip(*np.unravel_index(order, sizes.shape), strict=True)
        ]

    def plot(self, class_: Any = None) -> Any:
        """Draw the scores over the density of the data; returns a matplotlib Figure.

        With more than two classes ``class_`` says whose scores; else those of all classes are drawn
        (of a pair, those of the last).
        """
        return plot_term(self, class_)

    def __repr__(self) -> str:
        steps = [step for step in self.steps() if step.weight > 0]
        lines = [(*step.labels, *_signed(step.score), f"{step.weight:.1%}") for step in steps]
        heads = _score_heads(self.classes)
        features = [axis.feature for axis in self.axes]
        aligns = "<" * len(features) + ">" * (len(heads) + 1)
        table = as_table((*features, *heads, "data"), aligns, lines[:MOST_LINES])
        more = len(lines) - MOST_LINES
        head = f"{self.name}: {self.kind}, importance {self.importance:.4g}"
        return "\n".join([head, table, *([f"... {more} more"] if more > 0 else [])])


def _score_heads(classes: NDArray[Any]) -> list[str]:
    if len(classes) == 2:
        return [f"score for {shown_label(classes[1])}"]
    return [f"for {shown_label(label)}" for label in classes[:MOST_CLASSES]]


def _signed(score: Any) -> list[str]:
    return [f"{value:+.3f}" for value in np.ravel(score)[:MOST_CLASSES]]


class Terms(Sequence[Term]):
    """All terms of a model: by place, by name, or the most important first."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self._terms = tuple(terms)

    def __len__(self) -> int:
        return len(self._terms)

    @overload
    def __getitem__(self, key: int | str) -> Term: ...
    @overload
    def __getitem__(self, key: slice) -> Terms: ...

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return Terms(self._terms[key])
        if isinstance(key, str):
            return self._terms[find_term(self.names, [len(t.axes) > 1 for t in self], key)]
        return self._terms[key]

    def __contains__(self, key: object) -> bool:
        return key in (self.names if isinstance(key, str) else self._terms)

    @property
    def names(self) -> list[str]:
        """The names of the terms."""
        return [term.name for term in self._terms]

    @property
    def importances(self) -> Vector:
        """Mean absolute score of each term over the training data."""
        return np.array([term.importance for term in self._terms])

    def by_importance(self) -> Terms:
        """Return the same terms, the most important first."""
        order = np.argsort(-self.importances, kind="stable")
        return Terms([self._terms[k] for k in order])

    def plot(self, n: int = 9) -> Any:
        """Draw the n most important terms side by side; returns a matplotlib Figure."""
        return plot_terms(self.by_importance()[:n], len(self))

    def plot_importances(self, n: int = 30) -> Any:
        """Draw how much each of the n most important terms adds; returns a matplotlib Figure."""
        return plot_importances(self.by_importance()[:n], len(self))

    def __repr__(self) -> str:
        largest = max(self.importances, default=0.0) or 1.0
        rows = [
            (
                term.name,
                term.kind,
                str(sum(step.weight > 0 for step in term.steps())),
                f"{term.importance:.4g}",
                "#" * round(20 * term.importance / largest),
            )
            for term in self.by_importance()[:MOST_LINES]
        ]
        table = as_table(("term", "kind", "steps", "importance", ""), "<<>><", rows)
        more = len(self) - len(rows)
        return table + (f"\n... {more} more" if more else "")


def find_term(names: Sequence[str], is_pair: Sequence[bool], name: str) -> int:
    """Return the place of a term; a pair is found by either order of its columns."""
    place = {found: k for k, found in enumerate(names)}
    if name in place:
        return place[name]
    parts = name.split(" x ")
    for cut in range(1, len(parts)):  # the name of a column may have an "x", too
        turned = place.get(" x ".join([*parts[cut:], *parts[:cut]]))
        if turned is not None and is_pair[turned]:
            return turned
    raise KeyError(f"there is no term {shown(name)}; the terms are {shown(list(names))}")


def make_terms(model: TableModel, intervals: Sequence[Band | None] | None = None) -> Terms:
    """Return the terms of a model, with confidence intervals where there are any."""
    intervals = intervals or [None] * len(model.terms)
    return Terms([make_term(model, t, b) for t, b in zip(model.terms, intervals, strict=True)])


def make_term(model: TableModel, data: TermData, band: Band | None = None) -> Term:
    """Return one term."""
    columns = [model.columns[column] for column in data.columns]
    axes = tuple(make_axis(c, cells) for c, cells in zip(columns, data.maps, strict=True))
    kind = "pair" if len(axes) > 1 else columns[0].kind
    scores = data.scores[..., 0] if model.n_tasks == 1 else data.scores
    importance = float(data.importance().mean())
    return Term(
        model.term_name(data), kind, axes, scores, data.weights, importance, model.classes, band
    )
