"""P-AdaBoost: serial rounds, a distribution for each weight, and rounds from draws of it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification

import tauboost as tb
from classifier_checks import check_all, refuses_numbers
from tauboost.paper.p_adaboost import WeightModel, best_scale, drawn_round, serial_rounds
from tauboost.paper.stumps import StumpSearch, rounds

X, Y = make_classification(400, 10, n_informative=4, random_state=0)


def search():
    return StumpSearch(X, Y, None, classes=np.array([0, 1]), n_thresholds=16, n_threads=1)


def additive(n_samples, seed):
    """A sum of functions of single features, without noise: AdaBoost with stumps learns it."""
    X = np.random.default_rng(seed).normal(size=(n_samples, 4))
    return X, X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] ** 2 / 2 > 0.5


def decisions(n_estimators=30, **options):
    options = {"random_state": 0, **options}
    return tb.PAdaBoostClassifier(n_estimators, **options).fit(X, Y).decision_function(X)


@pytest.mark.parametrize("n_serial", [30, 1000])
def test_serial_rounds_alone_are_adaboost(n_serial):
    expected = tb.AdaBoostPLClassifier(30, n_parts=1).fit(X, Y).decision_function(X)
    np.testing.assert_allclose(decisions(n_serial=n_serial), expected, atol=1e-9)


@pytest.mark.parametrize("scale_parallel", [True, False])
def test_threads_do_not_change_a_bit(scale_parallel):
    found = [decisions(n_jobs=n, scale_parallel=scale_parallel) for n in (1, 2, 3, 4, -1)]
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


def test_rounds_in_any_order_are_the_same():
    here = search()
    _, model = serial_rounds(here, 10)
    forth = [drawn_round(here, model, 7, t) for t in range(10, 30)]
    back = [drawn_round(here, model, 7, t) for t in reversed(range(10, 30))]
    assert forth == back[::-1]
    assert forth != [drawn_round(here, model, 8, t) for t in range(10, 30)]


def test_the_model_of_the_weights_has_their_mean_and_variance():
    history = np.array([w.copy() for _, w in rounds(search(), 25)])
    taken, model = serial_rounds(search(), 25)
    assert len(taken) == 25
    np.testing.assert_allclose(model.mean, history.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(model.variance, history.var(axis=0), rtol=1e-9)


def test_draws_have_the_mean_and_variance_of_the_model():
    model = WeightModel(np.array([0.5, 2.0, 3.0]), np.array([0.25, 1.0, 0.0]))
    drawn = np.array([model.draw(np.random.default_rng([0, t])) for t in range(20_000)])
    np.testing.assert_allclose(drawn.mean(axis=0), model.mean, rtol=0.03)
    np.testing.assert_allclose(drawn.var(axis=0), model.variance, rtol=0.06)


def test_draws_that_vanish_give_way_to_the_mean():
    model = WeightModel(np.array([1e-200, 1e-200]), np.array([1e-100, 1e-100]))
    np.testing.assert_array_equal(model.draw(np.random.default_rng(0)), model.mean)


@pytest.mark.parametrize("weights", [None, np.array([1.0, 2.0, 0.0, 3.0, 1.0])])
def test_the_scale_has_the_least_loss(weights):
    rng = np.random.default_rng(0)
    first, more = rng.normal(size=5), rng.normal(size=5)
    c = np.ones(5) if weights is None else weights
    grid = np.linspace(0, 1, 10_001)
    loss = np.exp(-(first + grid[:, None] * more)) @ c
    assert best_scale(first, more, weights) == pytest.approx(grid[loss.argmin()], abs=1e-4)
    assert best_scale(first, np.abs(more), weights) == 1.0
    assert best_scale(first, -np.abs(more), weights) < 1e-9


def test_as_the_source_has_it_or_scaled():
    plain = tb.PAdaBoostClassifier(40, n_serial=10, scale_parallel=False, random_state=0).fit(X, Y)
    scaled = tb.PAdaBoostClassifier(40, n_serial=10, random_state=0).fit(X, Y)
    assert (plain.parallel_scale_, plain.n_serial_, len(plain.stumps_)) == (1.0, 10, 40)
    assert 0 <= scaled.parallel_scale_ < 1
    label = np.where(Y == 1, 1.0, -1.0)
    serial = tb.PAdaBoostClassifier(10, n_serial=10).fit(X, Y)
    losses = [np.exp(-label * m.decision_function(X)).sum() for m in (scaled, serial, plain)]
    assert losses[0] <= losses[1] * (1 + 1e-9)
    assert losses[0] <= losses[2] * (1 + 1e-9)


def test_quality_is_near_that_of_adaboost():
    X, y = additive(400, 0)
    X_test, y_test = additive(4000, 1)
    score = tb.AdaBoostPLClassifier(200, n_parts=1).fit(X, y).score(X_test, y_test)
    found = tb.PAdaBoostClassifier(200, random_state=0).fit(X, y)
    assert found.score(X_test, y_test) == pytest.approx(score, abs=0.02)
    assert found.parallel_scale_ > 0


def test_a_serial_phase_that_ends_early_has_nothing_to_draw_from():
    model = tb.PAdaBoostClassifier(50, random_state=0).fit(Y[:, None].astype(float), Y)
    assert (model.n_serial_, len(model.stumps_)) == (1, 1)
    assert model.score(Y[:, None], Y) == 1
    nothing = tb.PAdaBoostClassifier(50).fit(np.zeros((4, 1)), [0, 1, 0, 1])
    assert len(nothing.stumps_) == 0


@pytest.mark.parametrize("n_serial", [None, 20])
@pytest.mark.parametrize("n_thresholds", [16, 400])
def test_samples_of_weight_0_are_not_there(n_serial, n_thresholds):
    there = np.arange(len(Y)) % 3 > 0
    options = {"random_state": 0, "n_thresholds": n_thresholds, "n_serial": n_serial}
    some = tb.PAdaBoostClassifier(20, **options).fit(X[there], Y[there])
    zeros = tb.PAdaBoostClassifier(20, **options).fit(X, Y, there.astype(float))
    np.testing.assert_allclose(zeros.decision_function(X), some.decision_function(X), atol=1e-9)


def test_bad_parameters():
    refuses_numbers(tb.PAdaBoostClassifier, ("n_estimators", "n_serial", "n_thresholds"))
    with pytest.raises(TypeError, match="scale_parallel must be True or False, got 'x'"):
        tb.PAdaBoostClassifier(scale_parallel="x").fit(X, Y)
    with pytest.raises(ValueError, match="two classes are needed, y has 1 class"):
        tb.PAdaBoostClassifier().fit(X, np.zeros(len(Y)))
    with pytest.raises(ValueError, match="two classes are needed, y has 3 classes"):
        tb.PAdaBoostClassifier().fit(X, np.arange(len(Y)) % 3)


DRAWN = "the copies of a row have draws of their own: as often as it is there, others come out"


@pytest.mark.parametrize(("n_serial", "no_repetition"), [(10, None), (None, DRAWN)])
def test_scikit_learn(n_serial, no_repetition):
    model = tb.PAdaBoostClassifier(10, n_serial=n_serial, random_state=0)
    check_all(model, no_repetition)
