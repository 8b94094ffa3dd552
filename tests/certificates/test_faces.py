"""The split of rows, the hinge below it, and the weights that balance the core."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import tauboost as tb
from tauboost.certificates import separation as partition
from tauboost.certificates.rows import Clock, OutOfTime
from tauboost.certificates.separation import balanced_weights, minimise_hinge, problem_of, split

CLOCK = Clock(np.inf)


def test_the_minimum_of_the_hinge_balances_its_rows():
    A = np.random.default_rng(0).normal(size=(300, 12))
    rows = problem_of(A, 1).rows()
    found = minimise_hinge(rows, None, CLOCK)
    assert found.is_found
    w = np.maximum(1.0 + found.r, 0.0)
    neg, pos = rows.signed_sums(w)
    assert np.abs(pos - neg).max() <= 1e-10 * (pos + neg).max()


def test_rows_in_the_span_of_the_core_belong_to_it():
    """The third row is far on the right side in any fit of the first two, and yet it is bound."""
    A = np.array([[1.0, 0], [-1, 0], [-50, 0], [0, -1]])
    found = split(A, 1, CLOCK)
    assert found.core.tolist() == [True, True, True, False]
    assert found.separated.tolist() == [False, False, False, True]
    r = A @ found.lam
    assert np.abs(r[:3]).max() <= 1e-15
    assert r[3] < -0.4


def test_faces_within_faces():
    """Column k + 1 can only be looked at when column k has been given up."""
    k = 6
    A = np.zeros((2 * k + 1, k + 1))
    for i in range(k):
        A[2 * i, i], A[2 * i + 1, i] = 1.0, -1.0
        A[2 * i, :i] = 3.0
    A[-1, -1], A[-1, :k] = -1e-3, 5.0
    found = split(A, 1, CLOCK)
    assert found.core.tolist() == [True] * 2 * k + [False]


def test_balanced_weights_are_exact_and_positive():
    rng = np.random.default_rng(1)
    A = sp.csr_array(rng.integers(-1, 2, (500, 20)).astype(float))
    w = balanced_weights(A, rng.random(500) + 0.1, 1)
    assert w.min() > 0
    assert w.sum() == pytest.approx(1.0)
    assert np.max(np.abs(A.T @ w) / (abs(A).T @ w)) <= 1e-14


def test_more_columns_than_rows(monkeypatch):
    """With a small limit: the rows are split by combinations of themselves."""
    rng = np.random.default_rng(2)
    A = rng.normal(size=(20, 60))
    A[1], A[3] = -A[0], 2.0 * A[2]
    expected = split(A, 1, CLOCK)
    monkeypatch.setattr(partition, "MOST_DENSE", 25)
    found = partition._split(sp.csr_array(A), 1, CLOCK)
    assert found.core.tolist() == expected.core.tolist() == [True] * 2 + [False] * 18
    r = A @ found.lam
    assert np.abs(r[:2]).max() <= 1e-9
    assert r[2:].max() < -0.1


@pytest.mark.parametrize("is_separable", [True, False])
def test_too_many_rows_and_columns(monkeypatch, is_separable):
    """The solver may separate them all; else nothing is said."""
    monkeypatch.setattr(partition, "MOST_DENSE", 10)
    A = np.random.default_rng(3).normal(size=(40, 60 if is_separable else 12))
    found = partition._split(sp.csr_array(A), 1, CLOCK)
    assert found.separated.all() == is_separable
    assert found.separated.any() == is_separable
    assert not found.core.any()


def test_no_time():
    with pytest.raises(OutOfTime):
        minimise_hinge(problem_of(np.eye(3), 1).rows(), None, Clock(0.0))


def test_a_direction_that_no_row_left_has_stays_short():
    """Its curvature and its slope are rounding: their ratio was 1e15, and hid all other weights."""
    rng = np.random.default_rng(492)
    m, n = int(rng.integers(5, 200)), int(rng.integers(1, 12))
    rng.integers(2)
    X = (rng.random((m, n)) < 0.2) * 1.0
    noise = np.abs(X).mean()
    decisions = X @ rng.normal(size=n) + rng.normal(size=m) * rng.choice([0, 1e-3, 1]) * noise
    y = np.where(decisions > 0, 1, -1)
    y[:2] = [1, -1]
    found = tb.hard_core(tb.Problem(X, y, fit_intercept=True))
    assert found.verdict != "undecided"
    assert np.abs(found.lam).max() < 1e4
