"""Sums of rows along directions: those of NumPy, in the same bits for any machine and threads."""

from __future__ import annotations

import numpy as np
import pytest

from tauboost import _core
from tauboost.tables.directions import N_DIRECTIONS, N_SUMS, conjugate_sum


@pytest.fixture
def vector_width():
    before = _core.vector_width()
    yield _core.set_vector_width
    _core.set_vector_width(before)


@pytest.mark.parametrize("c_size", [None, 1, "own"])
@pytest.mark.parametrize("m", [0, 5, 8, 511, 20_003])
def test_sums_are_those_of_numpy_in_the_same_bits_everywhere(m, c_size, vector_width):
    rng = np.random.default_rng(m)
    now, along = rng.normal(size=m), rng.normal(size=(N_DIRECTIONS, m))
    steps = np.array([0.3, 0.0, -0.1, 0.2])
    c = None if c_size is None else rng.random(1 if c_size == 1 else m) / max(m, 1)
    r = now + steps @ along
    q = 1.0 / (1.0 + np.exp(-r))
    w, h = (np.exp(r), np.exp(r)) if c is None else (c * q, c * q * (1.0 - q))
    value = np.exp(r).sum() if c is None else (c * np.logaddexp(0.0, r)).sum()
    hessian = (h * along) @ along.T
    expected = [value, *(along @ w), *hessian[np.tril_indices(N_DIRECTIONS)]]
    seen, widest = [], _core.vector_width()
    for width in [width for width in (2, 4, 8) if width <= widest]:
        vector_width(width)
        for n_threads in (1, 3):
            found, there = np.empty(N_SUMS), np.empty(m)
            _core.span_sums(now, along.reshape(-1), c, steps, found, n_threads)
            _core.span_go(now, along.reshape(-1), steps, there, n_threads)
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(there, r, atol=1e-12)
            seen.append((found.tobytes(), there.tobytes()))
    assert len(set(seen)) == 1


def test_the_conjugate_is_the_entropy_of_the_weights():
    r, c = np.array([-800.0, -1.0, 0.0, 2.0, 800.0]), np.full(5, 0.2)
    scale = np.array([1.0, 0.9, 1.0, 0.5, 1.0])
    q = scale / (1.0 + np.exp(np.clip(-r, -700, 700)))
    inner = q[1:4] * np.log(q[1:4]) + (1 - q[1:4]) * np.log1p(-q[1:4])
    assert conjugate_sum(r, c, scale) == pytest.approx(0.2 * inner.sum(), rel=1e-12)
