"""Training data as the estimators use them, and their hold-out split.

Features that no sample has are left out of the work. The hold-out split is decided by
search/folds.py: it follows from their content, and neither their order nor a seed has a say.
`merged` makes one sample of equal ones, so that a sample of weight 2 is that sample twice for every
step of a fit, which counts rows and nonzeros.

Columns are scaled (sparse/scaling.py), so that multiplying them by constants changes
neither the fit nor the hold-out split. Only where a column's scale is meant, as that of a term of
texts is, they stay in the units in which they are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Mask, Vector, cached_property
from ..base.version import VERSION
from ..io.checkpoint import checksum
from ..losses import LOSSES
from ..penalty import Factors
from ..problem import Problem
from ..search.duplicates import fingerprints, with_all_the_weight
from ..search.folds import Split, copies_a_weight, deal, given_folds, held_out_parts
from ..validation import ROWS_AT_ONCE, CsrArrays
from .decisions import decision_values
from .design import (
    NONZEROS_A_SHARD,
    SparseDesign,
    all_coefficients,
    coefficients_of,
    decisions,
    flipped,
    without_unused_features,
)
from .scaling import Units

__all__ = ["Samples", "best_intercept", "intercepts_at_best", "largest_gradient", "unit_of_l2"]


# Where there are more, features that no sample has are left out: a batch has many entries for each.
FEATURES_FOR_AN_ENTRY = 2


@dataclass(frozen=True)
class Samples:
    """Checked rows with the numbers of their classes (0, 1, ...) and positive weights."""

    arrays: CsrArrays
    codes: NDArray[np.intp]
    n_classes: int
    weights: Vector
    fit_intercept: bool
    seed: int
    n_threads: int
    used: NDArray[np.intp] | None = None  # the features that are kept; None: all
    n_given: int = 0  # samples of positive weight, before equal ones were merged
    units: Units | None = None  # of the features that are kept; None: as given
    groups: NDArray[np.uint64] | None = None  # keys of the groups that stay together
    copies_a_weight: Vector | None = None  # of each class; None: 1
    is_weighted: bool = False  # whether samples were given weights that differ
    penalty_factors: Vector | str | None = None  # of all features; "auto": AdaBoost's first step

    @classmethod
    def build(
        cls,
        arrays: CsrArrays,
        codes: NDArray[np.intp],
        n_classes: int,
        weights: Vector,
        *,
        fit_intercept: bool,
        seed: int,
        n_threads: int,
        units: Units | Literal["own"] | None = "own",
        groups: NDArray[np.uint64] | None = None,
        sample_weight: Vector | None = None,
        penalty_factors: Vector | str | None = None,
    ) -> Samples:
        """Leave out samples of weight 0, and features that are never used if these are many.

        ``units`` are those of the columns: their own, those of more rows than these, or None, for
        columns that are meant as they are given. ``sample_weight`` has the weights without those of
        the classes, if there are any.
        """
        given = weights if sample_weight is None else sample_weight
        ratios = copies_a_weight(given, weights, codes, n_classes)
        present = weights > 0
        if not present.all():
            arrays, codes, weights = arrays.select(present), codes[present], weights[present]
            groups = None if groups is None else groups[present]
        arrays, used = without_unused_features(arrays, FEATURES_FOR_AN_ENTRY)
        if isinstance(units, str):
            units = Units.of(arrays, weights, fit_intercept, n_threads)
        elif units is not None and used is not None:
            units = units.select(used)
        return cls(
            arrays,
            codes,
            n_classes,
            weights,
            fit_intercept,
            seed,
            n_threads,
            used,
            len(codes),
            units,
            groups,
            ratios,
            is_weighted=bool(np.ptp(given) > 0),
            penalty_factors=penalty_factors,
        )

    def merged(self) -> Samples:
        """Return these samples with equal ones as one, of all their weight; self if none are equal.

        How a sweep is cut and when a Newton step is due follow from counts of rows and nonzeros:
        copies would take another path to the optimum than weights, and stop elsewhere.
        """
        prints = self.exact_prints if self.groups is None else self.exact_prints + self.groups
        keep, weights = with_all_the_weight(self.arrays, self.codes, prints, self.weights)
        if keep.all():
            return self
        arrays, used = without_unused_features(self.arrays.select(keep), FEATURES_FOR_AN_ENTRY)
        units = self.units if used is None or self.units is None else self.units.select(used)
        if used is not None and self.used is not None:
            used = self.used[used]
        fewer = replace(
            self,
            arrays=arrays,
            codes=self.codes[keep],
            weights=weights[keep],
            used=self.used if used is None else used,
            units=units,
            groups=None if self.groups is None else self.groups[keep],
        )
        # The numbers of features are those the fingerprints were made of.
        if used is None and self.units is None:
            fewer.__dict__["fingerprints"] = self.fingerprints[keep]
        return fewer

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.codes)

    @property
    def is_binary(self) -> bool:
        """Whether one column of coefficients tells the classes apart."""
        return self.n_classes == 2

    @property
    def n_tasks(self) -> int:
        """Number of two-class problems: one for two classes, else one for each."""
        return 1 if self.is_binary else self.n_classes

    @cached_property
    def design(self) -> SparseDesign:
        """The kept features in the core: the one matrix that all problems share.

        With two classes its signs are those of the labels. With more, no labels are in it, and the
        batches carry them.
        """
        positive = self.codes == 1 if self.is_binary else np.ones(self.n, dtype=bool)
        return SparseDesign.build(
            self.arrays,
            positive,
            self.fit_intercept,
            self.n_threads,
            nonzeros_a_shard=NONZEROS_A_SHARD // 2,  # a batch has more to do with each
            units=self.units,
        )

    @property
    def matrix(self) -> _core.Matrix:
        """That matrix."""
        return self.design.matrix

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The sample behind each row of the core."""
        return self.design.row_order

    def problem(self, loss: str) -> Problem:
        """Return the problem of two classes, around the existing matrix."""
        return Problem.of_design(self.design, self.weights, loss=loss, n_threads=self.n_threads)

    def is_positive(self, task: int, codes: NDArray[np.intp]) -> Mask:
        """Return which samples, by the numbers of their classes, are positive in a task."""
        return np.asarray(codes == (1 if self.is_binary else task))

    def opposite(self, tasks: list[int]) -> Mask | None:
        """Where, in the core's order, the label of a task is not the matrix's."""
        if self.is_binary:
            return None
        return np.asarray(self.codes[self.order][:, None] != np.array(tasks)[None, :])

    def keep(self, coef: Any) -> Vector:
        """Return the coefficients of the features that are kept, (tasks, features)."""
        return coefficients_of(coef, np.arange(coef.shape[1]) if self.used is None else self.used)

    def expand(self, coef: Vector, n_features: int) -> Any:
        """Return coefficients of all features; those never used have none."""
        return all_coefficients(coef, self.used, n_features)

    @cached_property
    def fingerprints(self) -> NDArray[np.uint64]:
        """A number for each sample that equal samples share."""
        rulers = None if self.units is None else self.units.ranges.rulers()
        return fingerprints(self.arrays, 0, self.n_threads, rulers)

    @cached_property
    def exact_prints(self) -> NDArray[np.uint64]:
        """The same without units, in which samples are equal that are only nearly so."""
        if self.units is None:
            return self.fingerprints
        return fingerprints(self.arrays, 0, self.n_threads)

    def identity(self) -> dict[str, Any]:
        """Return what tells these samples from others, without reading every entry."""
        content = (self.arrays.row_ends(), self.codes, self.weights)
        factors = self.penalty_factors
        factors = checksum(factors) if isinstance(factors, np.ndarray) else factors
        return {
            "samples": self.n_given,
            "features": self.arrays.shape[1],
            "nonzeros": self.arrays.nnz,
            "classes": self.n_classes,
            "rows, labels and weights": checksum(*content),
            "fit_intercept": self.fit_intercept,
            "units": "as given" if self.units is None else "own",
            "groups": None if self.groups is None else checksum(self.groups),
            "penalty_factors": factors,
            "seed": self.seed,
            "version": VERSION,
        }

    @cached_property
    def copies(self) -> Vector:
        """How many rows each sample stands for."""
        if self.copies_a_weight is None:
            return self.weights
        return np.asarray(self.weights * self.copies_a_weight[self.codes])

    def split(self, shares: Sequence[float]) -> Split:
        """Deal the samples to folds of these shares."""
        key = tuple(shares)
        if key not in self._splits:
            by_copy = self.groups is None
            keys = self.fingerprints if self.groups is None else self.groups
            self._splits[key] = deal(keys, self.codes, self.copies, shares, by_copy=by_copy)
        return self._splits[key]

    @cached_property
    def known_factors(self) -> list[Factors | None]:
        """The penalty factors of each task, once they have been measured on all samples."""
        return []

    @cached_property
    def _splits(self) -> dict[tuple[float, ...], Split]:
        return {}

    @property
    def repeated(self) -> float:
        """The share of samples that may be copies of others or not; 0 before they are split.

        They have the same label, and neither groups nor weights say what they are.
        """
        known = list(self._splits.values())
        is_open = self.groups is None and not self.is_weighted
        return known[0].repeated if known and is_open else 0.0

    def held_out_parts(self, fraction: float, most: int | None = None) -> list[Vector]:
        """Choose parts of about this fraction: the share of each sample in the validation set."""
        return held_out_parts(self.split, self.codes, self.copies, fraction, most)

    def folds(
        self,
        cv: Any,
        given: tuple[Any, NDArray[Any], NDArray[Any] | None],
        present: Mask,
    ) -> list[tuple[Vector, Vector]]:
        """Return the folds of a cross-validation (`given_folds`)."""
        return given_folds(cv, self.split, self.codes, self.copies, given, present)

    @cached_property
    def mean_row(self) -> float:
        """Features of a sample on average, by weight."""
        lengths = np.diff(self.arrays.row_ends())
        return mean(lengths, self.weights) + self.fit_intercept

    @cached_property
    def mean_square(self) -> float:
        """Mean squared length of a sample, by weight."""
        if self.units is not None:
            return float(self.squares().sum())
        with self.arrays.reading():
            lengths = sum(squared_lengths(part, self.n_threads) for part in self.arrays.parts)
        return mean(lengths, self.weights)

    @property
    def unit_of_l2(self) -> float:
        """The scale of an l2 penalty: the mean squared length of a sample over their number."""
        return self.mean_square / float(self.copies.sum())

    def squares(self) -> Vector:
        """Mean square of each column of the core, by weight."""
        c = self.weights[self.order] / self.weights.sum()
        columns = np.arange(self.design.n_penalised, dtype=np.int32)
        neg, pos, squares = (np.empty(len(columns)) for _ in range(3))
        _core.gather_columns(self.matrix, c, columns, neg, pos, self.n_threads, squares)
        return squares

    def without(self, held: Vector) -> Samples:
        """Return the same samples without some, or a share of them, for a separate fit."""
        keep = held < 1.0
        return replace(
            self,
            arrays=self.arrays.select(keep),
            codes=self.codes[keep],
            weights=(self.weights * (1.0 - held))[keep],
            groups=None if self.groups is None else self.groups[keep],
        )


