"""No bound lies above the optimum, whatever the problem and wherever a run starts.

The other side is written here from the definition, and minimised by SciPy: any of its values is at
least the optimum, and a good one is hardly more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import expit, logsumexp
from threadpoolctl import threadpool_limits

import tauboost as tb
from penalties import PSI, psi
from problems import CASES

ALLOWED = 1e-9  # by which a bound may exceed the other side, relative to it


class Written:
    """F + psi in NumPy, of lam split into its positive and its negative part."""

    def __init__(
        self, X: np.ndarray, y: np.ndarray, weights: np.ndarray, loss: str, intercept: bool
    ) -> None:
        self.n, self.loss, self.intercept = X.shape[1], loss, intercept
        X = np.hstack([X, np.ones((len(X), 1))]) if intercept else X
        self.A, self.c = np.where(y > 0, 1.0, -1.0)[:, None] * X, weights / weights.sum()

    def smooth(self, lam: np.ndarray) -> tuple[float, np.ndarray]:
        """F, and its gradient."""
        r = self.A @ lam
        if self.loss == "logistic":
            return float(self.c @ np.logaddexp(0.0, r)), self.A.T @ (self.c * expit(r))
        value = float(logsumexp(r, b=self.c))
        return value, self.A.T @ (self.c * np.exp(r - value))

    def objective(self, lam: np.ndarray, alpha: float, l1_ratio: float) -> float:
        x = lam[: self.n]
        penalty = l1_ratio * np.abs(x).sum() + (1.0 - l1_ratio) / 2 * (x @ x)
        return self.smooth(lam)[0] + alpha * penalty

    def minimised(self, alpha: float, l1_ratio: float, box: tuple[float, float]) -> float:
        """A value near the optimum."""
        n, (lower, upper) = self.n, box

        def both(z: np.ndarray) -> np.ndarray:
            return np.append(z[:n] - z[n : 2 * n], z[2 * n :])

        def split(z: np.ndarray) -> tuple[float, np.ndarray]:
            lam = both(z)
            value, gradient = self.smooth(lam)
            x = lam[:n]
            value += alpha * (l1_ratio * z[: 2 * n].sum() + (1.0 - l1_ratio) / 2 * (x @ x))
            slope = gradient[:n] + alpha * (1.0 - l1_ratio) * x
            l1 = alpha * l1_ratio
            return value, np.concatenate([slope + l1, l1 - slope, gradient[n:]])

        parts = [(max(lower, 0.0), max(upper, 0.0))] * n + [
            (max(-upper, 0.0), max(-lower, 0.0))
        ] * n
        parts += [(-np.inf, np.inf)] * self.intercept
        found = minimize(
            split,
            np.clip(0.0, *np.array(parts).T),
            jac=True,
            method="L-BFGS-B",
            bounds=parts,
            options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 500},
        )
        return self.objective(both(found.x), alpha, l1_ratio)


def drawn(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw a small problem: X, y and weights; often with few samples of one class."""
    m, n = int(rng.integers(3, 60)), int(rng.integers(1, 6))
    X = np.round(rng.normal(size=(m, n)), 1)
    kind = rng.integers(4)
    if kind == 0:
        X = (X > 0.5).astype(float)
    elif kind == 1:
        X *= 10.0 ** rng.integers(-2, 3, n)
    elif kind == 2:
        X += rng.normal(size=n)
    n_positive = int(rng.integers(1, m)) if rng.random() < 0.5 else 1
    y = np.zeros(m, dtype=int)
    y[rng.permutation(m)[:n_positive]] = 1
    weights = np.ones(m)
    if rng.random() < 0.5:
        weights = 10.0 ** rng.uniform(-3, 3, m)
    return X, y, weights


def excess_of_a_bound(seed: int) -> float:
    """By what share the bound of one run exceeds the optimum; -inf where there is none."""
    rng = np.random.default_rng(seed)
    X, y, weights = drawn(rng)
    loss = str(rng.choice(["exponential", "logistic"]))
    intercept = bool(rng.random() < 0.7)
    options = psi(str(rng.choice(sorted(PSI))), 10.0 ** rng.uniform(-4, 0))
    problem: Any = tb.Problem(sp.csr_array(X), y, weights, loss=loss, fit_intercept=intercept)
    if rng.random() < 0.1:
        problem, intercept = tb.TableProblem(X, y, weights, loss=loss, max_bins=5), True
        X = problem.design.explicit(problem.codes).toarray()
        options = {"alpha": 0.01} | options | {"bounds": None}
    start = rng.normal(size=X.shape[1] + intercept) * 10.0 ** rng.uniform(-1, 3)
    end: dict[str, Any] = {"max_epochs": int(rng.integers(6)), "tol": 0}
    if rng.random() < 0.5:
        end = {"gap": 1e-6, "max_epochs": 50}
    result = tb.solve(problem, **options, **end, lam0=start, random_state=seed)
    if result.bound is None:
        return -np.inf
    written = Written(X, y, weights, loss, intercept)
    strength = (options.get("alpha", 0.0), options.get("l1_ratio", 1.0))
    lower, upper = options.get("bounds") or (None, None)
    box = (-np.inf if lower is None else lower, np.inf if upper is None else upper)
    here = np.append(result.lam, result.intercept) if intercept else result.lam
    least = min(written.objective(here, *strength), written.minimised(*strength, box))
    return (result.bound - least) / (1e-3 + abs(least))


def false_proofs(seeds: range) -> dict[int, float]:
    """Return the seeds whose bound is none, and by how much."""
    with threadpool_limits(1):  # the matrices of L-BFGS-B are small
        found = {seed: excess_of_a_bound(seed) for seed in seeds}
    return {seed: excess for seed, excess in found.items() if excess > ALLOWED}


def test_no_bound_is_false():
    assert false_proofs(range(300)) == {}


@pytest.mark.parametrize("seed", [2518, 10883])
def test_a_bound_knows_nothing_of_the_bits_that_a_run_has_lost(seed):
    """The weights it multiplies shrink by 200 orders of magnitude; the optimum is 0, at 0."""
    assert excess_of_a_bound(seed) <= ALLOWED


@pytest.mark.slow
def test_no_bound_of_twenty_thousand_is_false():
    assert false_proofs(range(1000, 21_000)) == {}


def test_a_trial_step_that_is_astronomically_long_does_not_warn():
    """Its coordinates are 1e155 and more, and products of two of them no numbers."""
    assert excess_of_a_bound(1364) <= ALLOWED


def test_a_start_with_all_samples_on_the_wrong_side():
    """The intercept is far from its best there, where its slope has hardly any curvature."""
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(50, 1)), 1)
    y = (np.arange(50) < 1).astype(int)
    problem = tb.Problem(X, y, loss="logistic", fit_intercept=True)
    options = {"alpha": 0.1, "l1_ratio": 0.0, "gap": 1e-6, "random_state": 0}
    best = tb.solve(problem, **options)
    result = tb.solve(problem, **options, lam0=[2, 10])
    assert result.objective <= best.objective + 1e-6
    assert result.bound <= best.objective


@pytest.mark.parametrize("bounds", [None, (0.25, None)])
def test_a_logistic_optimum_is_at_least_what_psi_is(bounds):
    problem = CASES["binary"].problem(loss="logistic")
    start = np.full(problem.n_features, 30.0)
    result = tb.solve(
        problem, alpha=0.01, l1_ratio=0.5, bounds=bounds, lam0=start, max_epochs=0, random_state=0
    )
    least = 0.0 if bounds is None else problem.n_features * 0.01 * (0.5 * 0.25 + 0.25 * 0.25**2)
    assert result.bound >= least - 1e-15
