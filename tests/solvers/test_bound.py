"""The certified gap: never below the true one, and small wherever psi lets it be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import tauboost as tb
from penalties import PSI, psi
from problems import CASES
from sparse_data import random_csr
from tauboost.penalty import Penalty

ROUNDING = 1e-10


def random_problem(seed: int, loss: str, fit_intercept: bool, size: tuple[int, int]) -> tb.Problem:
    rng = np.random.default_rng(seed)
    m, n = (int(rng.integers(most // 10, most + 1)) for most in size)
    X = random_csr((m, n), min(0.3, 20 / n), rng)
    if rng.random() < 0.5:
        X.data[:] = 1.0
    y = np.where(X @ rng.normal(size=n) + rng.normal(size=m) > 0, 1, -1)
    y[:2] = [1, -1]
    weights = rng.exponential(size=m) + 0.01 if rng.random() < 0.5 else None
    return tb.Problem(X, y, weights, loss=loss, fit_intercept=fit_intercept)


def check_gaps(problem: tb.Problem, options: dict) -> None:
    best = tb.solve(problem, **options, tol=1e-12, max_epochs=1000, random_state=0)
    if best.status != "converged":  # there may be no minimum: one-sided bounds do not hold F
        assert problem.loss == "exponential"
        assert options.get("l1_ratio") != 0.0
        return
    assert 0 <= best.gap <= 1e-9
    for stop in ({"max_epochs": 2, "tol": 0}, {"tol": 1e-2}, {"gap": 1e-6}):
        result = tb.solve(problem, **options, **stop, random_state=0)
        if result.gap is not None:
            assert result.gap >= result.objective - best.objective - ROUNDING
            assert result.bound <= best.objective + ROUNDING
        if "gap" in stop:
            assert result.status == "converged"
            assert result.gap <= 1e-6


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    loss=st.sampled_from(["exponential", "logistic"]),
    fit_intercept=st.booleans(),
    name=st.sampled_from(sorted(PSI)),
    alpha=st.floats(1e-3, 0.1),
)
def test_the_gap_is_never_below_the_true_one(seed, loss, fit_intercept, name, alpha):
    problem = random_problem(seed, loss, fit_intercept, (150, 30))
    check_gaps(problem, psi(name, alpha))


@pytest.mark.parametrize("seed", range(60))
def test_the_gap_of_larger_problems(seed):
    rng = np.random.default_rng(seed)
    loss = ("exponential", "logistic")[seed % 2]
    problem = random_problem(seed, loss, bool(seed % 3 == 0), (2000, 300))
    check_gaps(problem, psi(sorted(PSI)[seed % len(PSI)], 10 ** rng.uniform(-3, -1)))


@pytest.mark.parametrize("method", tb.METHODS)
def test_every_method_ends_with_a_gap(method):
    problem = CASES["binary"].problem()
    options = {} if method == "greedy" else {"alpha": 0.01, "l1_ratio": 0.0}
    step = "lipschitz" if method == "fully-parallel" else None
    result = tb.solve(problem, method, **options, step=step, max_epochs=50, random_state=0)
    if method == "greedy":
        assert result.gap is None
        assert result.bound is None
        assert "No gap is certified: there is no penalty." in result.message
        return
    best = tb.solve(problem, **options, tol=1e-13, random_state=0)
    assert result.gap >= result.objective - best.objective - ROUNDING
    assert result.gap == pytest.approx(result.objective - result.bound, abs=1e-15)
    assert f"certified gap {result.gap:.3g}" in result.message


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize("options", [{"alpha": 0.01}, {"alpha": 0.01, "l1_ratio": 0.0}])
def test_a_table_has_a_gap_too(loss, options):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(300, 4))
    y = table[:, 0] + table[:, 1] ** 2 + rng.normal(size=300) > 1
    problem = tb.TableProblem(table, y, loss=loss, max_bins=20)
    result = tb.solve(problem, **options, gap=1e-6, random_state=0)
    assert result.status == "converged"
    assert result.gap <= 1e-6
    written_out = tb.solve(problem.explicit(), **options, tol=1e-12, random_state=0)
    assert result.bound <= written_out.objective + ROUNDING


def test_the_bound_is_the_arithmetic_of_the_theory():
    """Without an intercept, anybody can check it from the gradient: l2, exponential loss."""
    case = CASES["real"]
    problem, alpha = case.problem(), 0.05
    result = tb.solve(problem, alpha=alpha, l1_ratio=0.0, max_epochs=3, tol=0, random_state=0)
    A, c = case.signed(), case.c()
    r = A @ result.lam
    w = c * np.exp(r)
    w /= w.sum()
    divergence = np.sum(w * np.log(w / c))
    bound = -divergence - np.sum((A.T @ w) ** 2) / (2 * alpha)
    assert result.bound == pytest.approx(bound, abs=1e-12)


def test_gap_needs_a_penalty_and_says_so():
    problem = CASES["binary"].problem()
    with pytest.raises(ValueError, match=r"^gap: none can be certified, as there is no penalty"):
        tb.solve(problem, gap=1e-6)
    with pytest.raises(ValueError, match=r"^gap: .* both bounds of every feature must be finite"):
        tb.solve(problem, gap=1e-6, bounds=(0, None))
    with pytest.raises(ValueError, match=r"^gap must be above 0"):
        tb.solve(problem, gap=0.0, alpha=0.1)
    with pytest.raises(TypeError, match=r"^gap must be a number"):
        tb.solve(problem, gap="small", alpha=0.1)


def test_the_bits_do_not_depend_on_threads():
    problem = CASES["mixed"].problem()
    one, two = (
        tb.solve(problem, alpha=0.01, gap=1e-8, n_threads=n, random_state=0) for n in (1, 2)
    )
    assert one.bound == two.bound
    np.testing.assert_array_equal(one.lam, two.lam)


def test_features_that_no_row_has_count_in_the_gap():
    """A wide problem drops them, and bounds may keep them from 0: psi has a part they add."""
    rng = np.random.default_rng(0)
    X = sp.csr_array((rng.random((40, 5)) < 0.4).astype(float))
    X.resize((40, 10**7))
    problem = tb.Problem(X, np.where(rng.random(40) < 0.5, 1, -1))
    result = tb.solve(problem, alpha=1e-3, bounds=(0.5, 2.0), tol=1e-10, random_state=0)
    assert 0 <= result.gap <= 1e-9 * result.objective


@settings(max_examples=50, deadline=None)
@given(
    slope=st.floats(-2, 2),
    l1=st.floats(0, 1),
    l2=st.sampled_from([0.0, 0.3]),
    lower=st.floats(-3, 1),
    width=st.floats(0, 3),
)
def test_the_conjugate_is_the_largest_value(slope, l1, l2, lower, width):
    penalty = Penalty(1, l1, l2, np.array([lower]), np.array([lower + width]))
    grid = np.append(np.linspace(lower, lower + width, 2001), np.clip(0.0, lower, lower + width))
    values = -slope * grid - l1 * np.abs(grid) - 0.5 * l2 * grid**2
    found = penalty.conjugate(np.array([slope]), np.inf)
    assert found == pytest.approx(values.max(), abs=1e-5)
    endless = replace(penalty, upper=np.array([np.inf]))
    if l2 == 0 and -slope > l1:
        assert endless.conjugate(np.array([slope]), 7.0) == pytest.approx(7.0 * (-slope - l1))


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_a_matrix_without_entries_has_no_gap(loss):
    problem = tb.Problem(sp.csr_array((4, 3)), [1, -1, 1, -1], loss=loss)
    result = tb.solve(problem, alpha=0.1, random_state=0)
    assert result.gap == pytest.approx(0.0, abs=1e-15)


def test_a_gap_below_rounding_is_not_waited_for():
    X, y = tb.make_url_like(600, random_state=0)
    problem = tb.Problem(X, y, loss="logistic", fit_intercept=True)
    options = {"alpha": 1e-6, "l1_ratio": 0.0, "random_state": 0, "max_epochs": 2000}
    result = tb.solve(problem, relative_gap=1e-12, **options)
    assert result.status == "stalled"
    assert "Rounding lets no smaller gap be certified" in result.message
    assert result.n_epochs < 500
    assert result.gap < 1e-8
