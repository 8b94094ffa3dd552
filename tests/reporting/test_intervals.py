"""Bands: against scikit-learn's and textbook values, and how often they hold."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from tauboost.reporting.intervals import area, curves, mean_of, mean_share, share, wilson


def scores(n=2000, seed=0, step=None):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    values = rng.normal(size=n) + 1.2 * y
    return (values if step is None else np.round(values / step) * step), y


def test_wilson_is_the_textbook_one():
    found = share(8, 10)
    assert found.value == 0.8
    assert (found.low, found.high) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    low, high = wilson(np.array([0, 0, 5]), np.array([0, 5, 5]))
    assert (low[0], high[0]) == (0, 1)
    assert low[1] == 0
    assert high[2] == 1


@pytest.mark.parametrize("step", [None, 0.5, 10.0])
def test_areas_are_those_of_scikit_learn(step):
    values, y = scores(step=step)
    found = area(values, y)
    assert found.value == pytest.approx(roc_auc_score(y, values))
    assert found.low < found.value < found.high
    exact = curves(values, y).average_precision
    assert exact.value == pytest.approx(average_precision_score(y, values))
    assert exact.low <= exact.value <= exact.high


def test_the_area_of_one_class_is_none_and_a_perfect_one_has_a_band():
    assert area(np.arange(4.0), np.ones(4, dtype=bool)) is None
    found = area(np.arange(20.0), np.arange(20) > 9)
    assert found.value == found.high == 1
    assert 0.5 < found.low < 1


def test_bands_of_areas_hold_about_as_often_as_they_say():
    values, y = scores(400_000)
    truth = area(values, y).value
    found = [area(*scores(300, seed)) for seed in range(1, 201)]
    held = np.mean([one.low <= truth <= one.high for one in found])
    assert 0.90 <= held <= 0.99


def test_curves_go_through_the_points_of_scikit_learn():
    values, y = scores()
    found = curves(values, y)
    false, true, _ = roc_curve(y, values)
    assert np.interp(found.false_rate, false, true) == pytest.approx(found.true_rate, abs=0.05)
    assert (found.roc_low <= found.roc_high).all()
    at = np.interp(np.linspace(0, 1, 101), found.false_rate, found.true_rate)
    assert np.mean((found.roc_low <= at) & (at <= found.roc_high)) > 0.95
    assert found.precision[-1] == pytest.approx(y.mean())


def test_the_same_rows_in_any_order_give_the_same_bands():
    values, y = scores()
    order = np.random.default_rng(1).permutation(len(y))
    for one, other in zip(curves(values, y), curves(values[order], y[order]), strict=True):
        assert np.array_equal(one, other)


def test_means():
    assert mean_of(np.array([1.0, 1.0])) == (1, 1, 1)
    found = mean_of(np.arange(101.0))
    assert found.value == 50
    assert found.high - found.value == pytest.approx(1.96 * np.std(np.arange(101)) / 10, rel=1e-3)


def test_the_band_of_a_mean_of_shares_holds_about_as_often_as_it_says():
    rng = np.random.default_rng(0)
    chances, of = np.array([0.95, 0.7, 0.5]), np.array([300, 60, 30])
    inside = 0
    for _ in range(1000):
        found = mean_share(rng.binomial(of, chances), of)
        inside += found.low <= chances.mean() <= found.high
    assert 930 <= inside <= 970
    assert mean_share(of, of).high == 1.0
    assert mean_share(of, of).low < 1.0
