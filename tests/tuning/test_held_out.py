"""What tells texts apart where a part of them is held out."""

from __future__ import annotations

import numpy as np

from tauboost.tuning.held_out import text_fingerprints


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
