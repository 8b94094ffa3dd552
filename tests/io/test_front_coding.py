"""Sorted strings without what they share: coded and back, and never more than was said."""

from __future__ import annotations

from itertools import pairwise, takewhile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tauboost.io.tensors import MOST_SHARED, front_code, front_decode, shared_prefixes
from tauboost.texts.vocabulary import Terms

STRINGS = st.sets(st.text(max_size=6) | st.text("ab", max_size=60), max_size=40).map(sorted)


def packed(strings):
    encoded = sorted(string.encode(errors="surrogatepass") for string in strings)
    terms = Terms.of([text.decode(errors="surrogatepass") for text in encoded])
    return encoded, terms.text, terms.offsets


def n_shared(a, b):
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False))))


@given(STRINGS)
def test_there_and_back(strings):
    _, text, offsets = packed(strings)
    rest, shared, lengths = front_code(text, offsets)
    assert len(rest) == lengths.sum() <= len(text)
    assert shared.max(initial=0) <= MOST_SHARED
    again = front_decode(rest, shared, lengths.astype(np.uint32))
    assert again[0].tobytes() == text.tobytes()
    assert again[1].tolist() == offsets.tolist()


@given(STRINGS)
def test_shared_prefixes(strings):
    encoded, text, offsets = packed(strings)
    expected = [n_shared(*pair) for pair in pairwise(encoded)]
    assert shared_prefixes(text, offsets).tolist() == expected
    assert shared_prefixes(text, offsets, 3).tolist() == [min(n, 3) for n in expected]


def test_sorted_words_become_short():
    words = [f"{a} {b}" for a in ("film", "films") for b in ("of", "of the", "often")]
    _, text, offsets = packed(words)
    rest, shared, _ = front_code(text, offsets)
    assert shared.tolist() == [0, 7, 7, 4, 8, 8]
    assert rest.tobytes().decode() == "film of theten" + "s of" + " theten"


@pytest.mark.parametrize(
    ("text", "shared", "lengths", "reason"),
    [
        (b"abc", [0, 1], [2, 2], "lengths of terms do not cut"),
        (b"abc", [0, 1], [2, 0], "lengths of terms do not cut"),
        (b"abc", [1, 1], [2, 1], "share more than there is"),
        (b"abc", [0, 3], [2, 1], "share more than there is"),
        (b"abc" * 9, [0, 16], [26, 1], "share more than there is"),
    ],
)
def test_what_was_not_coded_so(text, shared, lengths, reason):
    arrays = [np.frombuffer(text, np.uint8), *(np.array(a, np.uint8) for a in (shared, lengths))]
    with pytest.raises(ValueError, match=reason):
        front_decode(*arrays)
