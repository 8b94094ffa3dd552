"""The weights of a table's rows in fits side by side, as the kernel keeps and changes them.

E_j = c_j exp(r_j) for the exponential loss, exp(r_j) for the logistic one, L of them a row.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Vector, log
from ..losses import LOSSES
from .directions import Directions, conjugate_sum, exact_weights

if TYPE_CHECKING:
    from .training import TableTraining

__all__ = ["BatchSpec", "End", "RowWeights", "TableRows"]


MOST_RANKED = 2**17  # rows that pairs are ranked on
# Residuals beyond it are too much for exp, in single precision and in double.
MOST = {np.dtype(np.float32): 80.0, np.dtype(np.float64): 700.0}


# Where fits side by side ended: levels (fits, levels) and intercepts (fits,).
End = tuple[Vector, Vector]


@dataclass(frozen=True)
class BatchSpec:
    """Fits side by side, as far as it concerns the rows."""

    loss: str
    tasks: tuple[int, ...]  # one for each fit
    held: int | None  # the validation fold
    total: float  # the weight of all rows that are not

    @property
    def width(self) -> int:
        """Number of fits."""
        return len(self.tasks)


class RowWeights(ABC):
    """The weights of the rows in some fits side by side, at levels of 0 to begin with."""

    @abstractmethod
    def largest(self, levels: Vector, intercepts: Vector) -> Vector:
        """Return the largest residual that rows have at the levels of some fits."""

    @abstractmethod
    def place(self, levels: Vector, intercepts: Vector, shift: Vector) -> Vector:
        """Go to the levels of each fit, or to one's for all; weights are computed anew.

        Residuals are less by ``shift``, which has an entry for each fit of ``levels``. Returned is
        the sum of each fit's E, for the exponential loss; else 0.
        """

    @abstractmethod
    def rescale(self, bits: NDArray[np.int32]) -> Vector:
        """Multiply E of each fit by a power of two; returns the sum of each fit's E."""

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
        """Sum what a bound is made of at the levels of one fit, from the data and in double.

        Five numbers (see ``exact_weights`` of directions.py), then the row weights over each
        level of these terms: of the rows with y = 1, and of the others.
        """

    @abstractmethod
    def conjugate(self, levels: Vector, intercepts: Vector, scales: tuple[float, float]) -> float:
        """Return F* of the logistic loss at the row weights of these levels.

        They are scaled: those of rows with y = 1 by the first number, the others by the second.
        """

    @abstractmethod
    def loss_sum(self, fit: int) -> float:
        """Return F of the logistic loss in a fit; of the exponential loss its exp."""

    @abstractmethod
    def pair_sums(
        self,
        fit: int,
        total: float,
        columns: NDArray[np.int32],
        maps: NDArray[np.uint8],
        side: int,
    ) -> Vector:
        """Sum gradient and curvature over grids of ``side`` cells: (pairs, side, side, 2).

        Pairs are those of the columns, the first with all after it, and so on; ``maps`` has for
        each of them and every code its cell.
        """


