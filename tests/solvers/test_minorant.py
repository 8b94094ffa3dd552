"""Affine minorants: nowhere above F, level along the intercept, and near F at its best."""

from __future__ import annotations

import numpy as np
import pytest

import tauboost as tb
from tauboost.solvers import certificate as minorant
from tauboost.solvers.certificate import level_minorant

LOSSES = ["exponential", "logistic"]


def made(seed: int, loss: str, far: float):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 2)), np.arange(30) < rng.integers(1, 15)
    problem = tb.Problem(X, y, 10.0 ** rng.uniform(-2, 2, 30), loss=loss, fit_intercept=True)
    point = problem.rows().point(far * rng.normal(size=3))
    return rng, problem, point


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("most_steps", [3, 6, 100])
def test_no_step_more_or_less_makes_it_false(loss, most_steps, monkeypatch):
    """The points on both sides may be as far apart as they like."""
    monkeypatch.setattr(minorant, "MOST_STEPS", most_steps)
    found = 0
    for seed in range(100):
        rng, problem, point = made(seed, loss, 10.0 ** (seed % 4))
        below = level_minorant(point, problem.design.scale)
        if below is None:
            assert most_steps < 100
            continue
        found += 1
        assert below.slope[-1] == 0.0
        for _ in range(30):
            lam = point.lam * rng.random() + rng.normal(size=3)
            lam[-1] = rng.normal() * 10.0 ** rng.uniform(-1, 4)
            value = problem.rows().point(lam).value
            assert below.level + below.slope @ lam <= value + 1e-11 * (1 + abs(value))
    assert found > 10


@pytest.mark.parametrize("loss", LOSSES)
def test_it_touches_f_at_the_best_intercept(loss):
    for seed in range(50):
        _, problem, point = made(seed, loss, 1.0)
        below, lam = level_minorant(point, problem.design.scale), point.lam.copy()
        least = np.inf
        for at in np.linspace(-20, 20, 2001):
            lam[-1] = at
            least = min(least, problem.rows().point(lam).value)
        assert below.level + below.slope @ lam == pytest.approx(least, abs=1e-4)
        assert below.level + below.slope @ lam <= least


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_a_bound_is_a_plain_number(loss, fit_intercept):
    """Files take no other."""
    X = np.random.default_rng(0).normal(size=(30, 2))
    problem = tb.Problem(X, np.arange(30) % 2, loss=loss, fit_intercept=fit_intercept)
    result = tb.solve(problem, alpha=0.1, l1_ratio=0.0, random_state=0)
    assert type(result.bound) is float
    assert type(result.gap) is float
