"""tauboost.dask against one machine: the same data in any number of parts, the same result."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed")

import json
from itertools import pairwise

import dask
import dask.array as da
import numpy as np
import pandas as pd
import scipy.sparse as sp
from dask import dataframe as dd
from sklearn.datasets import dump_svmlight_file

import tauboost as tb
import tauboost.dask as td
from conftest import real_data
from dask_parts import StoreLike, case_named, pieces
from problems import CASES, sharded_case
from tauboost.io.checkpoint import SOLVE_FORMAT
from tauboost.io.tensors import read_file
from tauboost.rows import Iterate

ELASTIC = {"alpha": 0.01, "l1_ratio": 0.5}
BOX = {"alpha": 0.01, "bounds": (-0.15, 0.4)}


def spread(client, name, n, **options):
    options = CASES[name].options | options if name in CASES else options
    return td.DaskProblem(pieces(name, n), client=client, n_parts=n, **options)


def assert_same(found, expected, lam=1e-8):
    assert found.status == expected.status
    assert found.objective == pytest.approx(expected.objective, abs=1e-9)
    np.testing.assert_allclose(found.lam, expected.lam, atol=lam)
    assert found.intercept == pytest.approx(expected.intercept, abs=lam)


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize("psi", [{"alpha": 0.01}, {"alpha": 0.01, "l1_ratio": 0.0}])
def test_a_run_stops_on_its_gap(client, psi, loss):
    """With an intercept, and with l1 alone, where sweeps for a bound use the same rows."""
    options = psi | {"gap": 1e-7, "tau": 4, "random_state": 0}
    expected = tb.solve(CASES["mixed"].problem(loss=loss), **options)
    found = td.solve(client, spread(client, "mixed", 2, loss=loss), **options)
    assert_same(found, expected, lam=1e-6)
    assert found.gap <= 1e-7
    assert found.bound == pytest.approx(expected.bound, abs=1e-9)


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_features_have_penalty_factors(client, l1_ratio, loss):
    case = CASES["mixed"]
    factors = np.linspace(0.2, 3.0, case.X.shape[1])
    options = {"alpha": 0.01, "l1_ratio": l1_ratio, "random_state": 0, "tau": 4}
    options |= {"relative_gap": 1e-9, "penalty_factors": (factors, factors**2)}
    expected = tb.solve(case.problem(loss=loss), **options)
    found = td.solve(client, spread(client, "mixed", 3, loss=loss), **options)
    assert_same(found, expected, lam=1e-6)
    assert found.gap <= 1e-9 * (1.0 if loss == "exponential" else found.objective)
    near = td.solve(client, spread(client, "mixed", 3, loss=loss), local_start=True, **options)
    assert near.objective == pytest.approx(expected.objective, abs=1e-9)


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_a_bound_is_true_far_from_the_best_intercept(client, loss):
    rng = np.random.default_rng(3)
    X, y = np.round(rng.normal(size=(50, 1)), 1), (np.arange(50) % 50 < 1).astype(int)
    options = {"alpha": 0.1, "l1_ratio": 0.0, "gap": 1e-6, "random_state": 0}
    best = tb.solve(tb.Problem(X, y, loss=loss, fit_intercept=True), **options)
    data = (da.from_array(X, chunks=(25, 1)), da.from_array(y, chunks=25))
    problem = td.DaskProblem(data, client=client, n_parts=2, loss=loss, fit_intercept=True)
    for lam0 in ([2, 10], [-2, -10]):
        for epochs in (0, 1, 100):
            found = td.solve(client, problem, **options, lam0=lam0, max_epochs=epochs)
            assert found.bound <= best.objective + 1e-12
        assert found.gap <= 1e-6


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize("name", CASES)
def test_the_parts_make_up_the_problem(client, name, loss):
    whole, parts = CASES[name].problem(loss=loss), spread(client, name, 3, loss=loss)
    for field in ("n_samples", "n_features", "nnz", "omega", "n_coordinates"):
        assert getattr(parts, field) == getattr(whole, field)
    np.testing.assert_array_equal(parts.lipschitz, whole.lipschitz)
    np.testing.assert_array_equal(parts.column_counts(), whole.column_counts())
    assert parts.matrix.n_valued == whole.matrix.n_valued
    assert parts.least_weight == pytest.approx(whole.least_weight, rel=1e-12)
    lam = np.random.default_rng(0).normal(size=whole.n_features) * 3
    assert parts.value(lam) == pytest.approx(whole.value(lam), rel=1e-12)
    np.testing.assert_allclose(parts.gradient(lam), whole.gradient(lam), rtol=1e-9, atol=1e-13)
    assert parts.value(0 * lam) == pytest.approx(whole.value(0 * lam), abs=1e-15)
    assert "3 parts" in repr(parts)


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize("psi", [{}, ELASTIC, BOX], ids=["none", "elastic", "box"])
@pytest.mark.parametrize("name", ["binary", "real", "mixed", "weighted"])
def test_the_result_is_that_of_one_machine(client, name, psi, loss):
    options = {"random_state": 3, "tau": 4, "max_epochs": 8, "tol": 0} | psi
    expected = tb.solve(CASES[name].problem(loss=loss), **options)
    assert_same(tb.solve(spread(client, name, 2, loss=loss), **options), expected)


@pytest.mark.parametrize(
    ("n", "options"),
    [(1, {}), (2, {}), (4, {}), (2, {"tau": 8}), (2, {"tau": 200}), (2, ELASTIC)],
    ids=str,
)
def test_whatever_the_number_of_parts(client, n, options):
    """With bundles that are undone, with and without a Newton finish."""
    options = {"random_state": 3, "max_epochs": 4, "tau": 32} | options
    expected = tb.solve(sharded_case().problem(), **options)
    assert_same(tb.solve(spread(client, "sharded", n), **options), expected)


@pytest.mark.parametrize("name", ["binary", "mixed"])
@pytest.mark.parametrize("psi", [{}, ELASTIC], ids=["none", "elastic"])
def test_pcdm_is_that_of_one_machine(client, name, psi):
    options = {"random_state": 3, "tau": 5, "max_epochs": 10} | psi
    expected = tb.solve(CASES[name].problem(), "pcdm", **options)
    assert_same(tb.solve(spread(client, name, 3), "pcdm", **options), expected)


FULL_GRADIENT = [
    ("fully-parallel", "exponential", {}),
    ("fully-parallel", "logistic", {}),
    ("fully-parallel", "exponential", {"step": "lipschitz"} | ELASTIC),
    ("fully-parallel", "logistic", {"step": "lipschitz"} | BOX),
    ("accelerated", "exponential", {}),
    ("accelerated", "exponential", ELASTIC),
    ("accelerated", "exponential", BOX),
    ("greedy", "exponential", {}),
    ("greedy", "exponential", {"step": "lipschitz"}),
    ("lbfgs", "exponential", {"alpha": 0.01, "l1_ratio": 0.0}),
    ("lbfgs", "logistic", {"alpha": 0.01, "l1_ratio": 0.0, "bounds": (-0.15, 0.4)}),
]


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize(("method", "loss", "options"), FULL_GRADIENT, ids=str)
def test_full_gradient_methods_are_those_of_one_machine(client, method, loss, options, n):
    options = {"max_epochs": 12, "tol": 0} | options
    expected = tb.solve(CASES["mixed"].problem(loss=loss), method, **options)
    problem = spread(client, "mixed", n, loss=loss)
    assert_same(tb.solve(problem, method, **options), expected)
    assert problem.rows().point(np.zeros(13)).value == pytest.approx(expected.trace.value[0])


def test_td_solve_takes_a_step(client):
    options = {"step": "lipschitz", "max_epochs": 5, "alpha": 0.01}
    expected = tb.solve(CASES["binary"].problem(), "fully-parallel", **options)
    found = td.solve(client, pieces("binary", 2), "fully-parallel", **options)
    assert_same(found, expected)


def test_parts_drop_points_that_nobody_needs(client):
    problem = spread(client, "binary", 2)
    tb.solve(problem, "accelerated", max_epochs=20, tol=0)
    point = problem.rows().point(np.zeros(20))
    assert problem.dropped == []
    assert [holder() for holder in problem.holders] == [point]
    kept = problem.pool.ask("kept_points")
    assert kept == [[point.key]] * 2


@pytest.mark.parametrize("method", ["exact-async", "pcdm-async"])
def test_lock_free_methods_need_one_machine(client, method):
    with pytest.raises(ValueError, match=r"needs all rows on one machine; 'exact', 'pcdm', 'fu"):
        tb.solve(spread(client, "binary", 2), method)


def test_pcdm_refreshes_where_one_machine_does(client):
    """Long ways: residuals drift beyond what weights can represent, and total shrinks."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(40) % 2, 1.0, -1.0)
    X = -y[:, None] * (1 + rng.random((40, 3)))
    options = {"random_state": 0, "tau": 3, "max_epochs": 150, "tol": 0}
    expected = tb.solve(tb.Problem(X, y), "pcdm", **options)
    found = td.solve(client, [(X[:11], y[:11]), (X[11:], y[11:])], "pcdm", **options)
    assert expected.objective < -20
    assert found.objective == pytest.approx(expected.objective, rel=1e-9)