def mean(values: Any, weights: Vector) -> float:
    """Mean by weight. Not a dot product: waking the threads of BLAS costs more than the sum."""
    return float(np.sum(values * weights) / weights.sum())


def squared_lengths(arrays: CsrArrays, n_threads: int) -> Vector:
    """Squared length of each row."""
    if arrays.scale is not None:
        ones = np.ones((1, arrays.shape[1]))
        squared = replace(arrays, scale=arrays.scale**2)
        return np.asarray(decision_values(squared, ones, np.zeros(1), n_threads)[:, 0])
    counts = np.diff(arrays.indptr)
    if arrays.data is None:
        return counts.astype(np.float64)
    lengths = np.zeros(len(counts))
    for start in range(0, len(counts), ROWS_AT_ONCE):
        ends = arrays.indptr[start : start + ROWS_AT_ONCE + 1]
        squares = np.square(arrays.data[ends[0] : ends[-1]])
        begins = ends[:-1] - ends[0]
        inner = begins < len(squares)  # rows behind the last entry are empty
        lengths[start : start + len(ends) - 1][inner] = np.add.reduceat(squares, begins[inner])
    lengths[counts == 0] = 0.0
    return lengths


# The scales of alpha: that of an l2 penalty, and from where on an l1 penalty leaves nothing.


