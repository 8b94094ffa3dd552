"""Theorem 1: the paper's values, the formula as printed, and sizes nobody can enumerate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tauboost as tb
from tauboost.paper import reference


@pytest.mark.parametrize(
    ("n", "omega", "m", "theorem", "printed"),
    [(300, 114, 49_749, 14.372, 15.088), (3_231_961, 414, 2_396_130, 3.002, 3.234)],
    ids=["w8a", "url"],
)
def test_values_of_the_paper(n, omega, m, theorem, printed):
    assert tb.beta(n, omega, 16, m) == pytest.approx(theorem, abs=1e-3)
    assert tb.beta(n, omega, 16, m, overlap_weights=False) == pytest.approx(printed, abs=1e-3)
    assert tb.speedup(n, omega, 16, m) == pytest.approx(16 / theorem, rel=1e-3)


@given(data=st.data(), n=st.integers(1, 60), m=st.integers(1, 10**6), weights=st.booleans())
def test_equals_the_printed_formula(data, n, m, weights):
    omega = data.draw(st.integers(1, n))
    tau = data.draw(st.integers(1, n))
    ours = tb.beta(n, omega, tau, m, overlap_weights=weights)
    assert ours == pytest.approx(
        reference.beta(n, omega, tau, m, overlap_weights=weights), rel=1e-10, abs=1e-12
    )


@pytest.mark.parametrize("tau", [1, 16, 10**4, 10**7, 10**10])
@pytest.mark.parametrize("omega", [1, 414, 10**6, 10**10])
def test_huge_sizes_stay_within_their_bounds(omega, tau):
    b = tb.beta(10**10, omega, tau, 10**9)
    assert 1 - 1e-12 <= b <= min(omega, tau) * (1 + 1e-12)


def test_beta_grows_with_tau_and_one_processor_needs_no_damping():
    taus = np.unique(np.geomspace(1, 3_231_961, 40).astype(int))
    betas = [tb.beta(3_231_961, 414, int(tau), 2_396_130) for tau in taus]
    assert betas[0] == 1.0
    assert np.all(np.diff(betas) >= -1e-9)
    assert betas[-1] == pytest.approx(414)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((0, 1, 1, 1), "n"),
        ((10, 0, 1, 1), "omega"),
        ((10, 11, 1, 1), "omega"),
        ((10, 2, 0, 1), "tau"),
        ((10, 2, 11, 1), "tau"),
        ((10, 2, 1, 0), "m"),
    ],
)
def test_bad_arguments_are_named(arguments, name):
    with pytest.raises(ValueError, match=rf"^{name} must be"):
        tb.beta(*arguments)
    with pytest.raises(TypeError, match="tau must be an integer"):
        tb.beta(10, 2, 1.5, 1)


def test_a_problem_knows_its_numbers():
    X, y = tb.make_w8a_like(n_samples=200, random_state=0)
    problem = tb.Problem(X, y)
    shape = (problem.n_coordinates, problem.omega, 4, problem.n_samples)
    assert tb.beta(problem, tau=4) == tb.beta(problem, 4) == tb.beta(*shape)
    assert tb.speedup(problem, tau=4) == tb.speedup(*shape)
    with pytest.raises(TypeError, match="a problem knows omega and m"):
        tb.beta(problem, 3, 4, 5)
