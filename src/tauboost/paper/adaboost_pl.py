"""AdaBoost.PL (Palit and Reddy, 2012): AdaBoost on parts of the rows, merged without messages.

Each part runs AdaBoost for T rounds on its own rows. The weak hypotheses of every part are sorted
by weight; the t-th ones of all parts vote as one merged hypothesis, whose weight is the mean of
theirs. No part ever hears of another: it solves no problem on all rows, and its result depends on
how the rows are cut. The paper behind tauboost names it among what can be done in parallel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed

from ..base.arrays import Vector
from ..base.threads import resolve_jobs
from ..validation import check_random_state
from .stumps import StumpClassifier, Stumps, boost, stump_values

__all__ = ["AdaBoostPLClassifier"]


class AdaBoostPLClassifier(StumpClassifier):
    """AdaBoost.PL over decision stumps, two classes; with ``n_parts=1`` classical AdaBoost.

    Parameters
    ----------
    n_estimators : int
        T, the rounds of every part.
    n_parts : int
        Into how many parts to cut the rows, at random.
    n_thresholds : int
        How many thresholds a feature is tried at, at most, in each part.
    random_state : None, int or RandomState
        How the rows are cut.
    n_jobs : int, optional
        Parts at a time, as in joblib.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    n_features_in_ : int
    feature_importances_ : ndarray of shape (n_features,)
        Shares of the features in the weights of the stumps.
    parts_ : list of Stumps
        The hypotheses of every part, the heaviest first.
    estimator_weights_ : ndarray
        Weights of the merged hypotheses.

    Examples
    --------
    >>> import tauboost as tb
    >>> X, y = tb.make_w8a_like(2000, random_state=0)
    >>> clf = tb.AdaBoostPLClassifier(50, n_parts=4, random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.97
    True
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        n_parts: int = 4,
        n_thresholds: int = 16,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_parts = n_parts
        self.n_thresholds = n_thresholds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost every part on its own, and merge."""
        self._check_counts("n_estimators", "n_parts", "n_thresholds")
        n_jobs = resolve_jobs(self.n_jobs)
        arrays, y, weights = self._take(X, y, sample_weight)
        order = check_random_state(self.random_state).permutation(len(y))
        if weights is not None:
            order = order[weights[order] > 0]
        parts = np.array_split(order, min(self.n_parts, len(order)))
        X = arrays.to_scipy()
        self.merge(
            Parallel(n_jobs=n_jobs)(
                delayed(boost)(
                    X[rows],
                    y[rows],
                    None if weights is None else weights[rows],
                    **self.boost_options(),
                )
                for rows in parts
            )
        )
        return self

    def boost_options(self) -> dict[str, Any]:
        """Return what every part is boosted with."""
        return {
            "classes": self.classes_,
            "n_rounds": self.n_estimators,
            "n_thresholds": self.n_thresholds,
            "n_threads": 1,
        }

    def merge(self, parts: Sequence[Stumps]) -> None:
        """Sort the hypotheses of every part by weight; the t-th ones of all make one."""
        self.parts_ = [part.by_weight() for part in parts if len(part) > 0]
        longest = max((len(part) for part in self.parts_), default=0)
        self.estimator_weights_ = np.array(
            [
                np.mean([part.weight[t] for part in self.parts_ if t < len(part)])
                for t in range(longest)
            ]
        )

    def _all_stumps(self) -> Sequence[Stumps]:
        return self.parts_

    def _vote(self, columns: Any) -> Vector:
        decision = np.zeros(columns.shape[0])
        for t, weight in enumerate(self.estimator_weights_):
            votes = sum(stump_values(columns, part, t) for part in self.parts_ if t < len(part))
            decision += weight * np.sign(votes)
        return decision
