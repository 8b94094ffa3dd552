"""The rows that a report measures a model on, of any kind, and why the model says what it says."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..design.binning import encode
from ..design.wide import only_features
from ..estimators.explanation import as_text
from ..estimators.text_spans import Span, find_features
from ..search.duplicates import code_fingerprints
from ..tuning.model import Model
from ..tuning.record import row_prints
from ..tuning.table_model import TableModel
from ..tuning.text_model import TextModel
from ..validation import CsrArrays
from ..validation.frames import Frame
from .bands import Estimate
from .scales import number
from .subject import Subject

__all__ = ["Data", "GivenRows", "LinearRows", "Part", "Story", "TableRows", "TextRows"]

MOST_PARTS = 8  # of an explanation


class Part(NamedTuple):
    """What one column, or one term, adds to the decision value of a row."""

    name: str
    value: str
    contribution: float


@dataclass(frozen=True)
class Story:
    """Why a model says a class of a row: its parts, the largest first, and the sum of the rest.

    Of a text also its letters, and what each term adds with the places where it stands.
    """

    parts: list[Part]
    n_rest: int
    rest: float
    intercept: float
    decision: float
    text: str = ""
    spans: list[tuple[float, tuple[Span, ...]]] = field(default_factory=list)


class GivenRows(ABC):
    """Rows with their decision values, (rows, tasks), and a number that equal rows share."""

    decisions: Vector
    prints: NDArray[np.uint64]

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.decisions)

    @abstractmethod
    def story(self, row: int, code: int) -> Story:
        """Say what speaks for a class in a row."""

    def _task(self, code: int) -> tuple[int, float]:
        """Return the task that speaks for a class, and the sign with which it does."""
        if self.decisions.shape[1] > 1:
            return code, 1.0
        return 0, 1.0 if code == 1 else -1.0

    def _told(
        self, names: Sequence[Any], values: Sequence[Any], added: Vector, intercept: float
    ) -> Story:
        order = np.argsort(-np.abs(added), kind="stable")
        order = order[added[order] != 0]
        parts = [Part(str(names[k]), str(values[k]), float(added[k])) for k in order[:MOST_PARTS]]
        rest = float(added[order[MOST_PARTS:]].sum())
        n_rest = max(len(order) - MOST_PARTS, 0)
        return Story(parts, n_rest, rest, intercept, intercept + float(added.sum()))


class MatrixRows(GivenRows):
    """Rows of a matrix, with a weight for each column."""

    subject: Subject
    arrays: CsrArrays

    def entries(self, row: int) -> tuple[NDArray[np.intp], Vector]:
        """Return the columns of a row, and its values there."""
        found = []
        for part in self.arrays.parts:
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
        known = columns < self.subject.n_columns
        return columns[known], values[known]

    def added(self, row: int, code: int) -> tuple[NDArray[np.intp], Vector, Vector, float]:
        """Return the columns of a row, its values, what they add for a class; the intercept."""
        task, sign = self._task(code)
        columns, values = self.entries(row)
        weights = sign * self.subject.weights_of(task, columns)
        return columns, values, values * weights, sign * float(self.subject.fit.intercept[task])


class LinearRows(MatrixRows):
    """Rows of numbers."""

    def __init__(self, subject: Subject, arrays: CsrArrays, n_threads: int) -> None:
        assert isinstance(subject.model, Model)
        self.subject, self.arrays = subject, arrays
        self.decisions = subject.model.decisions(arrays, n_threads)
        self.prints = row_prints(arrays, subject.record, n_threads)

    def story(self, row: int, code: int) -> Story:
        """Say what each entry of a row adds."""
        columns, values, added, intercept = self.added(row, code)
        names = [self.subject.column_name(int(k)) for k in columns]
        return self._told(names, [number(v) for v in values], added, intercept)

    def column_counts(self, columns: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return how many rows have an entry in each of some columns, which ascend."""
        total = np.zeros(len(columns), dtype=np.intp)
        with self.arrays.reading():
            for part in only_features(self.arrays, columns).parts:
                total += np.bincount(part.indices, minlength=len(columns) + 1)[:-1]
        return total


class TableRows(GivenRows):
    """Rows of a table."""

    def __init__(self, subject: Subject, frame: Frame, n_threads: int) -> None:
        assert isinstance(subject.model, TableModel)
        self.model = subject.model
        self.codes = encode(self.model.columns, frame, n_threads)
        self.decisions = self.model.decisions(self.codes)
        self.prints = code_fingerprints(self.codes, 0)
        self.where = frame.places([column.name for column in self.model.columns])
        self.frame = frame.with_categories(self.where[k] for k in self.model.category_columns)

    def story(self, row: int, code: int) -> Story:
        """Say what each term adds."""
        task, sign = self._task(code)
        model = self.model
        added = sign * model.contributions(self.codes[:, [row]])[0, :, task]
        shown = np.argsort(-np.abs(added), kind="stable")[:MOST_PARTS].tolist()
        values = ["" for _ in model.terms]
        for k in shown:
            values[k] = ", ".join(self._value(column, row) for column in model.terms[k].columns)
        names = [model.term_name(term) for term in model.terms]
        return self._told(names, values, added, sign * float(model.intercept[task]))

    def _value(self, column: int, row: int) -> str:
        return as_text(self.frame.column(self.where[column], np.array([row])))


class TextRows(MatrixRows):
    """Texts."""

    def __init__(self, subject: Subject, texts: list[str], n_threads: int) -> None:
        assert isinstance(subject.model, TextModel)
        self.subject, self.model, self.texts = subject, subject.model, texts
        self.arrays = self.model.features.rows(texts, n_threads)
        self.decisions = self.model.model.decisions(self.arrays, n_threads)
        self.prints = row_prints(self.arrays, subject.record, n_threads)

    def story(self, row: int, code: int) -> Story:
        """Say what each term of a text adds, and where it is."""
        columns, _, added, intercept = self.added(row, code)
        text, found = find_features(self.texts[row], self.model.features, columns.tolist())
        places = [found.get(int(k), ("", [])) for k in columns]
        names = [
            name or self.subject.column_name(int(k))
            for k, (name, _) in zip(columns, places, strict=True)
        ]
        times = [f"{len(spans)}×" if spans else "" for _, spans in places]
        spans = [(float(a), tuple(spans)) for a, (_, spans) in zip(added, places, strict=True)]
        return replace(self._told(names, times, added, intercept), text=text, spans=spans)


@dataclass(frozen=True, eq=False)
class Data:
    """Rows, what they are called, and the number of each one's class, where labels were given.

    ``trained`` is the share of them that the model was trained on, where that can be told.
    """

    name: str
    rows: GivenRows
    codes: NDArray[np.intp] | None
    hash: str = ""
    first: int = 0  # the number of the first row, as people count them
    trained: Estimate | None = None
