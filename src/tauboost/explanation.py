"""Why a model predicts what it does for some rows: intercept + one contribution of each term.

`Explanation` is what ``explain`` of every classifier returns for rows. A term is a column or a pair
of columns of a table, a feature of sparse rows, or a word of texts.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .base.arrays import Vector
from .base.messages import printable, shown_label
from .plots.plots import plot_explanation
from .sparse.model import Model
from .validation import CsrArrays
from .validation.frames import Frame
from .validation.values import Values, Words

__all__ = [
    "Contribution",
    "Explanation",
    "FeatureNames",
    "HardestExamples",
    "SparseExplanation",
    "TableExplanation",
    "TopFeatures",
    "as_table",
    "as_text",
    "explained_rows",
]


# What the explanations of a classifier return: a few columns that print as a table.


WIDEST = 40  # longer names are cut in print


@dataclass(frozen=True, repr=False, eq=False)
class TopFeatures:
    """Features with large weights; iterating gives pairs (name, weight).

    Attributes
    ----------
    names : ndarray of str
    weights : ndarray of float
        Above 0 the feature contributes to the class, below 0 it counts against it.
    classes : ndarray
        The class that each weight contributes to.
    indices : ndarray of int
        The columns of X.
    two_classes : ndarray or None
        Both classes where there are two: what counts against one contributes to the other.
    """

    names: NDArray[Any]
    weights: Vector
    classes: NDArray[Any]
    indices: NDArray[np.intp]
    two_classes: NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self.weights)

    def __iter__(self) -> Iterator[tuple[str, float]]:
        return iter(zip(self.names.tolist(), self.weights.tolist(), strict=True))

    def towards(self) -> list[str]:
        """Return for each weight the class it contributes to."""
        return [self._side(w, c) for w, c in zip(self.weights, self.classes.tolist(), strict=True)]

    def _side(self, weight: float, class_: Any) -> str:
        if weight > 0:
            return shown_label(class_)
        if self.two_classes is None:
            return f"not {shown_label(class_)}"
        first, second = self.two_classes.tolist()
        return shown_label(first if class_ == second else second)

    def __repr__(self) -> str:
        rows = zip(self.names, [f"{w:+.4g}" for w in self.weights], self.towards(), strict=True)
        return as_table(("feature", "weight", "for class"), "<><", list(rows))


@dataclass(frozen=True, repr=False, eq=False)
class HardestExamples:
    """Samples with large boosting weights; iterating gives pairs (index, p).

    Attributes
    ----------
    indices : ndarray of int
        The rows of X.
    labels, predicted : ndarray
        Their classes as given, and as predicted.
    margins : ndarray of float
    p : ndarray of float
        Their share of the boosting weight of all samples.
    """

    indices: NDArray[np.intp]
    labels: NDArray[Any]
    predicted: NDArray[Any]
    margins: Vector
    p: Vector

    def __len__(self) -> int:
        return len(self.p)

    def __iter__(self) -> Iterator[tuple[int, float]]:
        return iter(zip(self.indices.tolist(), self.p.tolist(), strict=True))

    def __repr__(self) -> str:
        columns = (self.indices, self.labels, self.predicted, self.margins, self.p)
        rows = [
            (str(j), shown_label(label), shown_label(predicted), f"{margin:+.4g}", f"{p:.2%}")
            for j, label, predicted, margin, p in zip(*columns, strict=True)
        ]
        return as_table(("sample", "label", "predicted", "margin", "p"), "><<>>", rows)


def as_table(headers: Sequence[str], aligns: str, rows: Sequence[Sequence[Any]]) -> str:
    """Set rows in columns, each aligned to the left (<) or right (>)."""
    cells = [headers, *([cut(str(cell)) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(f"{c:{a}{w}}" for c, a, w in zip(row, aligns, widths, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join([lines[0], "  ".join("-" * w for w in widths), *lines[1:]])


def cut(text: str) -> str:
    """Shorten what would make a table too wide, and show what would steer a terminal."""
    text = printable(text)
    if text != text.strip():  # spaces at the edges would not show
        text = f"'{text}'"
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"


MOST_ROWS = 10  # of several rows in print
MOST_TERMS = 20  # of one row in print
LARGEST = 3  # terms named for each of several rows


class Contribution(NamedTuple):
    """What one term adds to the decision value of a row."""

    term: str
    value: str  # of its column, or columns, in this row
    contribution: float


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """What each term adds to the decision values of some rows.

    Iterating, and ``[j]``, give explanations of one row; ``row(j)`` a list to read or to loop over.

    Attributes
    ----------
    terms : sequence of str
    contributions : ndarray or CSR of shape (n_samples, n_terms)
        Above 0 the term contributes to the class of the row.
    intercepts : ndarray of shape (n_samples,)
    decisions : ndarray of shape (n_samples,)
        ``intercepts`` plus the contributions of a row: the decision values.
    probabilities : ndarray of shape (n_samples,)
        Of the class of the row.
    classes : ndarray of shape (n_samples,)
        The class that the numbers of a row contribute to.
    indices : ndarray of shape (n_samples,)
        The rows of X.
    """

    by_row: ClassVar[tuple[str, ...]] = (
        *("contributions", "intercepts", "decisions", "probabilities", "classes", "indices"),
    )

    terms: Sequence[str]
    contributions: Any
    intercepts: Vector
    decisions: Vector
    probabilities: Vector
    classes: NDArray[Any]
    indices: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.decisions)

    def __iter__(self) -> Iterator[Explanation]:
        return (self[j] for j in range(len(self)))

    def __getitem__(self, rows: Any) -> Explanation:
        if isinstance(rows, int | np.integer):
            if not -len(self) <= rows < len(self):
                raise IndexError(f"row {rows} of {len(self)}")
            rows = [rows]
        return replace(self, **{name: getattr(self, name)[rows] for name in self.by_row})

    def row(self, row: int = 0, n: int | None = None) -> list[Contribution]:
        """Return what the terms, or the n that matter most, add to one row, the largest first."""
        raise NotImplementedError

    def plot(self, row: int = 0) -> Any:
        """Draw one row's way from the intercept to the decision value; returns a Figure."""
        return plot_explanation(self[row])

    def __repr__(self) -> str:
        return self._one() if len(self) == 1 else self._several()

    def summary(self) -> str:
        """Return a line about what is predicted of the first row."""
        return (
            f"row {self.indices[0]}: {shown_label(self.classes[0])} has probability "
            f"{self.probabilities[0]:.3f}, decision value {self.decisions[0]:+.4f}"
        )

    def _one(self) -> str:
        parts = self.row()
        rows = [("intercept", "", f"{self.intercepts[0]:+.4f}")]
        rows += [(p.term, p.value, f"{p.contribution:+.4f}") for p in parts[:MOST_TERMS]]
        rest = parts[MOST_TERMS:]
        if rest:
            total = sum(part.contribution for part in rest)
            rows.append((f"{len(rest)} more terms", "", f"{total:+.4f}"))
        rows.append(("decision value", "", f"{self.decisions[0]:+.4f}"))
        return self.summary() + "\n" + as_table(("term", "value", "contribution"), "<<>", rows)

    def _several(self) -> str:
        heads = ["row", "class", "probability", "decision", *[""] * LARGEST]
        heads[4:5] = ["largest contributions"]
        rows = []
        for j in range(min(len(self), MOST_ROWS)):
            parts = [f"{p.term} = {p.value}: {p.contribution:+.3f}" for p in self.row(j, LARGEST)]
            parts += [""] * (LARGEST - len(parts))
            numbers = (f"{self.probabilities[j]:.3f}", f"{self.decisions[j]:+.4f}")
            rows.append((str(self.indices[j]), shown_label(self.classes[j]), *numbers, *parts))
        table = as_table(heads, "><>>" + "<" * LARGEST, rows)
        more = len(self) - len(rows)
        return table + (f"\n... {more} more rows" if more > 0 else "")


