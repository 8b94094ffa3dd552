"""Problem: the same numbers whatever form the data come in, and nothing of the input changed."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import check_grad

import tauboost as tb
from problems import CASES, sharded_case
from tauboost.paper import reference
from tauboost.sparse.design import shard_cuts


@pytest.mark.parametrize("name", CASES)
def test_value_and_gradient_equal_the_oracle(name):
    case = CASES[name]
    problem, A, c = case.problem(), case.signed(), case.c()
    lam = np.random.default_rng(0).normal(size=A.shape[1])
    lam, intercept = (lam[:-1], lam[-1]) if problem.fit_intercept else (lam, 0.0)
    full = np.append(lam, intercept) if problem.fit_intercept else lam
    assert problem.value(lam, intercept) == pytest.approx(reference.value(A, c, full), rel=1e-13)
    np.testing.assert_allclose(
        problem.gradient(lam, intercept), reference.gradient(A, c, full), rtol=1e-12, atol=1e-15
    )
    np.testing.assert_array_equal(problem.lipschitz, (A**2).max(axis=0)[: problem.n_features])
    assert problem.omega == np.count_nonzero(A, axis=1).max()
    assert problem.nnz == np.count_nonzero(A[:, : problem.n_features])
    assert problem.value(np.zeros(problem.n_features)) == 0.0


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_gradient_is_the_derivative(loss):
    case = CASES["real"]
    problem = case.problem(loss=loss)
    lam = np.random.default_rng(1).normal(size=problem.n_features) / np.sqrt(problem.lipschitz)
    assert check_grad(problem.value, problem.gradient, lam) < 1e-5


def test_logistic_equals_its_formula():
    case = CASES["real"]
    problem, A, c = case.problem(loss="logistic"), case.signed(), case.c()
    lam = np.random.default_rng(2).normal(size=A.shape[1])
    assert problem.value(lam) == pytest.approx(np.sum(c * np.log1p(np.exp(A @ lam))), rel=1e-12)
    assert problem.value(1e6 * lam) < np.inf


def forms(dense):
    yield dense
    yield np.asfortranarray(dense)
    yield dense.tolist()
    for kind in (sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.csc_array, sp.coo_array):
        yield kind(dense)
    wide = sp.csr_array(dense)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    yield wide
    unsorted = sp.csr_array(dense)
    for j in range(dense.shape[0]):
        row = slice(unsorted.indptr[j], unsorted.indptr[j + 1])
        unsorted.indices[row] = unsorted.indices[row][::-1].copy()
        unsorted.data[row] = unsorted.data[row][::-1].copy()
    unsorted.has_sorted_indices = False
    yield unsorted


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.int64, np.uint16, bool])
def test_every_form_gives_the_same_problem(dtype):
    case = CASES["binary"]
    dense = case.X.toarray().astype(dtype)
    lam = np.random.default_rng(0).normal(size=dense.shape[1])
    expected = tb.Problem(dense, case.y).gradient(lam)
    for X in forms(dense):
        np.testing.assert_array_equal(tb.Problem(X, case.y).gradient(lam), expected)


def test_duplicates_are_summed_and_zeros_dropped():
    rows = np.array([0, 0, 0, 1, 1, 1, 2, 3])
    cols = np.array([0, 0, 1, 2, 2, 1, 0, 1])
    data = np.array([1.0, 2.0, 0.0, 1.0, -1.0, 4.0, 3.0, 1.0])
    indptr = np.searchsorted(rows, np.arange(5))
    X = sp.csr_matrix((data, cols, indptr), shape=(4, 3))
    y = np.array([1, -1, -1, 1])
    problem = tb.Problem(X, y)
    expected = tb.Problem(X.toarray(), y)
    assert problem.nnz == expected.nnz == 4
    assert problem.omega == 1
    np.testing.assert_array_equal(problem.lipschitz, expected.lipschitz)
    lam = np.array([0.3, -0.2, 5.0])
    np.testing.assert_array_equal(problem.gradient(lam), expected.gradient(lam))


def test_input_is_left_as_it_was():
    case = sharded_case()
    X = case.X.copy()
    X.data[::7] = 0.0
    weights = np.random.default_rng(0).random(len(case.y))
    weights[::5] = 0.0
    arrays = (X.data, X.indices, X.indptr, case.y, weights)
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    tb.Problem(X, case.y, weights, fit_intercept=True)
    for array, copy in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_weights_equal_repetition():
    case = CASES["mixed"]
    times = np.random.default_rng(0).integers(0, 4, len(case.y))
    weighted = tb.Problem(case.X, case.y, times)
    repeated = tb.Problem(np.repeat(case.X, times, axis=0), np.repeat(case.y, times))
    lam = np.random.default_rng(1).normal(size=weighted.n_features)
    assert weighted.value(lam) == pytest.approx(repeated.value(lam), rel=1e-13)
    np.testing.assert_allclose(weighted.gradient(lam), repeated.gradient(lam), atol=1e-14)
    assert weighted.omega == repeated.omega


@given(
    dense=hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=12),
        elements=st.sampled_from([0.0, 0.0, 1.0, -1.0, 2.5, 1e-3]),
    ),
    seed=st.integers(0, 1000),
)
def test_any_small_matrix_equals_the_oracle(dense, seed):
    rng = np.random.default_rng(seed)
    dense = np.vstack([dense, dense[:1]])
    y = rng.choice([-1.0, 1.0], len(dense))
    y[0], y[-1] = -1.0, 1.0
    lam = rng.normal(size=dense.shape[1])
    A, c = y[:, None] * dense, np.full(len(y), 1 / len(y))
    problem = tb.Problem(dense, y)
    assert problem.value(lam) == pytest.approx(reference.value(A, c, lam), rel=1e-12, abs=1e-14)
    np.testing.assert_allclose(problem.gradient(lam), reference.gradient(A, c, lam), atol=1e-13)
    order, columns = rng.permutation(len(y)), rng.permutation(dense.shape[1])
    shuffled = tb.Problem(dense[order][:, columns], y[order])
    assert shuffled.value(lam[columns]) == pytest.approx(problem.value(lam), rel=1e-12, abs=1e-14)


def test_shards_depend_on_data_only_and_share_the_work():
    case = sharded_case()
    problem = case.problem()
    assert problem.matrix.n_shards == 4
    cuts = shard_cuts(case.X.indptr, problem.n_features)
    work = np.diff(case.X.indptr[cuts])
    assert work.max() < 1.05 * work.min()
    lam = np.random.default_rng(0).normal(size=problem.n_features)
    A, c = case.signed(), case.c()
    assert problem.value(lam) == pytest.approx(reference.value(A, c, lam), rel=1e-12)
    np.testing.assert_allclose(problem.gradient(lam), reference.gradient(A, c, lam), atol=1e-13)


def test_value_free_columns_keep_no_values():
    case = CASES["mixed"]
    problem = case.problem()
    assert problem.matrix.n_valued == 2  # two real columns; +-1, constant and intercept need none
    assert sharded_case().problem().matrix.n_valued == 20
    assert CASES["binary"].problem().matrix.n_valued == 0


@pytest.mark.parametrize("labels", [(0, 1), (-1, 1), (2.5, 7), ("ham", "spam"), (False, True)])
def test_any_two_labels_will_do(labels):
    case = CASES["binary"]
    y = np.array(labels)[(case.y > 0).astype(int)]
    problem = tb.Problem(case.X, y)
    assert problem.classes.tolist() == list(labels)
    lam = np.ones(problem.n_features)
    assert problem.value(lam) == case.problem().value(lam)


def test_huge_lam_gives_finite_numbers():
    problem = CASES["mixed"].problem()
    lam = np.full(problem.n_features, 1e6)
    assert np.isfinite(problem.value(lam))
    assert np.all(np.isfinite(problem.gradient(lam)))
    assert repr(problem).startswith("Problem(100 samples, 12 features")
