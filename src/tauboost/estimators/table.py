"""TableClassifier: every threshold of every column, and pairs of columns, as one glass box."""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import fields
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import _check_n_features, check_is_fitted

from ..base.arrays import Vector
from ..base.threads import resolve_jobs
from ..explanation import TableExplanation
from ..io.model_file import ModelFile
from ..models import place_of
from ..parameters import TableParameters, with_new_names
from ..search.search import live_line
from ..tables.binning import encode
from ..tables.columns import Planes
from ..tables.edits import edited
from ..tables.fitting import fit_table
from ..tables.model import TableModel
from ..tables.scorecard import Scorecard, make_scorecard
from ..tables.terms import Band, Terms, find_term, make_terms
from ..validation.frames import Frame, take_frame
from .base import (
    CallbackSupportMixin,
    FittedAttribute,
    PredictionsMixin,
    finished,
    reporting_to_callbacks,
    take_labels,
    with_callbacks,
)

__all__ = ["GlassBoxMixin", "TableClassifier"]


# What makes a fitted table classifier a glass box: its terms, explanations, scorecard, edits.


class GlassBoxMixin:
    """For an estimator with a ``model_`` of a table, and ``_codes`` of one."""

    if TYPE_CHECKING:
        feature_names_in_: NDArray[Any]
        n_features_in_: int
        model_: TableModel

        def _codes(self, X: Any) -> Planes: ...

    def _names_of_file(self) -> bool:
        return hasattr(self, "feature_names_in_")

    def _note_features(self, file: ModelFile) -> None:
        self.n_features_in_ = file.header["n_columns"]
        if file.header["feature_names"]:
            self.feature_names_in_ = file.arrays["names"]

    def _intervals(self) -> list[Band | None] | None:
        """Return how far the scores of each term may be off, where that is known."""
        return None

    @property
    def terms_(self) -> Terms:
        """What each column, and each pair, adds to the decision value: by place or by name."""
        check_is_fitted(self)
        return make_terms(self.model_, self._intervals())

    @property
    def importances_(self) -> Vector:
        """Mean absolute score of each term over the training data, in the order of ``terms_``."""
        return self.terms_.importances

    @property
    def feature_importances_(self) -> Vector:
        """The share of each column in all importances; a pair counts half for each of its two."""
        check_is_fitted(self)
        model = self.model_
        found = np.zeros(len(model.columns))
        for term in model.terms:
            columns = list(term.columns)
            found[columns] += float(term.importance().mean()) / len(columns)
        return found / (found.sum() or 1.0)

    def explain(self, X: Any, class_: Any = None) -> TableExplanation:
        """Return what each term adds to the decision value of each row.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
        class_ : label, optional
            The class the numbers speak for. By default, with two classes, the second one, as
            ``decision_function`` does; with more, the predicted class of each row.

        Returns
        -------
        TableExplanation
            Prints as a table, and draws itself. The intercept plus the contributions of a row is
            its decision value, bit for bit.
        """
        check_is_fitted(self)
        model, frame = self.model_, take_frame(X)
        codes = self._codes(X)
        where = frame.places(model.column_names, hasattr(self, "feature_names_in_"))
        found = model.explain(codes, class_)
        rows = np.arange(len(found.decisions))
        return TableExplanation(
            found.names or [],
            found.values,
            found.intercepts,
            found.decisions,
            found.probabilities,
            model.classes[found.places],
            rows,
            frame.with_categories(where[k] for k in model.category_columns),
            [tuple(where[column] for column in term.columns) for term in model.terms],
        )

    def to_scorecard(
        self, *, points: float = 600, odds: float = 50, pdo: float = 20, positive: Any = None
    ) -> Scorecard:
        """Return the model as points for each bin, as credit people use it.

        The score of a row is the sum of its points: offset + factor * log odds, with
        factor = pdo / log 2 and offset = points - factor * log(odds), rounded in each bin. The
        intercept is divided among the terms.

        Parameters
        ----------
        points, odds : float
            A row with odds of ``odds`` to 1 for ``positive`` gets ``points``.
        pdo : float
            Points to double the odds.
        positive : label, optional
            The class that more points speak for. By default ``classes_[0]``: ``classes_[1]`` is the
            bad event (default, fraud, churn), and more points mean that it is less likely.

        Returns
        -------
        Scorecard
            ``rows``, ``score(X)``, ``to_csv(path)``; prints as a table.
        """
        check_is_fitted(self)
        place = 0 if positive is None else place_of(positive, self.model_.classes, "positive")
        return make_scorecard(self.model_, self._codes, points, odds, pdo, place)

    def edit_term(
        self,
        name: str,
        *,
        flatten: Any = None,
        remove: bool = False,
        monotone: int | None = None,
        scores: Any = None,
    ) -> Self:
        """Return a copy of the fitted model with one term changed; this one stays as it is.

        The changed term is centred again and the intercept takes its mean, so predictions,
        ``terms_``, explanations and files agree. Pairs that the column is in keep their scores.
        The mean decision value over the training data stays as it was, unless ``scores`` says
        otherwise; the mean probability moves a little, as the model does not keep the rows.

        Parameters
        ----------
        name : str
            Such as "age", or "age x hours" for a pair.
        flatten : (low, high) or a list of categories
            Give every bin that holds a value from low to high, or all those categories, their mean
            score. None is no bound.
        remove : bool
            Take the term out.
        monotone : 1 or -1
            Make the scores rise (1) or fall with the number, by the nearest such function in
            weighted squares. Refused while the column is in a pair, which need not be monotone.
        scores : array of the shape of the term's ``scores``
            Put these in place of its own.
        """
        check_is_fitted(self)
        model = self.model_
        names = [model.term_name(term) for term in model.terms]
        place = find_term(names, [len(term.columns) > 1 for term in model.terms], name)
        other = copy(self)
        other.model_ = edited(
            model, place, flatten=flatten, remove=remove, monotone=monotone, scores=scores
        )
        return other


FITTED = [field.name for field in fields(TableModel)]


CELL = 64  # to find the code of a cell takes as long as this number of nonzeros


class TableClassifier(
    TableParameters,
    GlassBoxMixin,
    PredictionsMixin,
    CallbackSupportMixin,  # type: ignore[misc]
    ClassifierMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Glass-box classifier for tables: boosted stumps and pairs, fitted to the optimum.

    The decision value is a sum of one step function for each column and of one small table for each
    chosen pair of columns. All of it is one convex problem, F + psi: the loss over every threshold
    of every column, with an elastic net over the stumps, whose l1 part is the total variation of
    each step function. It is minimised column by column, all thresholds of a column at once. With
    ``alpha="auto"`` eight alphas are fitted as a batch and compared on a validation set, by folds
    where there are few rows; pairs are ranked by what the columns leave over, and taken if they
    help on the validation set. More than two classes are fitted one-vs-rest.

    Columns may be numbers, booleans, strings or categories, with missing values; nothing needs to
    be scaled or encoded, and any increasing transform of a column gives the same terms.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    terms_ : Terms
        What each column, and each pair, adds to the decision value: prints, and draws itself.
    importances_ : ndarray
        Mean absolute score of each term.
    feature_importances_ : ndarray of shape (n_features,)
        Shares of the columns in these; a pair counts half for each of its two.
    classes_, intercept_, alpha_, l1_ratio_, loss_, n_iter_, objective_, held_out_loss_, message_
    record_
        As :class:`TauBoostClassifier`.
    columns_ : tuple
        What was made of each column: its edges or categories.
    selection_ : list of dict
        Every candidate: alpha, l1_ratio, smoothness of pairs (infinite: no pairs), held_out_loss.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import numpy as np, tauboost as tb
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> y = (np.abs(X[:, 0]) > 1) | (X[:, 1] > 1)
    >>> clf = tb.TableClassifier(random_state=0).fit(X, y)
    >>> bool(clf.score(X, y) > 0.95)
    True
    """

    columns_ = FittedAttribute()
    spreads_ = FittedAttribute()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the model; if this fails, the estimator stays as it was.

        Parameters
        ----------
        X : DataFrame (pandas, polars), pyarrow Table, dict of columns, 2-D array or sparse matrix
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            0 leaves a row out; 2 is the same as the row twice.
        groups : array-like, optional
            Samples of one group stay together in folds and validation sets. By default samples with
            the same features do, unless they occur often and with several labels; give every sample
            a separate group where equal ones are separate observations.
        """
        return self._fit_or_stay(X, y, sample_weight, groups=groups)

    @with_callbacks  # type: ignore[untyped-decorator]
    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        n_threads = resolve_jobs(self.n_jobs)
        if y is None:
            raise ValueError("TableClassifier requires y to be passed, but the target y is None")
        frame = take_frame(X)
        labels = take_labels(y, frame.n_rows)
        with live_line(self.verbose) as line:
            self.model_ = fit_table(
                frame,
                labels,
                with_new_names(self),
                n_threads=n_threads,
                sample_weight=sample_weight,
                groups=groups,
                report=reporting_to_callbacks(self, line),
            )
        self._learn_names(frame)
        finished(self)

    def _learn_names(self, frame: Frame) -> None:
        self.n_features_in_ = frame.n_columns
        if frame.has_names:
            self.feature_names_in_ = np.array(frame.names, dtype=object)
        else:
            self.__dict__.pop("feature_names_in_", None)

    def _intervals(self) -> list[Band | None] | None:
        if self.spreads_ is None or self.bands is None:
            return None
        level = self.bands
        reach = NormalDist().inv_cdf(0.5 + 0.5 * level)
        shown: Any = 0 if len(self.intercept_) == 1 else slice(None)  # as the scores of a Term are
        return [
            Band(
                (term.scores - reach * error)[..., shown],
                (term.scores + reach * error)[..., shown],
                level,
            )
            for term, error in zip(self.model_.terms, self.spreads_, strict=True)
        ]

    def _codes(self, X: Any) -> Planes:
        check_is_fitted(self)
        frame, named = take_frame(X), hasattr(self, "feature_names_in_")
        if not frame.has_names:
            _check_n_features(self, np.empty((0, frame.n_columns)), reset=False)
        if frame.has_names != named:
            _warn_of_names(type(self).__name__, named)
        n_threads = resolve_jobs(self.n_jobs, CELL * frame.n_rows * frame.n_columns)
        return encode(self.columns_, frame, n_threads, named=named)

    def _decisions(self, X: Any) -> Vector:
        codes = self._codes(X)
        return self.model_.decisions(codes)


def _warn_of_names(kind: str, named: bool) -> None:
    """Warn, in scikit-learn's words, that columns are taken by position."""
    if named:
        what = f"X does not have valid feature names, but {kind} was fitted with feature names"
    else:
        what = f"X has feature names, but {kind} was fitted without feature names"
    warnings.warn(f"{what}: its columns are taken by position", UserWarning, stacklevel=5)