def unit_of_l2(samples: Samples, factors: list[Factors | None]) -> float:
    """Return the mean squared length of a sample over their number, columns by their factors."""
    of_tasks = [None if own is None else own[1] for own in factors]
    if all(own is None for own in of_tasks):
        return samples.unit_of_l2
    squares = samples.squares()
    return float(np.mean([over(squares, own).sum() for own in of_tasks]) / samples.copies.sum())


def over(values: Vector, factors: Vector | None) -> Vector:
    """Return values over factors, and 0 for columns that have no penalty."""
    if factors is None:
        return values
    return np.divide(values, factors, out=np.zeros_like(values), where=factors > 0)


def largest_gradient(samples: Samples, loss: str, factors: list[Factors | None]) -> float:
    """Return the largest gradient of a feature at 0 over its factor, the intercept at its best.

    An l1 penalty from there on leaves every coefficient 0.
    """
    order = samples.order
    c = samples.weights[order] / samples.weights.sum()
    codes = samples.codes[order]
    columns = np.arange(samples.design.n_penalised, dtype=np.int32)
    neg, pos = np.empty(len(columns)), np.empty(len(columns))
    largest = 0.0
    for task, own in enumerate(factors):
        is_positive = samples.is_positive(task, codes)
        r = np.zeros(samples.n)
        if samples.fit_intercept:
            intercept = best_intercept(loss, float(c @ is_positive))
            r = decisions(np.full(samples.n, intercept), is_positive)
        weights = LOSSES[loss].weigh(r, c, 1.0)
        w = weights.w / weights.total
        if not samples.is_binary:
            w = np.where(is_positive, w, -w)
        _core.gather_columns(samples.matrix, w, columns, neg, pos, samples.n_threads)
        slopes = over(np.abs(pos - neg), None if own is None else own[0])
        largest = max(largest, float(slopes.max(initial=0.0)))
    return largest


def intercepts_at_best(samples: Samples, loss: str, shares: list[float]) -> Vector | None:
    """Return a point for each of some fits, (n, fits); None: 0, as there is no intercept.

    Coefficients are 0, and the intercepts are best where these shares of the weight are positive:
    where psi is strong, nothing else moves.
    """
    if not samples.fit_intercept:
        return None
    start = np.zeros((samples.matrix.n, len(shares)))
    start[-1] = flipped(np.array([best_intercept(loss, share) for share in shares]))
    return start


def best_intercept(loss: str, share: float) -> float:
    """Return the intercept that is best by itself where this share of the weight is positive."""
    return float(np.log(share / (1.0 - share)) / LOSSES[loss].link_slope)
