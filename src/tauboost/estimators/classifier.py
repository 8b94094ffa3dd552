"""TauBoostClassifier: the solvers as a scikit-learn classifier that needs no tuning."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Self

import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..base.arrays import Vector
from ..base.threads import resolve_jobs
from ..io.model import ModelData
from ..parameters import LinearParameters, parameters_of
from ..tuning.events import live_line
from ..tuning.fitting import fit
from ..tuning.model import Model
from .callbacks import CallbackSupportMixin, finished, reporting_to_callbacks, with_callbacks
from .explain import ExplainMixin
from .inputs import take_labelled, take_rows
from .predictions import PredictionsMixin
from .sparse_interface import csr

__all__ = ["TauBoostClassifier"]

FITTED = [field.name for field in fields(Model)]


class TauBoostClassifier(
    LinearParameters,
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
    {parameters}

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

    if TYPE_CHECKING:  # what a fit finds; classes_, coef_, intercept_ and loss_: see ExplainMixin
        alpha_: float
        l1_ratio_: float
        n_iter_: int
        objective_: Vector
        held_out_loss_: float
        message_: str
        selection_: list[dict[str, float | str]]

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
        is_warm = bool(self.warm_start) and "coef_" in vars(self)
        last = self._model if is_warm else None
        n_threads = resolve_jobs(self.n_jobs)
        arrays, y = take_labelled(self, X, y)
        with live_line(self.verbose) as line:
            model = fit(
                arrays,
                y,
                parameters_of(LinearParameters, self),
                n_threads=n_threads,
                sample_weight=sample_weight,
                groups=groups,
                report=reporting_to_callbacks(self, line),
                last=last,
            )
        self._keep(model)
        finished(self)

    @property
    def _model(self) -> Model:
        """What was fitted, as plain data; whoever changes an attribute changes it."""
        return Model(**{name: getattr(self, f"{name}_") for name in FITTED})

    def _keep(self, model: Model) -> None:
        for name in FITTED:
            setattr(self, f"{name}_", getattr(model, name))

    def _decisions(self, X: Any) -> Vector:
        check_is_fitted(self)
        n_threads = resolve_jobs(self.n_jobs)
        return self._model.decisions(take_rows(self, X), n_threads)

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

    def _to_model(self) -> ModelData:
        """Return everything a file needs."""
        names = getattr(self, "feature_names_in_", None)
        return self._model.to_data(self.get_params(deep=False), names, type(self).__name__)

    @classmethod
    def _from_model(cls, data: ModelData) -> Self:
        """Make a fitted estimator from checked data; anything that does not fit is an error."""
        clf = cls(**data.params)
        clf.n_features_in_ = data.n_features
        if data.feature_names is not None:
            clf.feature_names_in_ = data.feature_names
        clf._keep(Model.from_data(data))
        return clf
