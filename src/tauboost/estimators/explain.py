"""Why a linear classifier says what it says: contributions and top features.

A decision value is a sum, H(x) = intercept + sum_i x_i coef_i, so what each feature contributes is
exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ..base.arrays import Vector
from ..base.threads import resolve_jobs
from ..design.wide import nonzeros_of
from ..tuning.model import Model
from ..validation import check_count
from .explanation import FeatureNames, SparseExplanation, explained_rows
from .inputs import take_rows
from .margins import MarginsMixin, largest
from .tables import TopFeatures

__all__ = ["ExplainMixin"]


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