def test_separable_data_are_found_out(client):
    y = np.where(np.arange(40) % 2, 1.0, -1.0)
    X = y[:, None] * np.ones((40, 2))
    found = td.solve(client, [(X[:11], y[:11]), (X[11:], y[11:])])
    assert found.status == "separable"
    assert found.message == tb.solve(tb.Problem(X, y)).message


def test_a_column_constant_in_each_part_is_valued_if_parts_differ(client):
    rng = np.random.default_rng(0)
    X = (rng.random((60, 4)) < 0.5).astype(float)
    X[30:, 1] *= 2.5
    y = rng.choice([-1, 1], 60)
    parts = td.DaskProblem([(X[:30], y[:30]), (X[30:], y[30:])], client=client)
    assert parts.valued[parts.design.place[1]]
    assert parts.matrix.n_valued == 1
    options = {"random_state": 0, "tau": 2, "max_epochs": 2}
    assert_same(tb.solve(parts, **options), tb.solve(tb.Problem(X, y), **options))


def test_wide_parts_leave_out_the_features_that_no_part_has(client):
    """One machine leaves them out and so has another order of columns: parts must have the same."""
    rng = np.random.default_rng(0)
    m, n = 200, 70_000
    columns = rng.choice(n, 40, replace=False)
    is_there = (rng.random(5 * m) < 0.8).astype(float)  # else columns add up to the intercept
    X = sp.csr_array((is_there, columns[rng.integers(0, 40, 5 * m)], 5 * np.arange(m + 1)))
    X = sp.csr_array((X.data, X.indices, X.indptr), shape=(m, n))
    y, weights = rng.choice([-1, 1], m), rng.integers(0, 3, m).astype(float)
    whole = tb.Problem(X, y, weights, fit_intercept=True)
    cuts = [(slice(0, 70)), slice(70, 75), slice(75, m)]
    parts = [(X[rows], y[rows], weights[rows]) for rows in cuts]
    spread = td.DaskProblem(parts, client=client, n_parts=3, fit_intercept=True)
    np.testing.assert_array_equal(spread.design.used, whole.design.used)
    lam = rng.normal(size=n)
    np.testing.assert_allclose(spread.gradient(lam, 0.1), whole.gradient(lam, 0.1), atol=1e-12)
    for options in ({"alpha": 0.01}, {"bounds": (0.1, 0.5)}, {"lam0": np.append(lam, 0.0)}):
        options |= {"random_state": 3, "tau": 8, "max_epochs": 3}
        assert_same(tb.solve(spread, **options), tb.solve(whole, **options))
    found = td.solve(None, spread, local_start=True, alpha=0.01, random_state=0)
    assert found.objective == pytest.approx(tb.solve(whole, alpha=0.01).objective, abs=1e-6)


