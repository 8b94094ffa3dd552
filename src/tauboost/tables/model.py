"""A fitted table classifier as plain data: a sum of small tables of scores, one a term.

H(x) = intercept + sum_t scores_t[cell of x]. Each column of x is a code, that of its bin. A
term of one column finds its score by the code; a term of two columns first maps each code to a
cell along its axis. A decision value is that sum, in that order: explanations add up bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.arrays import Mask, Vector
from ..io.model_file import ModelFile
from ..io.tensors import object_array
from ..models import Contributions, FittedModel
from ..parameters import of_old_names
from ..search.record import TABLE, Record, unpack_candidates
from ..search.saved_params import check_params
from ..sparse.model import check_fitted, fitted_facts
from .columns import CategoryColumn, Codes, Column, NumericColumn, Planes, n_planes, split_planes
from .model_file import FORMAT, terms_of_file

__all__ = ["TableModel", "TermData", "are_used"]


NEGLIGIBLE = 1e-9  # as an importance, beside the largest
BLOCK = 2**14  # rows looked up at once: what a term needs for them stays in the cache


@dataclass(frozen=True, eq=False)
class TermData:
    """The scores of one column, or of a pair of them; centred: sum(weights * scores) is 0.

    Parameters
    ----------
    columns : one or two positions in the model's columns
    maps : for each of them, an array that maps its codes to cells along that axis
    scores : (cells, tasks) or (cells_1, cells_2, tasks)
        Added to the decision value; above 0 contributes to the class.
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
            cells, code = self.maps[0], codes[self.columns[0]]
            # The map is applied to what is shorter, the codes or the table.
            if len(code) < len(cells):
                return np.asarray(table.take(cells.take(code), axis=0))
            return np.asarray(table[cells].take(code, axis=0))
        first, second = (
            cells.take(codes[column]).astype(np.intp)
            if len(codes[column]) < len(cells)
            else cells.astype(np.intp).take(codes[column])
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
    """Return True for terms that count: their importance is no rounding beside the largest."""
    given = np.asarray(importances, dtype=np.float64)
    return np.asarray(given > NEGLIGIBLE * given.max(initial=0.0))


@dataclass(frozen=True, eq=False)
class TableModel(FittedModel):
    """Columns, the terms over them, and how they were found."""

    format = FORMAT
    kinds = ("TableClassifier",)

    classes: NDArray[Any]
    columns: tuple[Column, ...]
    terms: tuple[TermData, ...]
    intercept: Vector  # (tasks,): one task for two classes, else one for each
    loss: str
    alpha: float
    l1_ratio: float
    n_iter: int  # sweeps
    objective: Vector  # F + psi, (tasks,)
    held_out_loss: float  # NaN without a validation set
    message: str
    selection: list[dict[str, float | str]] = field(default_factory=list)
    # The standard deviation of each term's scores over other samples of rows, where asked for.
    spreads: tuple[Vector, ...] | None = None
    record: Record | None = None  # what it was fitted on, where that is known

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

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

        A pair quotes its columns where that is the name of a column, or could be split elsewhere.
        """
        names = [self.columns[column].name for column in term.columns]
        name = " x ".join(names)
        if len(names) == 1:
            return name
        taken = {column.name for column in self.columns}
        if name in taken or any(" x " in part for part in names):
            name = " x ".join(map(repr, names))
        return f"({name})" if name in taken else name

    def explain(self, codes: Planes, class_: Any = None, n_threads: int = 1) -> Contributions:  # noqa: ARG002
        """Return what each term adds, (samples, terms).

        The intercept plus these, one after another, is the decision value, bit for bit.
        """
        decisions = self.decisions(codes)
        places = self.places(decisions, class_)
        tasks, sign = self.tasks(places)
        rows = np.arange(len(decisions))
        return Contributions(
            sign * self.contributions(codes)[rows, :, tasks],
            sign * self.intercept[tasks],
            sign * decisions[rows, tasks],
            self.probabilities(decisions)[rows, places],
            places,
            [self.term_name(term) for term in self.terms],
        )

    def to_arrays(
        self, params: Mapping[str, Any], names: Any = True, kind: str = "TableClassifier"
    ) -> ModelFile:
        """Return what a file holds; ``names``: whether the columns' were given.

        Lists of different lengths stand one after another in one array, with the positions that
        split it.
        """
        edges = [column.edges for column in self.columns]
        words = [column.categories.tolist() for column in self.columns]
        scores = [term.scores.reshape(-1, self.n_tasks) for term in self.terms]
        pairs = [(*term.columns, -1)[:2] for term in self.terms]
        shapes = [(*term.weights.shape, 1)[:2] for term in self.terms]
        arrays = {
            "classes": self.classes,
            "intercept": self.intercept,
            "names": object_array([column.name for column in self.columns]),
            "is_category": np.array([not column.is_ordered for column in self.columns]),
            "edges": np.concatenate(edges),
            "edge_offsets": _offsets(edges),
            "categories": object_array([word for some in words for word in some]),
            "category_offsets": _offsets(words),
            "term_columns": np.array(pairs, dtype=np.int64).reshape(-1, 2),
            "term_cells": np.array(shapes, dtype=np.int64).reshape(-1, 2),
            "maps": _joined([cells for term in self.terms for cells in term.maps], np.uint8),
            "scores": np.concatenate([np.empty((0, self.n_tasks)), *scores]),
            "weights": _joined([term.weights.ravel() for term in self.terms], np.float64),
        }
        header = {
            "version": self.format.version,
            "kind": kind,
            "n_columns": len(self.columns),
            "n_terms": len(self.terms),
            "feature_names": names,
            "params": of_old_names(params),
            "fitted": fitted_facts(self, TABLE),
        }
        return ModelFile(header, arrays)

    @classmethod
    def from_arrays(cls, file: ModelFile, *, trusted: bool = False) -> Self:  # noqa: ARG003
        """Make a model of what was read from a file; anything that does not fit is an error."""
        arrays = file.arrays
        check_params(file.kind, file.params, arrays["classes"])
        edges, categories = (
            [arrays[name][a:b] for a, b in pairwise(arrays[offsets].tolist())]
            for name, offsets in (("edges", "edge_offsets"), ("categories", "category_offsets"))
        )
        columns = tuple(
            CategoryColumn(name, categories[k])
            if arrays["is_category"][k]
            else NumericColumn(name, edges[k])
            for k, name in enumerate(arrays["names"].tolist())
        )
        terms = tuple(
            TermData(
                part.columns,
                tuple(arrays["maps"][where] for where in part.maps),
                arrays["scores"][part.cells].reshape(*part.shape, -1),
                arrays["weights"][part.cells].reshape(part.shape),
            )
            for part in terms_of_file(arrays)
        )
        objective = np.asarray(file.fitted["objective"], dtype=np.float64)  # NaN after an edit
        if objective.shape != arrays["intercept"].shape:
            raise ValueError(f"objective must have shape {arrays['intercept'].shape}")
        return cls(
            arrays["classes"],
            columns,
            terms,
            arrays["intercept"],
            **check_fitted(file),
            objective=objective,
            selection=unpack_candidates(file.fitted, TABLE),
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
