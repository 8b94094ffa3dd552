"""A part of the data to time sweeps on: how its times become those of all data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tauboost as tb
from tauboost.planning.cut import cut_from
from tauboost.planning.look import look_at


@pytest.fixture(scope="module")
def look():
    return look_at(tb.make_url_like(5000, random_state=0), 1.0, 2)


def test_all_of_it(look):
    cut = cut_from(look.rows, look.size, look.size.nnz, 2)
    assert cut.samples.arrays.nnz == look.size.nnz
    assert cut.vector_ratio == cut.shard_share == 1.0
    assert 1.0 <= cut.ratio < 1.05  # the intercept is not in it
    assert not cut.miss_seconds


def test_some_columns_of_all_rows(look):
    cut = cut_from(look.rows, look.size, look.size.nnz // 10, 2)
    assert cut.samples.n == look.size.m
    assert cut.vector_ratio > 1.0
    share = cut.samples.arrays.nnz / look.size.nnz
    assert 0.02 < share < 0.3
    assert cut.ratio == pytest.approx(1 / share, rel=0.5)


def test_some_rows_where_columns_are_few():
    rng = np.random.default_rng(0)
    X = (rng.random((20_000, 20)) < 0.5).astype(float)
    look = look_at((X, rng.integers(2, size=20_000)), 1.0, 2)
    cut = cut_from(look.rows, look.size, look.size.nnz // 10, 2)
    assert cut.samples.arrays.shape[1] == 20
    assert cut.vector_ratio == pytest.approx(10, rel=0.1)
    assert 8 in cut.miss_seconds


def test_as_many_shards_as_all_data_have():
    rng = np.random.default_rng(0)
    X, y = (rng.random((3000, 800)) < 0.3).astype(float), np.arange(3000) % 2
    look = look_at((X, y), 1.0, 2)
    cut = cut_from(look.rows, look.size, look.size.nnz // 3, 2)
    assert cut.matrix.n_shards == tb.Problem(X, y).matrix.n_shards > 1


def test_what_is_for_rows_is_not_scaled_with_the_columns(look):
    cut = replace(cut_from(look.rows, look.size, look.size.nnz, 2), ratio=10.0)
    assert cut.on_all(0.2, 1.0, 1) == pytest.approx(0.2 + 8.0)
    assert cut.on_all(0.9, 1.0, 1) == pytest.approx(0.5 + 5.0)  # noise
    assert replace(cut, miss_seconds={8: 3.0}).on_all(0.0, 1.0, 8) == pytest.approx(13.0)


def test_sweeps_take_time(look):
    cut = cut_from(look.rows, look.size, look.size.nnz // 4, 2)
    assert cut.sweep_seconds(1e-3, "logistic", 2, 0.01) > 0
