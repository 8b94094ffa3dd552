"""The losses: what they compute whole is what they compute in parts."""

from __future__ import annotations

import numpy as np
import pytest

from tauboost.losses import LOSSES, RowSum, likeliest


def rows(seed=0, m=60):
    rng = np.random.default_rng(seed)
    c = rng.random(m)
    return 5 * rng.normal(size=m), c / c.sum()


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_weights_are_the_derivative(loss):
    r, c = rows()
    at = loss.weigh(r, c, 1.0)
    for j in range(5):
        step = np.zeros(len(r))
        step[j] = 1e-6
        slope = (loss.weigh(r + step, c, 1.0).value - loss.weigh(r - step, c, 1.0).value) / 2e-6
        assert at.w[j] / at.total == pytest.approx(slope, abs=1e-9)
    np.testing.assert_allclose(np.log(loss.weights(r, c, 2.0) / c), loss.log_weights(r, 2.0))


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize("far", [0.0, 900.0])
def test_parts_make_up_the_whole(loss, far):
    """Also where the weights of one part are nothing beside those of the other."""
    r, c = rows()
    r[:20] += far
    whole = loss.weigh(r, c, c.sum())
    parts = []
    for some in (slice(0, 20), slice(20, None)):
        at = loss.weigh(r[some], c[some], 1.0)
        parts.append(RowSum(float(r[some].max()), loss.row_sum(at)))
    largest, level = loss.merged(parts, c.sum())
    assert largest == r.max()
    assert level.value == pytest.approx(whole.value, rel=1e-12)
    assert level.total == pytest.approx(whole.total, rel=1e-12)


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_curvature_is_the_second_derivative(loss):
    r, c = rows()
    at = loss.weigh(r, c, 1.0)
    p = at.w / at.total
    step = np.zeros(len(r))
    step[3] = 1e-6
    ahead, behind = (loss.weigh(r + sign * step, c, 1.0) for sign in (1, -1))
    change = (ahead.w[3] / ahead.total - behind.w[3] / behind.total) / 2e-6
    expected = loss.curvature(p, c)[3] - (0.0 if loss.has_odds else p[3] ** 2)
    assert change == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize("n_tasks", [1, 3])
def test_log_loss_is_that_of_the_probabilities(loss, n_tasks):
    rng = np.random.default_rng(1)
    decisions = rng.normal(size=(40, n_tasks))
    codes = rng.integers(0, max(2, n_tasks), 40)
    weights = np.full(40, 1 / 40)
    p = loss.probabilities(decisions)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    expected = -np.mean(np.log(p[np.arange(40), codes]))
    assert loss.log_loss(decisions, codes, weights) == pytest.approx(expected)


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_the_likeliest_class_has_the_largest_probability(loss):
    """Also where rounding makes all probabilities the same."""
    two = np.array([[0.0], [-0.0], [1e-17], [-1e-17], [5e-324], [900.0], [-900.0]])
    np.testing.assert_array_equal(likeliest(two), [0, 0, 1, 0, 1, 1, 0])
    several = np.array([[1, 1, 1], [0, 1e-18, 0], [40, 30, 50], [-900, -900, -899], [-1, 2, 2.0]])
    np.testing.assert_array_equal(likeliest(several), [0, 1, 2, 2, 1])
    rng = np.random.default_rng(0)
    many = 10.0 ** rng.uniform(-20, 3, (2000, 4)) * rng.choice([-1, 1], (2000, 4))
    for decisions in (two, several, many, many[:, :1]):
        p = loss.probabilities(decisions)
        np.testing.assert_array_equal(p.argmax(axis=1), likeliest(decisions))
        np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-15)
        assert p.max() <= 1.0
