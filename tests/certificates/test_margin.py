"""The interval of the largest margin, against one linear program over all rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import tauboost as tb
from tauboost.certificates.margin import narrowed
from tauboost.certificates.rows import Clock, Products


def largest_margin(A, n_free):
    """Maximise rho with A lam <= -rho, |lam|_1 <= 1; the last ``n_free`` columns are free."""
    m, n = A.shape
    k = n - n_free
    rows = np.hstack([A[:, :k], -A[:, :k], A[:, k:], np.ones((m, 1))])
    size = np.concatenate([np.ones(2 * k), np.zeros(n_free + 1)])
    found = linprog(
        -np.eye(len(size))[-1],
        A_ub=np.vstack([rows, size]),
        b_ub=np.append(np.zeros(m), 1.0),
        bounds=[(0, None)] * (2 * k) + [(None, None)] * (n_free + 1),
    )
    return -found.fun


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("shape", [(30, 5), (1500, 8), (40, 900)])
def test_against_one_program(fit_intercept, shape):
    rng = np.random.default_rng(shape[0])
    X = rng.normal(size=shape)
    decisions = X @ rng.normal(size=shape[1])
    keep = np.abs(decisions) > 0.3
    X, y = X[keep], np.where(decisions[keep] > 0, 1, -1)
    found = tb.hard_core(tb.Problem(X, y, fit_intercept=fit_intercept))
    assert found.verdict == "separable"
    A = y[:, None] * (np.hstack([X, np.ones((len(X), 1))]) if fit_intercept else X)
    expected = largest_margin(A, int(fit_intercept))
    assert found.margin == pytest.approx((expected, expected), rel=3e-6)
    checked = found.verify()
    assert checked.holds
    assert checked.margin == pytest.approx(found.margin, rel=1e-9)
    assert np.abs(found.lam).sum() == pytest.approx(1.0)


def test_without_time_the_interval_is_wide_but_right():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(2000, 6))
    y = np.where(X @ rng.normal(size=6) > 0, 1, -1)
    narrow = tb.hard_core(tb.Problem(X, y)).margin
    problem = tb.Problem(X, y)
    lam = tb.hard_core(problem).problem.design.coordinates(tb.solve(problem).lam)
    wide = narrowed(Products(problem), lam, problem.c, Clock(0.0))
    assert wide.lower <= narrow[0] * (1 + 1e-9)
    assert wide.upper >= narrow[1] * (1 - 1e-9)
