"""Decision stumps as weak hypotheses, and classical AdaBoost over all of them at once.

A stump says +1 where a feature lies above a threshold and -1 elsewhere, or the other way round.
With b the indicator of "above", h = 2 b - 1, so the edges of all stumps follow from one product
with a sparse 0/1 matrix of indicators (for thresholds below 0, those of "below").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ..base.arrays import Vector
from ..estimators.base import take_labelled, take_rows
from ..problem import Problem
from ..validation import CsrArrays, check_count, check_weights

__all__ = ["StumpClassifier", "StumpSearch", "Stumps", "boost", "rounds", "stump_values", "vote"]


# An edge of 1 would ask for an infinite weight.
LARGEST_EDGE = 1.0 - 1e-9
# Edges as near to each other are equal but for rounding: the first is taken.
TIE = 1e-10


@dataclass(frozen=True)
class Stumps:
    """Weak hypotheses with their weights: sign * (1 if x[feature] > threshold else -1).

    ``feature`` -1 is the constant ``sign``.
    """

    feature: NDArray[np.int64]
    threshold: Vector
    sign: Vector
    weight: Vector

    def by_weight(self) -> Stumps:
        """Return them with the largest weight first."""
        order = np.argsort(-self.weight, kind="stable")
        return Stumps(
            self.feature[order], self.threshold[order], self.sign[order], self.weight[order]
        )

    def followed_by(self, others: Stumps, scale: float) -> Stumps:
        """Return these and the others, whose weights are multiplied; those of weight 0 are out."""
        more = others if scale > 0 else Stumps(*(column[:0] for column in vars(others).values()))
        pairs = zip(vars(self).values(), vars(more).values(), strict=True)
        feature, threshold, sign, weight = (np.concatenate(pair) for pair in pairs)
        weight[len(self) :] *= scale
        return Stumps(feature, threshold, sign, weight)

    def __len__(self) -> int:
        return len(self.weight)


def stump_values(columns: Any, stumps: Stumps, t: int) -> Vector:
    """Return what the t-th stump says of the rows of a CSC matrix."""
    i, threshold, sign = int(stumps.feature[t]), stumps.threshold[t], stumps.sign[t]
    if i < 0:
        return np.full(columns.shape[0], sign)
    said = np.full(columns.shape[0], sign if threshold < 0 else -sign)
    entries = slice(columns.indptr[i], columns.indptr[i + 1])
    above = columns.data[entries] > threshold
    said[columns.indices[entries]] = np.where(above, sign, -sign)
    return said


def vote(columns: Any, stumps: Stumps) -> Vector:
    """Return the sum of what the stumps say of the rows of a CSC matrix, times their weights."""
    decision = np.zeros(columns.shape[0])
    for t, weight in enumerate(stumps.weight):
        decision += weight * stump_values(columns, stumps, t)
    return decision


class StumpSearch:
    """Every stump of some rows: which is best for given weights of the rows, and what it says.

    Rows are those of weight above 0, in the order of the problem's matrix. Each caller brings its
    own weights, so that several threads may search at once.
    """

    def __init__(
        self,
        X: Any,
        y: NDArray[Any],
        sample_weight: Vector | None,
        *,
        classes: NDArray[Any],
        n_thresholds: int,
        n_threads: int | None = None,
    ) -> None:
        columns, c = sp.csc_array(X), sample_weight
        present = np.arange(len(y)) if c is None else np.flatnonzero(c > 0)
        if c is not None and len(present) < len(y):  # the others place no thresholds either
            columns, c = columns[present], c[present]
        feature, threshold, indicators = _candidates(columns, n_thresholds)
        problem = Problem.of_part(
            indicators, y[present], c, classes=classes, fit_intercept=True, n_threads=n_threads
        )
        self._n_coordinates, self._rows, self._c = problem.n_coordinates, problem.rows(), problem.c
        self._place = np.append(problem.design.place, problem.n_features)  # the constant is last
        self._side = np.append(np.where(threshold < 0, -1.0, 1.0), 1.0)
        self._feature, self._threshold = np.append(feature, -1), np.append(threshold, 0.0)
        self.row_order = present[problem.matrix.row_order]
        self._label = np.where(y[self.row_order] == classes[1], 1.0, -1.0)

    def first_weights(self) -> Vector:
        """Return the weights that the rows came with; they sum to 1."""
        return self._c.copy()

    def best(self, w: Vector) -> tuple[int, float]:
        """Return the number and the edge of the stump with the largest edge, of either sign."""
        neg, pos = self._rows.signed_sums(w)
        # Not a product of BLAS, whose sums depend on its threads.
        balance = (w * self._label).sum()
        edges = self._side * (2.0 * (pos - neg)[self._place] - balance) / w.sum()
        sizes = np.abs(edges)
        best = int(np.argmax(sizes >= (1.0 - TIE) * sizes.max()))
        return best, float(np.clip(edges[best], -LARGEST_EDGE, LARGEST_EDGE))

    def reweigh(self, w: Vector, best: int, edge: float) -> None:
        """Multiply the weights as AdaBoost does once it has taken a stump; they sum to 1 again."""
        d, said = np.zeros(self._n_coordinates), np.zeros(len(w))
        d[self._place[best]] = 2.0
        self._rows.add_columns(d, said)
        w *= np.exp(-signed_weight(edge) * self._side[best] * (said - self._label))
        w /= w.sum()

    def stumps(self, taken: Sequence[tuple[int, float]]) -> Stumps:
        """Return the stumps with these numbers and edges; those without an edge are left out."""
        found = [(best, edge) for best, edge in taken if edge != 0.0]
        numbers = np.array([best for best, _ in found], dtype=np.int64)
        weight = np.array([signed_weight(edge) for _, edge in found])
        return Stumps(
            self._feature[numbers], self._threshold[numbers], np.sign(weight), np.abs(weight)
        )


def signed_weight(edge: float) -> float:
    """Return how much a stump with this edge counts: AdaBoost's alpha, with the edge's sign."""
    return float(0.5 * np.log((1.0 + edge) / (1.0 - edge)))


def boost(
    X: Any, y: NDArray[Any], sample_weight: Vector | None, *, n_rounds: int, **options: Any
) -> Stumps:
    """Run AdaBoost for ``n_rounds`` rounds; the options are those of :class:`StumpSearch`."""
    search = StumpSearch(X, y, sample_weight, **options)
    return search.stumps([taken for taken, _ in rounds(search, n_rounds)])


def rounds(search: StumpSearch, n_rounds: int) -> Iterator[tuple[tuple[int, float], Vector]]:
    """Run AdaBoost: yield each round's stump and edge, and the weights that it was learned from.

    The weights are changed in place after each round. Ends early where no stump has an edge, or
    one is always right.
    """
    w = search.first_weights()
    for _ in range(n_rounds):
        best, edge = search.best(w)
        if edge == 0.0:
            return
        yield (best, edge), w
        if abs(edge) >= LARGEST_EDGE:
            return
        search.reweigh(w, best, edge)


def _candidates(columns: Any, n_thresholds: int) -> tuple[NDArray[np.int64], Vector, Any]:
    """Return features and thresholds of all stumps, and their indicators as a CSR matrix.

    Thresholds lie halfway between neighbouring values of a feature, a limited number of them.
    """
    columns.sum_duplicates()
    features, thresholds, rows = [], [], []
    for i in range(columns.shape[1]):
        entries = slice(columns.indptr[i], columns.indptr[i + 1])
        values, where = columns.data[entries], columns.indices[entries]
        for threshold in _thresholds(values, len(values) < columns.shape[0], n_thresholds):
            features.append(i)
            thresholds.append(threshold)
            is_in = values > threshold if threshold >= 0 else values <= threshold
            rows.append(where[is_in])
    counts = [len(part) for part in rows]
    indices = np.concatenate([*rows, np.empty(0, dtype=np.int32)]).astype(np.int32)
    indptr = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    shape = (columns.shape[0], max(len(rows), 1))
    if not rows:
        return np.array([-1]), np.array([0.0]), sp.csr_array(shape)
    indicators = sp.csc_array((np.ones(len(indices)), indices, indptr), shape=shape)
    return np.array(features), np.array(thresholds), indicators.tocsr()


def _thresholds(values: Vector, has_zeros: bool, most: int) -> Vector:
    different = np.unique(np.append(values, 0.0) if has_zeros else values)
    if len(different) > most + 1:
        levels = np.linspace(0, 1, most + 2)[1:-1]
        different = np.unique(np.quantile(different, levels, method="nearest"))
        return np.asarray(different[:-1] + np.diff(different) / 2)
    return np.asarray(different[:-1] + np.diff(different) / 2)


# What the classifiers over decision stumps share: two classes, checks, the sign of a vote.


class StumpClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the classifiers that let decision stumps vote; ``_vote`` is what they differ in."""

    classes_: NDArray[Any]
    n_features_in_: int

    def _check_counts(self, *names: str) -> None:
        for name in names:
            check_count(getattr(self, name), name)

    def _take(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[CsrArrays, NDArray[Any], Vector | None]:
        """Check what is to be fitted, and learn its two classes."""
        arrays, y = take_labelled(self, X, y)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            only = "Only binary classification is supported" if len(self.classes_) > 2 else ""
            raise ValueError(
                f"{only or 'y has one class only'}: two classes are needed, y has "
                f"{len(self.classes_)} class{'es' if len(self.classes_) > 1 else ''}"
            )
        weights = None if sample_weight is None else check_weights(sample_weight, len(y))
        return arrays, y, weights

    def _all_stumps(self) -> Sequence[Stumps]:
        """Return all hypotheses."""
        raise NotImplementedError

    @property
    def feature_importances_(self) -> Vector:
        """The share of each feature in the weights of all stumps, as of scikit-learn's AdaBoost."""
        check_is_fitted(self)
        found = np.zeros(self.n_features_in_)
        for stumps in self._all_stumps():
            real = stumps.feature >= 0
            np.add.at(found, stumps.feature[real], np.abs(stumps.weight[real]))
        return found / (found.sum() or 1.0)

    def _vote(self, columns: Any) -> Vector:
        """Return the vote on the rows of a CSC matrix."""
        raise NotImplementedError

    def decision_function(self, X: Any) -> Vector:
        """Return the weighted vote of the hypotheses; positive: the second class."""
        check_is_fitted(self)
        rows = take_rows(self, X)
        return self._vote(sp.csc_array(rows.to_scipy() if isinstance(rows, CsrArrays) else rows))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class that the vote is for."""
        is_second = self.decision_function(X) > 0
        return np.asarray(self.classes_[is_second.astype(int)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags
