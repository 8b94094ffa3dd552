"""TauBoostClassifier: the solvers as a scikit-learn classifier that needs no tuning."""

from __future__ import annotations

from typing import Any, Self

import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..base.arrays import Vector
from ..base.threads import resolve_jobs
from ..io.model import ModelFile
from ..search.watch import live_line
from ..tuning.fitting import fit
from ..tuning.options import Parameters
from ..validation import CsrArrays
from .callbacks import CallbackSupportMixin, finished, reporting_to_callbacks, with_callbacks
from .explain import ExplainMixin
from .inputs import take_labelled, take_rows
from .predictions import FittedAttribute, PredictionsMixin
from .sparse_interface import csr

__all__ = ["TauBoostClassifier"]


class TauBoostClassifier(
    PredictionsMixin,
    ExplainMixin,
    CallbackSupportMixin,  # type: ignore[misc]
    ClassifierMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Linear classifier for sparse, high-dimensional data, tuned while it is fitted.

    Minimises F(lam) + psi(lam) for the logistic or the exponential (AdaBoost) loss F and an elastic
    net psi, by exact coordinate steps. With ``alpha="auto"`` a part of the samples is held out,
    fits to the rest follow a path of alphas, and the alpha that does best on the held-out part is
    chosen. The model is the optimum for all samples, within ``tol``, with a certificate: it does
    not depend on how it was found. More than two classes are fitted one-vs-rest.

    Parameters
    ----------
    loss : {"logistic", "exponential", "auto"}
        "exponential" is AdaBoost over the features; "auto" lets the held-out samples choose.
    alpha : "auto" or float
        Strength of ``psi = alpha (l1_ratio |lam|_1 + (1 - l1_ratio)/2 |lam|_2^2)``, next to a loss
        that is a mean over samples. psi acts in each column's own units, its largest absolute
        value (multiplying columns by constants changes nothing), times a factor of its own.
    l1_ratio : float in [0, 1] or "auto"
        0 is ridge, 1 is lasso (sparse coefficients).
    fit_intercept : bool
        The intercept is not penalised.
    class_weight : dict, "balanced" or None
        Weights of classes, multiplied with ``sample_weight``.
    penalty_factors : "auto", None or array-like of shape (n_features,)
        What alpha is multiplied by, for each feature; 0 leaves it free. None: 1. "auto" penalises
        columns less that tell the classes apart by themselves: psi acts on coefficients over the
        square root of the step that AdaBoost would take first, on that column alone.
    max_iter : int
        The most sweeps over the features; a fit that they cut short says so.
    tol : float
        A fit has converged where its objective is proved to be within this share of the optimum
        (for the exponential loss, whose objective is a logarithm: within this). Where nothing can
        be proved, as with ``alpha=0``, the largest excess edge must be below it: gradient beyond
        what psi holds in balance, in units of the column's largest value.
    early_stopping : bool
        Hold out samples, and keep the sweep that does best on them: no optimum, and no fit on all.
    validation_fraction : float
        The part of each class that is held out.
    calibration : {None, "sigmoid"}
        "sigmoid" scales and shifts the decision values so that the probabilities are right on the
        held-out samples (Platt 1999); several classes share the scale, and are not shifted.
    warm_start : bool
        Start from the coefficients of the last fit; with ``alpha="auto"``, keep its choice too.
    time_limit : float or None
        Seconds after which the best so far is taken.
    n_jobs : int or None
        Threads, in scikit-learn's meaning: -1 is every core, None is 1 unless in a
        ``joblib.parallel_config``. The result does not depend on it.
    random_state : int, RandomState or None
        Decides the order of the sweeps of ``early_stopping``. No other fit depends on it.
    verbose : int
        1 shows a live line: sweep, objective, held-out loss, seconds.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray or CSR of shape (1 or n_classes, n_features)
    intercept_ : ndarray of shape (1 or n_classes,)
    alpha_, l1_ratio_, loss_ : what was chosen, or given
    n_iter_ : int
        Number of sweeps.
    objective_ : ndarray
        F + psi for each two-class problem.
    held_out_loss_ : float
        Log-loss of the choice on the held-out samples; NaN where none were held out.
    selection_ : list of dict
        Every candidate: loss, l1_ratio, alpha, n_sweeps from the one before, held_out_loss.
    message_ : str
        How the fit ended.
    record_ : Record
        What it was fitted on: samples of each class, a hash of the data, versions, seconds.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import tauboost as tb
    >>> X, y = tb.make_w8a_like(2000, random_state=0)
    >>> clf = tb.TauBoostClassifier(random_state=0).fit(X, y)
    >>> bool(clf.score(X, y) > 0.97)
    True
    """

    coef_ = FittedAttribute()

    def __init__(
        self,
        *,
        loss: str = "logistic",
        alpha: float | str = "auto",
        l1_ratio: float | str = 0.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        penalty_factors: Any = "auto",
        max_iter: int = 1000,
        tol: float = 1e-3,
        early_stopping: bool = False,
        validation_fraction: float = 0.2,
        calibration: str | None = None,
        warm_start: bool = False,
        time_limit: float | None = None,
        n_jobs: int | None = -1,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
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
        self.warm_start = warm_start
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the model; if this fails, the estimator stays as it was.

        Parameters
        ----------
        X : sparse or dense matrix, table or Store, of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            For a Store, None takes the labels in it.
        sample_weight : array-like of shape (n_samples,), optional
            0 leaves a sample out; 2 is the same as the sample twice: equal samples are merged.
        groups : array-like, optional
            Samples of one group stay together where samples are held out. By default samples with
            the same features do, unless they occur often and with several labels; give every sample
            a group of its own where equal ones are separate observations.
        """
        return self._fit_or_stay(X, y, sample_weight, groups=groups)

    @with_callbacks  # type: ignore[untyped-decorator]
    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        last = vars(self).get("model_") if self.warm_start else None
        n_threads = resolve_jobs(self.n_jobs)
        arrays, y = take_labelled(self, X, y)
        with live_line(self.verbose) as line:
            self.model_ = fit(
                arrays,
                y,
                Parameters.of(self),
                n_threads=n_threads,
                sample_weight=sample_weight,
                groups=groups,
                report=reporting_to_callbacks(self, line),
                last=last,
            )
        finished(self)

    def _decisions(self, X: Any) -> Vector:
        check_is_fitted(self)
        rows = take_rows(self, X)
        work = rows.nnz * self.model_.n_tasks if isinstance(rows, CsrArrays) else 0
        decisions: Vector = self.model_.decisions(rows, resolve_jobs(self.n_jobs, work))
        return decisions

    def sparsify(self) -> Self:
        """Keep ``coef_`` as a CSR matrix: less memory where most coefficients are 0.

        A sparse array where scikit-learn's ``sparse_interface`` says so.
        """
        check_is_fitted(self)
        self.coef_ = csr(self.coef_)
        return self

    def densify(self) -> Self:
        """Keep ``coef_`` as an array again."""
        check_is_fitted(self)
        if sp.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self

    def _note_features(self, file: ModelFile) -> None:
        self.n_features_in_ = file.header["n_features"]
        if file.feature_names is not None:
            self.feature_names_in_ = file.feature_names
