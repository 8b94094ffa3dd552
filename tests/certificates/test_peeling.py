"""Columns of one sign: what they take away, and the lam that proves it."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from tauboost.certificates.separation import peel


def test_rows_go_round_by_round():
    A = sp.csr_array(
        np.array([[1.0, -1, 0, 0], [0, 2, 0, 0], [0, -1, 1, 0], [0, 0, -1, 1], [0, 0, 0, -1]])
    )
    peeled = peel(A)
    assert peeled.is_left.tolist() == [False, True, True, True, True]
    more = peel(sp.csr_array(np.array([[1.0, -1], [0.0, 1.0], [0.0, 2.0]])))
    assert not more.is_left.any()
    assert len(more.rounds) == 2


def test_lam_separates_what_was_taken_and_leaves_the_rest():
    rng = np.random.default_rng(0)
    dense = rng.integers(-1, 2, (200, 150)) * (rng.random((200, 150)) < 0.02)
    A = sp.csr_array(dense.astype(float))
    A.eliminate_zeros()
    peeled = peel(A)
    assert 0 < np.count_nonzero(peeled.is_left) < 200
    lam = np.zeros(150)
    columns = np.flatnonzero(np.abs(A[peeled.is_left]).sum(axis=0))
    lam[columns] = rng.normal(size=len(columns))
    r = A @ peeled.extended(lam)
    assert np.all(r[~peeled.is_left] <= -1 + 1e-9)
    np.testing.assert_array_equal(r[peeled.is_left], (A @ lam)[peeled.is_left])
