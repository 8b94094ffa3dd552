"""The AdaBoost problem: where data, labels and sign meet, once.

    F(lam) = log( sum_j c_j exp((A lam)_j) ),      A_ji = y_j M_ji,

with c the sample weights scaled to sum 1. A problem describes; whatever has one entry per row is
computed behind its ``rows`` (rows.py), on this machine or elsewhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .base.arrays import Vector
from .base.messages import shown
from .base.threads import resolve_threads
from .losses import LOSSES
from .rows import LocalRows, Rows, WeightedRows
from .sparse.design import Design, SparseDesign, is_wide, without_unused_features
from .validation import as_csr, check_choice, check_labels, check_weights

__all__ = ["BaseProblem", "Problem", "SparseProblem"]


class BaseProblem(ABC):
    """What a problem is, wherever its rows are. Attributes are those of :class:`Problem`."""

    design: Design
    n_samples: int
    classes: NDArray[Any]
    least_weight: float  # of a sample; all sum to 1
    # What runs a method on problems of this kind, by its name; by default the method itself.
    solvers: ClassVar[dict[str, Callable[[Any], Any]]] = {}
    kept: NDArray[np.intp] | None = None  # the samples that have a weight; None: all

    def __init__(self, loss: str, fit_intercept: bool) -> None:
        check_choice(loss, "loss", LOSSES)
        if not isinstance(fit_intercept, bool | np.bool_):
            raise TypeError(f"fit_intercept must be True or False, got {shown(fit_intercept)}")
        self.loss, self.fit_intercept = loss, bool(fit_intercept)
        self.loss_function = LOSSES[loss]

    @abstractmethod
    def rows(self, n_threads: int | None = None) -> WeightedRows:
        """Return the rows, on which kernels run and which they change."""

    @property
    @abstractmethod
    def nnz(self) -> int:
        """Number of nonzeros of X that count."""

    @property
    @abstractmethod
    def omega(self) -> int:
        """Largest number of nonzeros in a row of A."""

    @property
    def n_features(self) -> int:
        """Number of features of X."""
        return self.design.n_features

    @property
    def n_coordinates(self) -> int:
        """Number of columns of A: the features, and the intercept where there is one."""
        return self.design.n_coordinates

    @property
    def lipschitz(self) -> Vector:
        """L_i = max_j A_ji^2, one per feature."""
        return self.design.features(np.square(self.design.scale))

    def value(self, lam: ArrayLike, intercept: float = 0.0) -> float:
        """F at lam. Safe from overflow at any finite lam whose A lam is finite."""
        return self.rows().point(self.design.coordinates(lam, intercept)).value

    def gradient(self, lam: ArrayLike, intercept: float = 0.0) -> Vector:
        """Gradient of F at lam; with an intercept, its entry comes last."""
        slope = self.rows().point(self.design.coordinates(lam, intercept)).gradient()
        return np.append(self.design.features(slope), slope[len(self.design.place) :])

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.n_samples:,} samples, {self.n_features:,} features, "
            f"{self.nnz:,} nonzeros, omega={self.omega:,}, loss={self.loss!r})"
        )


class SparseProblem(BaseProblem):
    """A problem whose weak hypotheses are the columns of a sparse matrix."""

    design: SparseDesign

    @abstractmethod
    def rows(self, n_threads: int | None = None) -> Rows:
        """Return the rows, on which kernels run and which they change."""

    @abstractmethod
    def column_counts(self) -> NDArray[np.int64]:
        """Return the number of nonzeros of every column of A."""

    @property
    def matrix(self) -> _core.Matrix:
        """A in the core."""
        return self.design.matrix

    @property
    def nnz(self) -> int:
        """Number of nonzeros of X that count."""
        return self.matrix.nnz - (self.matrix.m if self.fit_intercept else 0)

    @property
    def omega(self) -> int:
        """Largest number of nonzeros in a row of A."""
        return self.matrix.omega


class Problem(SparseProblem):
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

    Examples
    --------
    >>> import tauboost as tb
    >>> problem = tb.Problem([[1, 0], [1, 1], [0, 1]], ["ham", "spam", "spam"])
    >>> problem
    Problem(3 samples, 2 features, 4 nonzeros, omega=2, loss='exponential')
    >>> problem.value([0, 0]), problem.gradient([0, 0]).round(2).tolist()
    (0.0, [0.0, 0.67])
    """

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
    def of_design(
        cls, design: SparseDesign, weights: Vector, *, loss: str, n_threads: int
    ) -> Problem:
        """Make the problem of a design that is there: its classes are 0 and 1, no weight is 0."""
        problem = cls.__new__(cls)
        BaseProblem.__init__(problem, loss, design.fit_intercept)
        problem.n_threads = n_threads
        problem.n_samples = len(weights)
        problem.classes = np.arange(2)
        problem._take(design, weights)
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
        super().__init__(loss, fit_intercept)
        self.n_threads = resolve_threads(n_threads)
        arrays, used = as_csr(X), None
        self.n_samples, n_features = arrays.shape
        positive, self.classes = check_labels(y, self.n_samples, self._known_classes)
        weights = check_weights(sample_weight, self.n_samples)
        present = weights > 0
        if not present.all():
            self.kept = np.flatnonzero(present)
            arrays, positive, weights = arrays.select(present), positive[present], weights[present]
            if self._known_classes is None and (positive.all() or not positive.any()):
                raise ValueError("sample_weight leaves one class only: two are needed")
        # Parts must agree on their columns: those of a wide problem come without the unused ones.
        if self._known_classes is None and is_wide(n_features, arrays.nnz):
            arrays, used = without_unused_features(arrays)
        design = SparseDesign.build(
            arrays, positive, self.fit_intercept, self.n_threads, used=used, n_features=n_features
        )
        self._take(design, weights)

    def _take(self, design: SparseDesign, weights: Vector) -> None:
        self.design = design
        ordered = weights[design.row_order] / weights.max()
        self.c: Vector = ordered / ordered.sum()
        self.least_weight = float(self.c.min())
        self.has_equal_weights = bool(np.all(weights == weights[0]))

    def column_counts(self) -> NDArray[np.int64]:
        """Return the number of nonzeros of every column of A."""
        return self.design.column_counts()

    def rows(self, n_threads: int | None = None) -> LocalRows:
        """Return the rows, on which kernels run and which they change."""
        return LocalRows(
            self.matrix,
            self.loss_function,
            self.c,
            n_threads or self.n_threads,
            has_equal_weights=self.has_equal_weights,
        )
