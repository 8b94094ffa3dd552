"""TauBoostClassifier: the solvers as a scikit-learn classifier that needs no tuning."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import (
    check_is_fitted,
)

from ..base.arrays import Vector
from ..base.messages import shown
from ..base.threads import resolve_jobs
from ..io.model import ModelData
from ..losses import LOSSES
from ..tuning.events import live_line
from ..tuning.linear import decision_values, sparse_product
from ..tuning.options import Options
from ..tuning.samples import Samples
from ..tuning.training import Model, train
from ..validation import (
    CsrArrays,
    check_choice,
    check_count,
    check_real,
    check_seed,
    check_vector,
    check_weights,
)
from .callbacks import CallbackSupportMixin, finished, reporting_to_callbacks, with_callbacks
from .explain import ExplainMixin
from .inputs import take_labelled, take_rows
from .labels import encode_labels, with_class_weights
from .watch import Watch

__all__ = ["TauBoostClassifier"]

LOSS_CHOICES = ("logistic", "exponential", "auto")


class TauBoostClassifier(
    ExplainMixin,
    CallbackSupportMixin,  # type: ignore[misc]
    ClassifierMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Linear classifier for sparse, high-dimensional data, tuned while it is fitted.

    Minimises F(lam) + psi(lam) for the logistic or the exponential (AdaBoost) loss F and an elastic
    net psi, by exact coordinate steps. With ``alpha="auto"`` a part of the samples is held out,
    eight strengths of psi are fitted side by side on the rest, the strength and the number of
    sweeps that do best on the held-out part are chosen, and the model is fitted on all samples:
    with as many sweeps, or to the optimum, within ``tol``, where more of them kept helping.
    More than two classes are told apart one against the rest.

    Parameters
    ----------
    loss : {"logistic", "exponential", "auto"}
        "exponential" is AdaBoost over the features; "auto" lets the held-out samples choose.
    alpha : "auto" or float
        Strength of psi = alpha (l1_ratio |lam|_1 + (1 - l1_ratio)/2 |lam|_2^2), next to a loss
        that is a mean over samples.
    l1_ratio : float in [0, 1] or "auto"
        0 is ridge, 1 is lasso (sparse coefficients).
    fit_intercept : bool
        The intercept is not penalised.
    class_weight : dict, "balanced" or None
        Weights of classes, multiplied with ``sample_weight``.
    max_iter : int
        The most sweeps over the features. On sparse text ``max_iter=1`` with a given ``alpha`` is
        often enough.
    tol : float
        A fit to the optimum stops when no feature has an excess edge (gradient beyond what psi
        holds in balance, in units of its largest value) above this. At the default, probabilities
        may still be 0.1 or more from those of the optimum; 1e-6 brings them there.
    early_stopping : bool
        Hold out samples and keep the sweep that does best on them, without a fit on all.
    validation_fraction : float
        The part of each class that is held out.
    calibration : {None, "sigmoid"}
        "sigmoid" scales and shifts the decision values so that the probabilities are right on the
        held-out samples (Platt 1999).
    warm_start : bool
        Start from the coefficients of the last fit; with ``alpha="auto"``, keep its choice too.
    time_limit : float or None
        Seconds after which the best so far is taken.
    n_jobs : int or None
        Threads, in scikit-learn's meaning: -1 is every core, None is 1 unless in a
        ``joblib.parallel_config``. The result does not depend on it.
    random_state : int, RandomState or None
        Decides which samples are held out and the order of the sweeps.
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
        Every candidate after every sweep: loss, l1_ratio, alpha, sweep, held_out_loss.
    message_ : str
        How the fit ended.
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

    def __init__(
        self,
        *,
        loss: str = "logistic",
        alpha: float | str = "auto",
        l1_ratio: float | str = 0.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        max_iter: int = 100,
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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model; if this fails, the estimator stays as it was.

        Parameters
        ----------
        X : sparse or dense matrix, table or Store, of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            For a Store, None takes the labels in it.
        sample_weight : array-like of shape (n_samples,), optional
            0 leaves a sample out; 2 is the same as the sample twice: equal samples are merged.
        """
        before = dict(vars(self))
        try:
            self._fit(X, y, sample_weight)
            return self
        except BaseException:
            self.__dict__ = before
            raise

    @with_callbacks  # type: ignore[untyped-decorator]
    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        is_warm = bool(self.warm_start) and "coef_" in vars(self)
        last: tuple[Any, Any] = (vars(self).get("n_features_in_"), vars(self).get("classes_"))
        n_threads = resolve_jobs(self.n_jobs)
        arrays, y = take_labelled(self, X, y)
        classes, codes = encode_labels(y)
        if is_warm and not (last[0] == arrays.shape[1] and np.array_equal(classes, last[1])):
            raise ValueError(
                "warm_start needs the features and classes of the last fit: "
                f"it had {last[0]} features and the classes {last[1]}"
            )
        with live_line(self.verbose) as line:
            watch = vars(self).get("_watch", Watch())
            options = self._options(reporting_to_callbacks(self, watch.telling(line)), is_warm)
            options = replace(options, checkpoint=watch.checkpoint)
            samples = self._samples(arrays, classes, codes, sample_weight, n_threads).merged()
            model = train(samples, options, self._start(samples) if is_warm else None)
        self._keep(model, samples, classes, arrays.shape[1])
        finished(self)

    def _samples(
        self,
        arrays: CsrArrays,
        classes: NDArray[Any],
        codes: NDArray[np.intp],
        given: Any,
        n_threads: int,
    ) -> Samples:
        """Return the samples with their weights, those of their classes included."""
        weights = check_weights(given, len(codes))
        weights = with_class_weights(self.class_weight, classes, codes, weights)
        if len(np.unique(codes[weights > 0])) < len(classes):
            raise ValueError("sample_weight or class_weight leaves no samples of some classes")
        return Samples.build(
            arrays,
            codes,
            len(classes),
            weights,
            fit_intercept=bool(self.fit_intercept),
            seed=check_seed(self.random_state),
            n_threads=n_threads,
        )

    def _options(self, report: Any, is_warm: bool) -> Options:
        """Check the parameters, all of them, before any work."""
        loss, alpha, l1_ratio = self.loss, self.alpha, self.l1_ratio
        check_choice(loss, "loss", LOSS_CHOICES)
        if is_warm and alpha == "auto":
            loss, alpha, l1_ratio = self.loss_, self.alpha_, self.l1_ratio_
        if self.calibration not in (None, "sigmoid"):
            raise ValueError(
                f"calibration must be None or 'sigmoid', got {shown(self.calibration)}"
            )
        max_iter = check_count(self.max_iter, "max_iter")
        limit = self.time_limit
        if limit is not None:
            limit = check_real(limit, "time_limit", least=0.0, above=True)
        fraction = check_real(self.validation_fraction, "validation_fraction", least=0.0, most=0.9)
        if fraction == 0.0:
            raise ValueError("validation_fraction must be above 0, got 0")
        given = number_or_auto(alpha, "alpha", most=1e300)
        if loss == "auto" and given != "auto" and not self.early_stopping:
            raise ValueError("loss='auto' is chosen on held-out samples: it needs alpha='auto'")
        ratio = number_or_auto(l1_ratio, "l1_ratio", most=1.0)
        if ratio == "auto" and given != "auto" and not self.early_stopping:
            raise ValueError("l1_ratio='auto' is chosen on held-out samples: it needs alpha='auto'")
        return Options(
            loss=loss,
            alpha=given,
            l1_ratio=ratio,
            max_iter=max_iter,
            tol=check_real(self.tol, "tol", least=0.0),
            early_stopping=bool(self.early_stopping),
            validation_fraction=fraction,
            calibrate=self.calibration is not None,
            time_limit=limit,
            report=report,
        )

    def _start(self, samples: Samples) -> Vector:
        coef = self.coef_.toarray() if sp.issparse(self.coef_) else self.coef_
        kept = samples.keep(coef)
        return np.stack(
            [samples.design.point(row, b) for row, b in zip(kept, self.intercept_, strict=True)]
        )

    def _keep(self, model: Model, samples: Samples, classes: NDArray[Any], n_features: int) -> None:
        penalty = model.strength.psi(model.coef.shape[1]).values(model.coef)
        self.classes_ = classes
        self.coef_: Any = samples.expand(model.coef, n_features)
        self.intercept_ = model.intercept
        self.loss_ = model.strength.loss
        self.alpha_ = model.strength.alpha
        self.l1_ratio_ = model.strength.l1_ratio
        self.n_iter_ = model.n_sweeps
        self.objective_ = model.objective + penalty
        self.held_out_loss_ = model.held_out_loss
        self.selection_ = model.table
        self.message_ = model.message

    def decision_function(self, X: Any) -> Vector:
        """Return X coef + intercept: (n_samples,) for two classes, else (n_samples, n_classes)."""
        decisions = self._decisions(X)
        return decisions[:, 0] if decisions.shape[1] == 1 else decisions

    def _decisions(self, X: Any) -> Vector:
        check_is_fitted(self)
        n_threads = resolve_jobs(self.n_jobs)
        rows = take_rows(self, X)
        if sp.issparse(self.coef_) and getattr(rows, "store", None) is None:
            X = rows.to_scipy() if isinstance(rows, CsrArrays) else rows
            product = sparse_product(X, self.coef_)
            return np.asarray(product + self.intercept_)
        if not isinstance(rows, CsrArrays):
            return np.asarray(rows @ self.coef_.T + self.intercept_)
        coef = self.coef_.toarray() if sp.issparse(self.coef_) else self.coef_
        with rows.reading():
            return decision_values(rows, coef, self.intercept_, n_threads)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the likeliest class of each sample."""
        decisions = self._decisions(X)
        if decisions.shape[1] == 1:
            return np.asarray(self.classes_[(decisions[:, 0] > 0).astype(np.intp)])
        return np.asarray(self.classes_[decisions.argmax(axis=1)])

    def predict_proba(self, X: Any) -> Vector:
        """Return the probability of each class, of shape (n_samples, n_classes)."""
        decisions = self._decisions(X)
        return LOSSES[self.loss_].probabilities(decisions)

    def predict_log_proba(self, X: Any) -> Vector:
        """Return the logarithm of ``predict_proba``."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def sparsify(self) -> Self:
        """Keep ``coef_`` as a CSR matrix: less memory where most coefficients are 0."""
        check_is_fitted(self)
        self.coef_ = sp.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Keep ``coef_`` as an array again."""
        check_is_fitted(self)
        if sp.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self

    def _to_model(self) -> ModelData:
        """Return everything a file needs."""
        return ModelData(
            coef=self.coef_,
            intercept=self.intercept_,
            classes=self.classes_,
            feature_names=getattr(self, "feature_names_in_", None),
            n_features=self.n_features_in_,
            params=self.get_params(deep=False),
            fitted={
                "loss": self.loss_,
                "alpha": self.alpha_,
                "l1_ratio": self.l1_ratio_,
                "n_iter": self.n_iter_,
                "message": self.message_,
                "held_out_loss": np.array([self.held_out_loss_]),
                "objective": self.objective_,
                "slope": LOSSES[self.loss_].link_slope,
                "offset": 0.0,
            },
            kind=type(self).__name__,
        )

    @classmethod
    def _from_model(cls, data: ModelData) -> Self:
        """Make a fitted estimator from checked data; anything that does not fit is an error."""
        fitted, n_tasks = data.fitted, data.coef.shape[0]
        clf = cls(**data.params)
        clf.classes_, clf.coef_, clf.intercept_ = data.classes, data.coef, data.intercept
        clf.n_features_in_ = data.n_features
        if data.feature_names is not None:
            clf.feature_names_in_ = data.feature_names
        clf.loss_ = str(fitted["loss"])
        if clf.loss_ not in LOSSES:
            raise ValueError(f"its loss is {clf.loss_!r}")
        clf.alpha_ = check_real(fitted["alpha"], "alpha", least=0.0)
        clf.l1_ratio_ = check_real(fitted["l1_ratio"], "l1_ratio", least=0.0, most=1.0)
        clf.n_iter_ = int(check_real(fitted["n_iter"], "n_iter", least=0.0, most=2.0**53))
        clf.message_ = str(fitted["message"])
        held_out_loss = np.asarray(fitted["held_out_loss"], dtype=np.float64)  # may be NaN
        if held_out_loss.shape != (1,):
            raise ValueError(f"held_out_loss must have shape (1,), got {held_out_loss.shape}")
        clf.held_out_loss_ = float(held_out_loss[0])
        clf.objective_ = check_vector(fitted["objective"], n_tasks, "objective")
        clf.selection_ = []
        return clf


def number_or_auto(value: Any, name: str, most: float) -> float | str:
    """Check a parameter that is a number or chosen by itself."""
    if isinstance(value, str):
        if value != "auto":
            raise ValueError(f"{name} must be 'auto' or a number, got {shown(value)}")
        return value
    return check_real(value, name, least=0.0, most=most)
