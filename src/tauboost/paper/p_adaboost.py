"""P-AdaBoost: AdaBoost whose later rounds are learned all at once, from drawn weights.

S. Merler, B. Caprile, C. Furlanello: Parallelizing AdaBoost by weights dynamics. Computational
Statistics & Data Analysis 51 (2007). What AdaBoost does to the weight of a sample resembles, after
a while, draws from a distribution. So some rounds are run as they are; each sample's weights in
them give it a Gamma distribution, here that of the same mean and variance. Every further hypothesis
is learned from weights drawn from these, and counts by its error on them. None waits for another.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed

from ..base.arrays import Vector
from ..base.messages import shown
from ..base.threads import resolve_jobs
from ..validation import check_count, check_random_state
from .stumps import StumpClassifier, Stumps, StumpSearch, rounds, vote

__all__ = ["PAdaBoostClassifier"]


HALVINGS = 40  # of the interval in which the scale lies


class PAdaBoostClassifier(StumpClassifier):
    """P-AdaBoost over decision stumps, two classes; a comparison, not a recommendation.

    The draws of different samples are independent, while AdaBoost moves all samples that a stump
    gets wrong together. The more samples there are, the more the draws average out: then nearly
    the same stumps win every round, and their sum pulls the vote away from what the first rounds
    had found. Stumps on a table are such a case, and AdaBoost with as many rounds is better there.
    ``scale_parallel`` limits the harm.

    Parameters
    ----------
    n_estimators : int
        T, all rounds.
    n_serial : int, optional
        How many of them are AdaBoost's own; the others are learned in parallel. None takes half;
        from ``n_estimators`` on, the model is that of AdaBoost.
    n_thresholds : int
        How many thresholds a feature is tried at, at most.
    scale_parallel : bool
        True multiplies the weights of the parallel rounds by the number between 0 and 1 with
        which the exponential loss on the training samples is least, which is not part of the
        source. False takes them as they are, our reading of the source.
    random_state : None, int or RandomState
        What the weights are drawn with. Every round has its own stream of random numbers.
    n_jobs : int, optional
        Threads for the parallel rounds, as in joblib. The model does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    n_features_in_ : int
    feature_importances_ : ndarray of shape (n_features,)
        Shares of the features in the weights of the stumps.
    n_serial_ : int
        How many of the hypotheses were learned one after the other; they come first.
    stumps_ : Stumps
        The hypotheses.
    estimator_weights_ : ndarray
        Their weights.
    parallel_scale_ : float
        What the weights of the parallel rounds were multiplied by.

    Examples
    --------
    >>> import tauboost as tb
    >>> X, y = tb.make_w8a_like(2000, random_state=0)
    >>> clf = tb.PAdaBoostClassifier(50, random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.97
    True
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        n_serial: int | None = None,
        n_thresholds: int = 16,
        scale_parallel: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_serial = n_serial
        self.n_thresholds = n_thresholds
        self.scale_parallel = scale_parallel
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Run the serial rounds, model the weights, and learn the other rounds from draws."""
        self._check_counts("n_estimators", "n_thresholds")
        half = -(-self.n_estimators // 2)
        n_serial = half if self.n_serial is None else check_count(self.n_serial, "n_serial")
        n_serial = min(n_serial, self.n_estimators)
        check_switch(self.scale_parallel, "scale_parallel")
        n_jobs = resolve_jobs(self.n_jobs)
        arrays, y, weights = self._take(X, y, sample_weight)
        seed = int(check_random_state(self.random_state).randint(2**31))
        X = arrays.to_scipy()
        search = StumpSearch(
            X, y, weights, classes=self.classes_, n_thresholds=self.n_thresholds, n_threads=1
        )
        serial, model = serial_rounds(search, n_serial)
        # A phase that ended early has found a stump that is always right, or none with an edge.
        n_more = self.n_estimators - n_serial if len(serial) == n_serial else 0
        drawn = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(drawn_round)(search, model, seed, n_serial + t) for t in range(n_more)
        )
        first, more = search.stumps(serial), search.stumps(drawn)
        self.parallel_scale_ = 1.0
        if self.scale_parallel and len(more) > 0:
            columns, label = sp.csc_array(X), np.where(y == self.classes_[1], 1.0, -1.0)
            margins = label * vote(columns, first), label * vote(columns, more)
            self.parallel_scale_ = best_scale(*margins, weights)
        self.n_serial_ = len(first)
        self.stumps_ = first.followed_by(more, self.parallel_scale_)
        self.estimator_weights_ = self.stumps_.weight
        return self

    def _all_stumps(self) -> list[Stumps]:
        return [self.stumps_]

    def _vote(self, columns: Any) -> Vector:
        return vote(columns, self.stumps_)


class WeightModel(NamedTuple):
    """A Gamma distribution for the weight of each row, by its mean and variance."""

    mean: Vector
    variance: Vector

    def draw(self, rng: np.random.Generator) -> Vector:
        """Draw a weight for each row, independently; where nothing varied it is the mean."""
        varies = self.variance > 0
        mean, variance = self.mean[varies], self.variance[varies]
        w = self.mean.copy()
        w[varies] = rng.gamma(mean * (mean / variance), variance / mean)
        return w if w.sum() > 0 else self.mean


def serial_rounds(
    search: StumpSearch, n_rounds: int
) -> tuple[list[tuple[int, float]], WeightModel]:
    """Run AdaBoost; return its stumps with their edges, and what the weights did meanwhile."""
    taken: list[tuple[int, float]] = []
    mean = search.first_weights()
    squares = np.zeros_like(mean)
    for found, w in rounds(search, n_rounds):
        taken.append(found)
        # Welford's update: the sum of squares would lose the variance of weights that hardly move.
        change = w - mean
        mean += change / len(taken)
        squares += change * (w - mean)
    return taken, WeightModel(mean, squares / max(len(taken), 1))


def drawn_round(search: StumpSearch, model: WeightModel, seed: int, t: int) -> tuple[int, float]:
    """Learn the stump of round t; its random numbers are its own, whoever else draws when."""
    return search.best(model.draw(np.random.default_rng([seed, t])))


def best_scale(first: Vector, more: Vector, weights: Vector | None) -> float:
    """Return the s in [0, 1] with the least exponential loss of margins first + s * more."""
    c = np.ones(len(first)) if weights is None else weights

    def slope(s: float) -> float:
        margins = first + s * more
        return -float((c * more * np.exp(margins.min() - margins)).sum())

    if slope(1.0) <= 0:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if slope(middle) > 0 else (middle, high)
    return low


def check_switch(value: Any, name: str) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {shown(value)}")
