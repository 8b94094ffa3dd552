"""Stopping: every rule does what it says, for every method, and the verdict is the true one."""

from __future__ import annotations

import time

import numpy as np
import pytest

import tauboost as tb
from problems import CASES, sharded_case
from tauboost.penalty import Penalty
from tauboost.solvers import monitor as monitors
from tauboost.solvers import stopping


@pytest.mark.parametrize("method", tb.METHODS)
def test_target_stops_as_soon_as_it_is_reached(method):
    problem = CASES["binary"].problem()
    goal = -0.01
    result = tb.solve(problem, method, target=goal, tol=0, max_epochs=5000, random_state=0)
    assert result.status == "target"
    assert result.objective <= goal
    assert np.all(result.trace.objective[:-1] > goal)


@pytest.mark.parametrize("method", tb.METHODS)
@pytest.mark.parametrize("epochs", [0, 1, 7])
def test_max_epochs_is_kept(method, epochs):
    problem = CASES["binary"].problem()
    result = tb.solve(problem, method, max_epochs=epochs, tol=0, random_state=0)
    assert result.status == tb.Status.MAX_EPOCHS
    assert epochs <= result.n_epochs < epochs + 1
    assert "Out of epochs" in result.message


@pytest.mark.parametrize("method", tb.METHODS)
def test_time_limit_is_kept(method):
    problem = sharded_case().problem()
    result = tb.solve(problem, method, time_limit=0.2, tol=0, max_epochs=10**9, random_state=0)
    assert result.status in {tb.Status.TIME_LIMIT, tb.Status.STALLED}
    assert result.seconds < 2.0


@pytest.mark.parametrize("method", tb.METHODS)
def test_tolerance_means_a_small_edge(method):
    problem = CASES["weighted"].problem()
    result = tb.solve(problem, method, tol=1e-3, max_epochs=100_000, random_state=0)
    assert result.status == tb.Status.CONVERGED
    edge = np.abs(problem.gradient(result.lam)) / np.sqrt(problem.lipschitz)
    assert edge.max() <= 1e-3 * (1 + 1e-9)


@pytest.mark.parametrize("method", tb.METHODS)
def test_a_callback_sees_the_trace_and_can_stop(method):
    problem = CASES["mixed"].problem()
    seen: list[tb.Snapshot] = []

    def callback(snapshot: tb.Snapshot) -> bool:
        seen.append(snapshot)
        return len(seen) == 4

    result = tb.solve(problem, method, tol=0, callback=callback, random_state=0)
    assert result.status == tb.Status.INTERRUPTED
    assert len(seen) == 4
    np.testing.assert_array_equal([s.objective for s in seen], result.trace.objective)
    assert seen[0].lam.shape == (problem.n_features,)
    assert np.all(seen[0].lam == 0)


@pytest.mark.parametrize("method", ["exact", "accelerated"])
def test_a_snapshot_that_is_kept_shows_where_the_run_was(method):
    """Whenever it is asked, and nothing is computed for those who never ask."""
    problem = CASES["mixed"].problem()
    kept, seen = [], []

    def look(snapshot):
        kept.append(snapshot)
        if len(kept) % 2:
            seen.append((snapshot.lam.copy(), snapshot.intercept))

    tb.solve(problem, method, max_epochs=6, tol=0, random_state=0, callback=look)
    for snapshot, (lam, intercept) in zip(kept[::2], seen, strict=True):
        np.testing.assert_array_equal(snapshot.lam, lam)
        assert snapshot.intercept == intercept
    for snapshot in kept:
        point = problem.design.coordinates(snapshot.lam, snapshot.intercept)
        assert problem.rows().point(point).value == pytest.approx(snapshot.value, rel=1e-9)


def test_a_hint_that_was_too_hopeful_costs_one_test():
    """As that of columns in which few values are as large as the largest."""
    problem = CASES["weighted"].problem()
    rule = stopping.StoppingRule.build(max_epochs=100, tol=1e-3)
    monitor = monitors.Monitor(problem, Penalty(problem.n_features), rule)
    tested = []

    class Hopeful:
        """Never gets anywhere, and says that it is nearly there."""

        lam, value, is_monotone = np.zeros(problem.n_features), 0.0, True
        updates, edge_hint = 0, 1.5e-3

        def epochs(self):
            return self.updates / 10

        def gradient(self):
            tested.append(self.epochs())
            return np.full(problem.n_features, 0.1)

    at = Hopeful()
    for at.updates in range(50):
        if at.updates == 30:
            at.edge_hint = 1e-3  # another sweep is over
        assert monitor.observe(at) is None
    assert tested == [0.0, 3.0]


