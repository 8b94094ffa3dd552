"""The logistic function and its relatives against NumPy's, in more digits than they have."""

import numpy as np
import pytest

from tauboost import _core
from tauboost.base.arrays import expit, log, log_expit, softmax, softplus, softplus_and_expit

ULPS = 8 * np.finfo(float).eps
SIZES = [0, 1, 7, 8, 9, 1000]


def numbers(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.choice([-1.0, 1.0], n) * 10.0 ** rng.uniform(-20, 2.8, n)


def precise(z):
    """Return softplus and expit of z, computed with more digits."""
    z = z.astype(np.longdouble)
    t = np.exp(-np.abs(z))
    return np.maximum(z, 0) + np.log1p(t), np.where(z < 0, t, 1) / (1 + t)


@pytest.mark.parametrize("n", SIZES)
def test_they_are_right_to_the_last_digits(n):
    z = numbers(n)
    value, slope = precise(z)
    np.testing.assert_allclose(softplus(z), value.astype(float), rtol=ULPS)
    np.testing.assert_allclose(expit(z), slope.astype(float), rtol=ULPS)
    np.testing.assert_allclose(log_expit(z), -precise(-z)[0].astype(float), rtol=ULPS)


@pytest.mark.parametrize("n", SIZES)
def test_logarithms_are_right_to_the_last_digits(n):
    x = np.abs(numbers(n))
    np.testing.assert_allclose(log(x), np.log(x), rtol=ULPS)


def test_logarithms_of_what_is_not_normal():
    x = np.array([0.0, 5e-324, np.inf, 1.0, np.nan])
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(log(x), np.log(x))


def test_both_at_once_are_what_each_is_alone():
    z = numbers(100).reshape(10, 10)
    both = softplus_and_expit(z)
    assert both[0].shape == both[1].shape == z.shape
    np.testing.assert_array_equal(both[0], softplus(z))
    np.testing.assert_array_equal(both[1], expit(z))


def test_the_ends_of_the_line():
    far = np.array([-np.inf, -800.0, 800.0, np.inf])
    np.testing.assert_allclose(softplus(far), [0.0, 0.0, 800.0, np.inf], atol=1e-300)
    np.testing.assert_allclose(expit(far), [0.0, 0.0, 1.0, 1.0], atol=1e-300)
    assert np.isnan(softplus(np.array([np.nan]))).all()
    assert np.isnan(expit(np.array([np.nan]))).all()


def test_every_part_of_a_matrix_can_be_asked_about():
    z = numbers(60).reshape(6, 10)
    np.testing.assert_array_equal(expit(z[:, ::2]), expit(z)[:, ::2])


def test_the_bits_do_not_depend_on_the_vectors_of_the_machine():
    z = numbers(1001)
    widest = _core.vector_width()
    try:
        found = []
        for width in (2, 4, 8):
            _core.set_vector_width(width)
            found.append(np.concatenate([*softplus_and_expit(z), log(np.abs(z))]))
    finally:
        _core.set_vector_width(widest)
    assert all(np.array_equal(found[0], other) for other in found[1:])


def test_softmax_is_a_distribution():
    p = softmax(numbers(30).reshape(5, 6), axis=1)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
