"""TextClassifier: from texts to a linear model of their words and pairs of words."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..base.arrays import Vector
from ..base.threads import resolve_jobs
from ..explanation import TopFeatures
from ..io.model_file import ModelFile
from ..io.tensors import object_array
from ..models import model_size
from ..parameters import TextParameters, parameters_of
from ..search.search import live_line
from ..sparse.explain import MarginsMixin
from ..sparse.model import Model
from ..texts.explanation import TextExplanation, TextsExplanation, explain_text, explain_texts
from ..texts.model import TextModel, top_terms
from ..texts.shrink import Shrinkage, measured, shrink
from ..texts.training import fit_texts
from ..validation import check_count
from ..validation.texts import take_texts
from .base import (
    CallbackSupportMixin,
    FittedAttribute,
    PredictionsMixin,
    finished,
    reporting_to_callbacks,
    take_labels,
    with_callbacks,
)

__all__ = ["TextClassifier", "TextGlassMixin"]


# What makes a fitted text classifier a glass box: its terms, explanations, and a smaller copy.


class TextGlassMixin(MarginsMixin):
    """For an estimator with a ``model_`` of texts."""

    if TYPE_CHECKING:
        model_: TextModel
        shrinkage_: Shrinkage
        n_jobs: int | None

        def _to_file(self, model: TextModel | None = None) -> ModelFile: ...

    def explain(self, texts: Any, class_: Any = None) -> TextExplanation | TextsExplanation:
        """Return what each word and pair of texts adds to their decision values, and where it is.

        Parameters
        ----------
        texts : str, or list, array or column of strings
        class_ : label, optional
            The class that the numbers shown speak for. By default, with two classes, the second
            one, as ``decision_function`` does; with more, the predicted class. The explanation
            holds those of all classes.

        Returns
        -------
        TextExplanation, or TextsExplanation of several texts
            Prints as a table, and shows the text with its words marked in a notebook, or by its
            ``html()``. The intercept plus the contributions is the decision value.
        """
        check_is_fitted(self)
        n_threads = resolve_jobs(self.n_jobs)
        if isinstance(texts, str):
            return explain_text(self.model_, texts, class_, n_threads)
        return explain_texts(self.model_, take_texts(texts), class_, n_threads)

    def top_features(self, k: int = 20, class_: Any = None) -> TopFeatures:
        """Return the terms that speak most for each class, or for one of them.

        Parameters
        ----------
        k : int
            How many at most, for each class.
        class_ : label, optional

        Returns
        -------
        TopFeatures
            ``names``, ``weights``, ``classes`` and ``indices``, class by class, the largest weight
            first. Prints as a table.
        """
        check_is_fitted(self)
        k = check_count(k, "k")
        if class_ is not None:
            self._task(class_)  # which says what is wrong with it
        rows = [
            (label, term)
            for label, terms in zip(self.classes_, top_terms(self.model_, k), strict=True)
            if class_ is None or label == class_
            for term in terms
        ]
        labels, terms = zip(*rows, strict=True) if rows else ((), ())
        return TopFeatures(
            object_array([term.term for term in terms]),
            np.array([term.weight for term in terms]),
            np.array(labels, dtype=self.classes_.dtype),
            np.array([term.column for term in terms], dtype=np.intp),
            self.classes_ if len(self.classes_) == 2 else None,
        )

    def shrink(self, max_bytes: int, texts: Any = None, y: Any = None) -> Self:
        """Return a copy whose file has at most ``size`` bytes; this one stays as it is.

        Numbers are rounded first, then the terms that matter least are left out. ``shrinkage_`` of
        the copy says what was lost; it prints as a sentence.

        Parameters
        ----------
        max_bytes : int
        texts : texts, optional
            What the loss is measured on: how many of them are predicted otherwise.
        y : array-like of shape (n_texts,), optional
            Their labels: then the accuracy is measured, too.
        """
        check_is_fitted(self)
        small, lost = shrink(self.model_, max_bytes, lambda tried: model_size(self._to_file(tried)))
        if texts is not None:
            texts = take_texts(texts)
            labels = None if y is None else take_labels(y, len(texts))
            n_threads = resolve_jobs(self.n_jobs)
            before, after = (m.labels(m.decisions(texts, n_threads)) for m in (self.model_, small))
            lost = measured(lost, before, after, labels)
        other = copy(self)
        other.model_ = small
        other.shrinkage_ = lost
        return other


FITTED = [field.name for field in fields(Model)]


FEW_TEXTS = 16
CHARACTER = 4  # to read one takes as long as this number of nonzeros


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
            Samples of one group stay together in folds and validation sets. By default samples with
            the same features do, unless they occur often and with several labels; give every sample
            a separate group where equal ones are separate observations.
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