def test_one_class_a_part_and_empty_parts_and_weights_of_zero(client):
    case = CASES["binary"]
    X, y = case.X, case.y
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    cut = int(np.sum(y < 0))
    weights = np.ones(len(y))
    weights[-3:] = 0
    parts = [
        (X[:cut], y[:cut], weights[:cut]),
        (X[:0], y[:0], weights[:0]),
        (X[cut:-3], y[cut:-3], weights[cut:-3]),
        (X[-3:], y[-3:], weights[-3:]),
    ]
    options = {"random_state": 0, "tau": 4, "max_epochs": 5}
    expected = tb.solve(tb.Problem(X, y, weights), **options)
    problem = td.DaskProblem(parts, client=client)
    assert problem.n_samples == len(y)
    assert len(problem.pool.members) == 2
    assert_same(tb.solve(problem, **options), expected)


def arrays(case):
    dense = da.from_array(case.X.toarray(), chunks=(40, 7))
    sparse = da.from_array(case.X.toarray(), chunks=(40, -1)).map_blocks(sp.csr_matrix)
    frame = pd.DataFrame(case.X.toarray(), columns=[f"x{i}" for i in range(20)])
    frame["label"] = case.y
    frame = dd.from_pandas(frame, npartitions=3)
    labels = da.from_array(case.y, chunks=33)
    return {
        "dense": (dense, labels),
        "dense, y in memory": (dense, case.y),
        "sparse": (sparse, labels),
        "weighted": (dense, labels, np.ones(150)),
        "frame": (frame, "label"),
        "frame and series": (frame.drop(columns="label"), frame["label"]),
        "delayed": pieces("binary", 5),
        "pairs of delayed": [
            (dask.delayed(case.X[:70]), dask.delayed(case.y[:70])),
            (case.X[70:], case.y[70:]),
        ],
    }


