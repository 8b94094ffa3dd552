"""Texts to features: what is learned, what is found again, whatever the strings and threads."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from odd_texts import ODD, as_csr, edges, fuzzed
from tauboost.texts.features import NOTHING_FOUND, NOTHING_LEFT, TextFeatures, learn, learn_counts
from tauboost.texts.options import TextOptions
from tauboost.texts.vocabulary import Terms

TEXT = st.lists(
    st.one_of(st.sampled_from(ODD), st.sampled_from(["ab", "cd ", " "]), st.characters()),
    max_size=40,
).map("".join)
OPTIONS = st.builds(
    TextOptions,
    lowercase=st.booleans(),
    ngram_range=st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 4), (3, 3)]),
    analyzer=st.sampled_from(["word", "word", "char_wb"]),
    token_pattern=st.sampled_from([r"(?u)\b\w\w+\b", r"\w+"]),
    stop_words=st.sampled_from([(), ("ab",), ("cd", "é")]),
    min_df=st.sampled_from([1, 1, 2, 0.0, 0.5]),
    max_df=st.sampled_from([1.0, 1.0, 0.6, 2]),
    max_features=st.sampled_from([None, None, 1, 5]),
    binary=st.booleans(),
)
COUNTED = ("lowercase", "ngram_range", "analyzer", "token_pattern", "min_df", "max_df", "binary")


def counted(texts, options):
    """Return scikit-learn's names and counts; None where it finds nothing."""
    names = (*COUNTED, "max_features")
    counter = CountVectorizer(**{name: getattr(options, name) for name in names})
    if options.analyzer == "word":
        counter.set_params(stop_words=list(options.stop_words) or None)
    try:
        found = counter.fit_transform(texts)
    except ValueError:
        return None
    return counter.get_feature_names_out().tolist(), found


@settings(max_examples=400)
@given(st.lists(TEXT, min_size=1, max_size=12), OPTIONS, st.integers(1, 3))
@pytest.mark.filterwarnings("ignore:.*may be inconsistent")
@pytest.mark.filterwarnings("ignore:The parameter 'token_pattern' will not be used")
def test_equals_scikit_learn(texts, options, n_threads):
    expected = counted(texts, options)
    if expected is None:
        with pytest.raises(ValueError, match=r"no words|max_df allows|min_df wants"):
            learn(texts, options, n_threads)
        return
    features, rows = learn(texts, options, n_threads)
    assert features.terms.names.tolist() == expected[0]
    np.testing.assert_array_equal(as_csr(rows).toarray(), expected[1].toarray())
    again = features.rows(texts, n_threads)
    np.testing.assert_array_equal(as_csr(again).toarray(), expected[1].toarray())


@pytest.mark.parametrize("n_threads", [1, 2, 8])
def test_a_giant_word_and_a_giant_text(n_threads):
    texts = ["Giant" * 400_000, "word, " * 300_000 + "é", "word 漢", "", "giant" * 400_000]
    features, rows = learn(texts, TextOptions(ngram_range=(1, 3)), n_threads)
    names, expected = counted(texts, TextOptions(ngram_range=(1, 3)))
    assert features.terms.names.tolist() == names
    np.testing.assert_array_equal(as_csr(rows).toarray(), expected.toarray())
    np.testing.assert_array_equal(
        as_csr(features.rows(texts, n_threads)).toarray(), expected.toarray()
    )