@pytest.mark.parametrize("method", tb.METHODS)
def test_separable_data_are_recognised(method):
    rng = np.random.default_rng(0)
    X = (rng.random((60, 8)) < 0.4).astype(float)
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 1] = 1 - X[:, 0]
    problem = tb.Problem(X, y)
    result = tb.solve(problem, method, max_epochs=100_000, random_state=0)
    assert result.status == tb.Status.SEPARABLE
    assert "separable" in result.message
    assert np.all(np.where(X @ result.lam < 0, 1, -1) == y)
    assert np.isfinite(result.value)


@pytest.mark.parametrize("method", tb.METHODS)
@pytest.mark.parametrize("name", ["binary", "real", "mixed"])
def test_a_huge_start_gives_finite_numbers(method, name):
    problem = CASES[name].problem()
    result = tb.solve(
        problem, method, lam0=np.full(problem.n_features, 1e6), max_epochs=20, random_state=0
    )
    assert np.isfinite(result.objective)
    assert np.all(np.isfinite(result.lam))
    assert result.objective <= result.trace.objective[0] or method == "accelerated"
    if method in {"pcdm", "fully-parallel", "greedy"}:
        assert np.all(np.diff(result.trace.objective) <= 0)


@pytest.mark.parametrize("method", ["exact", "greedy"])
def test_a_start_whose_margins_overflow_is_refused(method):
    problem = CASES["binary"].problem()
    lam0 = np.full(problem.n_features, 1e308)
    with pytest.raises(ValueError, match=r"^lam0 has entries up to 1e\+308, .* start from smaller"):
        tb.solve(problem, method, lam0=lam0)
    bounded = tb.solve(problem, "pcdm", lam0=lam0, bounds=(0, 1), max_epochs=0)
    np.testing.assert_array_equal(bounded.lam, 1.0)


def test_a_start_outside_the_bounds_is_moved_inside():
    problem = CASES["binary"].problem()
    result = tb.solve(problem, "pcdm", lam0=np.full(20, 5.0), bounds=(0, 1), max_epochs=0)
    np.testing.assert_array_equal(result.lam, 1.0)


def test_warm_start_goes_on_where_it_was():
    problem = CASES["binary"].problem()
    first = tb.solve(problem, "greedy", max_epochs=10, tol=0)
    second = tb.solve(problem, "greedy", max_epochs=10, tol=0, lam0=first.lam)
    whole = tb.solve(problem, "greedy", max_epochs=20, tol=0)
    np.testing.assert_allclose(second.lam, whole.lam, rtol=1e-10)


def test_refreshes_keep_the_weights_honest(monkeypatch):
    """A refresh after every chunk, or none at all, must tell the same story."""
    problem = CASES["one-class-columns"].problem()

    def run():
        return tb.solve(problem, "pcdm", max_epochs=300, tol=0, random_state=0)

    rare = run()
    monkeypatch.setattr("tauboost.solvers.weights.EPOCHS_BETWEEN_REFRESHES", 0)
    often = run()
    np.testing.assert_allclose(rare.trace.objective, often.trace.objective, rtol=1e-11)


def test_huge_data_are_looked_at_several_times_an_epoch(monkeypatch):
    monkeypatch.setattr("tauboost.paper.pcdm.NONZEROS_BETWEEN_CHECKS", 100)
    problem = CASES["binary"].problem()
    result = tb.solve(problem, "pcdm", tau=1, max_epochs=2, tol=0, random_state=0)
    assert len(result.trace.epoch) > 5
    assert result.n_epochs == 2


def test_the_clock_is_the_traces():
    problem = CASES["binary"].problem()
    start = time.perf_counter()
    result = tb.solve(problem, "greedy", max_epochs=20, tol=0)
    assert 0 < result.trace.seconds[-1] <= result.seconds <= time.perf_counter() - start


def test_rounding_is_told_from_a_rise():
    assert monitors._without_rounding(1.0 + 1e-15, 1.0) == 1.0
    assert monitors._without_rounding(1.1, 1.0) == 1.1
    assert monitors._without_rounding(0.9, 1.0) == 0.9
    assert repr(tb.solve(CASES["binary"].problem(), "greedy", max_epochs=3)).startswith("Result(")


def test_traces_and_methods_can_be_looked_at():
    X, y = tb.make_w8a_like(n_samples=200, random_state=0)
    result = tb.solve(tb.Problem(X, y), max_epochs=3)
    assert repr(result.trace).startswith(f"Trace({len(result.trace.epoch)} evaluations, ")
    assert "the paper's Algorithm 2" in repr(tb.METHODS)
    assert "Callable" not in repr(tb.METHODS)
    assert "function" not in repr(tb.METHODS)
    pytest.importorskip("matplotlib")
    for figure in (result.plot(), result.trace.plot()):
        assert [axes.get_xlabel() for axes in figure.axes] == ["epochs", "time (seconds)"]