@pytest.mark.parametrize("kind", arrays(CASES["binary"]))
def test_data_of_every_kind(client, kind):
    case = CASES["binary"]
    options = {"random_state": 0, "tau": 5, "max_epochs": 3}
    expected = tb.solve(case.problem(), **options)
    assert_same(td.solve(client, arrays(case)[kind], **options), expected)


def test_futures_are_parts(client):
    case = CASES["binary"]
    options = {"random_state": 0, "tau": 5, "max_epochs": 3}
    futures = client.compute(pieces("binary", 3))
    assert_same(td.solve(client, futures, **options), tb.solve(case.problem(), **options))


def test_files_ranges_of_a_file_and_stores(client, tmp_path):
    case = case_named("binary")
    options = {"random_state": 0, "tau": 5, "max_epochs": 3}
    expected = tb.solve(case.problem(), **options)
    files = [tmp_path / "a.svm", tmp_path / "b.svm", tmp_path / "all.svm"]
    for path, rows in zip(files, (slice(0, 80), slice(80, 150), slice(None)), strict=True):
        dump_svmlight_file(case.X[rows], case.y[rows], str(path), zero_based=False)
    assert_same(td.solve(client, files[:2], **options), expected)
    assert_same(td.solve(client, [str(file) for file in files[:2]], **options), expected)
    for n in (1, 3, 7, 400):
        ranges = td.svmlight_ranges(files[2], n)
        assert ranges[-1][2] == files[2].stat().st_size
        assert_same(td.solve(client, ranges, **options), expected)
    assert_same(td.solve(client, StoreLike(case.X, case.y), **options), expected)


def test_files_of_different_widths_are_one_data_set(client, tmp_path):
    X = np.eye(6)
    y = np.array([1, -1, 1, -1, 1, -1])
    for k, rows in enumerate((slice(0, 3), slice(3, 6))):
        dump_svmlight_file(X[rows], y[rows], str(tmp_path / f"{k}.svm"), zero_based=False)
    files = [tmp_path / "0.svm", tmp_path / "1.svm"]
    assert td.DaskProblem(files, client=client).n_features == 6
    assert td.DaskProblem(files, client=client, n_features=9).n_features == 9


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize("psi", [ELASTIC, BOX], ids=["elastic", "box"])
def test_a_start_from_what_parts_find_alone(client, psi, loss):
    seen = []
    problem = spread(client, "mixed", 3, loss=loss)
    options = {"random_state": 0} | psi
    found = td.solve(None, problem, local_start=True, callback=seen.append, **options)
    whole = CASES["mixed"].problem(loss=loss)
    assert seen[0].objective < whole.value(np.zeros(12))
    assert found.objective == pytest.approx(tb.solve(whole, **options).objective, abs=1e-6)


