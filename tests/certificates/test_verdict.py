"""The verdict on data whose answer is known, on real data, and at the edges."""

from __future__ import annotations

import time

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import tauboost as tb
from conftest import real_data
from known_cores import Known, build, core_by_linear_program
from sparse_data import random_csr
from tauboost.problem import BaseProblem

KINDS = {"attained": (st.integers(1, 6), st.just(0)), "separable": (st.just(0), st.integers(2, 12))}
KINDS["mixed"] = (st.integers(1, 4), st.integers(2, 8))


def check(known: Known, core: np.ndarray) -> tb.HardCore:
    found = tb.hard_core(known.problem())
    np.testing.assert_array_equal(found.core, core & known.present)
    np.testing.assert_array_equal(found.separated, ~core & known.present)
    checked = found.verify()
    assert checked.holds, str(checked)
    assert sorted(found.contradictions) == np.flatnonzero(found.core).tolist()
    assert found.w.min() >= 0
    assert found.w.sum() == pytest.approx(1.0)
    return found


@settings(max_examples=200)
@given(
    data=st.data(),
    kind=st.sampled_from(sorted(KINDS)),
    seed=st.integers(0, 2**32 - 1),
    fit_intercept=st.booleans(),
    weighted=st.booleans(),
    loss=st.sampled_from(["exponential", "logistic"]),
)
def test_built_data(data, kind, seed, fit_intercept, weighted, loss):
    n_blocks, n_separated = (data.draw(numbers) for numbers in KINDS[kind])
    known = build(
        seed, n_blocks, n_separated, fit_intercept=fit_intercept, weighted=weighted, loss=loss
    )
    if len(set(known.y[known.present])) < 2:
        return
    np.testing.assert_array_equal(
        core_by_linear_program(known)[known.present], known.core[known.present]
    )
    found = check(known, known.core)
    assert found.verdict == kind
    if kind == "separable":
        lower, upper = found.margin
        assert 0 < lower <= upper <= lower * (1 + 2e-6)


@settings(max_examples=100)
@given(
    seed=st.integers(0, 2**32 - 1),
    m=st.integers(2, 25),
    n=st.integers(1, 6),
    fit_intercept=st.booleans(),
    density=st.sampled_from([0.3, 0.6, 1.0]),
)
def test_random_small_numbers(seed, m, n, fit_intercept, density):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (m, n)) * (rng.random((m, n)) < density)
    y = np.where(rng.random(m) < 0.5, 1, -1)
    y[:2] = [-1, 1]
    known = Known(X.astype(float), y, None, y > 0, {"fit_intercept": fit_intercept})
    check(known, core_by_linear_program(known))


def test_mushrooms_are_separable():
    X, y = real_data("mushrooms.xz")
    found = tb.hard_core(tb.Problem(X, y))
    assert (found.verdict, np.count_nonzero(found.separated)) == ("separable", 8124)
    checked = found.verify()
    assert checked.holds
    assert checked.margin == pytest.approx(found.margin, rel=1e-12)
    assert 0 < found.margin[0] <= found.margin[1] <= found.margin[0] * (1 + 2e-6)


def test_rows_without_features_alone():
    """Nothing can be said of them: they are the core, whatever their label."""
    found = tb.hard_core(tb.Problem([[1.0], [0.0], [2.0]], [0, 1, 0]))
    assert (found.verdict, found.core.tolist()) == ("mixed", [False, True, False])
    assert found.verify().holds


def test_w8a_is_mixed(w8a):
    began = time.perf_counter()
    found = tb.hard_core(w8a)
    assert time.perf_counter() - began < 10
    assert found.verdict == "mixed"
    assert found.verify().holds
    # Every row without features belongs to the core: nothing can be said of it.
    X, _ = real_data("w8a.xz", n_features=300)
    assert found.core[np.diff(X.indptr) == 0].all()
    # F without the separated rows has its minimum where F on all rows has its infimum.
    inside = w8a.c[np.isin(w8a.design.row_order, np.flatnonzero(found.core))].sum()
    X, y = real_data("w8a.xz", n_features=300)
    result = tb.solve(tb.Problem(X[found.core], y[found.core]), tol=1e-7)
    assert result.value + np.log(inside) == pytest.approx(-1.49137863270, abs=1e-8)


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_the_same_bits_for_any_number_of_threads(n_threads):
    rng = np.random.default_rng(0)
    X = random_csr((4000, 60), 0.05, rng)
    X.data[:] = 1.0
    y = np.where(rng.random(4000) < 0.2, 1, -1)
    X = sp.hstack([X, sp.csr_array(((y > 0) & (rng.random(4000) < 0.1)).astype(float)[:, None])])
    one = tb.hard_core(tb.Problem(X, y, n_threads=1), n_threads=1)
    other = tb.hard_core(tb.Problem(X, y, n_threads=n_threads), n_threads=n_threads)
    assert one.verdict == "mixed"
    np.testing.assert_array_equal(one.w, other.w)
    np.testing.assert_array_equal(one.lam, other.lam)


