"""The AdaBoost problem: where data, labels and sign meet, once.

    F(lam) = log( sum_j c_j exp((A lam)_j) ),      A_ji = y_j M_ji,

with c the sample weights scaled to sum 1. ``Problem`` checks its input, lays A out in columns for
the compiled core, and offers what every method is built from: residuals, row weights, gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .base.arrays import Vector
from .base.messages import shown
from .base.threads import resolve_threads, useful_threads
from .design.matrix import build_matrix, random_places
from .design.wide import expanded, is_wide, without_unused_features
from .losses import LOSSES, Weights
from .rows import LocalRows, Rows
from .validation import (
    as_csr,
    check_choice,
    check_labels,
    check_real,
    check_vector,
    check_weights,
)

__all__ = ["Problem"]

LARGEST = float(np.finfo(np.float64).max)


class Problem:
    """One AdaBoost (or logistic) problem, ready to be solved by any method.

    Parameters
    ----------
    X : sparse matrix, sparse array, Store or 2-D array-like of shape (n_samples, n_features)
        The features (weak hypotheses). scipy CSR is the cheapest to read. Explicit zeros are
        dropped, duplicates summed; X itself is never changed and not kept.
    y : array-like of shape (n_samples,)
        Labels with exactly two distinct values; the larger one is the positive class.
    sample_weight : array-like of shape (n_samples,), optional
        Nonnegative weights. A row of weight 0 counts as absent.
    loss : {"exponential", "logistic"}
        Exponential is AdaBoost.
    fit_intercept : bool
        Adds a constant column, never penalised nor bounded. It counts in ``omega``.
    n_threads : int, optional
        Threads for building, ``value`` and ``gradient``; None means every core this process may
        use. Results do not depend on it.

    Attributes
    ----------
    n_samples, n_features, nnz : int
        Shape and number of nonzeros of X, as given (``nnz`` after duplicates and zeros).
    omega : int
        Largest number of nonzeros in a row of A.
    lipschitz : ndarray of shape (n_features,)
        L_i = max_j A_ji^2.
    classes : ndarray of shape (2,)
        The negative and the positive label.
    """

    is_spread = False  # whether the rows are on other machines
    # Bundles of columns start so small that a row meets this many of them on average.
    first_overlap = 0.3
    # The features that have a column in the core, where most occur in no row; None: all have one.
    used: NDArray[np.intp] | None = None
    _known_classes: NDArray[Any] | None = None

    @classmethod
    def of_part(
        cls, X: Any, y: ArrayLike, *args: Any, classes: NDArray[Any], **options: Any
    ) -> Problem:
        """Build one part of a larger problem: its classes are known, one may be missing here."""
        part = cls.__new__(cls)
        part._known_classes = classes
        part.__init__(X, y, *args, **options)  # type: ignore[misc]
        return part

    @classmethod
    def of_matrix(
        cls,
        matrix: _core.Matrix,
        place: NDArray[np.int32],
        weights: Vector,
        *,
        loss: str,
        fit_intercept: bool,
        n_threads: int,
    ) -> Problem:
        """Make the problem of a matrix that is there: its classes are 0 and 1, no weight is 0."""
        problem = cls.__new__(cls)
        problem._choose(loss, fit_intercept)
        problem.n_threads = n_threads
        problem.n_samples, problem.n_features = len(weights), len(place)
        problem.classes = np.arange(2)
        problem._take(matrix, place, weights)
        return problem

    def __init__(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        loss: str = "exponential",
        fit_intercept: bool = False,
        n_threads: int | None = None,
    ) -> None:
        self._choose(loss, fit_intercept)
        self.n_threads = resolve_threads(n_threads)
        arrays = as_csr(X)
        self.n_samples, self.n_features = arrays.shape
        positive, self.classes = check_labels(y, self.n_samples, self._known_classes)
        weights = check_weights(sample_weight, self.n_samples)
        present = weights > 0
        if not present.all():
            arrays, positive, weights = arrays.select(present), positive[present], weights[present]
            if self._known_classes is None and (positive.all() or not positive.any()):
                raise ValueError("sample_weight leaves one class only: two are needed")
        # Parts must agree on their columns: those of a wide problem come without the unused ones.
        if self._known_classes is None and is_wide(self.n_features, arrays.nnz):
            arrays, self.used = without_unused_features(arrays)
        place = random_places(arrays.shape[1])
        matrix = build_matrix(arrays, positive, place, self.fit_intercept, self.n_threads)
        self._take(matrix, place, weights)

    def _choose(self, loss: str, fit_intercept: bool) -> None:
        check_choice(loss, "loss", LOSSES)
        if not isinstance(fit_intercept, bool | np.bool_):
            raise TypeError(f"fit_intercept must be True or False, got {shown(fit_intercept)}")
        self.loss, self.fit_intercept = loss, bool(fit_intercept)

    def _take(self, matrix: _core.Matrix, place: NDArray[np.int32], weights: Vector) -> None:
        self.matrix, self.place = matrix, place
        self._all_columns = np.arange(matrix.n, dtype=np.int32)
        ordered = weights[matrix.row_order] / weights.max()
        self.c: Vector = ordered / ordered.sum()
        self._c_total = float(self.c.sum())
        self.least_weight = float(self.c.min())
        self.has_equal_weights = bool(np.all(weights == weights[0]))

    @property
    def n_coordinates(self) -> int:
        """Number of columns of A: the features, and the intercept where there is one."""
        return self.matrix.n

    @property
    def nnz(self) -> int:
        """Number of nonzeros of X that count."""
        return self.matrix.nnz - (self.matrix.m if self.fit_intercept else 0)

    @property
    def omega(self) -> int:
        """Largest number of nonzeros in a row of A."""
        return self.matrix.omega

    @property
    def lipschitz(self) -> Vector:
        """L_i = max_j A_ji^2, one per feature."""
        return self.features(np.square(self.matrix.scale))

    def value(self, lam: ArrayLike, intercept: float = 0.0) -> float:
        """F at lam. Safe from overflow at any finite lam whose A lam is finite."""
        return self.weigh(self.residuals(self.coordinates(lam, intercept))).value

    def gradient(self, lam: ArrayLike, intercept: float = 0.0) -> Vector:
        """Gradient of F at lam; with an intercept, its entry comes last."""
        slope = self.slope(self.weigh(self.residuals(self.coordinates(lam, intercept))))
        return np.append(self.features(slope), slope[len(self.place) :])

    # What the solvers are built from. Vectors over rows and over coordinates are in the core's
    # order; coordinates() and features() are the way there and back.

    def coordinates(self, lam: ArrayLike, intercept: float = 0.0) -> Vector:
        """Check lam and put it in the core's order, the intercept, where there is one, last."""
        given = check_vector(lam, self.n_features, "lam")
        vector = np.empty(len(self.place))
        vector[self.place] = given if self.used is None else given[self.used]
        number = check_real(intercept, "intercept", least=-LARGEST, most=LARGEST)
        if not self.fit_intercept:
            if number != 0.0:
                raise ValueError(
                    "intercept must be 0: the problem was built with fit_intercept=False"
                )
            return vector
        return np.append(vector, number)

    def features(self, coordinates: Vector) -> Vector:
        """Return the entries of the features, in the order of X; 0 for those in no row."""
        return expanded(coordinates[self.place], self.used, self.n_features)

    def split(self, coordinates: Vector, rest: Vector | None = None) -> tuple[Vector, float]:
        """Return lam in the order of X, and the intercept (0 where there is none).

        ``rest`` has the entries of features that have no coordinate; None: 0.
        """
        last = coordinates[len(self.place) :]
        lam = expanded(coordinates[self.place], self.used, self.n_features, rest)
        return lam, float(last[0]) if len(last) else 0.0

    def residuals(self, lam: Vector, n_threads: int | None = None) -> Vector:
        """R = A lam."""
        r = np.zeros(self.matrix.m)
        if lam.any():
            self.add_columns(lam, r, n_threads)
        return r

    def largest_residual(self, lam: Vector) -> float:
        """Return the largest entry of A lam: minus the least margin."""
        return float(self.residuals(lam).max())

    def column_counts(self) -> NDArray[np.int64]:
        """Return the number of nonzeros of every column of A."""
        counts = np.empty(self.matrix.n, dtype=np.int64)
        self.matrix.column_counts(counts)
        return counts

    def rows(self, n_threads: int) -> Rows:
        """Return the rows, on which kernels run and which they change."""
        return LocalRows(self, n_threads)

    def add_columns(self, d: Vector, r: Vector, n_threads: int | None = None) -> None:
        """R += A d, in place."""
        _core.add_all(self.matrix, d, r, self._useful(n_threads))

    def weigh(self, r: Vector) -> Weights:
        """Value and row weights of the loss at residuals r."""
        with np.errstate(under="ignore"):
            return LOSSES[self.loss](r, self.c, self._c_total)

    def signed_sums(
        self,
        w: Vector,
        n_threads: int | None = None,
        columns: NDArray[np.int32] | None = None,
    ) -> tuple[Vector, Vector]:
        """Sum w_j |A_ji| over the rows where A_ji < 0, and where A_ji > 0, for these columns i."""
        chosen = self._all_columns if columns is None else columns
        neg, pos = np.empty(len(chosen)), np.empty(len(chosen))
        _core.gather_columns(self.matrix, w, chosen, neg, pos, self._useful(n_threads))
        return neg, pos

    def slope(self, weights: Weights, n_threads: int | None = None) -> Vector:
        """Gradient of F from row weights: A^T w / total."""
        neg, pos = self.signed_sums(weights.w, n_threads)
        return (pos - neg) / weights.total

    def _useful(self, n_threads: int | None) -> int:
        return useful_threads(n_threads or self.n_threads, self.matrix.nnz)

    def __repr__(self) -> str:
        return (
            f"Problem({self.n_samples:,} samples, {self.n_features:,} features, "
            f"{self.nnz:,} nonzeros, omega={self.omega:,}, loss={self.loss!r})"
        )
