"""Where terms are: the places found in Python are those of what the compiled code counts."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from small_texts import fitted
from tauboost.texts.explanation import find_features, find_terms
from tauboost.texts.features import TextFeatures, learn
from tauboost.texts.options import TextOptions

LETTERS = st.text(st.sampled_from("ab çßİΣσς 日_1.-\t\n\u2003é😀I"), max_size=30)


@given(
    LETTERS,
    st.sampled_from(["word", "char_wb", "char"]),
    st.sampled_from([(1, 1), (1, 3), (2, 2), (3, 5)]),
    st.sampled_from([(), ("ab", "a")]),
)
def test_terms_are_those_of_scikit_learn(text, analyzer, ngram_range, stop_words):
    options = TextOptions(
        analyzer=analyzer,
        ngram_range=ngram_range,
        token_pattern=r"\w+",
        stop_words=stop_words if analyzer == "word" else (),
    )
    if analyzer == "word":
        count = CountVectorizer(
            token_pattern=r"\w+", ngram_range=ngram_range, stop_words=list(stop_words) or None
        )
    else:
        count = CountVectorizer(analyzer=analyzer, ngram_range=ngram_range)
    expected = count.build_analyzer()(text)
    lowered = text.lower()
    found = find_terms(lowered, options)
    assert set(found) == set(expected)
    for term, spans in found.items():
        assert len(spans) == expected.count(term) or term.isspace()
        for begin, end in spans:
            assert 0 <= begin < end <= len(lowered)
            shown = lowered[begin:end]
            if analyzer == "char_wb":
                assert shown == term.strip()
            elif analyzer == "char":
                assert re.sub(r"\s\s+", " ", shown) == term
            elif not stop_words:
                assert re.findall(r"\w+", shown) == term.split(" ")


@pytest.mark.parametrize("pattern", ["(?:a|b)+", "x(a)?", r"[^ ]+"])
def test_patterns(pattern):
    text = "xa aab, x b xa"
    options = TextOptions(token_pattern=pattern)
    found = find_terms(text, options)
    assert sorted(found) == sorted(
        set(CountVectorizer(token_pattern=pattern).build_analyzer()(text))
    )
    for term, spans in found.items():
        assert all(text[begin:end] == term for begin, end in spans)


def test_lower_case_that_is_longer():
    features, _ = learn(["İstanbul film", "other"], TextOptions())
    text, found = find_features("Die İSTANBUL Film", features)
    assert text == "die i̇stanbul film"
    assert {text[a:b] for _, spans in found.values() for a, b in spans} == {"stanbul", "film"}
    text, found = find_features("Die FILM", features)
    assert text == "Die FILM"
    assert found == {features.terms.find("film"): ("film", [(4, 8)])}


@pytest.mark.parametrize("kept", [None, True])
def test_hashes(kept):
    options = TextOptions(n_features=512, ngram_range=(1, 2), alternate_sign=False)
    features = TextFeatures(options, None)
    if kept:
        features = features.select(np.arange(0, 512, 2))
    text = "one film of the other film, and one more of it"
    _, found = find_features(text, features)
    rows = features.rows([text])
    assert sorted(found) == sorted(rows.indices.tolist())
    counts = dict(zip(rows.indices.tolist(), rows.data.tolist(), strict=True))
    assert {column: len(spans) for column, (_, spans) in found.items()} == counts


def test_terms_that_share_a_hash():
    features = TextFeatures(TextOptions(n_features=1), None)
    _, found = find_features("one film one", features)
    assert found == {0: ("one or film", [(0, 3), (4, 8), (9, 12)])}


def test_a_function_says_no_places():
    features, _ = learn(["a b", "b c"], TextOptions(analyzer=str.split))
    assert find_features("B b c", features) == ("B b c", {1: ("b", []), 2: ("c", [])})


@pytest.mark.parametrize("options", [{}, {"analyzer": "char_wb"}, {"n_features": 512}])
def test_with_the_features_of_a_text_known_the_same_are_found(options):
    clf = fitted(**options)
    features, text = clf.model_.features, "Good GOOD film, bad film und ẞ"
    counted = features.rows([text], 1).indices.tolist()
    assert find_features(text, features, counted) == find_features(text, features)
