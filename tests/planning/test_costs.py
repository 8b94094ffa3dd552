"""The times of a default fit: run where there is time for it, put together where not."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import tauboost as tb
from tauboost.planning.costs import FIRST, Costs, line_through
from tauboost.planning.look import look_at


@pytest.fixture(scope="module")
def look():
    return look_at(tb.make_url_like(8000, random_state=0), 1.0, 2)


def test_time_decides(look):
    assert look.size.nnz > 4 * FIRST
    assert Costs(look, 2, 600.0).is_measured
    short = Costs(look, 2, 1e-3)
    assert not short.is_measured
    assert short.last.n_rows < look.size.m
    assert set(short.fit_parts) >= {"building the matrix", "fitting the choice"}
    assert all(seconds > 0 for seconds in short.fit_parts.values())
    assert short.sweeps(1e-2) > 0


def test_equal_rows_are_fitted_once():
    X, y = tb.make_w8a_like(1500, random_state=0)
    look = look_at((sp.vstack([X, X]), np.tile(y, 2)), 1.0, 1)
    costs = Costs(look, 1, 0.05)
    assert costs.fitted_size.m <= 1500
    assert costs.fitted_size.nnz <= X.nnz
    assert costs.problem_size.m == 3000


def test_unused_features_are_left_out_of_a_fit():
    X, y = tb.make_w8a_like(1500, random_state=0)
    wide = sp.csr_array((X.data, X.indices, X.indptr), shape=(1500, 3 * X.nnz))
    costs = Costs(look_at((wide, y), 1.0, 1), 1, 0.05)
    assert costs.fitted_size.n == costs.fitted_size.n_used <= 300
    assert costs.problem_size.n == 3 * X.nnz
    assert costs.fit_cut.matrix.n <= 300
    wider = sp.csr_array((X.data, X.indices, X.indptr), shape=(1500, 9 * X.nnz))
    assert Costs(look_at((wider, y), 1.0, 1), 1, 0.05).problem_size.n <= 300


def test_a_line_through_two_times():
    assert line_through(30, [10, 20], [1.0, 2.0]) == pytest.approx(3.0)
    assert line_through(30, [10], [1.0]) == pytest.approx(3.0)
    assert line_through(30, [10, 20], [2.0, 1.0]) == pytest.approx(1.5)  # noise: by the entries
