"""Why a linear classifier says what it says: contributions and top features.

A decision value is a sum, H(x) = intercept + sum_i x_i coef_i, so what each feature contributes is
exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ..base.arrays import Vector, softmax
from ..base.messages import shown
from ..base.threads import resolve_jobs
from ..estimators.base import take_labels, take_rows
from ..explanation import (
    FeatureNames,
    HardestExamples,
    SparseExplanation,
    TopFeatures,
    explained_rows,
)
from ..losses import LOSSES, likeliest
from ..models import place_of
from ..validation import check_count, check_weights, with_class_weights
from .design import decisions as to_residuals
from .design import nonzeros_of
from .model import Model

__all__ = ["ExplainMixin", "MarginsMixin", "largest"]


# Margins and hard samples of a linear classifier, and the weights that speak for a class.
#
# The hardest samples are those with the largest boosting weight p_j at the solution: what the
# gradient is made of, c_j exp(-margin_j) for AdaBoost and c_j / (1 + exp(margin_j)) for the
# logistic loss, scaled to sum 1.


class MarginsMixin:
    """For a fitted linear classifier with ``model_`` and ``_decisions``."""

    if TYPE_CHECKING:
        model_: Any
        classes_: Any
        loss_: Any
        class_weight: Any

        def _decisions(self, X: Any) -> Vector: ...

    def margins(self, X: Any, y: ArrayLike) -> Vector:
        """Return the margin of each sample: how far it is on the right side; below 0: wrong.

        With two classes the decision value, its sign changed for samples of the first class; with
        more, the decision value of the true class minus the largest of the others.
        """
        decisions = self._decisions(X)
        return margins_of(decisions, self._codes(y, len(decisions)))

    def hardest_examples(
        self, X: Any, y: ArrayLike, k: int = 20, sample_weight: ArrayLike | None = None
    ) -> HardestExamples:
        """Return the samples with the largest boosting weights p_j: wrong labels are among them.

        Parameters
        ----------
        X, y : samples and their labels
            Usually those of the fit; others may be given.
        k : int
            How many at most.
        sample_weight : array-like of shape (n_samples,), optional
            As given to ``fit``; ``class_weight`` is taken into account as well.

        Returns
        -------
        HardestExamples
            ``indices``, ``labels``, ``predicted``, ``margins`` and ``p``, the largest p first. p
            sums to 1 over all samples; with more than two classes it is the mean over the problems
            of one class against the rest. Prints as a table.
        """
        k = check_count(k, "k")
        decisions = self._decisions(X)
        codes = self._codes(y, len(decisions))
        p = self._boosting_weights(decisions, codes, sample_weight)
        chosen = largest(p, k)
        return HardestExamples(
            chosen,
            self.classes_[codes[chosen]],
            self.classes_[likeliest(decisions[chosen])],
            margins_of(decisions, codes)[chosen],
            p[chosen],
        )

    def _boosting_weights(
        self, decisions: Vector, codes: NDArray[np.intp], sample_weight: ArrayLike | None
    ) -> Vector:
        c = check_weights(sample_weight, len(codes))
        c = with_class_weights(self.class_weight, self.classes_, codes, c)
        with np.errstate(divide="ignore"):
            log_c = np.log(c)[:, None]
        tasks = [1] if decisions.shape[1] == 1 else range(len(self.classes_))
        r = to_residuals(decisions, codes[:, None] == np.array(tasks))
        log_w = log_c + LOSSES[self.loss_].log_weights(r)
        return np.asarray(softmax(log_w, axis=0).mean(axis=1))

    def _task(self, class_: Any) -> tuple[int, float]:
        """Row of ``coef_`` that speaks for a class, and the sign with which it does."""
        if class_ is None:
            return 0, 1.0
        tasks, sign = self.model_.tasks(np.array([place_of(class_, self.classes_)]))
        return int(tasks[0]), sign

    def _codes(self, y: ArrayLike, n_samples: int) -> NDArray[np.intp]:
        labels = take_labels(y, n_samples)
        known = np.isin(labels, self.classes_)
        if not known.all():
            strange = sorted(set(labels[~known].tolist()), key=str)[:5]
            raise ValueError(f"y has labels the model does not know: {shown(strange)}")
        return np.asarray(np.searchsorted(self.classes_, labels))


def margins_of(decisions: Vector, codes: NDArray[np.intp]) -> Vector:
    """Return how far each sample is on the right side of its nearest boundary."""
    if decisions.shape[1] == 1:
        return np.where(codes == 1, decisions[:, 0], -decisions[:, 0])
    rows = np.arange(len(codes))
    others = decisions.copy()
    others[rows, codes] = -np.inf
    return np.asarray(decisions[rows, codes] - others.max(axis=1))


def largest(values: Vector, k: int) -> NDArray[np.intp]:
    """Return the places of the k largest values, the largest first; the first of equal ones."""
    return np.argsort(-values, kind="stable")[:k]


class ExplainMixin(MarginsMixin):
    """Explanations for a fitted linear classifier with ``coef_``, ``intercept_``, ``classes_``."""

    if TYPE_CHECKING:
        coef_: Any
        n_features_in_: int
        n_jobs: int | None
        model_: Model

    def explain(self, X: Any, class_: Any = None) -> SparseExplanation:
        """Return what each feature of each sample contributes to the decision value.

        Parameters
        ----------
        X : sparse or dense matrix, or table, of shape (n_samples, n_features)
        class_ : label, optional
            The class the contributions speak for. By default, with two classes, the second one, as
            ``decision_function`` does; with more, the predicted class of each sample.

        Returns
        -------
        SparseExplanation
            Prints as a table, and draws itself. Its ``contributions`` are a CSR of shape
            (n_samples, n_features) with entries where X has them, x_ji coef_i. A row's sum plus its
            intercept is its decision value.
        """
        check_is_fitted(self)
        rows, model = take_rows(self, X), self.model_
        names = FeatureNames(getattr(self, "feature_names_in_", None), rows.shape[1])
        return explained_rows(model, rows, names, class_, resolve_jobs(self.n_jobs))

    def top_features(
        self,
        k: int = 20,
        class_: Any = None,
        *,
        names: ArrayLike | None = None,
        each_side: bool = False,
    ) -> TopFeatures:
        """Return the features with the largest weights, by name.

        Parameters
        ----------
        k : int
            How many at most; features of weight 0 are never among them.
        class_ : label, optional
            The class the weights speak for. By default, with two classes, the second one; with
            more, the weights of all classes are ranked together.
        names : array-like of shape (n_features,), optional
            Such as ``vectorizer.get_feature_names_out()``. By default the columns of the table the
            model was fitted on, or x0, x1, ...
        each_side : bool
            Take k features for the class and k against it, instead of the k largest of both.

        Returns
        -------
        TopFeatures
            ``names``, ``weights``, ``classes`` and ``indices``, the largest weight first; with
            ``each_side`` from the one most for the class to the one most against it. Prints as a
            table.
        """
        check_is_fitted(self)
        k = check_count(k, "k")
        if names is None:
            names = getattr(self, "feature_names_in_", None)
        elif np.shape(names) != (self.n_features_in_,):
            raise ValueError(
                f"names must have shape ({self.n_features_in_},), one for each feature, "
                f"got {np.shape(names)}"
            )
        if class_ is None and len(self.classes_) > 2:
            tasks, sign = list(range(len(self.classes_))), 1.0
            labels = self.classes_
        else:
            task, sign = self._task(class_)
            tasks = [task]
            labels = self.classes_[-1:] if class_ is None else np.array([class_])
        found = [nonzeros_of(self.coef_, task) for task in tasks]
        weights = sign * np.concatenate([values for _, values in found])
        indices = np.concatenate([features for features, _ in found])
        owners = np.repeat(np.arange(len(tasks)), [len(values) for _, values in found])
        chosen = largest_each_side(weights, k) if each_side else largest(np.abs(weights), k)
        others = self.classes_ if len(self.classes_) == 2 else None
        return TopFeatures(
            names_of(indices[chosen], names),
            weights[chosen],
            labels[owners[chosen]],
            indices[chosen],
            others,
        )


def names_of(indices: NDArray[np.intp], names: ArrayLike | None) -> NDArray[Any]:
    """Return the names of some features, x17 where they have none."""
    if names is None:
        return np.array([f"x{i}" for i in indices], dtype=object)
    return np.asarray(names, dtype=object)[indices]


def largest_each_side(weights: Vector, k: int) -> NDArray[np.intp]:
    """Return the places of the k largest and the k smallest weights, positive ones first."""
    order = np.argsort(-weights, kind="stable")
    n_positive = np.count_nonzero(weights > 0)
    return np.concatenate([order[: min(k, n_positive)], order[max(n_positive, len(order) - k) :]])
