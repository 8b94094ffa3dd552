"""A fitted table classifier as plain data: a sum of small tables of scores, one a term.

H(x) = intercept + sum_t scores_t[cell of x]. Each column of x is a code, that of its bin. A
term of one column looks its score up by the code; a term of two columns first maps each code to a
cell along its axis. A decision value is that sum, in that order: explanations add up bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.arrays import Mask, Vector
from ..io.model import TableData
from ..io.strings import object_array
from ..tuning.model import Answers, check_fitted, fitted_facts
from ..tuning.race_table import TABLE, unpack_race
from ..tuning.record import Record, read_record
from ..tuning.saved_params import check_params
from .columns import CategoryColumn, Codes, Column, NumericColumn, Planes, n_planes, split_planes

__all__ = ["KIND", "TableModel", "TermData", "are_used"]

NEGLIGIBLE = 1e-9  # as an importance, beside the largest

KIND = "TableClassifier"  # the estimator whose files these are
BLOCK = 2**14  # rows looked up at once: what a term needs for them stays in the cache


@dataclass(frozen=True, eq=False)
class TermData:
    """The scores of one column, or of a pair of them; centred: sum(weights * scores) is 0.

    Parameters
    ----------
    columns : one or two positions in the model's columns
    maps : for each of them, an array that maps its codes to cells along that axis
    scores : (cells, tasks) or (cells_1, cells_2, tasks)
        Added to the decision value; above 0 speaks for the class.
    weights : (cells,) or (cells_1, cells_2)
        Share of the training weight in each cell; sums to 1.
    """

    columns: tuple[int, ...]
    maps: tuple[Codes, ...]
    scores: Vector
    weights: Vector

    def lookup(self, codes: Sequence[Codes]) -> Vector:
        """Return the score of each sample, (samples, tasks), for codes of all columns."""
        table = self.scores.reshape(-1, self.scores.shape[-1])
        if len(self.columns) == 1:
            # The map is applied to the table, which is shorter than the data.
            return np.asarray(table[self.maps[0]].take(codes[self.columns[0]], axis=0))
        first, second = (
            cells.astype(np.intp).take(codes[column])
            for cells, column in zip(self.maps, self.columns, strict=True)
        )
        first *= self.scores.shape[1]
        first += second
        return np.asarray(table.take(first, axis=0))

    def scores_of_codes(self) -> Vector:
        """Return the scores by code: (bins, tasks) or (bins_1, bins_2, tasks)."""
        return np.asarray(self.scores[np.ix_(*self.maps)])

    def importance(self) -> Vector:
        """Return the mean absolute score over the training weight, (tasks,)."""
        return np.asarray(np.tensordot(self.weights, np.abs(self.scores), self.weights.ndim))

    def mean(self) -> Vector:
        """Return the mean score over the training weight, (tasks,): 0 where it is centred."""
        return np.asarray(np.tensordot(self.weights, self.scores, self.weights.ndim))


def are_used(importances: ArrayLike) -> Mask:
    """Tell which terms count, by importances: those that are no rounding beside the largest."""
    given = np.asarray(importances, dtype=np.float64)
    return np.asarray(given > NEGLIGIBLE * given.max(initial=0.0))


@dataclass(frozen=True, eq=False)
class TableModel(Answers):
    """Columns, the terms over them, and how they were found."""

    classes: NDArray[Any]
    columns: tuple[Column, ...]
    terms: tuple[TermData, ...]
    intercept: Vector  # (tasks,): one task for two classes, else one for each
    loss: str
    alpha: float
    l1_ratio: float
    n_iter: int  # sweeps
    objective: Vector  # F + psi, (tasks,)
    held_out_loss: float  # NaN where no samples were held out
    message: str
    selection: list[dict[str, float | str]] = field(default_factory=list)
    # The standard deviation of each term's scores over other samples of rows, where asked for.
    spreads: tuple[Vector, ...] | None = None
    record: Record | None = None  # what it was fitted on, where that is known

    @property
    def n_tasks(self) -> int:
        """One for two classes, else one for each."""
        return len(self.intercept)

    @property
    def category_columns(self) -> list[int]:
        """The positions of the columns of categories."""
        return [k for k, column in enumerate(self.columns) if not column.is_ordered]

    def decisions(self, codes: Planes) -> Vector:
        """Return the decision values, (samples, tasks), from the bytes of codes."""
        codes = self._checked(codes)
        result = np.empty((codes.shape[1], self.n_tasks))
        result[:] = self.intercept
        for rows in _blocks(codes.shape[1]):
            block, sums = split_planes(self.columns, codes[:, rows]), result[rows]
            for term in self.terms:
                sums += term.lookup(block)
        return result

    def contributions(self, codes: Planes) -> Vector:
        """Return what each term adds to the decision values, (samples, terms, tasks)."""
        codes = self._checked(codes)
        result = np.empty((codes.shape[1], len(self.terms), self.n_tasks))
        for rows in _blocks(codes.shape[1]):
            block = split_planes(self.columns, codes[:, rows])
            for k, term in enumerate(self.terms):
                result[rows, k] = term.lookup(block)
        return result

    def term_name(self, term: TermData) -> str:
        """Return "age", or "age x hours" for a pair; no two terms have one name.

        A pair quotes its columns where that is the name of a column, or could be cut elsewhere.
        """
        names = [self.columns[column].name for column in term.columns]
        name = " x ".join(names)
        if len(names) == 1:
            return name
        taken = {column.name for column in self.columns}
        if name in taken or any(" x " in part for part in names):
            name = " x ".join(map(repr, names))
        return f"({name})" if name in taken else name

    def to_data(
        self, params: dict[str, Any], feature_names: bool = True, kind: str = KIND
    ) -> TableData:
        """Return everything a file needs; ``feature_names``: whether the columns' were given."""
        pairs = [(*term.columns, -1)[:2] for term in self.terms]
        shapes = [(*term.weights.shape, 1)[:2] for term in self.terms]
        edges = [c.edges if isinstance(c, NumericColumn) else np.empty(0) for c in self.columns]
        words = [
            c.categories.tolist() if isinstance(c, CategoryColumn) else [] for c in self.columns
        ]
        scores = [term.scores.reshape(-1, self.n_tasks) for term in self.terms]
        return TableData(
            names=object_array([column.name for column in self.columns]),
            is_category=np.array([not column.is_ordered for column in self.columns]),
            edges=np.concatenate(edges),
            edge_offsets=_offsets(edges),
            categories=object_array([word for some in words for word in some]),
            category_offsets=_offsets(words),
            term_columns=np.array(pairs, dtype=np.int64).reshape(-1, 2),
            term_cells=np.array(shapes, dtype=np.int64).reshape(-1, 2),
            maps=_joined([cells for term in self.terms for cells in term.maps], np.uint8),
            scores=np.concatenate([np.empty((0, self.n_tasks)), *scores]),
            weights=_joined([term.weights.ravel() for term in self.terms], np.float64),
            intercept=self.intercept,
            classes=self.classes,
            feature_names=feature_names,
            params=params,
            fitted=fitted_facts(self, TABLE),
            kind=kind,
        )

    @classmethod
    def from_data(cls, data: TableData) -> TableModel:
        """Make a model from checked data; anything that does not fit is an error."""
        check_params(data.kind, data.params, data.classes)
        columns = tuple(
            CategoryColumn(name, data.categories_of(k))
            if data.is_category[k]
            else NumericColumn(name, data.edges_of(k))
            for k, name in enumerate(data.names.tolist())
        )
        terms = tuple(
            TermData(
                part.columns,
                tuple(data.maps[where] for where in part.maps),
                data.scores[part.cells].reshape(*part.shape, -1),
                data.weights[part.cells].reshape(part.shape),
            )
            for part in data.terms()
        )
        fitted = check_fitted(data.fitted)
        objective = np.asarray(data.fitted["objective"], dtype=np.float64)  # NaN after an edit
        if objective.shape != data.intercept.shape:
            raise ValueError(f"objective must have shape {data.intercept.shape}")
        return cls(
            data.classes,
            columns,
            terms,
            data.intercept,
            **fitted,
            objective=objective,
            selection=unpack_race(data.fitted, TABLE),
            record=read_record(data.fitted, len(data.classes)),
        )

    def _checked(self, codes: Planes) -> Planes:
        n = n_planes(self.columns)
        if codes.ndim != 2 or len(codes) != n or codes.dtype != np.uint8:
            raise ValueError(
                f"codes must be bytes of shape ({n}, samples), one row for each "
                f"column, got {codes.dtype} of shape {codes.shape}"
            )
        return codes


def _blocks(n_samples: int) -> Iterator[slice]:
    for begin in range(0, n_samples, BLOCK):
        yield slice(begin, min(begin + BLOCK, n_samples))


def _offsets(lists: list[Any]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, lists)], dtype=np.int64)


def _joined(arrays: list[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype), *arrays])