@dataclass(frozen=True, eq=False, repr=False)
class TableExplanation(Explanation):
    """That of a table classifier: added in the order of the terms, decisions are so bit for bit."""

    frame: Frame  # the table that was explained
    term_columns: Sequence[tuple[int, ...]]  # where the columns of each term stand in it

    def row(self, row: int = 0, n: int | None = None) -> list[Contribution]:
        """Return what the terms, or the n that matter most, add to one row, the largest first."""
        values = self.contributions[row]
        order = np.argsort(-np.abs(values), kind="stable")[:n]
        return [Contribution(self.terms[k], self._value(k, row), float(values[k])) for k in order]

    def _value(self, term: int, row: int) -> str:
        rows = self.indices[[row]].astype(np.int64)
        return ", ".join(as_text(self.frame.column(k, rows)) for k in self.term_columns[term])


@dataclass(frozen=True, eq=False, repr=False)
class SparseExplanation(Explanation):
    """That of a linear classifier: the contribution of a feature is x_ji coef_i.

    ``contributions`` is CSR, with entries where X has them. Until version 0.4 ``explain`` returned
    that matrix alone; its methods and attributes still work here, with a FutureWarning.
    """

    by_row = (*Explanation.by_row, "values")
    values: Any  # the rows of X, as CSR with the same entries

    def row(self, row: int = 0, n: int | None = None) -> list[Contribution]:
        """Return what the features, or the n that matter most, add to one row, largest first."""
        parts, values = self.contributions[[row]], self.values[[row]]
        parts.sum_duplicates()
        values.sum_duplicates()
        sizes = np.abs(parts.data)
        order = [k for k in np.argsort(-sizes, kind="stable") if sizes[k] > 0][:n]
        names = [self.terms[parts.indices[k]] for k in order]
        numbers = [(f"{values.data[k]:.6g}", float(parts.data[k])) for k in order]
        return [Contribution(name, *both) for name, both in zip(names, numbers, strict=True)]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "contributions" not in self.__dict__:
            raise AttributeError(name)
        found = getattr(self.contributions, name)
        message = f"explain returns an Explanation: take .contributions.{name} in place of .{name}"
        warnings.warn(message, FutureWarning, stacklevel=2)
        return found


class FeatureNames(Sequence[str]):
    """The names of features by number, made when asked: x17 where they have none."""

    def __init__(self, names: Sequence[Any] | NDArray[Any] | None, n: int) -> None:
        self.names, self.n = names, n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return [self[i] for i in range(self.n)[k]]
        return f"x{k}" if self.names is None else str(self.names[k])


def explained_rows(
    model: Model,
    rows: CsrArrays | Vector,
    names: Sequence[str],
    class_: Any = None,
    n_threads: int = 1,
) -> SparseExplanation:
    """Explain rows by a linear model, each for a class or for its likeliest one."""
    import scipy.sparse as sp  # noqa: PLC0415

    found = model.explain(rows, class_, n_threads)
    return SparseExplanation(
        names,
        found.values,
        found.intercepts,
        found.decisions,
        found.probabilities,
        model.classes[found.places],
        np.arange(len(found.decisions)),
        rows.to_scipy() if isinstance(rows, CsrArrays) else sp.csr_array(rows),
    )


def as_text(values: Values) -> str:
    """Write the first value of a column."""
    if isinstance(values, Words):
        place = int(values.places[0])
        return values.words[place] if place >= 0 else "missing"
    return "missing" if np.isnan(values[0]) else f"{values[0]:.6g}"
