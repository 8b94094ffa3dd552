"""Rows in memory: whole or in blocks, they are what the file says, without what is not wanted."""

from __future__ import annotations

import io

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tauboost as tb
from stores import assert_same
from tauboost import validation
from tauboost.io.conversion import load_rows, row_blocks
from tauboost.validation import as_csr

TEXT = b"1 1:1 3:0.5\n-1 2:1\n1 1:1 2:0.25 9:1\n-1\n"

values = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 30), st.integers(1, 8)),
    elements=st.sampled_from([0, 1, -2]),
)


def loaded(text, **options):
    return load_rows(io.BytesIO(text), **options)


def test_the_same_as_a_matrix():
    rows = loaded(TEXT)
    X, y = tb.load_svmlight(io.BytesIO(TEXT))
    assert_same(rows.arrays.to_scipy(), X)
    np.testing.assert_array_equal(rows.y, y)
    assert (rows.shape, rows.nnz) == (X.shape, X.nnz)
    a, b = (tb.Problem(data, y).gradient(np.zeros(9)) for data in (rows, X))
    np.testing.assert_array_equal(a, b)


def test_ones_have_no_values():
    assert loaded(b"1 1:1\n-1 2:1\n").arrays.data is None


@pytest.mark.parametrize("n_features", [1, 2, 3, 8, 9, 12])
def test_later_features_are_left_out(n_features):
    X, _ = tb.load_svmlight(io.BytesIO(TEXT), n_features=12)
    rows = loaded(TEXT, n_features=n_features)
    assert_same(rows.arrays.to_scipy(), X[:, :n_features])
    (block, n_read), *more = row_blocks(io.BytesIO(TEXT), n_features=n_features, zero_based=False)
    assert more == []
    assert n_read == len(TEXT)
    assert_same(block.arrays.to_scipy(), X[:, :n_features])


def test_huge_indices_of_features_that_are_left_out():
    rows = loaded(b"1 1:1 4294967296:1\n-1 4294967297:1\n", n_features=2)
    assert rows.arrays.indices.dtype == np.int32
    assert_same(rows.arrays.to_scipy(), sp.csr_array([[1.0, 0.0], [0.0, 0.0]]))


@pytest.mark.parametrize(
    ("text", "words"),
    [(b"1 4294967296:1\n-1 1:1\n", "at most"), (b"1 1:1e-200\n-1 1:1\n", "rescale")],
)
def test_what_a_matrix_cannot_hold_is_refused(text, words):
    with pytest.raises(ValueError, match=words):
        loaded(text)


@given(X=values, seed=st.integers(0, 9), rows_at_once=st.integers(1, 40))
def test_select(X, seed, rows_at_once):
    keep = np.random.default_rng(seed).random(len(X)) < 0.5
    arrays = as_csr(sp.csr_array(X))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(validation, "ROWS_AT_ONCE", rows_at_once)
        found = arrays.select(keep)
    assert found.shape == (keep.sum(), X.shape[1])
    assert (found.data is None) == (arrays.data is None)
    np.testing.assert_array_equal(found.to_scipy().toarray(), X[keep])