def test_more_columns_than_a_dense_matrix_takes():
    """Rare words: columns of one sign are peeled off, and what is left is split."""
    rng = np.random.default_rng(1)
    m, n = 3000, 4000
    X = random_csr((m, n), 0.001, rng).tolil()
    X[[0], :], X[[1], :] = X[[2], :], X[[2], :]
    y = np.where(rng.random(m) < 0.5, 1, -1)
    y[:3] = [-1, 1, 1]
    X = sp.csr_array((X != 0).astype(float))
    found = tb.hard_core(tb.Problem(X, y))
    assert found.verdict == "mixed"
    assert found.verify().holds
    assert {0, 1, 2} <= set(found.duplicates[0].tolist()) | set(found.duplicates[-1].tolist())


@pytest.mark.parametrize("n_pairs", [40, 2100])
def test_many_contradictions_over_many_columns(n_pairs):
    """Copies with another label need no matrix of all columns: their weights are plain."""
    rng = np.random.default_rng(4)
    X = random_csr((n_pairs, 5000), 0.01, rng)
    alone = sp.csr_array(([1.0, 1.0], ([0, 1], [5000, 5001])), shape=(2, 5002))
    X.resize((n_pairs, 5002))
    y = np.concatenate([np.zeros(n_pairs), np.ones(n_pairs), [0, 1]])
    found = tb.hard_core(tb.Problem(sp.vstack([X, X, alone]), y))
    assert found.verdict == "mixed"
    assert len(found.duplicates) == n_pairs
    assert np.flatnonzero(found.separated).tolist() == [2 * n_pairs, 2 * n_pairs + 1]
    assert found.verify().holds


def test_tables():
    """The answer is that of the stumps written out, with missing values and categories."""
    rng = np.random.default_rng(2)
    table = {
        "a": np.where(rng.random(60) < 0.2, np.nan, rng.integers(0, 5, 60)),
        "b": np.array(["x", "y", "z"])[rng.integers(0, 3, 60)],
        "c": rng.integers(0, 3, 60).astype(float),
    }
    y = np.where(rng.random(60) < 0.4, "yes", "no")
    pd = pytest.importorskip("pandas")
    problem = tb.TableProblem(pd.DataFrame(table), y, rng.integers(0, 3, 60))
    found, written = tb.hard_core(problem), tb.hard_core(problem.explicit())
    assert found.verify().holds
    assert written.verify().holds
    kept = problem.kept
    assert kept is not None
    np.testing.assert_array_equal(found.core[kept], written.core)
    np.testing.assert_array_equal(found.separated[kept], written.separated)
    assert not found.core.all()


def test_a_separable_table_has_a_margin():
    age = np.arange(20.0, 60.0)
    found = tb.hard_core(tb.TableProblem(age[:, None], age > 35))
    assert found.verdict == "separable"
    assert found.margin == pytest.approx((1.0, 1.0))
    assert found.verify().holds


def test_out_of_time_is_undecided():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 3))
    X[1] = X[0]
    y = np.where(np.arange(50) % 2, 1, -1)
    found = tb.hard_core(tb.Problem(X, y), time_limit=0)
    assert found.verdict == "undecided"
    assert np.flatnonzero(found.core).tolist() == [0, 1]
    assert not found.separated.any()
    assert found.verify().holds
    assert "time_limit" in found.message


def test_the_stages_are_reported():
    said = []
    tb.hard_core(tb.Problem([[1.0], [1.0]], [0, 1]), report=said.append)
    assert "looking for equal rows" in said


@pytest.mark.parametrize(
    ("problem", "options", "words"),
    [
        ("data", {}, "problem must be a tauboost.Problem or TableProblem, got str"),
        (None, {"tol": 0.1}, "tol"),
        (None, {"time_limit": -1}, "time_limit"),
        (None, {"n_threads": 0}, "n_threads"),
    ],
)
def test_what_is_refused(problem, options, words):
    with pytest.raises((TypeError, ValueError), match=words):
        tb.hard_core(problem or tb.Problem([[1.0], [0.0]], [0, 1]), **options)


def test_rows_on_a_cluster_are_refused():
    class Elsewhere(BaseProblem):
        rows = nnz = omega = None

    with pytest.raises(TypeError, match="all rows on one machine"):
        tb.hard_core(Elsewhere("exponential", False))


def test_light_rows_of_a_core_are_proved_too():
    """AdaBoost's limit weights of easy rows are 1e-44 here: they alone would prove nothing."""
    X, y = tb.make_w8a_like(5000, random_state=0)
    found = tb.hard_core(tb.Problem(X, y, fit_intercept=True))
    assert found.verdict == "mixed"
    assert (found.core | found.separated).all()
    assert found.verify().holds
    assert found.verify().lightest > 1e-7
