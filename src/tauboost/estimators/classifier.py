"""TauBoostClassifier: the solvers as a scikit-learn classifier that needs no tuning."""

from __future__ import annotations

from typing import Any, Self

import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..base.arrays import Vector
from ..base.threads import resolve_jobs
from ..io.model import ModelFile
from ..parameters import LinearParameters, parameters_of
from ..search.watch import live_line
from ..tuning.fitting import fit
from ..validation import CsrArrays
from .callbacks import CallbackSupportMixin, finished, reporting_to_callbacks, with_callbacks
from .explain import ExplainMixin
from .inputs import take_labelled, take_rows
from .predictions import FittedAttribute, PredictionsMixin
from .sparse_interface import csr

__all__ = ["TauBoostClassifier"]


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

    coef_ = FittedAttribute()

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
                parameters_of(LinearParameters, self),
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
