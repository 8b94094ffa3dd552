"""The times of a default fit: run where there is time for it, put together where not."""

from __future__ import annotations

import pytest

import tauboost as tb
from tauboost.planning.costs import FIRST, Costs, Some, line_through
from tauboost.planning.look import look_at


@pytest.fixture(scope="module")
def look():
    return look_at(tb.make_url_like(6000, random_state=0), 1.0, 2)


def test_some_rows(look):
    some = Some.of(look, look.nnz / 10)
    assert some.arrays.nnz == pytest.approx(look.nnz / 10, rel=0.1)
    assert len(some.codes) == len(some.weights) == some.arrays.shape[0]
    assert Some.of(look, 10 * look.nnz).arrays is look.arrays


def test_time_decides(look):
    assert look.nnz > 2 * FIRST
    assert Costs(look, 2, 60.0).is_measured
    short = Costs(look, 2, 1e-3)
    assert not short.is_measured
    assert short.last.n_rows < look.n_samples
    assert set(short.fit_parts) >= {"building the matrix", "fitting the choice"}
    assert all(seconds > 0 for seconds in short.fit_parts.values())


def test_a_line_through_two_times():
    assert line_through(30, [10, 20], [1.0, 2.0]) == pytest.approx(3.0)
    assert line_through(30, [10], [1.0]) == pytest.approx(3.0)
    assert line_through(30, [10, 20], [2.0, 1.0]) == pytest.approx(1.5)  # noise: by the entries
