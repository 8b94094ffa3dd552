"""Rows to measure on."""

from __future__ import annotations

import numpy as np
import pytest

import tauboost as tb
from tauboost.planning.rows import Rows, Size
from tauboost.validation import as_csr


@pytest.fixture(scope="module")
def rows():
    X, y = tb.make_w8a_like(2000, random_state=0)
    return Rows(as_csr(X), (y > 0).astype(np.intp), 2, np.ones(2000))


def test_their_size(rows):
    n_used = len(np.unique(rows.arrays.indices))
    assert rows.size == Size(2000, 300, rows.arrays.nnz, n_used)


def test_some_of_them(rows):
    some = rows.some(rows.arrays.nnz / 4)
    assert some.arrays.nnz == pytest.approx(rows.arrays.nnz / 4, rel=0.2)
    assert len(some.codes) == len(some.weights) == some.arrays.shape[0]
    assert rows.some(10 * rows.arrays.nnz) is rows


def test_what_is_merged_is_another_set(rows):
    merged = rows.as_fitted(rows.samples(1))
    assert len(merged.codes) < 2000  # empty rows are equal
    assert merged.weights.sum() == 2000
    again = merged.as_fitted(merged.samples(1))
    assert again is merged


def test_a_problem_of_what_occurs(rows):
    problem = rows.some(500).problem(1)
    assert (problem.loss, problem.fit_intercept) == ("logistic", True)
    assert problem.n_features <= 300
    assert tb.solve(problem, max_epochs=1, random_state=0).objective < np.log(2)
