"""Patterns and functions that are left to scikit-learn: equal to it, with our sentences."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import tauboost as tb
from odd_texts import fuzzed, oracle, same_matrix
from tauboost.texts.counting import python_counts
from tauboost.texts.options import TextOptions

TEXTS = ["The cat's hat", "a hat, the-hat", "", "cats 9 lives", *fuzzed(100, 6)]


def in_letters(text):
    return list(text.lower())


@pytest.mark.filterwarnings("ignore:the words that count hold only:tauboost.FitWarning")
@pytest.mark.parametrize(
    "options",
    [
        {"token_pattern": r"[a-z]+'?"},
        {"token_pattern": r"#?(\w\w\w)\w*", "ngram_range": (1, 2), "min_df": 2},
        {"token_pattern": r"[^ ]+", "stop_words": ["the", "the-hat"], "lowercase": False},
        {"analyzer": "char", "ngram_range": (1, 3), "max_features": 30},
        {"analyzer": str.split, "binary": True},
        {"analyzer": in_letters, "use_idf": True, "min_df": 0.1, "max_df": 0.9},
        {"token_pattern": r"[a-z]+", "use_idf": True, "sublinear_tf": True},
        {"token_pattern": r"[a-z]+", "vocabulary": ["hat", "the"]},
        {"token_pattern": r"[a-z]+", "n_features": 32},
        {"analyzer": "char", "n_features": 100, "norm": None, "alternate_sign": False},
    ],
)
def test_equals_scikit_learn(options):
    texts = [text.encode(errors="ignore").decode() for text in TEXTS]
    ours, theirs = tb.TextVectorizer(**options), oracle(options)
    same_matrix(ours.fit_transform(texts), theirs.fit_transform(texts))
    same_matrix(ours.transform(texts[::2]), theirs.transform(texts[::2]))
    same_matrix(ours.transform([]), theirs.transform(["x"])[:0])
    if "n_features" not in options:
        names = theirs.get_feature_names_out().tolist()
        assert ours.get_feature_names_out().tolist() == names


def test_hashes_are_pruned():
    vectorizer = tb.TextVectorizer(token_pattern=r"[a-z]+", n_features=2**16, min_df=3)
    kept = np.unique(vectorizer.fit_transform(TEXTS).indices)
    counted = tb.TextVectorizer(token_pattern=r"[a-z]+", min_df=3).fit(TEXTS)
    assert len(kept) == len(counted.get_feature_names_out())


def test_functions_must_return_strings():
    for analyzer in (lambda text: [1, 2], lambda text: ["a", 1]):
        for options in (
            TextOptions(analyzer=analyzer),
            TextOptions(analyzer=analyzer, n_features=4),
        ):
            with pytest.raises(TypeError, match="analyzer must return strings, got 1 among them"):
                python_counts(["text"], options, None)


def test_half_a_pair_has_no_hash_here():
    options = TextOptions(analyzer="char", n_features=8)
    with pytest.raises(ValueError, match="the text of row 1 holds half of a pair of UTF-16"):
        python_counts(["ok", "a\ud800b", "\udc00"], options, None)


def test_rows_that_are_no_strings():
    with pytest.raises(TypeError, match="that of row 2 is None"):
        python_counts(["a", "b", None], TextOptions(analyzer="char"), None)


def test_runs_of_characters_are_counted_one_by_one():
    """A list of all runs of a long text would be thousands of times as large as the text."""
    text = "".join(np.random.default_rng(0).choice(list("ab cd"), 5_000))
    vectorizer = tb.TextVectorizer(analyzer="char", ngram_range=(1, 20), max_features=50)
    vectorizer.fit([text[:200]])
    tracemalloc.start()
    vectorizer.transform([text])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


@pytest.mark.parametrize("wrong", [(1, 21), (101, 101), (1, 100)])
def test_more_runs_than_anybody_needs_are_refused(wrong):
    with pytest.raises(ValueError, match="ngram_range may have 20 lengths, up to 100, got"):
        tb.TextVectorizer(ngram_range=wrong).fit(["a b"])
