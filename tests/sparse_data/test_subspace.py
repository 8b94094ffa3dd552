"""Newton's step in the span of where sweeps have come from, against plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

import tauboost as tb
from tauboost.losses import LOSSES
from tauboost.penalty import Penalty
from tauboost.sparse.batch import Batch, Subspace


def problem_of(seed, m=60, n=8, fit_intercept=True, kind="real"):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.5)
    X = np.sign(X) if kind == "signs" else X
    X[:, 1:3] += X[:, :1]  # columns that say nearly the same
    y = np.where(X @ rng.normal(size=n) + rng.normal(size=m) > 0.3, 1, -1)
    y[:2] = [1, -1]
    return tb.Problem(sp.csr_array(X), y, loss="logistic", fit_intercept=fit_intercept)


def batch_of(problem, l2, learnt=None, factors=None, **options):
    """A batch of these l2; ``learnt`` has the rows of each fit, ``factors`` those of l2."""
    k, n = len(l2), problem.n_features
    c = np.repeat(problem.c[:, None], k, axis=1)
    c = c if learnt is None else c * learnt
    own = [None] * k if factors is None else list(factors)
    psi = [Penalty(n, 0.0, l2[q], l2_factors=own[q]) for q in range(k)]
    how = {"seed": 0, "n_threads": 1} | options
    return Batch(problem.matrix, LOSSES["logistic"], c / c.sum(axis=0), None, psi, **how)


class Oracle:
    """The step of each lane, with the matrix written out."""

    def __init__(self, problem, batch, psi_factors=None):
        self.A = np.stack([problem.rows().residuals(e) for e in np.eye(problem.n_coordinates)], 1)
        self.batch, self.n = batch, problem.n_features
        self.l2 = np.zeros((self.A.shape[1], batch.k))
        factors = np.ones((self.n, batch.k)) if psi_factors is None else np.transpose(psi_factors)
        self.l2[: self.n] = batch.l2[: batch.k] * factors
        self.end = batch.lam[:, : batch.k].copy()
        self.older = np.zeros_like(self.end)

    def objective(self, lam):
        losses = np.logaddexp(0.0, self.A @ lam)
        return np.sum(self.batch.c * losses, axis=0) + 0.5 * np.sum(self.l2 * lam**2, axis=0)

    def step(self, lam):
        """Where the step leads from lam, where a sweep has ended; not taken where it rises."""
        step, found = lam - self.end, lam.copy()
        for q in range(lam.shape[1]):
            only_features = np.where(np.arange(len(lam)) < self.n, lam[:, q], 0.0)
            D = np.stack([only_features, step[:, q], self.older[:, q]], axis=1)
            if len(lam) > self.n:
                D = np.column_stack([D, np.eye(len(lam))[-1]])
            R, c, l2 = self.A @ D, self.batch.c[:, q], self.l2[:, q]
            p = expit(self.A @ lam[:, q])
            slope = R.T @ (c * p) + D.T @ (l2 * lam[:, q])
            H = R.T @ ((c * p * (1 - p))[:, None] * R) + D.T @ (l2[:, None] * D)
            size = np.sqrt(np.where(np.diag(H) > 0, np.diag(H), 1.0))
            x = np.linalg.lstsq(H / np.outer(size, size), -slope / size, rcond=1e-7)[0] / size
            found[:, q] += D @ x
        falls = self.objective(found) < self.objective(lam)
        found = np.where(falls, found, lam)
        self.end, self.older = found.copy(), step
        return found


def sweep_with(batch, subspace, n_sweeps):
    for _ in range(n_sweeps):
        batch.sweep()
        subspace.take()


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("kind", ["real", "signs"])
def test_the_step_is_newtons_in_the_span(fit_intercept, k, kind):
    problem = problem_of(k, fit_intercept=fit_intercept, kind=kind)
    rng = np.random.default_rng(k)
    factors = np.exp(rng.uniform(-1, 1, (k, problem.n_features)))
    batch = batch_of(problem, np.geomspace(1e-3, 1e-1, k), factors=factors)
    subspace, oracle = Subspace(batch), Oracle(problem, batch, factors)
    for _ in range(4):
        batch.sweep()
        swept = batch.lam[:, :k].copy()
        decrease = batch.decrease.copy()
        subspace.take()
        expected = oracle.step(swept)
        np.testing.assert_allclose(batch.lam[:, :k], expected, atol=1e-5)
        gain = oracle.objective(swept) - oracle.objective(batch.lam[:, :k])
        np.testing.assert_allclose(batch.decrease - decrease, gain, atol=1e-12)
        oracle.end = batch.lam[:, :k].copy()


def check_rows(batch):
    """Rows are those of lam: odds, and weights with the sign of the label."""
    r = batch.residuals()
    np.testing.assert_allclose(np.log(batch.E[:, : batch.k]), r, atol=1e-9)
    sign = 1.0 if batch.sign is None else batch.sign
    np.testing.assert_allclose(batch.w[:, : batch.k], sign * batch.c * expit(r), atol=1e-12)


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(1, 8), st.booleans())
def test_in_any_shape_no_lane_rises_and_rows_stay_those_of_lam(seed, k, fit_intercept):
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(2, 40)), int(rng.integers(3, 12))
    problem = problem_of(seed, m, n, fit_intercept, rng.choice(["real", "signs"]))
    learnt = rng.random((m, k)) < 0.8
    learnt[:, learnt.sum(axis=0) < 2] = True
    l2 = 10 ** rng.uniform(-5, 1, k)
    factors = np.exp(rng.uniform(-3, 3, (k, n))) if seed % 2 else None
    batch = batch_of(problem, l2, learnt, factors)
    subspace, oracle = Subspace(batch), Oracle(problem, batch, factors)
    before = oracle.objective(batch.lam[:, :k])
    for _ in range(6):
        batch.sweep()
        swept = oracle.objective(batch.lam[:, :k])
        assert np.all(swept <= before + 1e-12)
        subspace.take()
        before = oracle.objective(batch.lam[:, :k])
        assert np.all(before <= swept + 1e-12)
    check_rows(batch)
    assert np.all(batch.w[:, :k][~learnt] == 0)


def test_labels_in_the_lanes_are_labels_in_the_matrix():
    rng = np.random.default_rng(1)
    X = sp.csr_array(rng.normal(size=(50, 6)))
    y = np.where(rng.random(50) < 0.4, 1, -1)
    plain = tb.Problem(X, y, loss="logistic", fit_intercept=True)
    one = batch_of(plain, [1e-2])
    # The same rows with labels that are all wrong, and a batch that knows it.
    other = tb.Problem(X, -y, loss="logistic", fit_intercept=True)
    opposite = np.ones((50, 1), dtype=bool)
    two = Batch(
        other.matrix,
        LOSSES["logistic"],
        other.c[:, None].copy(),
        opposite,
        [Penalty(6, 0.0, 1e-2)],
        seed=0,
        n_threads=1,
    )
    for batch in (one, two):
        sweep_with(batch, Subspace(batch), 4)
        check_rows(batch)
    np.testing.assert_allclose(one.lam, two.lam, rtol=1e-6, atol=1e-10)


@pytest.mark.parametrize("with_factors", [False, True])
def test_lanes_side_by_side_are_lanes_one_by_one(with_factors):
    problem, l2 = problem_of(2, 80), np.geomspace(1e-4, 1e-1, 5)
    rng = np.random.default_rng(2)
    learnt = rng.random((80, 5)) < 0.8
    factors = np.exp(rng.normal(size=(5, problem.n_features))) if with_factors else None
    together = batch_of(problem, l2, learnt, factors)
    alone = [
        batch_of(problem, l2[[q]], learnt[:, [q]], None if factors is None else factors[[q]])
        for q in range(5)
    ]
    for batch in (together, *alone):
        batch.block_size.is_fixed = True  # the one thing that neighbours share
        sweep_with(batch, Subspace(batch), 5)
    for q, batch in enumerate(alone):
        np.testing.assert_allclose(together.lam[:, q], batch.lam[:, 0], rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_at_the_optimum_nothing_moves(fit_intercept):
    problem = problem_of(3, fit_intercept=fit_intercept)
    batch = batch_of(problem, [1e-2, 1.0, 1e4])
    subspace = Subspace(batch)
    sweep_with(batch, subspace, 300)
    best = batch.lam.copy()
    for _ in range(5):
        sweep_with(batch, subspace, 1)
        np.testing.assert_allclose(batch.lam, best, rtol=1e-6, atol=1e-12)
        check_rows(batch)


def test_it_takes_fewer_sweeps():
    """What it is for: columns that say nearly the same."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 1)) + 0.1 * rng.normal(size=(200, 10))
    y = np.where(X @ rng.normal(size=10) + rng.normal(size=200) > 0, 1, -1)
    problem = tb.Problem(X, y, loss="logistic", fit_intercept=True)
    best = tb.solve(problem, alpha=1e-4, l1_ratio=0, gap=1e-12, random_state=0).objective
    plain, quick = (batch_of(problem, [1e-4]) for _ in range(2))
    sweep_with(quick, Subspace(quick), 10)
    for _ in range(10):
        plain.sweep()
    oracle = Oracle(problem, quick)
    left, of_plain = (oracle.objective(batch.lam[:, :1])[0] - best for batch in (quick, plain))
    assert left < 0.1 * of_plain


def test_bits_do_not_depend_on_threads():
    X, y = tb.make_w8a_like(30_000, random_state=0)
    problem = tb.Problem(X, y, loss="logistic", fit_intercept=True)
    found = []
    for n_threads in (1, 2, 8):
        batch = batch_of(problem, [1e-3, 1e-2], n_threads=n_threads)
        sweep_with(batch, Subspace(batch), 3)
        found.append(batch.lam.tobytes() + batch.rows.tobytes())
    assert found[0] == found[1] == found[2]


def test_other_objectives_take_none():
    problem = problem_of(6)
    net = Penalty(problem.n_features, 1e-3, 1e-3)
    for loss, psi in (("logistic", net), ("exponential", Penalty(net.n, 0.0, 1e-3))):
        c = problem.c[:, None].copy()
        batch = Batch(problem.matrix, LOSSES[loss], c, None, [psi], seed=0, n_threads=1)
        subspace = Subspace(batch)
        batch.sweep()
        before = batch.lam.copy()
        subspace.take()
        assert not subspace.is_useful
        np.testing.assert_array_equal(batch.lam, before)
