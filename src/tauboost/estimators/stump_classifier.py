"""What the classifiers over decision stumps share: two classes, checks, the sign of a vote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ..base.arrays import Vector
from ..validation import CsrArrays, check_count, check_weights
from .inputs import take_labelled, take_rows
from .stumps import Stumps

__all__ = ["StumpClassifier"]


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