def test_the_driver_sees_progress_and_calls_back(client, capsys):
    seen = []
    problem = spread(client, "binary", 2)
    td.solve(None, problem, max_epochs=3, random_state=0, callback=seen.append, progress=True)
    assert seen[-1].epoch >= 3
    assert problem.pool.done > 0
    assert problem.pool.bytes > 0
    out = capsys.readouterr().out
    assert "objective" in out
    assert "rounds" in out
    stopped = td.solve(None, problem, callback=lambda at: at.epoch >= 1, progress=False)
    assert stopped.status == "interrupted"


def test_messages_do_not_grow_with_the_data(client):
    """Twice the rows, the same bytes: 12 bytes down and 16 up for a coordinate of a bundle."""
    case = CASES["binary"]
    X, y = sp.vstack([case.X] * 8, format="csr"), np.tile(case.y, 8)
    used = []
    for m in (150, 1200):
        problem = td.DaskProblem([(X[:m], y[:m])], client=client)
        rows = problem.rows(1)
        rows.refresh(np.zeros(20))
        before = problem.pool.bytes
        rows.exact_sweep(
            Iterate(np.zeros(20), 1.0, tb.penalty.Penalty(20).kernel),
            np.arange(20, dtype=np.int32),
            5,
            np.zeros(20),
            1,
        )
        used.append(problem.pool.bytes - before)
    assert used[0] == used[1]
    assert used[0] < 20 * (12 + 16) + 6 * 100


def test_a_callback_may_ask_for_other_points(client):
    """F elsewhere, in the midst of a solve, leaves the weights of the solve alone."""
    problem = spread(client, "binary", 2)
    options = {"random_state": 3, "tau": 4, "max_epochs": 6, "tol": 0}
    elsewhere = np.ones(20)

    def callback(_):
        problem.value(elsewhere)
        problem.gradient(elsewhere)

    found = tb.solve(problem, callback=callback, **options)
    assert_same(found, tb.solve(CASES["binary"].problem(), **options))


def test_going_on_from_a_checkpoint(client, tmp_path):
    path = tmp_path / "solve.checkpoint"
    problem = spread(client, "mixed", 2)
    first = td.solve(None, problem, checkpoint=path, max_epochs=2, tol=0, random_state=0)
    seen = []
    second = td.solve(
        None, problem, checkpoint=path, max_epochs=5, tol=0, random_state=0, callback=seen.append
    )
    assert seen[0].objective == pytest.approx(first.objective, rel=1e-12)
    assert second.objective < first.objective
    assert second.n_epochs == pytest.approx(3, abs=0.5)
    metadata, saved = read_file(path, SOLVE_FORMAT)
    np.testing.assert_array_equal(saved["lam"], second.lam)
    assert json.loads(metadata["facts"])["n_samples"] == 100
    with pytest.raises(ValueError, match=r"another solve: its alpha is 0\.0, not 0\.5"):
        td.solve(None, problem, checkpoint=path, alpha=0.5)
    with pytest.raises(ValueError, match="another solve: its penalty_factors is None"):
        td.solve(None, problem, checkpoint=path, penalty_factors=np.ones(problem.n_features))
    path.write_bytes(b"nothing")
    with pytest.raises(ValueError, match="Remove it, or name another file"):
        td.solve(None, problem, checkpoint=path)
    assert [file.name for file in tmp_path.iterdir()] == ["solve.checkpoint"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Sending large graph")
@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("w8a.xz", {"tau": 8, "max_epochs": 4}),
        ("w8a.xz", {"tau": 8, "alpha": 1e-3, "max_epochs": 100}),
        ("imdb_unigram.svm.xz", {"tau": 2048, "max_epochs": 8, "alpha": 1e-3, "l1_ratio": 0.0}),
        ("imdb_unigram.svm.xz", {"tau": 8192, "max_epochs": 8, "alpha": 3e-4}),
    ],
    ids=str,
)
def test_real_data(client, name, options, n):
    """Without psi w8a has no minimiser, and Newton's step is as good as free along some ways."""
    X, y = real_data(name)
    cuts = np.linspace(0, len(y), n + 1).astype(int)
    parts = [(X[a:b], y[a:b]) for a, b in pairwise(cuts)]
    options = {"random_state": 0} | options
    expected = tb.solve(tb.Problem(X, y), **options)
    problem = td.DaskProblem(parts, client=client, n_parts=n)
    assert_same(tb.solve(problem, **options), expected)
