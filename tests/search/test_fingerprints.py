"""Fingerprints of samples and texts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sparse_data import random_csr
from tauboost.search.duplicates import fingerprints, text_fingerprints
from tauboost.validation import as_csr


def test_equal_texts_share_a_number_and_others_do_not():
    texts = ["a", "b", "a", "", "é", "\ud800", "b" * 1000]
    found = text_fingerprints(texts, 3)
    assert found.dtype == np.uint64
    assert found[0] == found[2]
    assert len(set(found.tolist())) == 6
    assert not np.any(found == text_fingerprints(texts, 4))


def test_numbers_are_the_same_everywhere():
    """Not those of Python's own hashes, which are others in each process."""
    assert text_fingerprints(["a", "b"], 0).tolist() == [2850834685882881417, 12715853109159376898]


def test_ones_without_values_count_as_ones():
    X = as_csr(random_csr((50, 8), 0.4, np.random.default_rng(0)) > 0)
    assert X.data is None
    rulers = (np.linspace(-1.0, 1.0, 8), np.linspace(0.5, 3.0, 8))
    for ruler in (None, rulers):
        bare = fingerprints(X, 3, 2, ruler)
        np.testing.assert_array_equal(bare, fingerprints(replace(X, data=X.values()), 3, 1, ruler))
        assert len(set(bare.tolist())) > 40
