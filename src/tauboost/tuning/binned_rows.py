"""What a fit asks of the rows of a binned table, wherever they are: sums, and no row by itself.

``TableSamples`` has them on this machine, in one table; ``tauboost.dask`` in parts on a cluster.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Mask, Vector
from ..base.cached import cached_property
from ..base.side_by_side import side_by_side
from ..design.columns import Column

if TYPE_CHECKING:
    from .table_pairs import Pair

__all__ = ["N_FOLDS", "BinnedRows", "End", "LaneSpec", "RowWeights"]

T = TypeVar("T")

N_FOLDS = 5

# Where fits side by side ended: levels (lanes, levels) and intercepts (lanes,).
End = tuple[Vector, Vector]


@dataclass(frozen=True)
class LaneSpec:
    """Fits side by side, as far as it concerns the rows."""

    loss: str
    tasks: tuple[int, ...]  # one for each lane
    held: int | None  # the fold that is held out
    total: float  # the weight of all rows that are not

    @property
    def width(self) -> int:
        """Number of lanes."""
        return len(self.tasks)


class RowWeights(ABC):
    """The weights of the rows in some fits side by side, at levels of 0 to begin with."""

    @abstractmethod
    def largest(self, levels: Vector, intercepts: Vector) -> Vector:
        """Return the largest residual that rows have at the levels of some lanes."""

    @abstractmethod
    def place(self, levels: Vector, intercepts: Vector, shift: Vector) -> Vector:
        """Go from levels of 0 to those of each lane, or of one for all.

        Residuals are less by ``shift``, which has an entry for each lane of ``levels``. Returned is
        the sum of each lane's E, for the exponential loss; else 0.
        """

    @abstractmethod
    def rescale(self, bits: NDArray[np.int32]) -> Vector:
        """Multiply E of each lane by a power of two; returns the sum of each lane's E."""

    @abstractmethod
    def sweep(self, *plan: Any) -> _core.LaneOutcome:
        """Visit terms; ``plan`` is what the core's sweeps take, from levels to Newton steps."""

    @abstractmethod
    def mark(self) -> None:
        """Remember where the rows are: steps from here are directions."""

    @abstractmethod
    def span_sums(self, steps: Vector) -> Vector:
        """Sum F, its gradient and half of its Hessian (`Directions`), after steps along them.

        Directions are the step since the rows were last marked, two before it, and the intercept.
        """

    @abstractmethod
    def take_span(self, steps: Vector) -> Vector:
        """Take steps along the directions, and mark the rows; returns the sum of E, as `place`."""

    @abstractmethod
    def exact_sums(
        self, levels: Vector, intercepts: Vector, shift: Vector, terms: NDArray[np.int32]
    ) -> Vector:
        """Sum what a bound is made of at the levels of one lane, from the data and in double.

        Five numbers (see ``exact_weights`` of table_directions.py), then the row weights over each
        level of these terms: of the rows with y = 1, and of the others.
        """

    @abstractmethod
    def conjugate(self, levels: Vector, intercepts: Vector, scales: tuple[float, float]) -> float:
        """Return F* of the logistic loss at the row weights of these levels.

        They are scaled: those of rows with y = 1 by the first number, the others by the second.
        """

    @abstractmethod
    def loss_sum(self, lane: int) -> float:
        """Return F of the logistic loss in a lane; of the exponential loss its exp."""

    @abstractmethod
    def pair_sums(
        self,
        lane: int,
        total: float,
        columns: NDArray[np.int32],
        maps: NDArray[np.uint8],
        side: int,
    ) -> Vector:
        """Sum gradient and curvature over grids of ``side`` cells: (pairs, side, side, 2).

        Pairs are those of the columns, the first with all after it, and so on; ``maps`` has for
        each of them and every code its cell.
        """


class BinnedRows(ABC):
    """Rows of a binned table with classes, folds and weights of sum 1."""

    columns: tuple[Column, ...]
    n_classes: int
    n_threads: int  # of this machine, to be used
    n_copies: float  # how many rows they stand for
    repeated: float  # the share of these that may be copies of others with the same label

    @property
    def n_tasks(self) -> int:
        """Number of two-class problems: one for two classes, else one for each."""
        return 1 if self.n_classes == 2 else self.n_classes

    def positive(self, task: int) -> int:
        """Return the class that has y = 1 in a task."""
        return 1 if self.n_classes == 2 else task

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Where the levels of each column begin, and where those of the last end."""
        return np.cumsum([0, *(column.n_bins for column in self.columns)])

    @property
    def n(self) -> int:
        """Number of different rows."""
        return int(self.counts.sum())

    @property
    @abstractmethod
    def table(self) -> _core.Table:
        """The terms in the core: one for each column, then pairs."""

    @abstractmethod
    def add_pairs(self, pairs: Sequence[Pair]) -> None:
        """Make terms of pairs."""

    @property
    @abstractmethod
    def counts(self) -> NDArray[np.intp]:
        """How many rows each fold has of each class."""

    @property
    @abstractmethod
    def fold_weights(self) -> Vector:
        """The weight of each fold."""

    @property
    @abstractmethod
    def fold_squares(self) -> Vector:
        """The sum of squared weights of each fold."""

    @abstractmethod
    def class_weight(self, label: int) -> float:
        """Return the weight of a class."""

    @abstractmethod
    def level_sums(self) -> Vector:
        """Return the weight of the rows on each level of the table's terms."""

    @cached_property
    def level_weights(self) -> Vector:
        """The weight of the rows on each level, of the columns at least."""
        return self.level_sums()

    @abstractmethod
    def class_sums(self, held: int | None) -> Vector:
        """Return the weight of the rows to learn from, by class and level of the columns."""

    @abstractmethod
    def pair_weights(self, pair: Pair) -> Vector:
        """Return the weight of the rows in each cell of a pair."""

    @abstractmethod
    def rows(self, spec: LaneSpec, n_threads: int) -> RowWeights:
        """Return the weights of the rows for some fits."""

    @abstractmethod
    def held_out_sums(self, loss: str, held: int, ends: Sequence[End]) -> Vector:
        """Sum the losses of a fold's rows in each lane by weight, and then the weights.

        ``ends`` has an entry for each task.
        """

    @abstractmethod
    def gain_sums(
        self, loss: str, held: int, first: Sequence[End], second: Sequence[End]
    ) -> Vector:
        """Compare two fits, a lane each, on a fold's rows: g is by how much the second is better.

        Returned are the sums of w, w g, w^2, w^2 g and w^2 g^2.
        """

    def each_fit(self, fit: Callable[[T, int], None], jobs: Sequence[T]) -> None:
        """Call fit(job, n_threads) for fits that have nothing to do with each other."""
        # Side by side they share nothing; but few of them leave a thread idle at the end.
        is_apart = len(jobs) >= 2 * self.n_threads
        n_threads = 1 if is_apart else self.n_threads
        side_by_side(lambda job: fit(job, n_threads), jobs, self.n_threads if is_apart else 1)

    def trained_weight(self, held: int | None) -> float:
        """Return the weight of the rows to learn from."""
        return float(self.fold_weights[_all_but(held)].sum())

    def noise(self, held: int | None) -> float:
        """Return the sum of squared weights of the rows to learn from, where theirs is 1."""
        return float(self.fold_squares[_all_but(held)].sum()) / self.trained_weight(held) ** 2


def _all_but(held: int | None) -> Mask:
    return np.asarray(np.arange(N_FOLDS) != (-1 if held is None else held))
