"""Models of little use are named, and others are not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import tauboost as tb
from tauboost.search.diagnosis import of_range, slope_at_the_end

RANDOM = np.random.default_rng(5)
NOISE = RANDOM.normal(size=(1000, 5))
COIN = RANDOM.integers(0, 2, 1000)
SIGNAL = (NOISE[:, 0] + RANDOM.normal(size=1000) > 0).astype(int)
ESTIMATORS = [tb.TauBoostClassifier, tb.TauBoostClassifierCV, tb.TableClassifier]


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_noise_is_called_noise(kind):
    with pytest.warns(tb.FitWarning, match=r"no better than the shares .* check that labels") as w:
        kind(random_state=0).fit(NOISE, COIN)
    assert len(w) == 1
    assert "\n" not in str(w[0].message)


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize("n", [30, 200, 1000])
def test_nothing_is_said_of_a_good_model(kind, n):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kind(random_state=0).fit(NOISE[:n], SIGNAL[:n])


def test_too_few_samples_to_tell():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tb.TauBoostClassifier(random_state=0).fit(NOISE[:60], COIN[:60])
        tb.TauBoostClassifier(alpha=1e3, random_state=0).fit(NOISE[:60], SIGNAL[:60])


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_a_constant_model_is_called_one(l1_ratio):
    with pytest.warns(tb.FitWarning, match=r"nearly constant.* smaller alpha than"):
        tb.TauBoostClassifier(alpha=1e3, l1_ratio=l1_ratio).fit(NOISE, SIGNAL)
    with pytest.warns(tb.FitWarning, match=r"nearly constant.*check labels and columns"):
        tb.TauBoostClassifier(alpha=0.0).fit(sp.csr_array((200, 3)), COIN[:200])


def test_one_class_for_everybody():
    rare = (NOISE[:, 0] + 2.0 * RANDOM.normal(size=1000) > 4.2).astype(int)
    assert 20 < rare.sum() < 120
    X = np.tile(NOISE, (4, 1)) + 1e-3 * RANDOM.normal(size=(4000, 5))
    with pytest.warns(tb.FitWarning, match=r"one class for every .* class_weight='balanced'"):
        clf = tb.TauBoostClassifier(random_state=0).fit(X, np.tile(rare, 4))
    assert (clf.predict(X) == 0).all()


def rare_positives(n_positive, n=12_500, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) < n_positive
    return sp.csr_array((rng.random((n, 30)) < 0.1 + 0.2 * y[:, None]).astype(float)), y


def test_one_class_for_everybody_where_the_other_is_rare():
    X, y = rare_positives(12)
    with pytest.warns(
        tb.FitWarning, match=r"one class for every sample of the validation set, and \d+ of"
    ) as w:
        clf = tb.TauBoostClassifier(random_state=0).fit(X, y)
    assert not clf.predict(X).any()
    assert len(w) == 1
    assert "collect more samples of rare classes, or set class_weight" in clf.record_.caution


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_class_of_five_is_too_rare_to_hold_out(kind):
    X, y = rare_positives(5, seed=4)
    X = np.random.default_rng(0).normal(size=(len(y), 3)) if kind is ESTIMATORS[2] else X
    with pytest.warns(tb.FitWarning, match=r"for every training sample, and 5 of 12,500 are") as w:
        clf = kind(random_state=0).fit(X, y)
    assert not clf.predict(X).any()
    assert len(w) == 1
    assert "set class_weight='balanced'" in clf.record_.caution


def test_a_rare_class_that_is_found_is_no_reason_to_warn():
    X, y = rare_positives(12)
    X = sp.hstack([X, sp.csr_array(y[:, None].astype(float))], format="csr")
    clf = tb.TauBoostClassifier(random_state=0).fit(X, y)  # warnings are errors
    assert clf.score(X, y) == 1.0


def test_the_end_of_a_range():
    alphas = np.array([10.0, 1.0, 0.1])
    assert slope_at_the_end(alphas, np.array([0.5, 0.6, 0.7])) == 1
    assert slope_at_the_end(alphas, np.array([0.7, 0.6, 0.5])) == -1
    assert slope_at_the_end(alphas, np.array([0.7, 0.6, 0.599])) == 0
    assert slope_at_the_end(alphas, np.array([0.7, 0.5, 0.6])) == 0
    assert slope_at_the_end(alphas[:1], np.array([0.7])) == 0
    shares = np.array([0.5, 0.5])
    said = of_range(alphas, np.array([0.7, 0.6, 0.5]), shares, "alphas")
    assert "the weakest penalty that was tried, alpha=0.1" in said
    assert of_range(alphas, np.array([3e-3, 2e-3, 1e-3]), shares, "alphas") == ""


def test_alphas_that_are_all_too_strong():
    with pytest.warns(tb.FitWarning, match="weakest penalty .* give smaller alphas"):
        tb.TauBoostClassifierCV(alphas=[1.0, 0.3], random_state=0).fit(NOISE, SIGNAL)


def test_the_weakest_of_a_path_is_no_reason_to_warn():
    """Here it is the best by far; weaker ones would not be better."""
    rng = np.random.default_rng(0)
    X = rng.random((300, 40)) * (rng.random((300, 40)) < 0.2)
    y = X @ rng.normal(size=40) + 0.1 * rng.normal(size=300) > 0
    clf = tb.TauBoostClassifier(random_state=0).fit(X, y)  # warnings are errors
    assert clf.score(X, y) > 0.9


def test_a_plan_does_not_warn_of_the_models_it_times():
    rng = np.random.default_rng(0)
    X, y = (rng.random((2000, 30)) < 0.2).astype(float), rng.random(2000) < 0.5
    with pytest.warns(tb.FitWarning):
        tb.TauBoostClassifier(random_state=0).fit(X, y)
    tb.plan((X, y), seconds=0.01)


def test_the_search_goes_up_where_the_strongest_is_best():
    """Where features are noise, and many, no usual penalty may be strong enough."""
    X = np.random.default_rng(10).normal(size=(600, 800))
    with pytest.warns(tb.FitWarning, match="no better than the shares"):
        clf = tb.TauBoostClassifier(random_state=0).fit(X, COIN[:600])
    alphas = [row["alpha"] for row in clf.selection_]
    assert max(alphas) > 2 * alphas[0]
    assert clf.held_out_loss_ < 0.7


def test_the_search_does_not_go_up_without_need():
    clf = tb.TauBoostClassifier(random_state=0).fit(NOISE, SIGNAL)
    alphas = [row["alpha"] for row in clf.selection_]
    assert max(alphas) == alphas[0]


def test_far_columns_want_an_intercept():
    far = NOISE + np.array([0.0, 50.0, 0.0, -80.0, 0.0])
    with pytest.warns(tb.FitWarning, match="2 columns of X are far from 0 .* fit_intercept=True"):
        tb.TauBoostClassifier(fit_intercept=False, random_state=0).fit(far, SIGNAL)
