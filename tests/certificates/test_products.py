"""Rows written out, and the products that proofs are checked by, against dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import tauboost as tb
from problems import CASES, sharded_case
from tauboost.certificates.rows import Products


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_matrix(name):
    case = CASES[name]
    problem, A = case.problem(), case.signed()
    products = Products(problem)
    samples = products.samples
    last = [A.shape[1] - 1] * problem.fit_intercept
    place = np.append(problem.design.place, last).astype(np.intp)
    given = np.empty_like(A)
    given[samples.numbers] = products.entries(np.arange(len(A))).toarray()[:, place]
    np.testing.assert_array_equal(given, A)
    rng = np.random.default_rng(0)
    lam, w = rng.normal(size=A.shape[1]), rng.random(len(A))
    point = np.empty_like(lam)
    point[place] = lam
    np.testing.assert_allclose(products.times(point), (A @ lam)[samples.numbers], atol=1e-12)
    expected = (np.abs(A) @ np.abs(lam))[samples.numbers]
    np.testing.assert_allclose(products.absolute_times(point), expected)
    neg, pos = products.transposed(w[samples.numbers])
    np.testing.assert_allclose((pos - neg)[place], A.T @ w, atol=1e-9)
    np.testing.assert_allclose((pos + neg)[place], np.abs(A).T @ w)


def test_shards_are_written_out_in_order():
    case = sharded_case()
    problem = case.problem()
    assert problem.matrix.n_shards > 1
    samples = Products(problem).samples
    X = sp.csr_array(case.X)[samples.numbers]
    assert abs(samples.M[:, problem.design.place] - X).max() == 0
    np.testing.assert_array_equal(samples.positive, case.y[samples.numbers] > 0)


def test_a_table():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            "a": np.where(rng.random(80) < 0.2, np.nan, rng.integers(0, 6, 80)),
            "b": np.array(["x", "y", "z"])[rng.integers(0, 3, 80)],
            "one": np.ones(80),
        }
    )
    y = np.where(rng.random(80) < 0.5, 1, 0)
    problem = tb.TableProblem(table, y, rng.integers(0, 3, 80).astype(float))
    products = Products(problem)
    A = products.entries(np.arange(products.m)).toarray()
    lam = rng.normal(size=problem.n_coordinates)
    np.testing.assert_allclose(products.times(lam), A @ lam, atol=1e-12)
    np.testing.assert_allclose(products.absolute_times(lam), np.abs(A) @ np.abs(lam))
    # Any weights of the bins are some lam of the stumps and the intercept.
    samples = products.samples
    levels = rng.normal(size=samples.M.shape[1])
    signs = np.where(samples.positive, 1.0, -1.0)
    decisions = signs * (samples.M @ levels)
    np.testing.assert_allclose(products.times(samples.coordinates(levels)), decisions, atol=1e-12)
    assert y[samples.numbers].astype(bool).tolist() == samples.positive.tolist()
