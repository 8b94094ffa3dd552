"""The samplings: NumPy's own words, every subset equally likely, nothing but (seed, t) matters."""

from __future__ import annotations

from collections import Counter
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from tauboost import _core
from tauboost.paper import reference

seeds = st.integers(0, 2**64 - 1)


def draw(n: int, tau: int, seed: int, t: int) -> list[int]:
    subset = np.empty(tau, np.int64)
    _core.NiceSampling(n, tau, seed).draw(t, subset)
    return subset.tolist()


@given(data=st.data(), n=st.integers(1, 200), seed=seeds, t=st.integers(0, 2**63))
def test_tau_nice_equals_the_oracle(data, n, seed, t):
    tau = data.draw(st.integers(1, n))
    subset = draw(n, tau, seed, t)
    assert subset == reference.tau_nice(seed, t, n, tau)
    assert len(set(subset)) == tau


@given(n=st.integers(1, 2**62), seed=seeds, t=st.integers(0, 2**62))
def test_independent_equals_the_oracle(n, seed, t):
    i = _core.independent_draw(seed, t, n)
    assert i == reference.independent(seed, t, n)
    assert 0 <= i < n


@pytest.mark.parametrize(("n", "tau"), [(6, 1), (6, 3), (7, 6), (5, 5)])
def test_every_subset_is_equally_likely(n, tau):
    sampling, subset = _core.NiceSampling(n, tau, 7), np.empty(tau, np.int64)
    counts: Counter[frozenset[int]] = Counter()
    for t in range(20_000):
        sampling.draw(t, subset)
        counts[frozenset(subset.tolist())] += 1
    assert len(counts) == comb(n, tau)
    assert chisquare(list(counts.values())).pvalue > 1e-4 or comb(n, tau) == 1


def test_a_draw_does_not_depend_on_the_draws_before_it():
    sampling, subset = _core.NiceSampling(50, 9, 3), np.empty(9, np.int64)
    for t in (5, 0, 5, 1000, 5):
        sampling.draw(t, subset)
        assert subset.tolist() == draw(50, 9, 3, t)
