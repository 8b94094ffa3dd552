"""Pairs of columns: found where two columns say something together, and pure."""

from __future__ import annotations

import numpy as np

from tauboost.tables.pairs import purified


def test_purity_takes_nothing_away():
    random = np.random.default_rng(0)
    scores, weights = random.normal(size=(5, 7, 2)), random.gamma(0.5, size=(5, 7))
    weights[2, 3] = 0.0
    weights /= weights.sum()
    pure, (first, second) = purified(scores, weights)
    there = weights > 0
    whole = pure + first[:, None] + second[None]
    np.testing.assert_allclose(whole[there], scores[there], atol=1e-12)
    assert np.abs(np.einsum("ij,ijt->it", weights, pure)).max() < 1e-12
    assert np.abs(np.einsum("ij,ijt->jt", weights, pure)).max() < 1e-12
