"""Margins and hard samples of a linear classifier, and the weights that speak for a class.

The hardest samples are those with the largest boosting weight p_j at the solution: what the
gradient is made of, c_j exp(-margin_j) for AdaBoost and c_j / (1 + exp(margin_j)) for the logistic
loss, scaled to sum 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.arrays import Vector
from ..base.messages import shown
from ..base.sigmoid import softmax
from ..design.sparse import decisions as to_residuals
from ..losses import LOSSES, likeliest
from ..models import place_of
from ..validation import check_count, check_weights, with_class_weights
from .inputs import take_labels
from .tables import HardestExamples

__all__ = ["MarginsMixin", "largest"]


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
