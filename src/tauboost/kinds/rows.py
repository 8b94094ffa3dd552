"""A model with its names, and rows with what it makes of them: what reports are written on."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.messages import number, shown, shown_label
from ..sparse.design import coefficients_of, nonzeros_of
from ..validation import CsrArrays
from .kind import Kind

if TYPE_CHECKING:
    from ..search.record import Record

__all__ = ["GivenRows", "MatrixRows", "NamedModel", "Part", "RowExplanation", "label_text"]


MOST_PARTS = 8  # of an explanation


@dataclass(frozen=True, eq=False)
class NamedModel:
    """A fitted model of any kind.

    Attributes
    ----------
    estimator : the name of its class
    kind : of its data
    model : what was fitted, as plain data
    params : the parameters of the fit
    names : of the columns of a linear model, where they have any
    name : of the model, for people
    positive : of two classes, the one that quality is measured of
    """

    estimator: str
    kind: Kind
    model: Any
    params: dict[str, Any]
    names: NDArray[Any] | None
    name: str
    terms: Any = None
    positive: int = 1

    @property
    def fit(self) -> Any:
        """What all kinds have: how it was chosen, and how it ended."""
        return self.kind.of_fit(self.model)

    @property
    def record(self) -> Record | None:
        """What it was fitted on, where the model knows."""
        found: Record | None = self.fit.record
        return found

    @property
    def labels(self) -> list[str]:
        """The classes as text."""
        return [label_text(label) for label in self.model.classes.tolist()]

    @property
    def sides(self) -> tuple[str, str]:
        """The positive one of two classes, and the other."""
        return self.labels[self.positive], self.labels[1 - self.positive]

    @property
    def is_binary(self) -> bool:
        """Whether there are two classes."""
        return len(self.model.classes) == 2

    @property
    def row_word(self) -> str:
        """What a row is called."""
        return self.kind.row_word

    @property
    def n_columns(self) -> int:
        """How many columns, or terms of texts, it knows."""
        return self.kind.n_columns(self.model)

    def with_positive(self, label: Any) -> NamedModel:
        """Return it with this one of its two classes as the positive one."""
        if not self.is_binary:
            raise ValueError(
                f"positive is for models of two classes, and this one has {len(self.labels):,}"
            )
        for code, own in enumerate(self.model.classes.tolist()):
            if _is_label(label, own):
                return replace(self, positive=code)
        known = " or ".join(shown(own) for own in self.model.classes.tolist())
        raise ValueError(f"positive must be one of the model's labels, {known}, got {shown(label)}")

    def weights(self, task: int) -> tuple[NDArray[np.intp], Vector]:
        """Return the columns of which the coefficients of a task are not 0, and these."""
        return nonzeros_of(self.fit.coef, task)

    def weights_of(self, task: int, columns: NDArray[np.intp]) -> Vector:
        """Return the coefficients of some columns."""
        return np.asarray(coefficients_of(self.fit.coef[[task]], columns)[0])

    def column_name(self, column: int) -> str:
        """Return what a column of a linear model, or a term of texts, is called."""
        return self.kind.column_name(self, column)


def label_text(label: Any) -> str:
    """Write a label."""
    return f"{label:g}" if isinstance(label, float) and math.isfinite(label) else shown_label(label)


def _is_label(given: Any, own: Any) -> bool:
    """Whether a label is meant, by itself or, as on a command line, as text."""
    if isinstance(given, str) and not isinstance(own, str):
        try:
            return given == label_text(own) or float(given) == own
        except ValueError:
            return False
    return np.ndim(given) == 0 and bool(given == own)


class Part(NamedTuple):
    """What one column, or one term, adds to the decision value of a row."""

    name: str
    value: str
    contribution: float


@dataclass(frozen=True)
class RowExplanation:
    """What adds up to the decision value of a row, the largest first, and the sum of the rest.

    Of a text also its letters, and what each term adds with the places where it stands.
    """

    parts: list[Part]
    n_rest: int
    rest: float
    intercept: float
    decision: float
    text: str = ""
    spans: list[tuple[float, tuple[tuple[int, int], ...]]] = field(default_factory=list)


class GivenRows(ABC):
    """Rows with their decision values, (rows, tasks), and a number that duplicates share."""

    X: Any  # what a problem of them is built of
    decisions: Vector
    prints: NDArray[np.uint64]

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.decisions)

    @abstractmethod
    def explain(self, row: int, code: int) -> RowExplanation:
        """Return what each part of a row adds for a class."""

    def column_counts(self, columns: NDArray[np.intp]) -> NDArray[np.intp] | None:
        """Return how many rows have an entry in each of some columns, where that is shown."""
        return None

    def _task(self, code: int) -> tuple[int, float]:
        """Return the task that contributes to a class, and the sign with which it does."""
        if self.decisions.shape[1] > 1:
            return code, 1.0
        return 0, 1.0 if code == 1 else -1.0

    def _explanation(
        self, names: Sequence[Any], values: Sequence[Any], added: Vector, intercept: float
    ) -> RowExplanation:
        order = np.argsort(-np.abs(added), kind="stable")
        order = order[added[order] != 0]
        parts = [Part(str(names[k]), str(values[k]), float(added[k])) for k in order[:MOST_PARTS]]
        rest = float(added[order[MOST_PARTS:]].sum())
        n_rest = max(len(order) - MOST_PARTS, 0)
        return RowExplanation(parts, n_rest, rest, intercept, intercept + float(added.sum()))


class MatrixRows(GivenRows):
    """Rows of a matrix, with a weight for each column: numbers, or terms of texts."""

    def __init__(self, model: NamedModel, arrays: CsrArrays, n_threads: int) -> None:
        from ..search.record import row_prints

        self.model, self.X = model, arrays
        self.decisions = model.fit.decisions(arrays, n_threads)
        self.prints = row_prints(arrays, model.record, n_threads)

    def explain(self, row: int, code: int) -> RowExplanation:
        """Return what each entry of a row adds."""
        columns, values, added, intercept = self.added(row, code)
        names = [self.model.column_name(int(k)) for k in columns]
        return self._explanation(names, [number(v) for v in values], added, intercept)

    def entries(self, row: int) -> tuple[NDArray[np.intp], Vector]:
        """Return the columns of a row, and its values there."""
        found = []
        for part in self.X.parts:
            here = slice(int(part.indptr[row]), int(part.indptr[row + 1]))
            columns = np.asarray(part.indices[here], dtype=np.intp)
            values = np.ones(len(columns))
            if part.scale is not None:
                values = part.scale[columns]
            elif part.data is not None:
                values = np.asarray(part.data[here])
            found.append((columns, values))
        columns = np.concatenate([columns for columns, _ in found])
        values = np.concatenate([values for _, values in found])
        known = columns < self.model.n_columns
        return columns[known], values[known]

    def added(self, row: int, code: int) -> tuple[NDArray[np.intp], Vector, Vector, float]:
        """Return the columns of a row, its values, what they add for a class; the intercept."""
        task, sign = self._task(code)
        columns, values = self.entries(row)
        weights = sign * self.model.weights_of(task, columns)
        return columns, values, values * weights, sign * float(self.model.fit.intercept[task])
