"""Fits of held-out parts and classes along a path: each is the fit it would be alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logsumexp
from sklearn.linear_model import LogisticRegression

import tauboost as tb
from first_steps import expected_scales, in_units, samples_of, table
from tauboost.search.search import Candidate
from tauboost.solvers.result import Status
from tauboost.solvers.stopping import StoppingRule, SweepMonitor, run
from tauboost.sparse.search import AlphaPath

ALPHAS = [0.3, 3e-3]
WEIGHTS = np.random.default_rng(0).integers(1, 4, 60)


def folds(m, k, seed=0):
    """Shares that are held out: of one row, not all of it is."""
    fold = np.random.default_rng(seed).permutation(np.arange(m) % 5)
    parts = [(fold == p).astype(float) for p in range(k)]
    parts[0][np.flatnonzero(parts[0])[0]] = 0.5
    return parts


def tasks_of(n_classes):
    return [1] if n_classes == 2 else list(range(n_classes))


def converged(path, decrease, most, look=None):
    """Sweep until no sweep gains more, at most so often."""
    rule = StoppingRule(decrease=decrease, max_epochs=path.n_sweeps + most)
    return run(path, SweepMonitor(rule, look))


def models(path, part):
    """Return the coefficients and intercepts of the fits without a part."""
    found = [path.samples.design.coefficients(point) for point in path.points(fold=part)]
    return np.stack([coef for coef, _ in found]), np.array([b for _, b in found])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_every_fit_is_scikit_learns_without_its_fold(n_classes, fit_intercept, weights):
    X, codes = table(1, 60, n_classes)
    copies = np.ones(60) if weights is None else weights.astype(float)
    samples, parts = samples_of(X, codes, weights, fit_intercept=fit_intercept), folds(60, 2)
    path = AlphaPath(samples, Candidate("logistic", ALPHAS[0], 0.0), parts)
    Z = in_units(X, copies, fit_intercept)
    for alpha in ALPHAS:
        path.at(Candidate("logistic", alpha, 0.0))
        converged(path, 1e-14, 400)
        for p, held in enumerate(parts):
            coef, intercept = models(path, p)
            c = copies * (1 - held)
            for k, task in enumerate(tasks_of(n_classes)):
                scaled = Z * expected_scales(Z, codes == task, c)
                ridge = LogisticRegression(
                    C=1 / (alpha * c.sum()),
                    fit_intercept=fit_intercept,
                    tol=1e-10,
                    max_iter=10_000,
                )
                ridge.fit(scaled, codes == task, c)
                H = X @ coef[k] + intercept[k]
                np.testing.assert_allclose(H, ridge.decision_function(scaled), atol=3e-4)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_every_fit_is_that_of_solve_without_its_fold(loss, l1_ratio):
    X, codes = table(2, 60, 2)
    X = X[:, [0, 1, 4, 7, 8]]
    samples, parts = samples_of(X, codes), folds(60, 2)
    path = AlphaPath(samples, Candidate(loss, 0.1, l1_ratio), parts)
    Z = in_units(X, np.ones(60))
    for alpha in (0.1, 0.02):
        path.at(Candidate(loss, alpha, l1_ratio))
        converged(path, 1e-15, 1000)
        for p, held in enumerate(parts):
            learnt = held < 1
            s = expected_scales(Z, codes == 1, 1 - held)
            problem = tb.Problem(
                Z[learnt], codes[learnt], (1 - held)[learnt], loss=loss, fit_intercept=True
            )
            net = {"alpha": alpha, "l1_ratio": l1_ratio, "penalty_factors": (1 / s, 1 / s**2)}
            best = tb.solve(problem, **net, tol=1e-10, random_state=0)
            coef, intercept = models(path, p)
            expected = -(Z @ best.lam + best.intercept)
            np.testing.assert_allclose(X @ coef[0] + intercept[0], expected, atol=1e-4)
            assert path.values()[p, 0] == pytest.approx(best.value, abs=1e-5)
    objectives = []
    for p in range(2):
        alone = AlphaPath(samples, path.candidate, parts[p : p + 1], path.points(fold=p))
        objectives.append(alone.objective())
    assert path.objective() == pytest.approx(np.mean(objectives), abs=1e-12)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_factors_are_those_of_the_rows_it_learns_from(n_classes):
    X, codes = table(3, 60, n_classes)
    samples, parts = samples_of(X, codes), folds(60, 4)
    path, Z = AlphaPath(samples, Candidate("logistic", 0.1, 0.0), parts), in_units(X, np.ones(60))
    assert len(path.groups) == (1 if n_classes == 2 else 2), "16 fits are two times eight lanes"
    for held, of_part in zip(parts, path.factors, strict=True):
        for task, (of_l1, of_l2) in zip(tasks_of(n_classes), of_part, strict=True):
            s = expected_scales(Z, codes == task, 1 - held)
            np.testing.assert_allclose(of_l1[samples.design.place], 1 / s, rtol=1e-6)
            np.testing.assert_allclose(of_l2[samples.design.place], 1 / s**2, rtol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_held_out_decisions_and_losses_are_those_of_the_models(n_classes, loss):
    X, codes = table(4, 60, n_classes)
    samples, parts = samples_of(X, codes, WEIGHTS), folds(60, 5)
    path = AlphaPath(samples, Candidate(loss, 0.02, 0.0), parts)
    converged(path, -np.inf, 3)
    H, losses = path.held_out_decisions(), []
    slope = 2.0 if loss == "exponential" else 1.0
    for p, held in enumerate(parts):
        rows = samples.order[path.rows[p]]
        np.testing.assert_array_equal(np.sort(rows), np.flatnonzero(held))
        coef, intercept = models(path, p)
        np.testing.assert_allclose(H[p], X[rows] @ coef.T + intercept, atol=1e-9)
        if n_classes == 2:
            log_p = -np.logaddexp(0, -slope * np.where(codes[rows] == 1, 1, -1) * H[p][:, 0])
        else:  # the sigmoids of the classes, scaled to sum 1
            logs = np.log(expit(slope * H[p]))
            log_p = (logs - logsumexp(logs, axis=1, keepdims=True))[range(len(rows)), codes[rows]]
        losses.append(np.average(-log_p, weights=(WEIGHTS * held)[rows]))
    assert path.validation().loss == pytest.approx(np.mean(losses), abs=1e-10)


def test_without_held_out_parts_it_is_the_fit_to_all():
    X, codes = table(5, 60)
    clf = tb.TauBoostClassifier(alpha=0.01, tol=1e-9).fit(X, codes)
    path = AlphaPath(samples_of(X, codes), Candidate("logistic", 0.01, 0.0), [np.zeros(60)])
    converged(path, 1e-15, 400)
    assert path.objective() == pytest.approx(clf.objective_[0], rel=1e-8)
    coef, intercept = models(path, 0)
    expected = clf.decision_function(X)
    np.testing.assert_allclose(X @ coef[0] + intercept[0], expected, atol=1e-4)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_optimum_does_not_depend_on_the_order_of_sweeps(n_classes):
    X, codes = table(6, 60, n_classes)
    points = []
    for seed in (0, 1):
        samples = samples_of(X, codes, seed=seed)
        path = AlphaPath(samples, Candidate("logistic", 0.01, 0.0), folds(60, 2), seed=seed)
        converged(path, 1e-15, 500)
        points.append(path.points())
    np.testing.assert_allclose(*points, atol=1e-4)


def test_it_sweeps_as_often_as_it_says_and_until_it_is_asked_to_stop():
    samples = samples_of(*table(7, 60))
    path = AlphaPath(samples, Candidate("logistic", 1e-4, 0.0), folds(60, 2))
    assert converged(path, 0.0, 3) is Status.MAX_EPOCHS
    assert path.n_sweeps == 3
    assert converged(path, 0.0, 10, lambda: path.n_sweeps >= 5) is Status.INTERRUPTED
    assert path.n_sweeps == 5
    assert converged(path, np.inf, 10) is Status.CONVERGED
    assert path.n_sweeps == 6, "no sweep gains more than that"
