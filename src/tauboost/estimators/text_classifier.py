"""TextClassifier: from texts to a linear model of their words and pairs of words."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any, Self

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..base.arrays import Vector
from ..base.threads import resolve_jobs
from ..parameters import TextParameters, parameters_of
from ..search.watch import live_line
from ..tuning.model import Model
from ..tuning.text_fitting import fit_texts
from ..validation.texts import take_texts
from .callbacks import CallbackSupportMixin, finished, reporting_to_callbacks, with_callbacks
from .inputs import take_labels
from .predictions import FittedAttribute, PredictionsMixin
from .text_glass import TextGlassMixin

__all__ = ["TextClassifier"]

FITTED = [field.name for field in fields(Model)]


FEW_TEXTS = 16
CHARACTER = 4  # to read one takes as long as so many nonzeros


class TextClassifier(
    TextParameters,
    PredictionsMixin,
    TextGlassMixin,
    CallbackSupportMixin,  # type: ignore[misc]
    ClassifierMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    r"""Classifier for texts, from raw strings, tuned while it is fitted.

    Words and pairs of words are counted in compiled code, weighed by how rare they are, and a
    linear model is fitted to them as by :class:`TauBoostClassifier`. What is counted has
    scikit-learn's names and meaning (``TfidfVectorizer``, with ``n_features``
    ``HashingVectorizer``), with other defaults.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    features_ : TextFeatures
        What is counted: ``features_.terms`` are the terms, in order.
    coef_ : ndarray of shape (1 or n_classes, n_terms)
    classes_, intercept_, alpha_, l1_ratio_, loss_, n_iter_, objective_, held_out_loss_
    selection_, message_, record_
        As those of :class:`TauBoostClassifier`.

    Examples
    --------
    >>> import tauboost as tb
    >>> texts = ["a good film", "good fun", "a bad film", "bad, just bad"] * 10
    >>> clf = tb.TextClassifier(random_state=0).fit(texts, ["pos", "pos", "neg", "neg"] * 10)
    >>> clf.predict(["so good", "how bad"]).tolist()
    ['pos', 'neg']
    >>> [term for term, _ in clf.top_features(1)]
    ['bad', 'good']
    """

    features_ = FittedAttribute()
    coef_ = FittedAttribute()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.no_validation = True  # of numbers: texts are checked here
        return tags

    def fit(self, texts: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the model; if this fails, the estimator stays as it was.

        Parameters
        ----------
        texts : list, array or column of strings
        y : array-like of shape (n_texts,)
        sample_weight : array-like of shape (n_texts,), optional
            0 leaves a text out, its words too. Any other weight is that of the fit; for what is
            counted, ``min_df`` and how rare a term is, each text counts once.
        groups : array-like, optional
            Samples of one group stay together where samples are held out. By default samples with
            the same features do, unless they occur often and with several labels; give every sample
            a group of its own where equal ones are separate observations.
        """
        return self._fit_or_stay(texts, y, sample_weight, groups=groups)

    @with_callbacks  # type: ignore[untyped-decorator]
    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        last = vars(self).get("model_") if self.warm_start else None
        n_threads = resolve_jobs(self.n_jobs)
        if y is None:
            raise ValueError("TextClassifier requires y to be passed, but the target y is None")
        texts = take_texts(X)
        labels = take_labels(y, len(texts))
        with live_line(self.verbose) as line:
            self.model_ = fit_texts(
                texts,
                labels,
                parameters_of(TextParameters, self),
                n_threads=n_threads,
                sample_weight=sample_weight,
                groups=groups,
                report=reporting_to_callbacks(self, line),
                last=last,
            )
        self.__dict__.pop("shrinkage_", None)  # of another model
        finished(self)

    def _decisions(self, X: Any) -> Vector:
        check_is_fitted(self)
        decisions: Vector = self.model_.decisions(X, resolve_jobs(self.n_jobs, _work(X)))
        return decisions


def _work(texts: Any) -> float:
    """Return how many characters there are in a list of few texts; of others, more than a few."""
    if not isinstance(texts, list) or len(texts) > FEW_TEXTS:
        return math.inf
    return CHARACTER * sum(len(text) for text in texts if isinstance(text, str))
