"""The AdaBoost problem over every threshold of every column of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.arrays import Vector
from ..base.threads import resolve_threads, useful_threads
from ..problem import BaseProblem, Problem
from ..rows import Columns, LocalWeights
from ..validation import check_labels, check_weights
from ..validation.frames import take_frame
from .binning import bin_table
from .columns import Planes, split_planes
from .design import TableDesign
from .exact import CELLS_FOR_A_NONZERO, BlockExact
from .greedy import TableGreedy
from .training import TableTraining

__all__ = ["TableProblem"]


class TableProblem(BaseProblem):
    """AdaBoost over decision stumps: one convex problem, which is never written out.

    A numeric column with B bins has B - 1 stumps, +1 above a threshold and -1 below it (0 where the
    value is missing), and one for missing values; a category column has one for each category. The
    intercept is free. ``solve`` takes the methods "exact", which minimises over all stumps of a
    column at once, and "greedy", textbook AdaBoost. psi is the elastic net over all stumps: of a
    numeric column its l1 part is half the total variation of the step function. Bounds may only be
    signs: with ``(None, 0)`` no decision value falls as a column rises.

    Parameters
    ----------
    table : DataFrame (pandas, polars), pyarrow Table, dict of columns, or 2-D array
        Numbers, booleans, strings and categories; missing values are a bin of their own.
    y : array-like of shape (n_samples,)
        Labels with exactly two distinct values; the larger one is the positive class.
    sample_weight : array-like of shape (n_samples,), optional
        Nonnegative weights. A row of weight 0 counts as absent.
    loss : {"exponential", "logistic"}
        Exponential is AdaBoost.
    max_bins : int
        The most bins of a column, at most 255. A column with no more different values has a bin for
        each; else bins hold about equal weight, and frequent values one of their own. Categories
        are limited by less than 255 only.
    categorical : "auto" or list of names or positions
        Columns of numbers that are categories. Strings and categories always are, and "auto" adds
        none.
    n_threads : int, optional
        Threads for building, ``value`` and ``gradient``. Results do not depend on it.

    Attributes
    ----------
    columns : tuple
        What was made of each column: its edges or categories.
    n_samples, n_features, nnz, omega, lipschitz, classes
        As :class:`Problem`; the features are the stumps, in the order of the columns.

    Examples
    --------
    >>> import numpy as np, tauboost as tb
    >>> age = np.arange(20, 60)
    >>> problem = tb.TableProblem(age[:, None], age > 35)
    >>> int(tb.solve(problem, "greedy", max_epochs=1).lam.argmin())
    15
    """

    design: TableDesign
    solvers: ClassVar[dict[str, Callable[[Any], Any]]] = {
        "exact": BlockExact.of,
        "greedy": TableGreedy,
    }

    def __init__(
        self,
        table: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        loss: str = "exponential",
        max_bins: int = 255,
        categorical: Any = "auto",
        n_threads: int | None = None,
    ) -> None:
        super().__init__(loss, fit_intercept=True)
        self.n_threads = resolve_threads(n_threads)
        frame = take_frame(table)
        self.n_samples = frame.n_rows
        positive, self.classes = check_labels(y, self.n_samples)
        weights = check_weights(sample_weight, self.n_samples)
        present = weights > 0
        if positive[present].all() or not positive[present].any():
            raise ValueError("sample_weight leaves one class only: two are needed")
        self.columns, planes = bin_table(frame, weights, max_bins, categorical, self.n_threads)
        if not present.all():
            self.kept = np.flatnonzero(present)
            planes, positive, weights = planes[:, present], positive[present], weights[present]
        order = np.argsort(positive, kind="stable")  # the core's: by class
        ordered = weights[order] / weights.max()
        self.c: Vector = ordered / ordered.sum()
        self.y: Vector = np.where(positive[order], 1.0, -1.0)
        self.samples = TableTraining(
            self.columns,
            np.ascontiguousarray(planes[:, order]),
            positive[order].astype(np.uint8),
            np.zeros(len(order), dtype=np.uint8),
            self.c,
            n_classes=2,
            n_threads=self.n_threads,
        )
        self.design = replace(self.samples.design, row_order=order)
        self.least_weight = float(self.c.min())
        self._codes, self._weights, self._positive = planes, weights, positive

    @property
    def codes(self) -> Planes:
        """The bin of each sample that has a weight, a row for each column of the table.

        Behind them stand the low and the high bytes of columns of more than 254 categories.
        """
        return self._codes

    @property
    def nnz(self) -> int:
        """Number of nonzeros that the written-out matrix has."""
        design, counts = self.design, self._level_counts()
        thresholds = np.add.reduceat(design.is_threshold.astype(np.int64), design.starts[:-1])
        ordered = np.add.reduceat(np.where(design.is_ordered, counts, 0), design.starts[:-1])
        return int((thresholds * ordered).sum() + counts[~design.is_ordered].sum())

    @property
    def omega(self) -> int:
        """Largest number of stumps that say something of one row, the intercept included."""
        design = self.design
        thresholds = np.add.reduceat(design.is_threshold.astype(np.int64), design.starts[:-1])
        found = np.zeros(len(self._weights), dtype=np.int64)
        for k, column in enumerate(design.columns):
            found += np.where(self._codes[k] < column.n_ordered, thresholds[k], 1)
        return int(found.max()) + 1

    def _level_counts(self) -> NDArray[np.intp]:
        return np.concatenate(
            [
                np.bincount(codes, minlength=column.n_bins)
                for codes, column in zip(
                    split_planes(self.columns, self._codes), self.columns, strict=True
                )
            ]
        )

    def rows(self, n_threads: int | None = None) -> StumpRows:
        """Return the rows, by the weights of the stumps."""
        return StumpRows(self, n_threads or self.n_threads)

    def explicit(self) -> Problem:
        """Return the same problem with all of its stumps written out, for tests and curiosity.

        Rows of weight 0 are left out. Takes 12 bytes for each of ``nnz`` entries.
        """
        return Problem(
            self.design.explicit(self._codes),
            self._positive,
            self._weights,
            loss=self.loss,
            fit_intercept=True,
            n_threads=self.n_threads,
        )


class StumpRows(LocalWeights):
    """The rows of a problem as sums over stumps; the weights that sweeps change are elsewhere."""

    def __init__(self, problem: TableProblem, n_threads: int) -> None:
        samples = problem.samples
        super().__init__(
            problem.loss_function, problem.c, has_equal_weights=samples.has_equal_weights
        )
        self.samples, self.design, self.y = samples, problem.design, problem.y
        self.n_threads = useful_threads(n_threads, samples.codes.size // CELLS_FOR_A_NONZERO)

    def add_columns(self, d: Vector, r: Vector) -> None:
        r += self.y * self._values(self.design.levels(d), d[-1])

    def absolute_residuals(self, lam: Vector) -> Vector:
        """Return |A| |lam|: stumps are 1 or -1 wherever they say something."""
        return self._values(self.design.absolute_levels(lam), abs(lam[-1]))

    def _values(self, levels: Vector, intercept: float) -> Vector:
        samples, start = self.samples, np.array([intercept])
        return samples.values(samples.shards(None), levels[None], start, self.n_threads)[:, 0]

    def signed_sums(self, w: Vector, columns: Columns | None = None) -> tuple[Vector, Vector]:
        down, up = self.samples.histograms(w, self.n_threads)
        neg, pos = self.design.sums(up, down)
        return (neg, pos) if columns is None else (neg[columns], pos[columns])
