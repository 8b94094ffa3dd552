"""regularization_path: one model for each alpha, from strong to weak, with cross-validation.

The samples are read into one matrix. All samples and every fold walk down the alphas side by side
in batches (search/path.py); what a fold holds out has weight 0 in its fit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import Vector
from ..base.messages import shown
from ..base.threads import resolve_jobs
from ..losses import LOSSES
from ..parameters import CVParameters
from ..search.folds import group_keys
from ..search.search import Candidate
from ..search.watch import live_line
from ..tuning.first_step import checked_factors, factors_of
from ..tuning.paths import Fold
from ..tuning.samples import Samples
from ..tuning.strongest import largest_gradient, unit_of_l2
from ..validation import (
    check_choice,
    check_count,
    check_flag,
    check_groups,
    check_real,
    check_seed,
    check_weights,
    encode_labels,
)
from .inputs import take_labelled
from .path_result import PathResult, fitted_path

__all__ = ["path_candidates", "regularization_path"]

# Ridge: alpha in units of the mean squared length of a sample over the number of samples.
STRONGEST, WEAKEST = 30.0, 1e-3
# By how much a sweep may still lower the objective, as a share of that without features.
PATH_TOL = 1e-4
# Lasso: the weakest alpha as a share of the one from which on every coefficient is 0.
WEAKEST_SHARE = 1e-3


def regularization_path(
    X: Any,
    y: ArrayLike,
    *,
    loss: str = CVParameters.loss,
    l1_ratio: float = CVParameters.l1_ratio,
    alphas: ArrayLike | None = None,
    n_alphas: int = CVParameters.n_alphas,
    cv: Any = CVParameters.cv,
    sample_weight: ArrayLike | None = None,
    groups: Any = None,
    fit_intercept: bool = CVParameters.fit_intercept,
    penalty_factors: Any = CVParameters.penalty_factors,
    max_iter: int = CVParameters.max_iter,
    tol: float = PATH_TOL,
    n_jobs: int | None = CVParameters.n_jobs,
    random_state: Any = CVParameters.random_state,
    verbose: int = CVParameters.verbose,
    certify: bool = False,
) -> PathResult:
    """Fit one linear classifier for each alpha, and score each by cross-validation.

    Parameters
    ----------
    X : sparse or dense matrix, or table, of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Two classes or more; more are told apart one against the rest.
    loss : {"logistic", "exponential"}
    l1_ratio : float in [0, 1]
        ``psi = alpha (l1_ratio |lam|_1 + (1 - l1_ratio)/2 |lam|_2^2)``, in each column's own units,
        as in ``TauBoostClassifier``.
    alphas : array-like, optional
        Positive numbers, in any order. By default ``n_alphas`` of them in a geometric row that
        begins where psi is far too strong: for ``l1_ratio >= 0.5``, where every coefficient is 0.
    cv : int, splitter, iterable of splits, or None
        A number means stratified folds in which equal samples stay together, unless they occur
        often and with several labels; fewer folds where a class has fewer different samples. None:
        no cross-validation.
    sample_weight : array-like of shape (n_samples,), optional
        Weights in the fits and in the scores.
    groups : array-like of shape (n_samples,), optional
        As in ``TauBoostClassifier.fit``.
    penalty_factors : "auto", None or array-like of shape (n_features,)
        As in ``TauBoostClassifier``.
    max_iter : int
        The most sweeps for one alpha.
    tol : float
        An alpha is solved when a sweep over all features lowers the objective by no more than this
        share of the log-loss of a model without features.
    n_jobs : int or None
        Threads, in scikit-learn's meaning. The result does not depend on it.
    random_state : int, RandomState or None
        Kept for scikit-learn: nothing depends on it.
    verbose : int
        1 shows a live line.
    certify : bool
        Whether to bound the optimum of each alpha, for ``gap`` of the result: one more gradient for
        each. Needs two classes.

    Returns
    -------
    PathResult
        Prints as a table; ``plot()`` draws it.

    Examples
    --------
    >>> import tauboost as tb
    >>> X, y = tb.make_w8a_like(2000, random_state=0)
    >>> path = tb.regularization_path(X, y, l1_ratio=1.0, random_state=0)
    >>> int(path.n_nonzero[0])
    0
    """
    n_threads = resolve_jobs(n_jobs)
    arrays, labels = take_labelled(None, X, y)
    classes, codes = encode_labels(labels)
    weights = check_weights(sample_weight, len(codes))
    if len(np.unique(codes[weights > 0])) < len(classes):
        raise ValueError("sample_weight leaves no samples of some classes")
    if certify and len(classes) > 2:
        raise ValueError(f"certify: needs two classes, and y has {len(classes)}")
    max_iter = check_count(max_iter, "max_iter")
    tol = check_real(tol, "tol", least=0.0)
    seed = check_seed(random_state)
    numbers = check_groups(groups, len(codes))
    samples = Samples.build(
        arrays,
        codes,
        len(classes),
        weights,
        fit_intercept=check_flag(fit_intercept, "fit_intercept"),
        seed=seed,
        n_threads=n_threads,
        groups=None if numbers is None else group_keys(numbers),
        penalty_factors=checked_factors(penalty_factors, arrays.shape[1]),
    )
    candidates = path_candidates(samples, loss, l1_ratio, alphas, n_alphas)
    shares = samples.folds(cv, (X, labels, groups), weights > 0)
    folds = [Fold.of(samples, *of_fold) for of_fold in shares]
    fitted = (samples, candidates, folds, arrays.shape[1])
    with live_line(verbose) as report:
        notes = fitted_path(*fitted, tol=tol, max_iter=max_iter, report=report)
    if certify:
        notes.certify()
    return notes.result(classes)


def path_candidates(
    samples: Samples,
    loss: Any,
    l1_ratio: Any,
    alphas: ArrayLike | None,
    n_alphas: Any,
) -> list[Candidate]:
    """Check what was asked for, and return the candidates of the path, the strongest first."""
    check_choice(loss, "loss", LOSSES)
    ratio = check_real(l1_ratio, "l1_ratio", least=0.0, most=1.0)
    if alphas is None:
        grid = usual_alphas(samples, loss, ratio, check_count(n_alphas, "n_alphas"))
    else:
        grid = given_alphas(alphas)
    return [Candidate(loss, float(alpha), ratio) for alpha in grid]


def given_alphas(alphas: ArrayLike) -> Vector:
    """Check alphas and put them in order, the strongest first."""
    try:
        grid = np.array(alphas, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(
            f"alphas must be a vector of positive numbers, got {shown(alphas)}"
        ) from None
    if grid.ndim != 1 or len(grid) == 0 or not np.all(np.isfinite(grid) & (grid > 0)):
        raise ValueError(f"alphas must be a vector of positive numbers, got {shown(alphas)}")
    return np.sort(grid)[::-1]


def usual_alphas(samples: Samples, loss: str, l1_ratio: float, n: int) -> Vector:
    """Return alphas from far too strong to far too weak, in a geometric row."""
    if l1_ratio < 0.5:
        unit = unit_of_l2(samples, factors_of(samples)) / (1.0 - l1_ratio)
        strongest, weakest = STRONGEST * unit, WEAKEST * unit
    else:
        strongest = (1.0 + 1e-9) * largest_gradient(samples, loss, factors_of(samples)) / l1_ratio
        weakest = WEAKEST_SHARE * strongest
    if not strongest > 0:  # no feature says anything
        strongest, weakest = 1.0, WEAKEST_SHARE
    return np.geomspace(strongest, weakest, n)
