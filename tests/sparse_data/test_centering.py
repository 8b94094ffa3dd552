"""Numbers subtracted from columns: entries where there were none, and no others touched."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from tauboost import _core
from tauboost.sparse import scaling as centering
from tauboost.sparse.design import build_matrix, random_places
from tauboost.sparse.scaling import Units, centered, row_blocks
from tauboost.validation import CsrArrays, as_csr

RANDOM = np.random.default_rng(1)
DENSE = RANDOM.normal(size=(30, 5)) * (RANDOM.random((30, 5)) < 0.8)
COLUMNS, CENTERS = np.array([1, 3]), np.array([2.5, -1.0])


def ones_and_more():
    """Return the same matrix as the sum of two, as a store has it."""
    whole = DENSE.copy()
    whole[::3, 1] = 1.0
    ones = as_csr(sp.csr_array((whole == 1.0).astype(float)))
    return replace(ones, more=as_csr(sp.csr_array(np.where(whole == 1.0, 0.0, whole)))), whole


@pytest.mark.parametrize("at_once", [7, 2**16])
def test_numbers_are_subtracted(monkeypatch, at_once):
    monkeypatch.setattr(centering, "ROWS_AT_ONCE", at_once)
    expected = DENSE.copy()
    expected[:, COLUMNS] -= CENTERS
    found = centered(as_csr(DENSE), COLUMNS, CENTERS)
    np.testing.assert_allclose(found.to_scipy().toarray(), expected)


def test_of_a_sum_of_two():
    arrays, whole = ones_and_more()
    whole[:, COLUMNS] -= CENTERS
    found = centered(arrays, COLUMNS, CENTERS)
    assert found.more is not None
    np.testing.assert_allclose(found.to_scipy().toarray(), whole)


def test_columns_without_values():
    X = sp.csr_array((DENSE != 0).astype(float))
    bare = CsrArrays(X.indptr, X.indices, None, X.shape, scale=np.arange(1.0, 6.0))
    blocks = [block for _, block in row_blocks(bare, COLUMNS)]
    np.testing.assert_array_equal(np.vstack(blocks), (DENSE != 0)[:, COLUMNS] * [2.0, 4.0])


def test_nothing_is_copied_that_stays():
    arrays = as_csr(sp.csr_array(np.where(np.arange(5) == 1, 0.0, DENSE)))
    assert centered(arrays, np.array([1]), np.array([1.0])).indices is arrays.indices


def entries(matrix):
    """Return the matrix in the core, rows in the order in which they were given."""
    rows, values = np.empty(matrix.nnz, dtype=np.int32), np.empty(matrix.nnz)
    matrix.entries(rows, values)
    counts = np.empty(matrix.n, dtype=np.int64)
    matrix.column_counts(counts)
    columns = np.repeat(np.arange(matrix.n), counts)
    dense = np.zeros((matrix.m, matrix.n))
    dense[matrix.row_order[rows], columns] = values
    return dense


def test_row_numbers_that_have_no_room_are_refused():
    nothing = np.empty(0, dtype=np.uint8)
    long = _core.outline(2**31 + 1, 0, 0, False, np.empty(0), nothing)
    with pytest.raises(ValueError, match="no room"):
        long.entries(np.empty(0, dtype=np.int32), np.empty(0))


@pytest.mark.parametrize("n_threads", [1, 2])
def test_the_core_subtracts_as_it_lays_out(n_threads):
    whole, _ = ones_and_more()
    positive = RANDOM.random(30) < 0.5
    for arrays in (as_csr(DENSE), whole):
        units = Units.of(arrays, np.ones(30), fit_intercept=True, n_threads=1)
        units = replace(units, columns=COLUMNS, centers=CENTERS)
        place = random_places(5)
        found = build_matrix(arrays, positive, place, True, n_threads, units=units)
        copy = centered(arrays, COLUMNS, CENTERS)
        expected = build_matrix(copy, positive, place, True, n_threads)
        sizes = np.ones(expected.n)
        sizes[place] = units.size
        expected.divide(sizes, n_threads)
        assert found.omega == expected.omega
        np.testing.assert_array_equal(entries(found), entries(expected))


def test_no_feature_that_is_not_there_is_centered():
    units = Units.of(as_csr(DENSE), np.ones(30), fit_intercept=True, n_threads=1)
    units = replace(units, columns=np.array([5]), centers=np.ones(1))
    units.__dict__["size"] = np.ones(5)
    with pytest.raises(ValueError, match="centered has a feature that X has not"):
        build_matrix(as_csr(DENSE), DENSE[:, 0] > 0, random_places(5), True, 1, units=units)
