"""Counts of parts add up to those of the whole: terms, order and weights to the last bit."""

from __future__ import annotations

import pickle
from functools import reduce
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odd_texts import edges, fuzzed
from tauboost.texts.features import NOTHING_FOUND, TermCounts, count_terms, learn
from tauboost.texts.options import TextOptions

TEXTS = edges() + fuzzed(200, 9)
WAYS = [
    {},
    {"use_idf": True, "min_df": 2, "ngram_range": (1, 2)},
    {"use_idf": True, "min_df": 0.01, "max_df": 0.5, "max_features": 40, "ngram_range": (1, 3)},
    {"max_features": 17, "binary": True, "stop_words": ("ab",)},
    {"analyzer": "char_wb", "ngram_range": (2, 3), "min_df": 3},
    {"token_pattern": "[a-z]+", "max_features": 30, "use_idf": True},
    {"n_features": 64, "use_idf": True, "max_df": 0.5},
    {"n_features": 1000, "min_df": 2},
    {"n_features": 50, "use_idf": True},
    {"n_features": 50, "token_pattern": "[a-z]+", "min_df": 2},
]


def same(found, expected):
    assert (found.terms is None) is (expected.terms is None)
    if expected.terms is not None:
        assert found.terms.text.tobytes() == expected.terms.text.tobytes()
        assert found.terms.offsets.tolist() == expected.terms.offsets.tolist()
    for name in ("idf", "kept"):
        one, other = getattr(found, name), getattr(expected, name)
        assert (one is None) is (other is None)
        assert one is None or (one.dtype, one.tobytes()) == (other.dtype, other.tobytes())


@pytest.mark.parametrize("options", WAYS, ids=str)
@given(cuts=st.lists(st.integers(0, len(TEXTS)), max_size=4))
def test_parts_add_up_to_the_whole(options, cuts):
    options = TextOptions(**options)
    places = [0, *sorted(cuts), len(TEXTS)]
    parts = [count_terms(TEXTS[a:b], options) for a, b in pairwise(places)]
    total = reduce(TermCounts.plus, map(pickle.loads, map(pickle.dumps, parts)))
    assert total.n_texts == len(TEXTS)
    same(total.features(options), learn(TEXTS, options)[0])


@pytest.mark.parametrize("pattern", [r"\w\w+", "[a-z]{9,}"])
@pytest.mark.parametrize("n_features", [None, 8])
def test_parts_may_have_no_words(pattern, n_features):
    options = TextOptions(token_pattern=pattern, n_features=n_features, max_df=0.9)
    nothing = count_terms(["", "."], options).plus(count_terms([], options))
    assert nothing.n_texts == 2
    with pytest.raises(ValueError, match=r".") as caught:
        nothing.features(options)
    if n_features:
        assert str(caught.value) == NOTHING_FOUND
    words = count_terms(["extraordinary"], options)
    for total in (nothing.plus(words), words.plus(nothing)):
        assert total.features(options).n_features == 1
