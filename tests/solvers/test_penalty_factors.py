"""Penalty factors: each feature as if its column were in other units, and what can be certified."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

import tauboost as tb
from problems import CASES

LOSSES = ["exponential", "logistic"]
# What every method is asked for: options, and how near the optimum it comes with them.
METHODS = {
    "exact": ({}, 1e-10),
    "exact-async": ({}, 1e-10),
    "pcdm": ({"tau": 4}, 1e-5),
    "pcdm-async": ({"tau": 2}, 1e-5),
    "fully-parallel": ({"step": "lipschitz", "max_epochs": 20_000}, 1e-5),
    "accelerated": ({}, 1e-6),
    "lbfgs": ({}, 1e-7),
}


KINDS = ["l1", "l2", "both"]
ALL = [
    (loss, method, kind)
    for loss in LOSSES
    for method in METHODS
    for kind in KINDS
    if loss in tb.METHODS[method].losses and (kind == "l2" or tb.METHODS[method].takes_l1)
]


def table(seed, m=80, n=7):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.6)
    X[:, : n // 2] = np.sign(X[:, : n // 2])
    y = np.where(X @ rng.normal(size=n) + rng.normal(size=m) > 0, 1, -1)
    return X, y, np.exp(rng.uniform(-2, 2, n))


def optimum(X, y, **options):
    problem = tb.Problem(X, y, **{k: options.pop(k) for k in ("loss", "fit_intercept")})
    return tb.solve(problem, **options, tol=1e-10, random_state=0)


@pytest.mark.parametrize(("loss", "method", "kind"), ALL)
def test_every_method_finds_the_optimum_of_rescaled_columns(loss, method, kind):
    X, y, sizes = table(1)
    factors = {"l1": sizes, "l2": sizes**2, "both": (sizes, sizes**2)}[kind]
    net = {"alpha": 0.05, "l1_ratio": {"l1": 1.0, "l2": 0.0, "both": 0.5}[kind]}
    how = {"loss": loss, "fit_intercept": True}
    plain = optimum(X / sizes, y, **net, **how)
    more, near = METHODS[method]
    problem = tb.Problem(X, y, **how)
    found = tb.solve(
        problem, method, **net, **more, penalty_factors=factors, tol=1e-9, random_state=0
    )
    assert found.objective == pytest.approx(plain.objective, abs=near)
    np.testing.assert_allclose(found.lam * sizes, plain.lam, atol=30 * np.sqrt(near))
    assert found.gap is None or found.objective - found.gap <= plain.objective + 1e-10


@settings(max_examples=30)
@given(
    st.integers(0, 10_000),
    st.sampled_from(LOSSES),
    st.booleans(),
    st.sampled_from([0.0, 0.3, 1.0]),
)
def test_any_shape_is_solved_as_with_rescaled_columns(seed, loss, fit_intercept, l1_ratio):
    rng = np.random.default_rng(seed)
    X, y, sizes = table(seed, int(rng.integers(4, 40)), int(rng.integers(2, 9)))
    X[:, 0] = rng.choice([0.0, 1.0])  # empty or constant
    y[:2] = [1, -1]
    X[rng.integers(0, len(X), 3)] = X[0]
    how = {"alpha": 0.03, "l1_ratio": l1_ratio, "loss": loss, "fit_intercept": fit_intercept}
    one = optimum(X, y, **how, penalty_factors=(sizes, sizes**2))
    two = optimum(X / sizes, y, **how)
    if one.status == two.status == "converged":
        assert one.objective == pytest.approx(two.objective, abs=1e-9)
    else:
        assert l1_ratio == 1.0, "l2 always has an optimum"


def objective_of(case, loss, l1, l2):
    """F, and F + psi at a difference of two vectors that are not negative; with gradients."""
    A, c = case.signed(), case.c()

    def smooth(lam):
        r = A @ lam
        if loss == "logistic":
            return c @ np.logaddexp(0, r), A.T @ (c * expit(r))
        top = r.max()
        w = c * np.exp(r - top)
        return top + np.log(w.sum()), A.T @ w / w.sum()

    def split(both):
        n = A.shape[1]
        lam = both[:n] - both[n:]
        value, g = smooth(lam)
        g = g + l2 * lam
        value += l1 @ (both[:n] + both[n:]) + l2 @ lam**2 / 2
        return value, np.concatenate([g + l1, l1 - g])

    return smooth, split


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", ["binary", "real", "mixed", "weighted", "nearly-full"])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.4])
def test_the_bound_is_below_the_optimum_that_scipy_finds(loss, name, l1_ratio):
    case, alpha = CASES[name], 0.02
    n, k = case.X.shape[1], case.signed().shape[1]
    factors = np.exp(np.random.default_rng(1).uniform(-1, 2, n))
    l1, l2 = np.zeros(k), np.zeros(k)
    l1[:n], l2[:n] = alpha * l1_ratio * factors, alpha * (1 - l1_ratio) * factors
    smooth, split = objective_of(case, loss, l1, l2)
    best = minimize(
        split,
        np.zeros(2 * k),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * (2 * k),
        options={"ftol": 0, "gtol": 1e-11, "maxiter": 10_000, "maxfun": 100_000},
    ).fun
    options = {"alpha": alpha, "l1_ratio": l1_ratio, "penalty_factors": factors, "random_state": 0}
    for stop in ({"max_epochs": 1, "tol": 0}, {"max_epochs": 4, "tol": 0}, {"gap": 1e-9}):
        found = tb.solve(case.problem(loss=loss), **options, **stop)
        assert found.bound <= best + 1e-10
        assert found.objective >= best - 1e-7
        assert found.gap == pytest.approx(found.objective - found.bound, abs=1e-14)
        if n == k:  # no intercept: the gradient has it, and the bound is the best of several
            value, g = smooth(found.lam)
            excess = np.maximum(np.abs(g) - l1, 0)
            assert found.bound >= value - g @ found.lam - np.sum(excess**2 / (2 * l2)) - 1e-10
    assert found.gap <= 1e-9


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_a_relative_gap_ends_where_it_is_proved(loss, l1_ratio):
    problem = CASES["mixed"].problem(loss=loss)
    options = {"alpha": 0.02, "l1_ratio": l1_ratio, "random_state": 0}
    best = tb.solve(problem, **options, tol=1e-12)
    sweeps = []
    for share in (1e-1, 1e-3, 1e-6):
        found = tb.solve(problem, **options, relative_gap=share)
        wanted = share * (found.objective if loss == "logistic" else 1.0)
        assert found.status == "converged"
        assert found.objective - best.objective - 1e-12 <= found.gap <= wanted
        sweeps.append(found.n_epochs)
    assert sweeps == sorted(sweeps)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_relative_gap_needs_something_to_certify(loss):
    problem, n = CASES["binary"].problem(loss=loss), CASES["binary"].X.shape[1]
    free = np.ones(n)
    free[3] = 0
    with pytest.raises(ValueError, match=r"^relative_gap: none .* as there is no penalty"):
        tb.solve(problem, relative_gap=1e-3)
    with pytest.raises(ValueError, match=r"^relative_gap: .* have the penalty factor 0"):
        tb.solve(problem, relative_gap=1e-3, alpha=0.1, penalty_factors=free)
    with pytest.raises(ValueError, match=r"^relative_gap: .* both bounds of every feature"):
        tb.solve(problem, relative_gap=1e-3, bounds=(0, None))
    with pytest.raises(ValueError, match=r"^relative_gap must be above 0"):
        tb.solve(problem, relative_gap=0, alpha=0.1)


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_a_factor_of_0_leaves_a_feature_free(l1_ratio):
    X, y, _ = table(2, 300)
    problem = tb.Problem(X, y, loss="logistic")
    free = np.ones(X.shape[1])
    free[[0, 4]] = 0
    options = {"alpha": 0.3, "l1_ratio": l1_ratio, "penalty_factors": free, "random_state": 0}
    found = tb.solve(problem, **options, tol=1e-9)
    slope = problem.gradient(found.lam)
    np.testing.assert_allclose(slope[[0, 4]], 0, atol=1e-8)
    assert np.all(found.lam[[0, 4]] != 0)
    assert found.gap is None
    assert "No gap is certified: some features have the penalty factor 0." in found.message
    boxed = tb.solve(problem, **options, bounds=(-9, 9), tol=1e-9)
    assert boxed.gap <= 1e-6, "a box bounds them as well"
    np.testing.assert_allclose(boxed.lam, found.lam, atol=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_gap_needs_one_of_the_two_factors_of_a_feature(loss):
    X, y, _ = table(2, 300)
    of_l1, of_l2 = np.ones(7), np.ones(7)
    of_l1[0] = of_l2[3:5] = 0
    net = {"alpha": 0.1, "penalty_factors": (of_l1, of_l2), "random_state": 0}
    problem = tb.Problem(X, y, loss=loss, fit_intercept=True)
    best = tb.solve(problem, **net, l1_ratio=0.5, tol=1e-12)
    for stop in ({"relative_gap": 1e-5}, {"tol": 1e-6}):
        found = tb.solve(problem, **net, l1_ratio=0.5, **stop)
        assert found.objective - best.objective - 1e-12 <= found.gap <= 1e-5


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_bounds_are_those_of_the_features_themselves(loss, l1_ratio):
    X, y, sizes = table(3)
    lower, upper = -0.2 * np.ones(7), np.linspace(0.05, 0.5, 7)
    how = {"alpha": 0.02, "l1_ratio": l1_ratio, "loss": loss, "fit_intercept": True}
    one = optimum(X, y, **how, penalty_factors=(sizes, sizes**2), bounds=(lower, upper))
    two = optimum(X / sizes, y, **how, bounds=(lower * sizes, upper * sizes))
    assert np.all((lower <= one.lam) & (one.lam <= upper))
    np.testing.assert_allclose(one.lam * sizes, two.lam, atol=1e-6)
    assert one.objective == pytest.approx(two.objective, abs=1e-10)
    assert one.gap <= 1e-7


def test_of_features_in_no_row_factors_are_left_out():
    rng = np.random.default_rng(4)
    X, y, sizes = table(4)
    places = np.sort(rng.choice(5000, 7, replace=False))
    wide = np.zeros((80, 5000))
    wide[:, places] = X
    factors = rng.uniform(0, 9, 5000)
    factors[places] = sizes
    how = {"alpha": 0.05, "l1_ratio": 0.5, "loss": "logistic", "fit_intercept": False}
    one = optimum(X, y, **how, penalty_factors=sizes)
    two = optimum(sp.csr_array(wide), y, **how, penalty_factors=factors)
    np.testing.assert_allclose(two.lam[places], one.lam, atol=1e-8)
    assert np.count_nonzero(two.lam) == np.count_nonzero(one.lam)


@pytest.mark.parametrize(
    "given",
    [np.ones(6), -np.ones(7), np.zeros(7), (np.ones(7), np.zeros(7)), [1] * 6 + [np.nan], "auto"],
)
def test_factors_that_are_none_are_refused(given):
    X, y, _ = table(5)
    with pytest.raises((ValueError, TypeError), match="penalty_factors"):
        tb.solve(tb.Problem(X, y), alpha=0.1, penalty_factors=given)


def test_stumps_have_none():
    X, y, _ = table(6)
    problem = tb.TableProblem(X, y)
    with pytest.raises(ValueError, match="penalty_factors: the stumps"):
        tb.solve(problem, alpha=0.1, penalty_factors=np.ones(problem.n_features))