@pytest.mark.parametrize(
    "options",
    [
        TextOptions(ngram_range=(1, 2)),
        TextOptions(ngram_range=(1, 2), binary=True),
        TextOptions(use_idf=True, norm="l2"),
        TextOptions(analyzer="char_wb", ngram_range=(2, 3)),
        TextOptions(n_features=64, norm="l2"),
        TextOptions(n_features=64, min_df=2, use_idf=True),
        TextOptions(n_features=64, binary=True, max_df=0.5),
        TextOptions(token_pattern="[a-z]+"),
    ],
)
def test_features_find_again_what_was_learned(options):
    texts = edges() + fuzzed(300, 7)
    features, rows = learn(texts, options)
    assert rows.shape == (len(texts), features.n_features)
    assert (rows.data is None) is (options.binary and not options.is_weighted)
    expected = as_csr(rows)
    for again in (
        features.rows(texts, 3),
        features.rows(iter(texts)),
        pickle.loads(pickle.dumps(features)).rows(texts),
    ):
        assert again.shape == rows.shape
        np.testing.assert_allclose(as_csr(again).toarray(), expected.toarray(), rtol=1e-15)
    kept = np.arange(1, features.n_features, 3)
    fewer = features.select(kept)
    assert fewer.n_features == len(kept)
    if options.norm is None:  # else the length of a row depends on all of its features
        np.testing.assert_array_equal(
            as_csr(fewer.rows(texts)).toarray(), expected.toarray()[:, kept]
        )
    once_more = fewer.select(np.array([0, 2]))
    assert once_more.n_features == 2


def test_a_stream_is_learned_as_a_list_is():
    texts = fuzzed(2000, 8) * 10  # several blocks, of different widths
    for options in (TextOptions(use_idf=True, ngram_range=(1, 2)), TextOptions(n_features=100)):
        features, expected = learn(texts, options, 2)
        streamed, found = learn((text for text in texts), options, 2)
        for name in ("indptr", "indices", "data"):
            assert getattr(found, name).tobytes() == getattr(expected, name).tobytes()
        if features.terms is not None:
            assert streamed.terms.text.tobytes() == features.terms.text.tobytes()
            assert streamed.idf.tobytes() == features.idf.tobytes()


def test_terms_that_cannot_be_found_do_no_harm():
    """Others' vocabularies: spaces in odd places, capitals, nothing at all, stop words, NUL."""
    terms = ["", " ", "a", "a  b", "a b", " a", "a b c", "Q", "\x00", "x" * 17, "the a", "\ud800"]
    options = TextOptions(token_pattern=r"\w+", ngram_range=(1, 2), stop_words=("the",))
    features = TextFeatures(options, Terms.of(terms))
    found = as_csr(features.rows(["a b c q the", "x" * 17 + " the a", "\x00\ud800"])).toarray()
    expected = np.zeros((3, len(terms)))
    expected[0, [terms.index("a"), terms.index("a b")]] = 1
    expected[1, [terms.index("x" * 17), terms.index("a")]] = 1
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize(
    ("texts", "options", "message"),
    [
        ([], {}, "there are no texts to find words in"),
        (["", " . ", "a"], {}, NOTHING_FOUND),
        (["the the"], {"stop_words": ("the",)}, NOTHING_FOUND),
        (["ab", "cd"], {"min_df": 2}, NOTHING_LEFT),
        (["ab", "ab"], {"max_df": 0.5}, NOTHING_LEFT),
        (
            ["ab", "ab"],
            {"max_df": 1, "min_df": 2},
            "max_df allows features in at most 1 texts, and",
        ),
        (["", ""], {"n_features": 8, "min_df": 2}, NOTHING_FOUND),
        (["ab", "cd"], {"n_features": 2**20, "min_df": 2}, NOTHING_LEFT),
    ],
)
def test_nothing_to_learn(texts, options, message, n_threads):
    with pytest.raises(ValueError, match=r".") as caught:
        learn_counts(texts, TextOptions(**options), "counts", n_threads)
    assert str(caught.value).startswith(message)


def test_a_bad_row_of_a_stream_is_named():
    texts = ["word"] * 10_000
    for bad, message in ((None, "row 10000 is None"), (b"x", "row 10000 is b'x': decode it")):
        with pytest.raises(TypeError, match=message):
            learn(iter([*texts, bad]), TextOptions())
        with pytest.raises(TypeError, match=message):
            TextFeatures(TextOptions(n_features=4), None).rows(iter([*texts, bad]))


def test_characters_of_a_later_block_may_be_wider():
    texts = ["ab"] * 9000 + ["ÀB"] * 9000 + ["漢字"] * 9000 + ["𐐀𐐁"]
    features, rows = learn(iter(texts), TextOptions())
    assert features.terms.names.tolist() == ["ab", "àb", "漢字", "𐐨𐐩"]
    assert as_csr(rows).sum(axis=0).tolist() == [9000, 9000, 9000, 1]
