"""Numbers subtracted from columns: entries where there were none, and no others touched."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from tauboost.design import centering
from tauboost.design.centering import centered, row_blocks
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