class TableRows(RowWeights):
    """The training rows of a table, or of a part of one."""

    def __init__(self, samples: TableTraining, spec: BatchSpec, n_threads: int) -> None:
        self.samples, self.spec, self.n_threads = samples, spec, n_threads
        self.has_odds = LOSSES[spec.loss].has_odds
        self.trained = samples.trained(spec.held)
        # The same without a copy where that is all of them.
        self.chosen = slice(None) if spec.held is None else self.trained
        self.is_positive = samples.is_positive(spec.tasks)
        self.c: Vector | None = None
        if self.has_odds:
            some = samples.weights[:1] if samples.has_equal_weights else samples.weights
            self.c = some / spec.total
        self.own: NDArray[Any] | None = None  # exponential: where rows weigh other in each fit
        self.E: NDArray[Any] = self._begin()
        self.directions: Directions | None = None
        self.is_fresh = False  # whether the directions know where the rows are
        self.exact: tuple[tuple[Vector, float] | None, Vector] = (None, np.empty(0))

    def _begin(self) -> NDArray[Any]:
        """Return E at levels of 0."""
        width, weights = self.spec.width, self.samples.weights
        real = np.float64 if width == 1 else np.float32
        if self.has_odds:
            return np.ones(len(weights) * width, dtype=real)
        if self.own is not None:
            return self.own.copy()
        return np.repeat((weights / self.spec.total).astype(real), width)

    @property
    def _rows(self) -> tuple[Any, ...]:
        """What the kernels are given."""
        shards = self.samples.shards(self.spec.held)
        return self.samples.table, self.E, self.c, self.is_positive.reshape(-1), shards

    def set_weights(self, weights: Vector) -> None:
        """Give every row a separate weight, (rows, fits), in each fit; before any step."""
        shares = (weights / weights.sum(axis=0)).reshape(-1)
        if self.has_odds:
            self.c = shares
        else:
            self.own = shares.astype(self.E.dtype)
            self.E = self._begin()

    def _residuals(self, levels: Vector, intercepts: Vector) -> Vector:
        """Return those of the rows to learn from, (rows, fits of the levels)."""
        samples = self.samples
        y = np.where(self.is_positive != 0, 1.0, -1.0)[samples.labels[self.trained], : len(levels)]
        shards = samples.shards(self.spec.held)
        return np.asarray(samples.values(shards, levels, intercepts, self.n_threads) * y)

    def largest(self, levels: Vector, intercepts: Vector) -> Vector:
        return np.asarray(self._residuals(levels, intercepts).max(axis=0, initial=-np.inf))

    def place(self, levels: Vector, intercepts: Vector, shift: Vector) -> Vector:
        self.E, self.is_fresh = self._begin(), False
        E = self.E.reshape(-1, self.spec.width)
        r, most = self._residuals(levels, intercepts) - shift, MOST[E.dtype]
        E[self.trained] *= np.exp(np.clip(r, -most, most)).astype(E.dtype)
        if self.has_odds:
            return np.zeros(self.spec.width)
        return self._sums()

    def _sums(self) -> Vector:
        E = self.E.reshape(-1, self.spec.width)
        return np.asarray(E[self.chosen].sum(axis=0, dtype=np.float64))

    def rescale(self, bits: NDArray[np.int32]) -> Vector:
        E = self.E.reshape(-1, self.spec.width)
        E[self.trained] = np.ldexp(E[self.trained], bits)  # by powers of two: no bit changes
        if self.directions is not None:
            self.directions.point = self.directions.point + float(bits[0]) * math.log(2.0)
        return self._sums()

    def mark(self) -> None:
        self.directions = Directions(self.E[self.chosen], self._labels)
        self.is_fresh = False

    def recall(self, levels: Vector, intercepts: Vector) -> None:
        """Remember steps by their levels: the one that led here, and those before it."""
        self.mark()
        assert self.directions is not None
        along = np.ascontiguousarray(self._residuals(levels, intercepts).T)
        self.directions.point = self.directions.point - along[0]
        self.directions.along[1:-1] = along[1:]

    def span_sums(self, steps: Vector) -> Vector:
        c = None if self.c is None else self._c_of(self.chosen, 0)
        return self._directions().sums(steps, c, self.n_threads)

    def take_span(self, steps: Vector) -> Vector:
        directions = self._directions()
        growth = directions.take(steps, self.n_threads)
        self.is_fresh = False
        if steps.any():
            self.E[self.chosen] *= growth
        return np.zeros(1) if self.has_odds else self._sums()

    def _directions(self) -> Directions:
        assert self.directions is not None
        if not self.is_fresh:
            self.directions.update(self.E[self.chosen])
            self.is_fresh = True
        return self.directions

    @property
    def _labels(self) -> Vector:
        positive = self.is_positive[:, 0][self.samples.labels[self.chosen]]
        return np.where(positive != 0, 1.0, -1.0)

    def exact_sums(
        self, levels: Vector, intercepts: Vector, shift: Vector, terms: NDArray[np.int32]
    ) -> Vector:
        r, c = self._exact(levels, intercepts) - shift[0], self._shares
        is_up, of_class = self._labels > 0, self.is_positive[:, 0] != 0
        weights = np.zeros(len(self.trained))
        weights[self.chosen], found = exact_weights(r, c, is_up, self.has_odds)
        sums = self.samples.histograms(weights, self.n_threads, terms)
        return np.concatenate([found, sums[of_class].sum(axis=0), sums[~of_class].sum(axis=0)])

    def conjugate(self, levels: Vector, intercepts: Vector, scales: tuple[float, float]) -> float:
        r = self._exact(levels, intercepts)
        return conjugate_sum(r, self._shares, np.where(self._labels > 0, *scales))

    @property
    def _shares(self) -> Vector:
        """The weights of the rows to learn from, of sum 1."""
        return np.asarray(self.samples.weights[self.chosen] / self.spec.total)

    def _exact(self, levels: Vector, intercepts: Vector) -> Vector:
        """Return residuals at the levels of one fit; they are kept for another question."""
        known, r = self.exact
        if known is None or not (np.array_equal(known[0], levels) and known[1] == intercepts[0]):
            r = self._residuals(levels, intercepts)[:, 0]
            self.exact = ((levels.copy(), float(intercepts[0])), r)
        return r

    def sweep(self, *plan: Any) -> _core.LaneOutcome:
        sweep: Any = _core.table_sweep if self.spec.width == 1 else _core.table_lane_sweep
        outcome: _core.LaneOutcome = sweep(*self._rows, *plan, self.n_threads)
        return outcome

    def one_pass(self, last: int, growth: Vector | None, following: int, n_cells: int) -> Vector:
        """Take the steps of one term, and sum the following one up; -1: there is none.

        ``growth`` is exp of the steps, fit by fit; what is returned is, for each fit, two sums
        for each of the following term's cells.
        """
        sums = np.empty(2 * self.spec.width * n_cells)
        run: Any = _core.table_pass if self.spec.width == 1 else _core.table_lane_pass
        steps = np.empty(0) if growth is None else growth
        run(*self._rows, last, steps, following, sums, self.n_threads)
        return sums

    def loss_sum(self, fit: int) -> float:
        E = self.E.reshape(-1, self.spec.width)[self.chosen, fit].astype(np.float64)
        if self.c is None:
            return float(E.sum())
        return float(np.sum(self._c_of(self.chosen, fit) * log(1.0 + E)))

    def pair_sums(
        self,
        fit: int,
        total: float,
        columns: NDArray[np.int32],
        maps: NDArray[np.uint8],
        side: int,
    ) -> Vector:
        sums = np.empty((math.comb(len(columns), 2), side, side, 2))
        # Of very many rows some are enough: they are in order of class, fold and content.
        some = slice(None, None, max(1, len(self.trained) // MOST_RANKED))
        g, h = np.zeros(len(self.trained)), np.zeros(len(self.trained))
        g[some], h[some] = self.gradients(fit, total, some)
        _core.pair_sums(
            self.samples.table,
            columns,
            maps.reshape(-1),
            side,
            g,
            h,
            sums.reshape(-1),
            self.n_threads,
        )
        return sums

    def gradients(self, fit: int, total: float, rows: slice = slice(None)) -> tuple[Vector, Vector]:
        """Return gradient and curvature of rows' residuals in a fit; 0 for validation rows."""
        E = self.E.reshape(-1, self.spec.width)[rows, fit]
        y = np.where(self.is_positive[self.samples.labels[rows], fit] != 0, 1.0, -1.0)
        if self.c is None:
            w = np.where(self.trained[rows], E / total, 0.0)
            return y * w, w
        share = 1.0 / (1.0 + E.astype(np.float64))
        w = np.where(self.trained[rows], self._c_of(rows, fit) * (E * share), 0.0)
        return y * w, w * share

    def _c_of(self, rows: Any, fit: int) -> Vector:
        assert self.c is not None
        if len(self.c) == 1:
            return self.c
        has_own = len(self.c) > len(self.samples.labels)
        return np.asarray((self.c[fit :: self.spec.width] if has_own else self.c)[rows])
