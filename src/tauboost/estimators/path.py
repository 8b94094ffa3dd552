"""regularization_path: one model for each alpha, from strong to weak, with cross-validation.

The samples are read into one matrix. All samples and every fold walk down the alphas side by side
in batches (search/path.py); what a fold holds out has weight 0 in its fit.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from ..base.arrays import Vector, cached_property
from ..base.messages import shown
from ..base.threads import resolve_jobs
from ..losses import LOSSES, likeliest
from ..parameters import CVParameters
from ..plots.plots import plot_path
from ..search.folds import group_keys
from ..search.path import Arrival
from ..search.search import Candidate, Report, Watch, live_line
from ..solvers.certificate import gap_of
from ..sparse.decisions import decision_values
from ..sparse.factors import checked_factors, factors_of
from ..sparse.path import Fold, LinearPaths
from ..sparse.training import Samples, largest_gradient, unit_of_l2
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
from .base import take_labelled

__all__ = ["PathNotes", "PathResult", "fitted_path", "path_candidates", "regularization_path"]


# What a regularisation path gives: models along it, their scores, and which of them to take.


# Coefficients of all alphas are one array up to this many numbers, else one CSR per alpha.
LARGEST_ARRAY = 2**22


@dataclass(frozen=True, eq=False, repr=False)
class PathResult:
    """Models along a regularisation path, and their scores.

    Attributes
    ----------
    alphas : ndarray of shape (n_alphas,)
        From strong to weak.
    loss, l1_ratio, classes : as given, and the labels in order
    coefs : ndarray of shape (n_alphas, 1 or n_classes, n_features), or a list of CSR where large
        ``coefs[k]`` is the model for ``alphas[k]``, fitted on all samples, as ``coef_`` has it.
    intercepts : ndarray of shape (n_alphas, 1 or n_classes)
    objective : ndarray of shape (n_alphas, 1 or n_classes)
        F + psi of each two-class problem.
    n_nonzero : ndarray of shape (n_alphas,)
        Number of features in use.
    n_sweeps : ndarray of shape (n_alphas,)
        Sweeps that the alpha took, from the solution of a stronger one; of several classes the
        most.
    converged : boolean ndarray of shape (n_alphas,)
        Whether ``tol`` was reached within ``max_iter`` sweeps.
    train_log_loss, train_accuracy : ndarray of shape (n_alphas,)
    cv_log_loss, cv_accuracy : ndarray of shape (n_alphas, n_folds)
        On the validation samples of each fold; no columns without cross-validation.
    gap : ndarray of shape (n_alphas,)
        How far each model can be from the optimum of its alpha, which is proved, or NaN where that
        could not be, or was not asked for (``certify=True``).

    Examples
    --------
    >>> import tauboost as tb
    >>> X, y = tb.make_w8a_like(2000, random_state=0)
    >>> path = tb.regularization_path(X, y, l1_ratio=1.0, cv=3, random_state=0)
    >>> path.cv_log_loss.shape[1], bool(path.one_se_alpha >= path.best_alpha)
    (3, True)
    """

    alphas: Vector
    loss: str
    l1_ratio: float
    classes: NDArray[Any]
    coefs: Any
    intercepts: Vector
    objective: Vector
    n_nonzero: NDArray[np.intp]
    n_sweeps: NDArray[np.intp]
    converged: NDArray[np.bool_]
    train_log_loss: Vector
    train_accuracy: Vector
    cv_log_loss: Vector
    cv_accuracy: Vector
    gap: Vector

    @property
    def n_folds(self) -> int:
        """Number of folds; 0: no cross-validation."""
        return int(self.cv_log_loss.shape[1])

    @cached_property
    def cv_mean(self) -> Vector:
        """Mean log-loss over the folds, for each alpha; NaN without folds."""
        return self.cv_log_loss.mean(axis=1) if self.n_folds else np.full(len(self.alphas), np.nan)

    @cached_property
    def cv_std(self) -> Vector:
        """Standard deviation of the log-loss over the folds, for each alpha."""
        return self.cv_log_loss.std(axis=1) if self.n_folds else np.full(len(self.alphas), np.nan)

    @property
    def best_index(self) -> int:
        """Where the mean log-loss of the folds is least; without folds the middle of the path."""
        return int(self.cv_mean.argmin()) if self.n_folds else len(self.alphas) // 2

    @property
    def one_se_index(self) -> int:
        """The strongest alpha within one standard error of the best."""
        if not self.n_folds:
            return self.best_index
        best = self.best_index
        limit = self.cv_mean[best] + self.cv_std[best] / np.sqrt(max(self.n_folds - 1, 1))
        return int(np.flatnonzero(self.cv_mean <= limit)[0])

    @property
    def best_alpha(self) -> float:
        """The alpha of the least mean log-loss."""
        return float(self.alphas[self.best_index])

    @property
    def one_se_alpha(self) -> float:
        """The largest alpha that is as good as the best one, as far as the folds can show."""
        return float(self.alphas[self.one_se_index])

    def plot(self) -> Any:
        """Draw scores and coefficients against alpha; returns a matplotlib Figure."""
        return plot_path(self)

    def __repr__(self) -> str:
        lines = [f"PathResult: {len(self.alphas)} alphas, {self.loss} loss"]
        lines[0] += f", l1_ratio={self.l1_ratio:g}, {self.n_folds} folds"
        marks = {self.one_se_index: "one standard error", self.best_index: "best"}
        lines.append(f"{'alpha':>10}  {'features':>8}  {'log-loss':>17}  {'accuracy':>8}")
        for k, alpha in enumerate(self.alphas):
            if self.n_folds:
                loss = f"{self.cv_mean[k]:.4f} +- {self.cv_std[k]:.4f}"
                accuracy = self.cv_accuracy[k].mean()
            else:
                loss, accuracy = f"{self.train_log_loss[k]:.4f}", self.train_accuracy[k]
            mark = f"  <- {marks[k]}" if self.n_folds and k in marks else ""
            lines.append(
                f"{alpha:10.3g}  {self.n_nonzero[k]:8d}  {loss:>17}  {accuracy:8.4f}{mark}"
            )
        return "\n".join(lines)


class PathNotes:
    """Takes what the batched fits have solved, in any order, and makes the result of it."""

    def __init__(
        self, samples: Samples, candidates: list[Candidate], folds: list[Fold], n_features: int
    ) -> None:
        self.samples, self.candidates, self.n_features = samples, candidates, n_features
        self.folds = [*folds, Fold.of_all(samples)]  # the last one is that of number -1
        n_alphas, n_tasks = len(candidates), samples.n_tasks
        self.rows: list[list[Any]] = [[None] * n_tasks for _ in candidates]
        self.intercepts = np.empty((n_alphas, n_tasks))
        self.objective = np.empty((n_alphas, n_tasks))
        self.n_sweeps = np.zeros(n_alphas, dtype=np.intp)
        self.converged = np.ones(n_alphas, dtype=bool)
        self.scores = np.empty((n_alphas, len(self.folds), 2))
        self.decisions: dict[tuple[int, int], dict[int, Vector]] = {}
        self.lock = threading.Lock()
        self.gap = np.full(n_alphas, np.nan)
        self.is_small = n_alphas * n_tasks * n_features <= LARGEST_ARRAY

    def __call__(self, arrival: Arrival) -> None:
        """Note one arrival; threads may call this at the same time."""
        place, task = arrival.place, arrival.task
        fold = self.folds[arrival.fold]
        coef, intercept = arrival.coef[None, :], np.array([arrival.intercept])
        decisions = decision_values(fold.arrays, coef, intercept, self.samples.n_threads)[:, 0]
        with self.lock:
            of_model = self.decisions.setdefault((arrival.fold, place), {})
            of_model[task] = decisions
            if len(of_model) == self.samples.n_tasks:
                self.scores[place, arrival.fold] = self._scores(fold, of_model)
                del self.decisions[arrival.fold, place]
            if arrival.fold == -1:
                self._keep(arrival)

    def _keep(self, arrival: Arrival) -> None:
        place, task, coef = arrival.place, arrival.task, arrival.coef
        if self.is_small:
            self.rows[place][task] = self.samples.expand(coef[None, :], self.n_features)
        else:
            self.rows[place][task] = self._sparse_row(coef)
        self.intercepts[place, task] = arrival.intercept
        self.objective[place, task] = arrival.value + arrival.penalty
        self.n_sweeps[place] = max(self.n_sweeps[place], arrival.n_sweeps)
        self.converged[place] &= arrival.is_converged

    def _sparse_row(self, coef: Vector) -> sp.csr_array:
        """Return the coefficients of all features, of which few may be kept, as a CSR row."""
        chosen = np.flatnonzero(coef)
        columns = chosen if self.samples.used is None else self.samples.used[chosen]
        parts = (coef[chosen], columns, np.array([0, len(chosen)]))
        return sp.csr_array(parts, shape=(1, self.n_features))

    def _scores(self, fold: Fold, of_model: dict[int, Vector]) -> tuple[float, float]:
        """Log-loss and accuracy of one model."""
        H = np.stack([of_model[task] for task in sorted(of_model)], axis=1)
        accuracy = float(fold.weights @ (likeliest(H) == fold.codes))
        loss = LOSSES[self.candidates[0].loss]
        return loss.log_loss(H, fold.codes, fold.weights), accuracy

    def certify(self) -> None:
        """Bound the optimum of every alpha, from the model that was found for it."""
        problem = self.samples.problem(self.candidates[0].loss)
        design, (factors,) = self.samples.design, factors_of(self.samples)
        for place, candidate in enumerate(self.candidates):
            (coef,) = self.rows[place]
            (given,) = self.samples.keep(coef)
            lam = design.point(given, float(self.intercepts[place, 0]))
            psi = candidate.psi(design.n_penalised, factors)
            self.gap[place] = gap_of(problem, psi, lam, self.samples.n_threads)

    def result(self, classes: NDArray[Any]) -> PathResult:
        """Return everything noted."""
        coefs: Any
        if self.is_small:
            coefs = np.stack([np.concatenate(rows) for rows in self.rows])
            n_nonzero = (coefs != 0).any(axis=1).sum(axis=1)
        else:
            coefs = [sp.vstack(rows, format="csr") for rows in self.rows]
            n_nonzero = np.array([len(np.unique(coef.indices)) for coef in coefs])
        return PathResult(
            alphas=np.array([c.alpha for c in self.candidates]),
            loss=self.candidates[0].loss,
            l1_ratio=self.candidates[0].l1_ratio,
            classes=classes,
            coefs=coefs,
            intercepts=self.intercepts,
            objective=self.objective,
            n_nonzero=n_nonzero,
            n_sweeps=self.n_sweeps,
            converged=self.converged,
            train_log_loss=self.scores[:, -1, 0],
            train_accuracy=self.scores[:, -1, 1],
            cv_log_loss=self.scores[:, :-1, 0],
            cv_accuracy=self.scores[:, :-1, 1],
            gap=self.gap,
        )


def fitted_path(
    samples: Samples,
    candidates: list[Candidate],
    folds: list[Fold],
    n_features: int,
    *,
    tol: float,
    max_iter: int,
    report: Report | None,
) -> PathNotes:
    """Fit the candidates, the strongest first, to all samples and without every fold."""
    notes = PathNotes(samples, candidates, folds, n_features)
    LinearPaths(samples, candidates, folds).run(tol, max_iter, notes, Watch(report=report))
    return notes


# Ridge: alpha relative to the mean squared length of a sample over the number of samples.
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
