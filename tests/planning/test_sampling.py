"""Parts of a matrix to measure on: right entries, and like the whole."""

from __future__ import annotations

import numpy as np
import pytest

import tauboost as tb
from sparse_data import random_csr
from tauboost.planning.sampling import (
    column_counts,
    every_kth_column,
    some_rows,
    take_columns,
    take_rows,
)
from tauboost.validation import as_csr


@pytest.fixture(name="X", params=["ones", "values"])
def matrix(request):
    rng = np.random.default_rng(1)
    X = random_csr((300, 40), 0.1, rng)
    if request.param == "ones":
        X.data[:] = 1.0
    return X


def test_rows(X):
    rows = np.array([0, 3, 4, 250])
    assert (take_rows(as_csr(X), rows).to_scipy() != X[rows]).nnz == 0


def test_columns(X):
    columns = np.array([1, 5, 6, 39])
    found = take_columns(as_csr(X), columns)
    assert found.shape == (300, 4)
    assert (found.to_scipy() != X[:, columns]).nnz == 0
    np.testing.assert_array_equal(column_counts(as_csr(X)), np.diff(X.tocsc().indptr))


def test_a_store_has_two_parts(tmp_path):
    X, y = tb.make_url_like(300, random_state=0)
    with tb.StoreWriter(tmp_path / "s", n_features=X.shape[1]) as writer:
        writer.append(X, y)
    store = as_csr(tb.open_store(tmp_path / "s"))
    assert store.more is not None
    columns, rows = np.arange(0, X.shape[1], 3), np.arange(0, 300, 7)
    assert (take_columns(store, columns).to_scipy() != X[:, columns]).nnz == 0
    assert (take_rows(store, rows).to_scipy() != X[rows]).nnz == 0


def test_every_class_has_rows():
    codes = np.repeat([0, 1, 2], [1000, 30, 5])
    rows = some_rows(codes, 0.1, 0)
    assert np.bincount(codes[rows]).tolist() == [100, 20, 5]
    assert np.all(np.diff(rows) > 0)


def test_every_kth_column_is_like_all():
    counts = (1e5 / (1 + np.arange(10_000.0))).astype(np.int64)
    np.random.default_rng(0).shuffle(counts)
    chosen = every_kth_column(counts, 10)
    assert len(chosen) == 1000
    assert np.median(counts[chosen]) == pytest.approx(np.median(counts), rel=0.05)
