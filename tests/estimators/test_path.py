"""Regularisation paths: optimal at every alpha, lanes equal to separate fits, choice by folds."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import PredefinedSplit, ShuffleSplit, StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

import tauboost as tb
from problems import CASES
from tauboost.estimators import path as path_result
from tauboost.sparse import path as paths
from tauboost.sparse.scaling import Units
from tauboost.sparse.training import Samples
from tauboost.validation import as_csr

TIGHT = {"tol": 0.0, "max_iter": 3000, "penalty_factors": None}


def data(name: str):
    case = CASES[name]
    return case.X, case.y


def violation(X, y, coef, intercept, loss, alpha, l1_ratio, sample_weight=None):
    """The largest distance of a gradient from what psi can hold in balance, in units of X."""
    X = X.toarray() if sp.issparse(X) else np.asarray(X, dtype=float)
    c = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    units = Units.of(as_csr(X), c, True, 1)
    if units is not None:  # where the intercept is at its best, centers make no difference
        X, coef = X / units.size, coef * units.size
    c = c / c.sum()
    sign = np.where(y == np.max(y), 1.0, -1.0)
    margin = sign * (X @ coef + intercept)
    if loss == "exponential":
        w = c * np.exp(-margin)
        w /= w.sum()
    else:
        w = c / (1.0 + np.exp(margin))
    gradient = -(sign * w) @ X + alpha * (1.0 - l1_ratio) * coef
    l1 = alpha * l1_ratio
    moving = np.abs(gradient + l1 * np.sign(coef))
    resting = np.maximum(np.abs(gradient) - l1, 0.0)
    return max(np.where(coef != 0, moving, resting).max(), abs((sign * w).sum()))


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("name", ["binary", "mixed"])
def test_every_alpha_is_solved(name, loss, l1_ratio):
    X, y = data(name)
    path = tb.regularization_path(
        X, y, loss=loss, l1_ratio=l1_ratio, n_alphas=6, cv=3, random_state=0, **TIGHT
    )
    for k, alpha in enumerate(path.alphas):
        at = path.coefs[k][0], path.intercepts[k][0]
        assert violation(X, y, *at, loss, alpha, l1_ratio) < 1e-7


def test_agrees_with_scikit_learn():
    X, y = data("binary")
    path = tb.regularization_path(X, y, alphas=[0.1, 0.01], cv=None, **TIGHT)
    for k, alpha in enumerate([0.1, 0.01]):
        peer = LogisticRegression(C=1 / (alpha * len(y)), tol=1e-10, max_iter=1000).fit(X, y)
        np.testing.assert_allclose(path.coefs[k], peer.coef_, atol=1e-5)
        np.testing.assert_allclose(path.intercepts[k], peer.intercept_, atol=1e-5)


def test_objective_falls_along_the_path():
    X, y = tb.make_w8a_like(1000, random_state=0)
    for l1_ratio in (0.0, 1.0):
        path = tb.regularization_path(X, y, l1_ratio=l1_ratio, cv=None, random_state=0)
        assert np.all(np.diff(path.alphas) < 0)
        assert np.all(np.diff(path.objective[:, 0]) < 1e-6)
        assert np.all(np.diff(path.train_log_loss) < 1e-3)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_lasso_path_begins_with_no_features(loss, fit_intercept):
    X, y = tb.make_w8a_like(1000, random_state=0)
    path = tb.regularization_path(
        X, y, loss=loss, l1_ratio=1.0, cv=3, fit_intercept=fit_intercept, random_state=0
    )
    assert path.n_nonzero[0] == 0
    assert path.n_nonzero[1] > 0
    assert path.n_nonzero[-1] > 30


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
@pytest.mark.parametrize("name", ["binary", "real"])
def test_warm_starts_lead_where_cold_starts_do(name, l1_ratio):
    X, y = data(name)
    options = {"l1_ratio": l1_ratio, "cv": None, "random_state": 0, **TIGHT}
    path = tb.regularization_path(X, y, n_alphas=5, **options)
    for k, alpha in enumerate(path.alphas):
        cold = tb.regularization_path(X, y, alphas=[alpha], **options)
        np.testing.assert_allclose(cold.objective[0], path.objective[k], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(cold.coefs[0], path.coefs[k], atol=1e-5)


@pytest.mark.parametrize("factors", ["auto", None])
@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_folds_in_lanes_equal_separate_fits(loss, factors):
    X, y = data("binary")
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    if factors == "auto":  # these count rows: other weights are relative to all there are
        weights = np.ceil(weights)
    splits = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    options = {"loss": loss, "alphas": [0.1, 0.03, 0.01], **TIGHT, "penalty_factors": factors}
    path = tb.regularization_path(X, y, cv=splits, sample_weight=weights, **options)
    slope = 2.0 if loss == "exponential" else 1.0
    for f, (train, test) in enumerate(splits):
        alone = tb.regularization_path(
            X[train], y[train], cv=None, sample_weight=weights[train], **options
        )
        for k in range(3):
            H = X[test] @ alone.coefs[k][0] + alone.intercepts[k][0]
            margin = np.where(y[test] > 0, H, -H)
            expected = np.average(np.logaddexp(0, -slope * margin), weights=weights[test])
            assert path.cv_log_loss[k, f] == pytest.approx(expected, abs=1e-8)
            accuracy = np.average(margin > 0, weights=weights[test])
            assert path.cv_accuracy[k, f] == pytest.approx(accuracy)


def test_several_classes():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    path = tb.regularization_path(X, names, n_alphas=8, cv=4, random_state=0)
    assert path.coefs.shape == (8, 3, 4)
    assert path.intercepts.shape == (8, 3)
    assert path.classes.tolist() == ["setosa", "versicolor", "virginica"]
    assert path.cv_accuracy[path.best_index].mean() > 0.9
    tight = tb.regularization_path(X, names, alphas=[1.0, 0.1], cv=2, **TIGHT)
    for task, name in enumerate(path.classes):
        at = tight.coefs[1][task], tight.intercepts[1][task]
        assert violation(X, (names == name).astype(float), *at, "logistic", 0.1, 0.0) < 1e-6


def test_threads_do_not_change_a_bit():
    X, y = load_iris(return_X_y=True)
    one, two = (tb.regularization_path(X, y, n_alphas=5, random_state=0, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.coefs, two.coefs)
    np.testing.assert_array_equal(one.cv_log_loss, two.cv_log_loss)


def test_large_models_are_sparse(monkeypatch):
    X, y = tb.make_w8a_like(500, random_state=0)
    options = {"l1_ratio": 1.0, "n_alphas": 5, "cv": 3, "random_state": 0}
    dense = tb.regularization_path(X, y, **options)
    clf = tb.TauBoostClassifierCV(**options).fit(X, y)
    monkeypatch.setattr(path_result, "LARGEST_ARRAY", 10)
    path = tb.regularization_path(X, y, **options)
    assert sp.issparse(path.coefs[0])
    np.testing.assert_array_equal(np.stack([c.toarray() for c in path.coefs]), dense.coefs)
    np.testing.assert_array_equal(path.n_nonzero, dense.n_nonzero)
    sparse = tb.TauBoostClassifierCV(**options).fit(X, y)
    np.testing.assert_allclose(sparse.decision_function(X), clf.decision_function(X))


def test_sweeps_over_columns_in_use_change_nothing(monkeypatch):
    X, y = tb.make_w8a_like(500, random_state=0)
    options = {"l1_ratio": 1.0, "n_alphas": 5, "cv": None, "random_state": 0, **TIGHT}
    partial = tb.regularization_path(X, y, **options)
    monkeypatch.setattr(paths, "LARGEST_SHARE", 0.0)
    full = tb.regularization_path(X, y, **options)
    np.testing.assert_allclose(partial.objective, full.objective, rtol=1e-8)


def test_choice_of_alpha():
    X, y = tb.make_w8a_like(2000, random_state=0)
    path = tb.regularization_path(X, y, random_state=0)
    mean = path.cv_log_loss.mean(axis=1)
    assert path.best_alpha == path.alphas[mean.argmin()]
    assert path.one_se_alpha >= path.best_alpha
    error = path.cv_log_loss[mean.argmin()].std(ddof=1) / np.sqrt(5)
    within = mean <= mean.min() + error
    assert path.one_se_index == np.flatnonzero(within)[0]
    assert "best" in repr(path)
    assert len(repr(path).splitlines()) == 22
    without = tb.regularization_path(X, y, cv=None, n_alphas=4, random_state=0)
    assert without.n_folds == 0
    assert np.isnan(without.cv_mean).all()
    assert without.one_se_index == without.best_index == 2
    assert repr(without)


@given(st.integers(2, 6), st.integers(0, 1000), st.integers(0, 20))
def test_folds_follow_from_content(n_folds, seed, more):
    """Equal samples share a fold, whatever their order, and a weight of k is k copies."""
    m = 2 * n_folds + more
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (m, 6)) + np.arange(m)[:, None] / 8
    codes = np.arange(m) % 2
    times = rng.integers(1, 4, m)
    again = rng.permutation(np.repeat(np.arange(m), times))
    weighted, repeated = (
        Samples.build(
            as_csr(X[rows]), codes[rows], 2, weights, fit_intercept=True, seed=seed, n_threads=1
        )
        for rows, weights in ((np.arange(m), times.astype(float)), (again, np.ones(len(again))))
    )
    shares = [1.0 / n_folds] * n_folds
    once, split = weighted.split(shares).fold, repeated.split(shares).fold
    np.testing.assert_array_equal(once[again], split)
    for code in (0, 1):
        counts = np.bincount(split[codes[again] == code], minlength=n_folds)
        assert counts.min() >= 1
        assert np.ptp(counts) <= 3


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("n_tasks", [2, 3])
def test_weights_are_repetitions(n_tasks, loss):
    rng = np.random.default_rng(0)
    X, y, times = rng.random((60, 4)), np.arange(60) % n_tasks, rng.integers(0, 4, 60)
    again = rng.permutation(np.repeat(np.arange(60), times))
    options = {"loss": loss, "n_alphas": 3, "cv": 3, "random_state": 0}
    weighted = tb.regularization_path(X, y, sample_weight=times, **options)
    repeated = tb.regularization_path(X[again], y[again], **options)
    np.testing.assert_allclose(weighted.cv_log_loss, repeated.cv_log_loss, rtol=1e-6)
    np.testing.assert_allclose(weighted.coefs, repeated.coefs, rtol=1e-4)


def test_splitters():
    X, y = data("binary")
    options = {"n_alphas": 3, "random_state": 0}
    given = [StratifiedKFold(3), ShuffleSplit(2, random_state=0), PredefinedSplit(y > 0)]
    assert tb.regularization_path(X, y, cv=given[0], **options).n_folds == 3
    assert tb.regularization_path(X, y, cv=given[1], **options).n_folds == 2
    with pytest.raises(ValueError, match="split 0 of cv leaves no samples of some classes"):
        tb.regularization_path(X, y, cv=given[2], **options)
    rows = np.arange(len(y))
    weights = np.where(rows < 10, 0.0, 1.0)
    with pytest.raises(ValueError, match="split 0 of cv has no samples of positive weight"):
        tb.regularization_path(X, y, cv=[(rows[10:], rows[:10])], sample_weight=weights, **options)


def test_fewer_folds_for_small_classes():
    X, y = np.arange(24.0).reshape(12, 2), np.array([0] * 9 + [1] * 3)
    assert tb.regularization_path(X, y, n_alphas=3, random_state=0).n_folds == 3
    lonely = np.array([0] * 11 + [1])
    assert tb.regularization_path(X, lonely, n_alphas=3, random_state=0).n_folds == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loss": "hinge"}, "loss must be one of"),
        ({"l1_ratio": 1.5}, "l1_ratio must be at least 0 and at most 1"),
        ({"alphas": []}, "alphas must be a vector of positive numbers"),
        ({"alphas": [1.0, 0.0]}, "alphas must be a vector of positive numbers"),
        ({"alphas": "many"}, "alphas must be a vector of positive numbers"),
        ({"n_alphas": 0}, "n_alphas must be at least 1"),
        ({"n_alphas": 2.5}, "n_alphas must be an integer"),
        ({"cv": 1}, "cv must be at least 2 folds"),
        ({"cv": 2.5}, "cv must be"),
        ({"cv": "many"}, "cv must be"),
        ({"cv": True}, "cv must be"),
        ({"max_iter": 0}, "max_iter must be at least 1"),
        ({"tol": -1.0}, "tol must be at least 0"),
        ({"sample_weight": np.r_[np.zeros(2), np.nan]}, "sample_weight must have shape"),
    ],
)
def test_bad_options(options, message):
    X, y = data("binary")
    with pytest.raises((ValueError, TypeError), match=message):
        tb.regularization_path(X, y, **options)
    names = set(tb.TauBoostClassifierCV().get_params())
    if set(options) <= names:
        clf = tb.TauBoostClassifierCV(**options)
        with pytest.raises((ValueError, TypeError), match=message):
            clf.fit(X, y)
        assert not hasattr(clf, "classes_")


def test_a_class_without_weight():
    X, y = data("binary")
    with pytest.raises(ValueError, match="leaves no samples of some classes"):
        tb.regularization_path(X, y, sample_weight=(y > 0).astype(float))


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_separable_data_and_next_to_no_psi(loss, l1_ratio, scale):
    """A held-out row far on the wrong side must not drown the weights of the others."""
    X = np.random.default_rng(0).normal(size=(200, 5))
    alphas = np.geomspace(1, 1e-12, 25) * scale
    options = {"loss": loss, "l1_ratio": l1_ratio, "alphas": alphas, "max_iter": 30}
    path = tb.regularization_path(scale * X, X[:, 0] > 0, random_state=0, **options)
    assert np.isfinite(path.coefs).all()
    assert np.isfinite(path.cv_log_loss).all()


def test_nothing_to_learn_from():
    y = np.arange(40) % 2
    path = tb.regularization_path(np.zeros((40, 3)), y, l1_ratio=1.0, cv=None)
    assert path.n_nonzero.tolist() == [0] * 20


@pytest.mark.filterwarnings("ignore:the values in column")  # the checks' own, around 100
@parametrize_with_checks([tb.TauBoostClassifierCV(n_alphas=5, random_state=0)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_classifier_takes_the_best_of_the_path():
    X, y = tb.make_w8a_like(2000, random_state=0)
    clf = tb.TauBoostClassifierCV(random_state=0).fit(X, y)
    path = tb.regularization_path(X, y, random_state=0)
    assert clf.alpha_ == path.best_alpha
    assert clf.record_.gap <= clf.tol * clf.objective_[0]
    tight = clone(clf).set_params(tol=1e-9).fit(X, y)
    same = tb.regularization_path(X, y, alphas=[clf.alpha_], cv=None, tol=0.0, max_iter=3000)
    np.testing.assert_allclose(tight.coef_, same.coefs[0], atol=1e-4)
    assert clf.scores_.shape == (1, 20, 5)
    assert clf.held_out_loss_ == path.cv_mean.min()
    assert clf.score(X, y) > 0.97
    careful = clone(clf).set_params(rule="one-se").fit(X, y)
    assert careful.alpha_ == path.one_se_alpha
    with pytest.raises(ValueError, match="rule must be 'best' or 'one-se'"):
        clone(clf).set_params(rule="worst").fit(X, y)


def test_classifier_chooses_the_l1_ratio():
    X, y = tb.make_w8a_like(1000, random_state=0)
    clf = tb.TauBoostClassifierCV(l1_ratio=[0.0, 0.5, 1.0], n_alphas=6, random_state=0).fit(X, y)
    assert clf.scores_.shape == (3, 6, 5)
    best = np.unravel_index(clf.scores_.mean(axis=2).argmin(), (3, 6))
    assert clf.l1_ratio_ == [0.0, 0.5, 1.0][best[0]]
    assert clf.alpha_ == clf.paths_[best[0]].alphas[best[1]]
    assert clf.path_ is clf.paths_[best[0]]
    for wrong in ("auto", [], None):
        with pytest.raises(ValueError, match="l1_ratio must be a number"):
            tb.TauBoostClassifierCV(l1_ratio=wrong).fit(X, y)


def test_an_error_in_one_thread_ends_all(monkeypatch):
    X, y = load_iris(return_X_y=True)

    def fail(*_):
        raise RuntimeError("no more")

    monkeypatch.setattr(path_result, "decision_values", fail)
    with pytest.raises(RuntimeError, match="no more"):
        tb.regularization_path(X, y, n_jobs=2, tol=0.0, max_iter=3)


def test_progress_is_shown(capsys):
    X, y = data("binary")
    tb.regularization_path(X, y, n_alphas=3, verbose=1)
    assert "tauboost choosing" in capsys.readouterr().err


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_a_path_can_be_certified(loss, l1_ratio):
    X, y = tb.make_w8a_like(800, random_state=0)
    options = {"loss": loss, "l1_ratio": l1_ratio, "n_alphas": 5, "cv": None, "random_state": 0}
    rough, fine = (
        tb.regularization_path(X, y, tol=tol, certify=True, max_iter=1000, **options)
        for tol in (1e-3, 1e-10)
    )
    known = np.isfinite(rough.gap) & np.isfinite(fine.gap)
    assert known.sum() >= 3  # with l1 alone, a rough end may have no bound
    true = (rough.objective - fine.objective)[known, 0]
    assert np.all(rough.gap[known] >= true - 1e-10)
    assert np.all(fine.gap[known] <= 1e-4)
    assert np.isnan(tb.regularization_path(X, y, **options).gap).all()


def test_only_two_classes_are_certified():
    X, y = np.eye(6), [0, 1, 2, 0, 1, 2]
    with pytest.raises(ValueError, match=r"^certify: needs two classes, and y has 3"):
        tb.regularization_path(X, y, certify=True)
