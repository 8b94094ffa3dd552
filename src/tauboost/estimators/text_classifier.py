"""TextClassifier: from texts to a linear model of their words and pairs of words."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any, Self

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..base.arrays import Vector
from ..base.threads import resolve_jobs
from ..search.watch import live_line
from ..tuning.model import Model
from ..tuning.text_fitting import fit_texts
from ..tuning.text_options import TextParameters as Defaults
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
    ngram_range : (int, int)
        The shortest and the longest run of words, or characters, that is a term.
    min_df : "auto", int or float
        Terms in fewer texts are left out; a float is a part of the texts. "auto" is 1 below 1000
        texts, 2 below 10,000, and 3 from there on.
    max_df : int or float
        Terms in more texts are left out.
    max_features : int or None
        Only so many terms, those that occur most often.
    lowercase : bool
    analyzer : {"word", "char_wb", "char"} or callable
        "char_wb" counts runs of characters within words, "char" any; a function returns the terms
        of a text. "char" and functions are slower, and a function is in no file.
    token_pattern : str
        A regular expression for words. The default, and ``\w+``, are compiled; others are slower,
        and a file with one is loaded only by those who trust it.
    stop_words : None, "english" or list of str
        Words that are not counted. "english" is scikit-learn's list.
    binary : bool
        Whether a term is in a text, and not how often.
    sublinear_tf : bool
        1 + log(count) in place of the count.
    use_idf : bool
        Weigh terms by how rare they are.
    norm : {"l2", "l1", None}
        Scale each text to length 1.
    n_features : int or None
        Hash terms to so many features, in place of a vocabulary.
    loss, alpha, l1_ratio, fit_intercept, class_weight, penalty_factors, max_iter, tol
    early_stopping, validation_fraction, calibration, time_limit, n_jobs, random_state, verbose
        As those of :class:`TauBoostClassifier`.

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

    def __init__(
        self,
        *,
        ngram_range: tuple[int, int] = Defaults.ngram_range,
        min_df: float | str = Defaults.min_df,
        max_df: float = Defaults.max_df,
        max_features: int | None = Defaults.max_features,
        lowercase: bool = Defaults.lowercase,
        analyzer: Any = Defaults.analyzer,
        token_pattern: str = Defaults.token_pattern,
        stop_words: Any = Defaults.stop_words,
        binary: bool = Defaults.binary,
        sublinear_tf: bool = Defaults.sublinear_tf,
        use_idf: bool = Defaults.use_idf,
        norm: str | None = Defaults.norm,
        n_features: int | None = Defaults.n_features,
        loss: str = Defaults.loss,
        alpha: float | str = Defaults.alpha,
        l1_ratio: float | str = Defaults.l1_ratio,
        fit_intercept: bool = Defaults.fit_intercept,
        class_weight: Any = Defaults.class_weight,
        penalty_factors: Any = Defaults.penalty_factors,
        max_iter: int = Defaults.max_iter,
        tol: float = Defaults.tol,
        early_stopping: bool = Defaults.early_stopping,
        validation_fraction: float = Defaults.validation_fraction,
        calibration: str | None = Defaults.calibration,
        time_limit: float | None = Defaults.time_limit,
        n_jobs: int | None = Defaults.n_jobs,
        random_state: Any = Defaults.random_state,
        verbose: int = Defaults.verbose,
    ) -> None:
        self.ngram_range = ngram_range
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.lowercase = lowercase
        self.analyzer = analyzer
        self.token_pattern = token_pattern
        self.stop_words = stop_words
        self.binary = binary
        self.sublinear_tf = sublinear_tf
        self.use_idf = use_idf
        self.norm = norm
        self.n_features = n_features
        self.loss = loss
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.penalty_factors = penalty_factors
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.calibration = calibration
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

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
        n_threads = resolve_jobs(self.n_jobs)
        if y is None:
            raise ValueError("TextClassifier requires y to be passed, but the target y is None")
        texts = take_texts(X)
        labels = take_labels(y, len(texts))
        with live_line(self.verbose) as line:
            self.model_ = fit_texts(
                texts,
                labels,
                Defaults.of(self),
                n_threads=n_threads,
                sample_weight=sample_weight,
                groups=groups,
                report=reporting_to_callbacks(self, line),
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
