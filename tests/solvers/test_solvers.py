"""Every method on every problem: equal to the oracle, monotone, optimal, and honest about it."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

import tauboost as tb
from problems import CASES, Case, sharded_case
from tauboost import _core
from tauboost.methods import _seed
from tauboost.paper import reference
from tauboost.penalty import Penalty

ELASTIC = {"alpha": 0.02, "l1_ratio": 0.5}
BOX = {"alpha": 0.02, "l1_ratio": 0.5, "bounds": (-0.15, 0.4)}
SYNCHRONOUS = {
    "pcdm tau=1": ("pcdm", {"tau": 1}),
    "pcdm": ("pcdm", {}),
    "collins": ("fully-parallel", {}),
    "lipschitz": ("fully-parallel", {"step": "lipschitz"}),
    "accelerated": ("accelerated", {}),
    "greedy": ("greedy", {}),
    "greedy lipschitz": ("greedy", {"step": "lipschitz"}),
    "lbfgs": ("lbfgs", {}),
}


def prefix(problem: tb.Problem, tau: int) -> dict[str, int]:
    return {"tau": min(tau, problem.n_coordinates)}


def core_order(problem: tb.Problem) -> np.ndarray:
    """Columns of X as the core has them; samplings draw from these."""
    order = np.argsort(problem.design.place)
    return np.append(order, problem.n_features) if problem.fit_intercept else order


def oracle(case: Case, problem: tb.Problem, method: str, options: dict, tau: int, seed: int):
    """The reference generator that goes with a method, and how many of its steps make an epoch."""
    A, c = case.signed()[:, core_order(problem)], case.c()
    n = A.shape[1]
    lam = np.zeros(n)
    penalty = Penalty.build(
        problem.design,
        options.get("alpha", 0.0),
        options.get("l1_ratio", 1.0),
        options.get("bounds"),
    )
    match method:
        case "pcdm":
            return reference.pcdm(A, c, lam, tau, seed, penalty), n / tau
        case "pcdm-async":
            return reference.pcdm_async(A, c, lam, tau, seed, penalty), n
        case "fully-parallel":
            step = options.get("step", "collins")
            return reference.fully_parallel(A, c, lam, step, penalty), 1
        case "accelerated":
            return reference.accelerated(A, c, lam, penalty), 1
        case "greedy":
            return reference.greedy(A, c, lam, options.get("step", "exact")), 1
    raise AssertionError(method)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("pcdm", {}),
        ("pcdm", ELASTIC),
        ("pcdm", BOX),
        ("pcdm-async", {}),
        ("pcdm-async", BOX),
        ("fully-parallel", {}),
        ("fully-parallel", {"step": "lipschitz"}),
        ("fully-parallel", {"step": "lipschitz"} | BOX),
        ("accelerated", {}),
        ("accelerated", BOX),
        ("greedy", {}),
        ("greedy", {"step": "lipschitz"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value) or "plain",
)
def test_equals_the_oracle_step_by_step(name, method, options):
    case, epochs, seed = CASES[name], 12, 5
    problem = case.problem()
    tau = min(3, problem.n_coordinates)
    own = {"tau": tau} if method.startswith("pcdm") else {}
    result = tb.solve(
        problem, method, max_epochs=epochs, tol=0, random_state=seed, n_threads=1, **own, **options
    )
    points, per_epoch = oracle(case, problem, method, options, tau, _seed(seed))
    expected = list(islice(points, int(np.ceil(epochs * per_epoch)) + 1))[-1]
    found = problem.design.coordinates(result.lam, result.intercept)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)
    assert result.status == tb.Status.MAX_EPOCHS
    assert result.n_epochs == pytest.approx(epochs, abs=1)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("label", SYNCHRONOUS)
def test_trace_is_consistent_and_monotone(name, label):
    method, options = SYNCHRONOUS[label]
    problem = CASES[name].problem()
    if "tau" in options:
        options = prefix(problem, options["tau"])
    result = tb.solve(problem, method, max_epochs=60, tol=0, random_state=0, **options)
    trace = result.trace
    assert trace.epoch[0] == 0
    assert trace.objective[0] == 0.0
    assert set(trace) == {"epoch", "updates", "seconds", "value", "objective"}
    assert all(np.all(np.diff(trace[column]) >= 0) for column in ("epoch", "updates", "seconds"))
    if method != "accelerated":
        assert np.all(np.diff(trace.objective) <= 0)
    assert result.value == pytest.approx(trace.value[-1], rel=1e-12, abs=1e-12)
    assert result.value == problem.value(result.lam, result.intercept)
    assert result.objective == result.value
    assert result.n_updates == trace.updates[-1]


@pytest.mark.parametrize("name", ["binary", "real", "mixed", "weighted"])
@pytest.mark.parametrize("psi", [ELASTIC, BOX], ids=["elastic", "box"])
def test_methods_agree_on_the_optimum(name, psi):
    """Strictly convex psi: one minimiser, which every method that takes psi must find."""
    problem = CASES[name].problem()
    found = {}
    for method, options in [
        ("pcdm", {}),
        ("pcdm-async", {"n_threads": 2}),
        ("fully-parallel", {"step": "lipschitz"}),
        ("accelerated", {}),
    ]:
        result = tb.solve(
            problem, method, max_epochs=200_000, tol=1e-7, random_state=1, **options, **psi
        )
        assert result.status == tb.Status.CONVERGED, (method, result.message)
        found[method] = result
    best = min(result.objective for result in found.values())
    for method, result in found.items():
        assert result.objective == pytest.approx(best, abs=1e-9), method
        if "bounds" in psi:
            lower, upper = psi["bounds"]
            assert result.lam.min() >= lower
            assert result.lam.max() <= upper


def test_lbfgs_agrees_on_a_smooth_optimum():
    problem = CASES["mixed"].problem()
    smooth = {"alpha": 0.05, "l1_ratio": 0.0, "bounds": (None, 0.3), "tol": 1e-6}
    theirs = tb.solve(problem, "lbfgs", **smooth)
    ours = tb.solve(problem, "pcdm", max_epochs=100_000, random_state=0, **smooth)
    assert theirs.status == ours.status == tb.Status.CONVERGED
    assert theirs.objective == pytest.approx(ours.objective, abs=1e-9)


def test_lbfgs_solves_the_logistic_problem():
    problem = CASES["mixed"].problem(loss="logistic")
    result = tb.solve(problem, "lbfgs", alpha=0.01, l1_ratio=0.0, tol=1e-7)
    assert result.status == tb.Status.CONVERGED
    gradient = problem.gradient(result.lam, result.intercept)
    gradient[:-1] += 0.01 * result.lam
    assert np.abs(gradient).max() < 1e-5


@pytest.mark.parametrize("label", SYNCHRONOUS)
def test_bits_do_not_depend_on_threads(label):
    method, options = SYNCHRONOUS[label]
    case = sharded_case()
    problem = case.problem()
    if method == "pcdm":
        options = options | {"alpha": 1e-3, "bounds": (-1.0, None)}
    results = [
        tb.solve(
            case.problem(n_threads=threads) if threads == 3 else problem,
            method,
            max_epochs=3,
            tol=0,
            random_state=0,
            n_threads=threads,
            **options,
        )
        for threads in (1, 2, 3, 4, 8)
    ]
    for result in results[1:]:
        assert result.lam.tobytes() == results[0].lam.tobytes()
        assert result.trace.objective.tobytes() == results[0].trace.objective.tobytes()


@pytest.mark.parametrize("tau", [64, 200])
def test_large_tau_runs_in_several_threads_with_the_same_bits(tau):
    problem = sharded_case().problem()
    bits = {
        tb.solve(
            problem, "pcdm", tau=tau, max_epochs=2, tol=0, random_state=0, n_threads=threads
        ).lam.tobytes()
        for threads in (1, 2, 4)
    }
    assert len(bits) == 1


def test_same_seed_same_run_other_seed_other_run():
    problem = CASES["binary"].problem()

    def run(seed):
        return tb.solve(problem, "pcdm", max_epochs=5, tol=0, random_state=seed).lam.tobytes()

    assert run(1) == run(1) != run(2)
    assert run(np.random.default_rng(3)) == run(np.random.default_rng(3))


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_asynchronous_updates_are_never_lost(threads):
    """The kernel's weights, kept by atomic multiplication, still belong to its lam."""
    problem = sharded_case().problem()
    lam, w = np.zeros(problem.n_coordinates), problem.c.copy()
    outcome = _core.pcdm_async(
        problem.matrix, w, lam, w.sum(), 2.0, Penalty(problem.n_features, 1e-4, 1e-4).kernel,
        7, 0, 20 * problem.n_coordinates, 1e9, threads,
    )  # fmt: skip
    assert outcome.done == 20 * problem.n_coordinates
    expected = problem.c * np.exp(problem.rows().residuals(lam))
    np.testing.assert_allclose(w, expected, rtol=1e-11)
    assert outcome.total == pytest.approx(expected.sum(), rel=1e-11)


def test_asynchronous_result_is_exact_at_its_lam():
    problem = sharded_case().problem()
    result = tb.solve(problem, "pcdm-async", max_epochs=10, tol=0, n_threads=2, random_state=0)
    assert result.value == problem.value(result.lam)
    assert result.value < -0.01


def test_an_increase_is_undone(monkeypatch):
    """With beta far too small steps overshoot: the paper's test must keep the trace from rising."""
    monkeypatch.setattr("tauboost.paper.pcdm.beta", lambda *_: 0.05)
    problem = CASES["binary"].problem()
    result = tb.solve(problem, "pcdm", tau=20, max_epochs=50, tol=0, random_state=0)
    assert np.all(np.diff(result.trace.objective) <= 0)
    assert result.value == pytest.approx(result.trace.value[-1], abs=1e-12)
