"""The joint minimum over the levels of a step function, against conditions that only it meets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tauboost import _core


def minimum(h, target, a, b, sign):
    x = np.empty(len(h))
    _core.chain_minimum(h, target, a, b, sign, x)
    return x


def violation(x, h, target, a, b, sign):
    """How far the forces across the jumps are from those that the penalty allows."""
    force, jump = np.cumsum(h * (x - target)), np.diff(x)
    rises, falls = jump > 1e-12, jump < -1e-12
    least = np.where(rises, a + b * jump, np.where(falls, -a + b * jump, -a))
    most = np.where(falls, -a + b * jump, np.where(rises, a + b * jump, a))
    if sign > 0:
        least = np.where(rises, least, -np.inf)
    if sign < 0:
        most = np.where(falls, most, np.inf)
    beyond = np.maximum(least - force[:-1], force[:-1] - most)
    return max(abs(force[-1]), float(np.max(beyond, initial=0.0)))


@given(
    st.integers(1, 60),
    st.sampled_from([0.0, 1e-4, 1e-2, 1.0]),
    st.sampled_from([0.0, 1e-3, 1e-1, 10.0]),
    st.sampled_from([0, 1, -1]),
    st.integers(0, 2**32),
)
def test_it_is_the_minimum(n, a, b, sign, seed):
    random = np.random.default_rng(seed)
    h = random.gamma(0.5, size=n) + 1e-6
    target = random.normal(size=n) * 10.0 ** random.uniform(-1, 1)
    x = minimum(h, target, a, b, sign)
    scale = 1.0 + float(np.abs(h * target).max())
    assert violation(x, h, target, a, b, sign) <= 1e-6 * scale
    assert np.all(sign * np.diff(x) >= 0)


def test_levels_that_are_joined_are_equal_to_the_last_bit():
    random = np.random.default_rng(0)
    for b in (0.0, 1e-2):
        x = minimum(np.ones(255), random.normal(size=255), 3.0, b, 0)
        assert len(np.unique(x)) < 40


def test_isotonic_regression_is_a_chain_without_a_penalty():
    sklearn = pytest.importorskip("sklearn.isotonic")
    random = np.random.default_rng(0)
    h, target = random.gamma(1.0, size=80), np.linspace(0, 1, 80) + random.normal(size=80)
    expected = sklearn.isotonic_regression(target, sample_weight=h)
    np.testing.assert_allclose(minimum(h, target, 0.0, 0.0, 1), expected, atol=1e-12)
