"""``tb.plan``: what it takes, what it says, and that it is not far off."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest
import scipy.sparse as sp

import tauboost as tb
from sparse_data import random_csr
from tauboost.planning.planner import matrix_bytes, place_for
from tauboost.solvers.exact import BlockSize, Shape

NUMBERS = ("build_seconds", "sweeps", "fit_seconds", "matrix_bytes", "peak_bytes", "tau")


@pytest.fixture(scope="module")
def small():
    return tb.make_w8a_like(3000, random_state=0)


@pytest.fixture(scope="module")
def large():
    return tb.make_url_like(20_000, random_state=0)


@pytest.fixture(scope="module")
def measured(small):
    return tb.plan(small, seconds=0.1)


@pytest.fixture(scope="module")
def predicted(large):
    return tb.plan(large, seconds=0.02, n_threads=2)


@pytest.fixture(params=["measured", "predicted"])
def found(request):
    return request.getfixturevalue(request.param)


def test_the_size(measured, small, predicted, large):
    for plan, (X, _) in ((measured, small), (predicted, large)):
        assert (plan.n_samples, plan.n_features, plan.nnz) == (*X.shape, X.nnz)
        assert plan.omega == np.diff(X.indptr).max()
        assert plan.share == 1.0


def test_what_was_run_is_called_measured(measured, predicted):
    assert measured.how["fit_seconds"] == "measured: all of it was run"
    assert "measured" not in predicted.how["fit_seconds"]
    assert "a fit of" in predicted.how["fit_seconds"]
    assert "scaled by nonzeros" in predicted.how["fit_seconds"]


def test_everything_is_a_plain_number_with_its_origin(found):
    for name in NUMBERS:
        assert type(getattr(found, name)) in (int, float), name
        assert getattr(found, name) > 0, name
    for name in ("build_seconds", "sweep_seconds", "sweeps", "fit_seconds", "peak_bytes", "place"):
        assert found.how[name]
    assert all(seconds > 0 for seconds in found.sweep_seconds.values())
    assert 1 in found.sweep_seconds
    assert found.n_threads in found.sweep_seconds


def test_ranges_hold_the_value(found):
    for name, (low, high) in found.ranges.items():
        if name != "sweep_seconds":
            assert low <= getattr(found, name) <= high


def test_parts_add_up(found):
    assert sum(found.fit_parts.values()) == pytest.approx(found.fit_seconds)
    assert found.dominated_by in {"reading", *found.fit_parts}
    assert found.peak_bytes > found.matrix_bytes


def test_it_is_not_far_off(large, predicted):
    X, y = large
    ratios = []
    for _ in range(3):  # the machine may be busy
        seconds = tb.plan(large, seconds=0.02, n_threads=2).fit_seconds
        began = time.perf_counter()
        tb.TauBoostClassifier(n_jobs=2, random_state=0).fit(X, y)
        ratios.append((time.perf_counter() - began) / seconds)
    assert 1 / 5 < np.median(ratios) < 5
    problem = tb.Problem(X, y, loss="logistic", fit_intercept=True)
    assert predicted.matrix_bytes == pytest.approx(problem.matrix.nbytes, rel=0.15)


def test_more_data_take_longer(large):
    larger = tb.make_url_like(50_000, random_state=0)
    for _ in range(5):  # looks at times, which others on the machine may disturb
        less, more = (tb.plan(data, seconds=0.02, n_threads=2) for data in (large, larger))
        for name in ("matrix_bytes", "peak_bytes", "data_bytes"):
            assert getattr(more, name) > 2 * getattr(less, name), name
        pairs = [
            (getattr(less, name), getattr(more, name)) for name in ("build_seconds", "fit_seconds")
        ]
        pairs.append((less.sweep_seconds[1], more.sweep_seconds[1]))
        if all(of_more > of_less / 2 for of_less, of_more in pairs):
            return
    pytest.fail(f"seconds for 20,000 and for 50,000 rows: {pairs}")


def test_the_paper(found):
    n = found.n_features
    assert 1 <= found.paper_beta <= found.paper_tau <= 16 <= n
    assert found.paper_speedup == pytest.approx(found.paper_tau / found.paper_beta)


def test_it_is_shown(found):
    text = repr(found)
    assert text == str(found)
    for words in (
        "default fit",
        "a sweep, 1 thread",
        "Worth using",
        "The paper: with tau",
        "range",
    ):
        assert words in text
    assert max(len(line) for line in text.splitlines()) < 260


def test_it_is_a_document(found):
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["fit_seconds"] == found.fit_seconds
    assert document["sweep_seconds"]["1"] == found.sweep_seconds[1]
    assert document["dominated_by"] == found.dominated_by


def test_a_problem(small):
    X, y = small
    plan = tb.plan(tb.Problem(X, y), seconds=0.1)
    assert isinstance(plan, tb.Plan)
    assert plan.fit_seconds is None
    assert "keeps no rows" in plan.how["fit_seconds"]
    assert plan.matrix_bytes == tb.Problem(X, y).matrix.nbytes
    assert "default fit" not in repr(plan)
    json.dumps(plan.to_dict(), allow_nan=False)


def test_weights_and_classes():
    rng = np.random.default_rng(0)
    X = random_csr((600, 50), 0.1, rng)
    y = np.array(["a", "b", "c"])[np.arange(600) % 3]
    weights = np.where(np.arange(600) < 500, 1.0, 0.0)
    plan = tb.plan((X, y, weights), seconds=0.05)
    assert plan.n_samples == 500
    assert plan.fit_seconds > 0
    dense = tb.plan((X.toarray(), y), seconds=0.05)
    assert dense.nnz == X.nnz


@pytest.mark.parametrize("n_rows", [2, 15])
def test_hardly_any_rows(n_rows):
    plan = tb.plan((np.eye(n_rows), np.arange(n_rows) % 2), seconds=0.05)
    assert plan.fit_seconds > 0
    assert "choosing alpha" not in plan.fit_parts


def test_no_entries():
    plan = tb.plan((sp.csr_array((30, 4)), np.arange(30) % 2), seconds=0.05)
    assert plan.nnz == 0
    assert repr(plan)


@pytest.mark.parametrize(
    ("data", "options", "error", "words"),
    [
        (None, {}, TypeError, "plan takes the path"),
        ("none.svm", {}, FileNotFoundError, "none.svm"),
        ((np.eye(3),), {}, TypeError, "plan takes the path"),
        ((np.eye(3), [0, 1]), {}, ValueError, "y has shape"),
        ((np.eye(3), [1, 1, 1]), {}, ValueError, "one class only"),
        ((np.eye(2), [0, 1]), {"seconds": 0}, ValueError, "seconds must be above 0"),
        ((np.eye(2), [0, 1]), {"accuracy": 2}, ValueError, "accuracy must be"),
        ((np.eye(2), [0, 1]), {"n_threads": 0}, ValueError, "n_threads must be"),
    ],
)
def test_refusals(data, options, error, words):
    with pytest.raises(error, match=words):
        tb.plan(data, **options)


def test_equal_rows_are_fitted_once(small):
    X, y = small
    once = tb.plan(small, seconds=0.1)
    twice = tb.plan((sp.vstack([X, X]), np.tile(y, 2)), seconds=0.1)
    assert twice.n_samples == 2 * once.n_samples
    assert twice.matrix_bytes > 1.8 * once.matrix_bytes
    assert twice.peak_bytes < 1.5 * once.peak_bytes


def test_unused_features_take_no_memory_in_a_fit(small):
    X, y = small
    wide = sp.csr_array((X.data, X.indices, X.indptr), shape=(len(y), 9 * X.nnz))
    plan = tb.plan((wide, y), seconds=0.1)
    assert plan.n_features == 9 * X.nnz
    # An entry for every feature has the array of coefficients alone.
    assert plan.peak_bytes < tb.plan(small, seconds=0.1).peak_bytes + 8.1 * plan.n_features


@pytest.mark.parametrize("make", [tb.make_w8a_like, tb.make_url_like])
def test_the_matrix_is_scaled_from_that_of_some_rows(make):
    X, y = make(20_000, random_state=0)
    some = tb.Problem(X[:8000], y[:8000], fit_intercept=True)
    truth = tb.Problem(X, y, fit_intercept=True).matrix.nbytes
    assert matrix_bytes(Shape(*X.shape, X.nnz), some) == pytest.approx(truth, rel=0.15)


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_sweeps_of_a_problem_are_those_of_solve(loss):
    problem = tb.Problem(*tb.make_w8a_like(5000, random_state=0), loss=loss)
    found = tb.plan(problem, seconds=0.2, accuracy=1e-2, n_threads=1)
    truth = tb.solve(problem, tol=1e-2, random_state=0, n_threads=1)
    assert found.sweeps == pytest.approx(truth.n_epochs)
    assert found.how["sweeps"] == "measured: gone through"
    run = tb.solve(problem, tol=0, max_epochs=3, random_state=0, n_threads=1)
    assert found.sweep_seconds[1] < 5 * run.seconds


def test_no_time_to_go_through_them():
    problem = tb.Problem(*tb.make_w8a_like(20_000, random_state=0))
    found = tb.plan(problem, seconds=1e-3, accuracy=1e-9, n_threads=1)
    assert "first sweeps" in found.how["sweeps"]
    assert found.sweeps > 1


@pytest.mark.parametrize(("most", "counts"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6])])
def test_threads_that_are_tried(small, most, counts):
    found = tb.plan(small, seconds=0.02, n_threads=most)
    assert list(found.sweep_seconds) == counts
    assert found.n_threads in counts


def test_tau_and_beta_are_those_of_the_problem(small):
    problem = tb.Problem(*small)
    found = tb.plan(problem, seconds=0.02)
    assert found.tau == BlockSize(problem.matrix, None).tau
    assert found.paper_tau == 16
    assert found.paper_beta == pytest.approx(tb.beta(problem, tau=16))
    assert found.paper_speedup == pytest.approx(tb.speedup(problem, tau=16))
    few = tb.plan((np.eye(4)[:, :2], [0, 1, 0, 1]), seconds=0.02)
    assert few.paper_tau == 2


@pytest.mark.parametrize(
    ("needed", "available", "nnz", "sweep", "messages", "where", "words"),
    [
        (100, 10, 10**6, 1.0, 0.1, "a cluster", "are needed"),
        (10, 100, 10**6, 1.0, 2.0, "one machine", "messages of a sweep would take 2.0 s"),
        (10, None, 10**6, 1.0, 2.0, "one machine", "it fits the memory"),
        (10, 100, 2 * 10**9, 60.0, 2.0, "one machine", "a cluster may pay"),
        (10, 100, 2 * 10**9, 3.0, 2.0, "one machine", "messages of a sweep would take 2.0 s"),
    ],
)
def test_place(needed, available, nnz, sweep, messages, where, words):
    found, why = place_for(needed, available, nnz, sweep, messages)
    assert found == where
    assert words in why


def test_a_cluster_does_not_pay_below_the_break_even_of_the_page():
    """Few columns, and so few messages; docs/dask.md: below 1.5 billion nonzeros use solve."""
    assert "cluster may pay" not in place_for(10, 100, 10**9, 60.0, 0.01)[1]
