"""Problems of a batch are the problems they would be alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import tauboost as tb
from tauboost import _core, losses
from tauboost.penalty import Penalty
from tauboost.sparse.batch import Batch, sweep_batches
from tauboost.sparse.design import build_matrix, random_places
from tauboost.validation import as_csr

LOSSES = ["exponential", "logistic"]


def random_data(seed, m=200, n=30, valued=False):
    rng = np.random.default_rng(seed)
    X = sp.random(m, n, 0.25, format="csr", random_state=rng)
    X.data = rng.normal(size=X.nnz) if valued else np.ones(X.nnz)
    y = np.where(X @ rng.normal(size=n) + rng.normal(size=m) > 0, 1, -1)
    return X, y


def batch_of(problem, psi, **options):
    c = np.repeat(problem.c[:, None], len(psi), axis=1)
    settings = {"seed": 0, "n_threads": 1} | options
    psi = [replace(net, n=problem.n_features) for net in psi]
    return Batch(problem.matrix, problem.loss_function, c, None, psi, **settings)


def objective(problem, lam, psi):
    penalty = Penalty(problem.n_features, psi.l1, psi.l2)
    return problem.rows().point(lam).value + penalty.value(lam)


PSIS = [Penalty(30, *net) for net in ((0, 1e-2), (3e-3, 0), (1e-3, 1e-3), (0, 1.0), (0.1, 0))]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("valued", [False, True])
@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_each_lane_reaches_the_optimum_of_its_problem(loss, valued, k):
    X, y = random_data(1, valued=valued)
    problem = tb.Problem(X, y, loss=loss, fit_intercept=True)
    batch = batch_of(problem, PSIS[:k])
    before = np.full(k, np.inf)
    for _ in range(300):
        batch.sweep()
        now = [objective(problem, batch.lam[:, q].copy(), PSIS[q]) for q in range(k)]
        assert np.all(np.array(now) <= before + 1e-12)
        before = np.array(now)
    for q in range(k):
        psi = PSIS[q]
        alpha = psi.l1 + psi.l2
        best = tb.solve(problem, alpha=alpha, l1_ratio=psi.l1 / alpha, tol=1e-9, random_state=0)
        assert before[q] == pytest.approx(best.objective, abs=1e-8)


@pytest.mark.parametrize("loss", LOSSES)
def test_values_and_residuals_are_those_of_lam(loss):
    X, y = random_data(2, valued=True)
    problem = tb.Problem(X, y, loss=loss)
    batch = batch_of(problem, PSIS)
    for _ in range(5):
        batch.sweep()
    for q in range(len(PSIS)):
        r = problem.rows().residuals(batch.lam[:, q].copy())
        assert np.allclose(batch.row_residuals(np.arange(200))[:, q], r, atol=1e-9)
        assert batch.values()[q] == pytest.approx(problem.rows().weigh(r).value, abs=1e-10)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("valued", [False, True])
def test_labels_in_the_lanes_are_labels_in_the_matrix(loss, valued):
    X, y = random_data(3, valued=valued)
    problem = tb.Problem(X, y, loss=loss, fit_intercept=True)
    plain = batch_of(problem, PSIS[:2])
    arrays, place = as_csr(X), random_places(X.shape[1])
    matrix = build_matrix(arrays, np.ones(len(y), dtype=bool), place, True, 1)
    rows = np.asarray(matrix.row_order)
    opposite = np.repeat((y[rows] < 0)[:, None], 2, axis=1)
    c = np.full((len(y), 2), 1 / len(y))
    signed = Batch(matrix, losses.LOSSES[loss], c, opposite, PSIS[:2], seed=0, n_threads=1)
    for _ in range(10):
        plain.sweep()
        signed.sweep()
    assert np.allclose(plain.lam, signed.lam, rtol=1e-9, atol=1e-12)


def test_a_row_of_weight_0_counts_as_absent():
    X, y = random_data(4)
    problem = tb.Problem(X, y, loss="logistic", fit_intercept=True)
    learnt = np.arange(200) % 4 > 0
    c = np.where(learnt, problem.c, 0.0)
    psi = [Penalty(30, 0.0, 1e-2)]
    batch = Batch(
        problem.matrix,
        problem.loss_function,
        (c / c.sum())[:, None],
        None,
        psi,
        seed=0,
        n_threads=1,
    )
    rows = np.asarray(problem.matrix.row_order)[learnt]
    alone = tb.Problem(X[rows], y[rows], loss="logistic", fit_intercept=True)
    best = tb.solve(alone, alpha=1e-2, l1_ratio=0.0, tol=1e-10, random_state=0)
    for _ in range(300):
        batch.sweep()
    assert np.allclose(problem.design.split(batch.lam[:, 0])[0], best.lam, atol=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_bits_do_not_depend_on_threads(loss):
    X, y = tb.make_w8a_like(30_000, random_state=0)
    X = sp.hstack([X, X[:, ::-1], X[:, :100]]).tocsr()
    problem = tb.Problem(X, y, loss=loss, fit_intercept=True)
    assert problem.matrix.n_shards > 1
    points = []
    for n_threads in (1, 2, 3, 8):
        batch = batch_of(problem, PSIS, n_threads=n_threads)
        for _ in range(3):
            batch.sweep()
        points.append(batch.lam.copy())
    for point in points[1:]:
        assert np.array_equal(point, points[0])


def test_keeping_some_lanes_leaves_their_course_as_it_was():
    X, y = random_data(5)
    problem = tb.Problem(X, y, loss="logistic")
    whole, part = batch_of(problem, PSIS), batch_of(problem, PSIS)
    for batch in (whole, part):
        batch.sweep()
    part.keep([3, 1])
    assert part.width == 2
    for batch in (whole, part):
        batch.block_size.tau = 4
        batch.sweep()
    assert np.array_equal(part.lam[:, :2], whole.lam[:, [3, 1]])


@given(st.integers(0, 10_000), st.booleans(), st.sampled_from(LOSSES))
def test_odd_shapes_run_and_descend(seed, valued, loss):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(2, 12), rng.integers(1, 8)
    X = sp.random(m, n, rng.uniform(0, 1), format="csr", random_state=rng)
    if not valued:
        X.data[:] = 1.0
    y = np.zeros(m)
    y[rng.permutation(m)[: max(1, m // 2)]] = 1
    problem = tb.Problem(X, y, loss=loss, fit_intercept=bool(seed % 2))
    psis = [PSIS[k] for k in rng.integers(0, len(PSIS), rng.integers(1, 9))]
    batch = batch_of(problem, psis)
    before = [problem.value(np.zeros(n))] * len(psis)
    for _ in range(4):
        batch.sweep()
        now = [objective(problem, batch.lam[:, q].copy(), psi) for q, psi in enumerate(psis)]
        assert np.all(np.isfinite(now))
        assert all(a <= b + 1e-12 for a, b in zip(now, before, strict=True))
        before = now


@pytest.fixture
def vector_width():
    """Let a test choose how wide vectors are, up to what the machine has."""
    before = _core.vector_width()
    yield _core.set_vector_width
    _core.set_vector_width(before)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("valued", [False, True])
def test_bits_do_not_depend_on_the_width_of_vectors(loss, valued, vector_width):
    X, y = random_data(3, valued=valued)
    problem = tb.Problem(X, y, loss=loss, fit_intercept=True)
    found = []
    for width in (2, 4, 8):
        vector_width(width)
        batches = [batch_of(problem, PSIS[:k]) for k in (1, 2, 4, 5)]
        for _ in range(5):
            for group in batches:
                group.sweep()
        alone = tb.solve(problem, alpha=1e-3, l1_ratio=0.5, max_epochs=5, tol=0, random_state=0)
        found.append(alone.lam.tobytes() + b"".join(group.lam.tobytes() for group in batches))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_sweeps_side_by_side_have_the_bits_of_sweeps_alone(loss, n_threads):
    several, alone = ([], [])
    for seed, k in enumerate((1, 5, 2)):
        problem = tb.Problem(*random_data(seed, valued=seed > 0), loss=loss)
        several.append(batch_of(problem, PSIS[:k]))
        alone.append(batch_of(problem, PSIS[:k]))
    for _ in range(3):
        sweep_batches(several, n_threads)
        for batch in alone:
            batch.sweep()
    for one, other in zip(several, alone, strict=True):
        np.testing.assert_array_equal(one.lam, other.lam)
        np.testing.assert_array_equal(one.rows, other.rows)
        np.testing.assert_array_equal(one.edge, other.edge)


def test_odds_that_are_no_numbers_are_made_anew():
    """As after an overflow: neither the least nor the largest of them, by comparison."""
    X, y = random_data(0)
    X.data[X.indptr[7] : X.indptr[8]] = 0.0  # a row that no step touches
    X.eliminate_zeros()
    problem = tb.Problem(X, y, loss="logistic")
    for k in (1, 2, 5):
        batch = batch_of(problem, PSIS[:k])
        row = np.flatnonzero(problem.design.row_order == 7)
        batch.E[row, k - 1] = np.nan
        batch.sweep()
        np.testing.assert_array_equal(batch.E[row, :k], 1.0)


def test_the_core_checks_what_it_sweeps():
    problem = tb.Problem(*random_data(0), loss="logistic")
    batch = batch_of(problem, PSIS[:2])
    batch.rows = batch.rows[:-1]
    with pytest.raises(ValueError, match="rows"):
        batch.sweep()
    batch.total = np.ones(3)
    with pytest.raises(ValueError, match="number of lanes"):
        batch.sweep()
