"""The exact engine: exact steps, monotone bundles, safe numbers, honest verdicts, both losses."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import tauboost as tb
from conftest import real_data
from problems import CASES, Case, sharded_case
from tauboost import _core
from tauboost.paper import reference
from tauboost.penalty import Penalty
from tauboost.solvers import newton
from tauboost.solvers import newton as cholesky
from tauboost.solvers.exact import Exact
from tauboost.solvers.weights import Start, excess_edge

ELASTIC = {"alpha": 0.02, "l1_ratio": 0.5}
RIDGE = {"alpha": 0.02, "l1_ratio": 0.0}
LASSO = {"alpha": 0.02, "l1_ratio": 1.0}
BOX = {"alpha": 0.02, "l1_ratio": 0.5, "bounds": (-0.15, 0.4)}


def sweep(problem, lam, columns, tau, penalty=None, n_threads=1):
    """One call of the kernel from lam; returns the outcome, lam and the weights it left."""
    psi = penalty or Penalty(problem.n_features)
    state = Exact(Start(problem, psi, lam.copy(), n_threads, tau))
    outcome = state.rows.exact_sweep(
        state.iterate(),
        np.asarray(columns, dtype=np.int32),
        tau,
        np.zeros(problem.n_coordinates),
        n_threads,
    )
    return outcome, state.lam, state.rows


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize("psi", [{}, LASSO, RIDGE, ELASTIC, BOX], ids=str)
def test_a_step_ends_where_its_coordinate_is_optimal(psi, loss):
    """One column a bundle, columns of {-a, 0, a}: the violation along it vanishes at once."""
    case = CASES["binary"]
    problem = case.problem(loss=loss)
    penalty = Penalty.build(
        problem.design, psi.get("alpha", 0.0), psi.get("l1_ratio", 1.0), psi.get("bounds")
    )
    lam = penalty.project(np.random.default_rng(0).normal(scale=0.2, size=problem.n_features))
    for i in range(problem.n_features):
        before = penalty.violation(lam, problem.rows().point(lam).gradient())[i]
        _, lam, _ = sweep(problem, lam, [i], 1, penalty)
        after = penalty.violation(lam, problem.rows().point(lam).gradient())[i]
        if loss == "exponential" and "alpha" not in psi:
            assert after <= 1e-11
        # l2 is solved to a small fraction of a step; the logistic step minimises a bound
        assert after <= max(0.55 * before if loss == "logistic" else 0.05 * before, 1e-11)


@pytest.mark.parametrize(
    "name", ["binary", "weighted", "one-class-columns", "one-column", "nearly-full"]
)
@pytest.mark.parametrize("l1", [0.0, 0.01])
@pytest.mark.parametrize("tau", [1, 3])
def test_sweeps_equal_the_oracle(name, l1, tau):
    case = CASES[name]
    problem = case.problem()
    order = np.argsort(problem.design.place)
    A, c = case.signed()[:, order], case.c()
    columns = np.random.default_rng(1).permutation(problem.n_features)
    columns = np.concatenate([columns, columns[::-1]])
    bundles = [columns[k : k + tau].tolist() for k in range(0, len(columns), tau)]
    if any(len(set(bundle)) < len(bundle) for bundle in bundles):
        columns = columns[: problem.n_features]
        bundles = [columns[k : k + tau].tolist() for k in range(0, len(columns), tau)]
    lam = np.zeros(problem.n_features)
    expected = list(reference.exact(A, c, lam, bundles, l1))[-1]
    _, found, rows = sweep(problem, lam, columns, tau, Penalty(problem.n_features, l1=l1))
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)
    kept = rows.shift + np.log(rows.w.sum())
    assert kept == pytest.approx(problem.value(problem.design.features(found)), rel=1e-10)


@pytest.mark.parametrize("method", ["exact", "exact-async"])
@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize("psi", [LASSO, RIDGE, ELASTIC, BOX], ids=str)
@pytest.mark.parametrize("name", ["binary", "real", "mixed", "weighted"])
def test_the_optimum_is_the_optimum(name, psi, loss, method):
    problem = CASES[name].problem(loss=loss)
    result = tb.solve(problem, method, tol=1e-7, max_epochs=5000, random_state=0, **psi)
    assert result.status == tb.Status.CONVERGED
    penalty = Penalty.build(problem.design, psi["alpha"], psi["l1_ratio"], psi.get("bounds"))
    lam = problem.design.coordinates(result.lam, result.intercept)
    slope = problem.rows().point(lam).gradient()
    scale = np.where(problem.matrix.scale > 0, problem.matrix.scale, 1.0)
    assert np.max(penalty.violation(lam, slope) / scale) <= 1.01e-7
    if method == "exact":
        assert np.all(np.diff(result.trace.objective) <= 0)


@pytest.mark.slow
def test_exact_agrees_with_the_papers_method():
    problem = CASES["real"].problem()
    ours = tb.solve(problem, tol=1e-8, max_epochs=1000, random_state=0, **ELASTIC)
    theirs = tb.solve(problem, "pcdm", tol=1e-8, max_epochs=300_000, random_state=0, **ELASTIC)
    assert ours.objective == pytest.approx(theirs.objective, abs=1e-12)
    np.testing.assert_allclose(ours.lam, theirs.lam, atol=1e-6)


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize("psi", [{}, LASSO, ELASTIC], ids=str)
def test_bits_do_not_depend_on_threads(loss, psi):
    case = sharded_case()
    problem = case.problem(loss=loss, fit_intercept=True)
    results = [
        tb.solve(problem, max_epochs=6, tol=0, random_state=0, n_threads=threads, **psi)
        for threads in (1, 2, 3, 4, 8)
    ]
    for result in results[1:]:
        assert result.lam.tobytes() == results[0].lam.tobytes()
        assert result.intercept == results[0].intercept
        assert result.trace.objective.tobytes() == results[0].trace.objective.tobytes()


@given(seed=st.integers(0, 10_000), tau=st.sampled_from([1, 4, 50]), loss=st.booleans())
def test_no_bundle_ever_increases_the_objective(seed, tau, loss):
    """Duplicated columns in one bundle overshoot by construction: the halving must catch it."""
    rng = np.random.default_rng(seed)
    base = (rng.random((30, 5)) < 0.5) * rng.choice([-1.0, 1.0, 2.0], 5)
    X = np.hstack([base] * 10)
    y = np.where(rng.random(30) < 0.5, 1, -1)
    y[:2] = [-1, 1]
    problem = tb.Problem(X, y, loss="logistic" if loss else "exponential")
    result = tb.solve(problem, tau=tau, alpha=1e-3, max_epochs=10, tol=0, random_state=seed)
    assert np.all(np.diff(result.trace.objective) <= 0)
    assert result.objective < result.trace.objective[0]


def test_undone_bundles_are_counted_and_leave_the_weights_right():
    X = np.repeat((np.arange(40) % 3 == 0).astype(float)[:, None], 60, axis=1)
    y = np.where(np.arange(40) % 4 == 0, 1, -1)
    problem = tb.Problem(X, y)
    outcome, lam, rows = sweep(problem, np.zeros(60), np.arange(60), 60)
    assert outcome.undone == 1
    expected = problem.c * np.exp(problem.rows().residuals(lam))
    np.testing.assert_allclose(rows.w / rows.w.sum(), expected / expected.sum(), rtol=1e-10)


@given(
    seed=st.integers(0, 10_000),
    tau=st.sampled_from([1, 3, 40]),
    repeats=st.integers(1, 8),
    loss=st.sampled_from(["exponential", "logistic"]),
)
def test_weights_stay_those_of_lam_whatever_the_columns(seed, tau, repeats, loss):
    """Full, long, short, empty and real columns in one bundle; the repeated ones overshoot."""
    rng = np.random.default_rng(seed)
    share = rng.choice([0.0, 0.01, 0.3, 0.9, 1.0], 8)
    base = (rng.random((120, 8)) < share) * rng.choice([1.0, 2.0], 8)
    base[:, 0] *= rng.random(120)
    X = np.hstack([base] * repeats)
    y = np.where(rng.random(120) < 0.4, 1, -1)
    y[:2] = [-1, 1]
    problem = tb.Problem(X, y, loss=loss)
    penalty = Penalty(problem.n_features, l2=1e-3)
    columns = rng.permutation(problem.n_features) if seed % 2 else np.arange(problem.n_features)
    lam = np.zeros(problem.n_features)
    outcome, lam, rows = sweep(problem, lam, columns, min(tau, problem.n_features), penalty)
    r = problem.rows().residuals(lam)
    if loss == "logistic":
        np.testing.assert_allclose(rows.E, np.exp(r), rtol=1e-10)
    else:
        np.testing.assert_allclose(rows.w, problem.c * np.exp(r - rows.shift), rtol=1e-10)
        assert outcome.total == pytest.approx(rows.w.sum(), rel=1e-10)
    before, after = problem.rows().weigh(0 * r).value, problem.rows().weigh(r).value
    assert after + penalty.value(lam) <= before + 1e-12


def test_far_steps_of_nearly_full_columns_keep_the_weights_in_range():
    """Every label has its own nearly full columns: their weights shrink by many powers of ten."""
    y = np.repeat([-1, 1], 50)
    X = np.zeros((100, 60))
    X[:, ::2] = 1
    X[np.arange(60) % 50, np.arange(60)] = 0
    problem = tb.Problem(X, y, np.where(y > 0, 1e-6, 1.0))
    lam = np.zeros(60)
    outcome, lam, rows = sweep(problem, lam, np.tile(np.arange(60), 20), 1)
    expected = problem.c * np.exp(problem.rows().residuals(lam) - rows.shift)
    np.testing.assert_allclose(rows.w, expected, rtol=1e-9)
    assert outcome.total == pytest.approx(rows.w.sum(), rel=1e-10)


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_lock_free_updates_are_never_lost(threads, loss):
    problem = sharded_case().problem(loss=loss)
    psi = Penalty(problem.n_features, l2=1e-3)
    state = Exact(Start(problem, psi, np.zeros(200), 1))
    outcome = _core.exact_async(
        matrix=problem.matrix,
        w=state.rows.w,
        E=state.rows.E,
        c=state.rows.kernel_c,
        lam=state.lam,
        total=state.total,
        psi=psi.kernel,
        columns=np.tile(np.arange(200, dtype=np.int32), 5),
        max_drift=np.inf,
        n_threads=threads,
    )
    assert outcome.done == 1000
    r = problem.rows().residuals(state.lam)
    if loss == "logistic":
        np.testing.assert_allclose(state.rows.E, np.exp(r), rtol=1e-11)
    else:
        expected = problem.c * np.exp(r - state.rows.shift)
        np.testing.assert_allclose(state.rows.w, expected, rtol=1e-11)


def test_lock_free_weights_belong_to_their_odds():
    """All threads change the same few rows: whoever is last to write w must have seen all of E."""
    rng = np.random.default_rng(0)
    m, n = 2_000, 16
    X = sp.csr_array((rng.random((m, n)) < 0.1).astype(float))
    problem = tb.Problem(X, rng.random(m) < 0.3, loss="logistic")
    psi = Penalty(n, l2=1e-3)
    columns = np.tile(np.arange(n, dtype=np.int32), 100)
    for _ in range(50):
        state = Exact(Start(problem, psi, np.zeros(n), 1))
        rows = state.rows
        weights = (problem.matrix, rows.w, rows.E, rows.kernel_c)
        _core.exact_async(*weights, state.lam, state.total, psi.kernel, columns, np.inf, 8)
        np.testing.assert_allclose(rows.w, problem.c * rows.E / (1 + rows.E), rtol=1e-14)


def separable(m: int = 60) -> Case:
    rng = np.random.default_rng(0)
    X = (rng.random((m, 8)) < 0.4).astype(float)
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 1] = 1 - X[:, 0]
    return Case(sp.csr_array(X), y)


@pytest.mark.parametrize("depth", [-50, -500, -5000])
@pytest.mark.parametrize("method", ["exact", "exact-async", "fully-parallel", "greedy"])
def test_numbers_hold_far_below_zero(depth, method):
    problem = separable().problem()
    result = tb.solve(problem, method, tol=0, target=depth, max_epochs=200_000, random_state=0)
    assert result.status == tb.Status.TARGET
    assert np.all(np.isfinite(result.lam))
    assert result.value == problem.value(result.lam) <= depth
    if method != "exact-async":
        assert np.all(np.diff(result.trace.objective) <= 0)


@pytest.mark.parametrize("method", ["exact", "pcdm"])
def test_weights_over_many_orders_of_magnitude(method):
    case = CASES["binary"]
    weights = 10.0 ** np.random.default_rng(0).uniform(-12, 12, len(case.y))
    problem = tb.Problem(case.X, case.y, weights)
    result = tb.solve(problem, method, max_epochs=300, tol=0, random_state=0, alpha=1e-3)
    A, c = case.signed(), weights / weights.sum()
    assert result.value == pytest.approx(reference.value(A, c, result.lam), rel=1e-9, abs=1e-12)
    assert np.all(np.diff(result.trace.objective) <= 0)


@pytest.mark.parametrize("method", ["exact", "exact-async", "pcdm", "fully-parallel"])
def test_values_over_all_orders_of_magnitude(method):
    """Columns scaled from 1e-150 to 1e150: without psi the same problem as unscaled."""
    case = CASES["real"]
    dense = case.X.toarray()
    powers = np.linspace(-144, 149, dense.shape[1])
    scaled = dense / np.abs(dense).max(axis=0) * 10.0**powers
    problem = tb.Problem(scaled, case.y)
    plain = tb.Problem(dense / np.abs(dense).max(axis=0), case.y)
    options = {"max_epochs": 30, "tol": 0, "random_state": 0, "n_threads": 1}
    result, expected = (tb.solve(p, method, **options) for p in (problem, plain))
    assert np.all(np.isfinite(result.lam))
    assert result.objective == pytest.approx(expected.objective, rel=1e-6)


def test_a_weight_that_underflowed_comes_back():
    """Rows are sent out of reach by a huge start, and must count again when lam returns."""
    problem = CASES["mixed"].problem()
    far = tb.solve(problem, lam0=np.full(12, 400.0), max_epochs=400, random_state=0, **RIDGE)
    near = tb.solve(problem, max_epochs=400, random_state=0, **RIDGE)
    assert far.status == near.status == tb.Status.CONVERGED
    assert far.objective == pytest.approx(near.objective, abs=1e-6)
    assert np.all(np.diff(far.trace.objective) <= 0)


def test_newton_takes_no_step_that_does_not_pay():
    problem = CASES["mixed"].problem()
    state = Exact(Start(problem, Penalty(problem.n_features), np.zeros(13), 1))
    for _ in range(30):
        objective = state.value
        found = state.newton.step(state.lam, objective)
        if found is None:
            break
        assert found.objective < objective
        state.start_from(found.lam, found.point)
        assert state.value == pytest.approx(found.objective, rel=1e-12)


def test_conjugate_gradients_and_the_dense_hessian_give_one_direction():
    problem = CASES["mixed"].problem()
    penalty = Penalty(problem.n_features, l2=0.05)
    lam = np.random.default_rng(0).normal(size=13) * 0.1
    surface = problem.rows(1).surface(lam)
    gradient = surface.gradient
    free = np.flatnonzero(problem.matrix.scale > 0)
    hessian = newton._Hessian(problem, penalty, surface, free)
    d = cholesky.solve_scaled(hessian.dense(), -gradient[free])
    same, is_solved = newton.conjugate_gradients(hessian, -gradient[free], hessian.diagonal(), 100)
    assert is_solved
    np.testing.assert_allclose(same, d, atol=0.02)
    lower = np.tril(hessian.dense())
    full = lower + np.tril(lower, -1).T
    np.testing.assert_allclose(hessian(d), full @ d, rtol=1e-10)


def test_many_free_coordinates_take_the_iterative_newton(monkeypatch):
    monkeypatch.setattr(newton, "MOST_DENSE", 0)
    problem = sharded_case().problem()
    result = tb.solve(problem, tol=1e-9, max_epochs=2000, random_state=0, **RIDGE)
    assert result.status == tb.Status.CONVERGED
    assert np.all(np.diff(result.trace.objective) <= 0)


def test_huge_data_are_looked_at_several_times_a_sweep(monkeypatch):
    monkeypatch.setattr("tauboost.solvers.exact.NONZEROS_BETWEEN_CHECKS", 2000)
    problem = CASES["binary"].problem()
    result = tb.solve(problem, max_epochs=2, tol=0, random_state=0)
    assert len(result.trace.epoch) > 4
    assert result.n_epochs == 2


def test_the_step_can_be_followed_by_callbacks():
    problem = CASES["mixed"].problem()
    seen = list(islice(_snapshots(problem), 5))
    assert seen[0].objective == 0.0
    assert seen[-1].objective < seen[0].objective
    resumed = tb.solve(problem, lam0=np.append(seen[-1].lam, seen[-1].intercept), max_epochs=0)
    assert resumed.objective == pytest.approx(seen[-1].objective, abs=1e-12)


def _snapshots(problem):
    seen = []
    tb.solve(problem, max_epochs=5, tol=0, random_state=0, callback=seen.append)
    return seen


# Real data


def test_w8a_to_high_accuracy(w8a):
    result = tb.solve(w8a, tol=0, target=-1.49137863270 + 1e-8, max_epochs=300, random_state=0)
    assert result.status == tb.Status.TARGET
    assert np.all(np.diff(result.trace.objective) <= 0)


def test_mushrooms_are_found_separable():
    X, y = real_data("mushrooms.xz")
    result = tb.solve(tb.Problem(X, y), max_epochs=10_000, random_state=0)
    assert result.status == tb.Status.SEPARABLE
    assert result.n_epochs < 1000
    assert np.array_equal(X @ result.lam < 0, y == 2)
    assert np.all(np.isfinite(result.lam))


def url_slice() -> tuple[sp.csr_array, np.ndarray]:
    X, y = real_data("url_uci_slice.svm.xz")
    return X[:, np.flatnonzero(np.diff(X.tocsc().indptr))], y


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [1e-2, 1e-4])
def test_url_slice_with_real_values_equals_an_outside_optimum(alpha):
    X, y = url_slice()
    problem = tb.Problem(X, y)
    result = tb.solve(problem, alpha=alpha, l1_ratio=0.0, tol=1e-6, random_state=0)
    assert result.status == tb.Status.CONVERGED
    assert np.all(np.diff(result.trace.objective) <= 0)
    A = sp.diags_array(np.where(y > 0, 1.0, -1.0)) @ X
    c = np.full(len(y), 1 / len(y))

    def objective(lam):
        smooth = reference.value(A, c, lam) + alpha / 2 * np.sum(lam**2)
        return smooth, reference.gradient(A, c, lam) + alpha * lam

    outside = minimize(
        objective, np.zeros(X.shape[1]), jac=True, method="L-BFGS-B",
        options={"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-16, "gtol": 1e-9, "maxcor": 30},
    )  # fmt: skip
    assert result.objective <= outside.fun + 1e-6
    assert result.objective == pytest.approx(outside.fun, abs=1e-6)


def test_url_slice_is_separable_beyond_a_weak_l1():
    """F is a logarithm: along a separating direction it falls linearly, faster than 1e-4 |lam|."""
    X, y = url_slice()
    result = tb.solve(tb.Problem(X, y), alpha=1e-4, max_epochs=3000, random_state=0)
    assert result.status == tb.Status.SEPARABLE
    assert np.array_equal(X @ result.lam < 0, y == y.max())
    twice = tb.Problem(X, y).value(2 * result.lam) + 2e-4 * np.abs(result.lam).sum()
    assert twice < result.objective


@pytest.mark.parametrize("step", ["collins", "lipschitz"])
def test_fully_parallel_takes_the_logistic_loss(step):
    problem = CASES["mixed"].problem(loss="logistic")
    psi = {} if step == "collins" else RIDGE
    result = tb.solve(problem, "fully-parallel", step=step, tol=1e-6, max_epochs=200_000, **psi)
    outside = tb.solve(problem, "lbfgs", tol=1e-9, **psi)
    assert result.status == tb.Status.CONVERGED
    assert np.all(np.diff(result.trace.objective) <= 0)
    assert result.objective == pytest.approx(outside.objective, abs=1e-7)


@pytest.mark.parametrize("method", tb.METHODS)
def test_empty_columns_take_part_in_epochs_and_nothing_else(method):
    """One column in a thousand has entries; then none has: every run must end all the same."""
    X = sp.csr_array(([1.0, 1.0, 1.0], ([0, 1, 3], [500, 500, 500])), shape=(4, 1000))
    problem = tb.Problem(X, [1, -1, -1, 1])
    result = tb.solve(problem, method, max_epochs=3, tol=0, random_state=0)
    assert result.n_epochs == pytest.approx(3, abs=1)
    assert np.count_nonzero(result.lam) <= 1
    nothing = tb.Problem(sp.csr_array((4, 7)), [1, -1, -1, 1])
    result = tb.solve(nothing, method, max_epochs=3, tol=0, random_state=0)
    assert result.objective == 0.0
    assert tb.solve(nothing, method, random_state=0).status == tb.Status.CONVERGED


def test_steps_that_blow_up_nearly_full_columns_are_taken_back_without_a_trace():
    """The sums that such columns are told from had lost their digits, and every fraction failed."""
    random = np.random.default_rng(3)
    y = np.where(random.random(400) < 0.5, 1, -1)
    hint = np.where(random.random(400) < 0.7, y, -y)[:, None]
    alike = np.where(random.random((400, 200)) < 0.05, -hint, hint) > 0
    X = np.hstack([alike, random.random((400, 100)) < 0.8]).astype(float)
    A = y[:, None] * X
    W = np.array([[(A[:, i] == sign).mean() for i in range(300)] for sign in (-1, 1)]) + 1e-14
    steps = 0.5 * np.log(W[0] / W[1])
    fractions = 0.5 ** np.arange(11)
    values = [np.log(np.mean(np.exp(A @ (part * steps)))) for part in fractions]
    expected = next(value for value in values if value <= 0)
    found = tb.solve(tb.Problem(sp.csr_array(X), y), tau=300, max_epochs=1, tol=0, random_state=0)
    assert found.objective == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_newtons_step_knows_its_edge(monkeypatch, loss):
    """What the sweep before has seen is too large by far, and a gap would not be tested."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 12)), np.arange(300) % 2
    problem = tb.Problem(X, y, loss=loss, fit_intercept=True)
    penalty = Penalty(12, l2=0.01)
    steps, step = [], newton.NewtonFinish.step

    def watched(*given):
        steps.append(step(*given))
        return steps[-1]

    monkeypatch.setattr(newton.NewtonFinish, "step", watched)
    at = Exact(Start(problem, penalty, np.full(13, 0.1), 1))
    while not steps:
        at.advance(1.0)
    edge = excess_edge(problem, penalty, at.lam, at.gradient())
    assert at.edge_hint == pytest.approx(edge, rel=1e-6, abs=1e-12)
