"""The paper's own numbers on its own data (w8a), and its Proposition 1."""

from __future__ import annotations

import numpy as np
import pytest

import tauboost as tb
from problems import CASES
from tauboost.paper import reference


def test_shape_of_w8a(w8a):
    assert w8a.omega == 114
    assert w8a.nnz == 579_586
    assert w8a.value(np.zeros(300)) == 0.0


@pytest.mark.parametrize(
    ("method", "step", "expected"),
    [
        ("fully-parallel", "collins", -1.486399),
        ("fully-parallel", "lipschitz", -0.942714),
        ("accelerated", None, -1.460915),
        ("greedy", "exact", -1.487075),
        ("greedy", "lipschitz", -0.970445),
    ],
)
def test_thousand_epochs_on_w8a(w8a, method, step, expected):
    result = tb.solve(w8a, method, step=step, max_epochs=1000, tol=0)
    assert result.n_epochs == 1000
    assert result.objective == pytest.approx(expected, abs=2e-4)


def test_pcdm_on_w8a(w8a):
    objectives = [
        tb.solve(w8a, "pcdm", tau=1, max_epochs=128, tol=0, random_state=seed).objective
        for seed in range(5)
    ]
    assert np.mean(objectives) == pytest.approx(-1.309, abs=0.01)


def test_sixteen_processors_never_increase_w8a(w8a):
    result = tb.solve(w8a, "pcdm", tau=16, max_epochs=200, tol=0, random_state=0)
    assert np.all(np.diff(result.trace.objective) <= 0)


def decrease_and_bound(problem, lam, tau, draws):
    """Mean decrease of one iteration over many draws, its standard error, Proposition 1's bound."""
    before = problem.value(lam)
    n = problem.n_coordinates
    drops = np.array([
        before
        - tb.solve(
            problem, "pcdm", tau=tau, max_epochs=tau / n, tol=0, lam0=lam, random_state=seed
        ).value
        for seed in range(draws)
    ])  # fmt: skip
    beta = tb.beta(n, problem.omega, tau, problem.matrix.m)
    squared = np.sum(problem.gradient(lam) ** 2 / np.maximum(problem.lipschitz, 1e-300))
    return drops.mean(), drops.std() / np.sqrt(draws), tau / (2 * beta * n) * squared


@pytest.mark.parametrize("tau", [1, 4, 16])
def test_mean_decrease_is_at_least_that_of_proposition_1(tau):
    problem = CASES["binary"].problem()
    for point in range(3):
        lam = np.random.default_rng(point).normal(scale=0.3, size=problem.n_features) * (point > 0)
        mean, error, bound = decrease_and_bound(problem, lam, tau, draws=400)
        assert mean >= bound - 3 * error


def test_mean_decrease_on_w8a_is_at_least_that_of_proposition_1(w8a):
    start = np.zeros(300)
    for _ in range(2):
        mean, error, bound = decrease_and_bound(w8a, start, tau=16, draws=200)
        assert mean >= bound - 3 * error
        start = tb.solve(w8a, "pcdm", tau=16, max_epochs=20, tol=0, random_state=0).lam


def test_the_overapproximation_holds_on_average():
    """ESO(beta, L), the inequality of Theorem 1, at random points and directions."""
    case = CASES["binary"]
    A, c = case.signed(), case.c()
    n, tau = A.shape[1], 4
    lipschitz = (A**2).max(axis=0)
    beta = tb.beta(n, np.count_nonzero(A, axis=1).max(), tau, len(A))
    rng = np.random.default_rng(0)
    for _ in range(10):
        lam, h = rng.normal(size=(2, n)) * 0.5
        values = []
        for t in range(400):
            subset = reference.tau_nice(1, t, n, tau)
            moved = lam.copy()
            moved[subset] += h[subset]
            values.append(reference.value(A, c, moved))
        model = reference.gradient(A, c, lam) @ h + beta / 2 * np.sum(lipschitz * h**2)
        bound = reference.value(A, c, lam) + tau / n * model
        assert np.mean(values) <= bound + 3 * np.std(values) / 20
