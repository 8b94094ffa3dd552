"""TauBoostClassifier: the solvers as a scikit-learn classifier that needs no tuning."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..base.arrays import Vector
from ..base.messages import shown, warn_of
from ..base.threads import resolve_jobs
from ..io.model_file import ModelFile
from ..parameters import CVParameters, LinearParameters, parameters_of
from ..search.diagnosis import are_enough, of_range, of_rare_classes, of_repeats, of_shares
from ..search.options import Options
from ..search.record import Record, prints_of
from ..search.saved_params import RULES
from ..search.search import live_line
from ..sparse.design import note_of_width
from ..sparse.explain import ExplainMixin
from ..sparse.factors import checked_factors
from ..sparse.fitting import fit, start_of, train, weighted_samples
from ..sparse.model import Model
from ..sparse.path import Fold
from ..sparse.training import Samples
from ..validation import (
    CsrArrays,
    check_count,
    check_flag,
    check_real,
    check_seed,
    check_weights,
    encode_labels,
)
from .base import (
    CallbackSupportMixin,
    FittedAttribute,
    PredictionsMixin,
    csr,
    finished,
    reporting_to_callbacks,
    take_labelled,
    take_rows,
    with_callbacks,
)
from .path import PATH_TOL, PathResult, fitted_path, path_candidates

__all__ = ["TauBoostClassifier", "TauBoostClassifierCV"]


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
    net psi, by exact coordinate steps. With ``alpha="auto"`` a part of the samples becomes a
    validation set, fits to the rest follow a path of alphas, and the alpha that does best on the
    validation set is chosen. The model is the optimum for all samples, within ``tol``, with a
    certificate: it does not depend on how it was found. More than two classes are fitted
    one-vs-rest.

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
        Log-loss of the choice on the validation set; NaN where there was none.
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
            Samples of one group stay together in folds and validation sets. By default samples with
            the same features do, unless they occur often and with several labels; give every sample
            a separate group where equal ones are separate observations.
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


# TauBoostClassifierCV: alpha and l1_ratio chosen by cross-validation along the whole path.


class TauBoostClassifierCV(CVParameters, TauBoostClassifier):
    """Linear classifier for sparse data whose alpha is chosen by cross-validation.

    Fits the whole path of ``regularization_path`` for every ``l1_ratio``, takes the alpha with the
    least validation log-loss, and solves it on all samples, from where the path was.
    ``TauBoostClassifier`` is faster: it walks down a path only as far as the best alpha.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    alpha_, l1_ratio_ : float
        What was chosen.
    path_ : PathResult
        The path with the chosen l1_ratio.
    paths_ : list of PathResult
        One for each l1_ratio.
    scores_ : ndarray of shape (n_l1_ratios, n_alphas, n_folds)
        Validation log-loss.
    held_out_loss_ : float
        Mean over the folds for what was chosen; NaN without folds.
    classes_, coef_, intercept_, n_iter_, objective_, n_features_in_, feature_names_in_
        As for ``TauBoostClassifier``; ``n_iter_`` counts the sweeps from the path's solution.

    Examples
    --------
    >>> import tauboost as tb
    >>> X, y = tb.make_w8a_like(2000, random_state=0)
    >>> clf = tb.TauBoostClassifierCV(random_state=0).fit(X, y)
    >>> clf.alpha_ == clf.path_.best_alpha
    True
    """

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        if self.rule not in RULES:
            raise ValueError(f"rule must be 'best' or 'one-se', got {shown(self.rule)}")
        n_threads = resolve_jobs(self.n_jobs)
        max_iter = check_count(self.max_iter, "max_iter")
        tol = check_real(self.tol, "tol", least=0.0)
        arrays, y = take_labelled(self, X, y)
        classes, codes = encode_labels(y)
        samples = weighted_samples(
            arrays,
            classes,
            codes,
            sample_weight,
            groups,
            class_weight=self.class_weight,
            fit_intercept=check_flag(self.fit_intercept, "fit_intercept"),
            seed=check_seed(self.random_state),
            n_threads=n_threads,
            penalty_factors=checked_factors(self.penalty_factors, arrays.shape[1]),
        )
        present = check_weights(sample_weight, len(codes)) > 0
        grids = [
            path_candidates(samples, self.loss, ratio, self.alphas, self.n_alphas)
            for ratio in as_ratios(self.l1_ratio)
        ]
        shares = samples.folds(self.cv, (X, y, groups), present)
        folds = [Fold.of(samples, *of_fold) for of_fold in shares]
        paths = []
        with live_line(self.verbose) as report:
            for candidates in grids:
                fitted = (samples, candidates, folds, arrays.shape[1])
                notes = fitted_path(*fitted, tol=PATH_TOL, max_iter=max_iter, report=report)
                paths.append(notes.result(classes))
            chosen = self._choose(paths)
            fewer = samples.merged()
            options = Options(
                loss=chosen.loss,
                alpha=chosen.alpha,
                l1_ratio=chosen.l1_ratio,
                max_iter=max_iter,
                tol=tol,
                report=report,
            )
            found = train(fewer, options, start_of(fewer, chosen))
        model = replace(
            chosen,
            coef=fewer.expand(found.coef, arrays.shape[1]),
            intercept=found.intercept,
            n_iter=found.n_sweeps,
            objective=found.objective + found.penalty,
            message=f"{chosen.message} {found.message}",
        )
        warning = (
            note_of_width(samples.used, arrays.shape[1])
            or self._warning(samples)
            or of_rare_classes(
                np.bincount(samples.codes), lambda: model.decisions(arrays, n_threads)
            )
        )
        codes, prints = samples.codes, prints_of(samples, arrays.shape[1])
        record = Record.of(prints, codes, len(classes), arrays.shape[1], caution=warning)
        self.model_ = replace(model, record=replace(record, gap=found.gap))
        warn_of(warning)

    def _warning(self, samples: Samples) -> str:
        """Return what there is to warn of."""
        path = self.path_
        if not path.n_folds or not are_enough(np.bincount(samples.codes)):
            return ""
        shares = np.bincount(samples.codes, samples.weights)
        loss = float(path.cv_mean.min())
        return (
            of_shares(shares, samples.n, loss)
            or of_range(path.alphas, path.cv_mean, shares, "alphas")
            or of_repeats(samples.repeated, samples.n, loss, shares)
        )

    def _choose(self, paths: list[PathResult]) -> Model:
        """Return the model of a path that cross-validation likes best."""
        path = min(
            paths, key=lambda path: path.cv_mean.min()
        )  # the first, where there are no folds
        k = path.best_index if self.rule == "best" else path.one_se_index
        self.paths_, self.path_ = paths, path
        self.scores_ = np.stack([path.cv_log_loss for path in paths])
        return Model(
            path.classes,
            path.coefs[k],
            path.intercepts[k],
            path.loss,
            float(path.alphas[k]),
            path.l1_ratio,
            int(path.n_sweeps[k]),
            path.objective[k].copy(),
            float(path.cv_mean[k]),
            f"Chosen by cross-validation among {len(path.alphas)} strengths.",
            [row for path in paths if path.n_folds for row in _candidates(path)],
        )


def _candidates(path: PathResult) -> list[dict[str, float | str]]:
    """Return the alphas of a path with their validation losses, as every search has them."""
    numbers = zip(path.alphas.tolist(), path.n_sweeps.tolist(), path.cv_mean.tolist(), strict=True)
    about: dict[str, float | str] = {"loss": path.loss, "l1_ratio": path.l1_ratio}
    return [
        {**about, "alpha": alpha, "n_sweeps": int(sweep), "held_out_loss": loss}
        for alpha, sweep, loss in numbers
    ]


def as_ratios(l1_ratio: Any) -> list[Any]:
    """Return the l1_ratios to choose from."""
    if isinstance(l1_ratio, Real):
        return [l1_ratio]
    ratios = [] if isinstance(l1_ratio, str) or not np.iterable(l1_ratio) else list(l1_ratio)
    if not ratios:
        got = shown(l1_ratio)
        raise ValueError(f"l1_ratio must be a number in [0, 1] or a list of them, got {got}")
    return ratios
