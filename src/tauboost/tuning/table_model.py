"""A fitted table classifier as plain data: a sum of small tables of scores, one a term.

H(x) = intercept + sum_t scores_t[cell of x]. Each column of x is one byte, the code of its bin. A
term of one column looks its score up by the code; a term of two columns first maps each code to a
cell along its axis. A decision value is that sum, in that order: explanations add up bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..losses import LOSSES

if TYPE_CHECKING:
    from ..design.columns import Column

__all__ = ["TableModel", "TermData"]

BLOCK = 2**14  # rows looked up at once: what a term needs for them stays in the cache

Codes = NDArray[np.uint8]


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

    def lookup(self, codes: Codes) -> Vector:
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


@dataclass(frozen=True, eq=False)
class TableModel:
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

    @property
    def n_tasks(self) -> int:
        """One for two classes, else one for each."""
        return len(self.intercept)

    def decisions(self, codes: Codes) -> Vector:
        """Return the decision values, (samples, tasks), from codes of shape (columns, samples)."""
        codes = self._checked(codes)
        result = np.empty((codes.shape[1], self.n_tasks))
        result[:] = self.intercept
        for rows in _blocks(codes.shape[1]):
            block, sums = codes[:, rows], result[rows]
            for term in self.terms:
                sums += term.lookup(block)
        return result

    def contributions(self, codes: Codes) -> Vector:
        """Return what each term adds to the decision values, (samples, terms, tasks)."""
        codes = self._checked(codes)
        result = np.empty((codes.shape[1], len(self.terms), self.n_tasks))
        for rows in _blocks(codes.shape[1]):
            for k, term in enumerate(self.terms):
                result[rows, k] = term.lookup(codes[:, rows])
        return result

    def labels(self, decisions: Vector) -> NDArray[Any]:
        """Return the likeliest class of each sample."""
        if decisions.shape[1] == 1:
            return np.asarray(self.classes[(decisions[:, 0] > 0).astype(np.intp)])
        return np.asarray(self.classes[decisions.argmax(axis=1)])

    def probabilities(self, decisions: Vector) -> Vector:
        """Return the probability of each class, (samples, classes)."""
        return LOSSES[self.loss].probabilities(decisions)

    def term_name(self, term: TermData) -> str:
        """Return "age", or "age x hours" for a pair."""
        return " x ".join(self.columns[column].name for column in term.columns)

    def _checked(self, codes: Codes) -> Codes:
        if codes.ndim != 2 or len(codes) != len(self.columns) or codes.dtype != np.uint8:
            raise ValueError(
                f"codes must be bytes of shape ({len(self.columns)}, samples), one row for each "
                f"column, got {codes.dtype} of shape {codes.shape}"
            )
        return codes


def _blocks(n_samples: int) -> Iterator[slice]:
    for begin in range(0, n_samples, BLOCK):
        yield slice(begin, min(begin + BLOCK, n_samples))
