"""Options of texts: what is taken, and one sentence for what is not."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from tauboost.texts.options import TextOptions, check_stop_words, shortest_word


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ngram_range": 3}, "ngram_range must be two numbers as in (1, 2), got 3"),
        ({"ngram_range": (1, 2, 3)}, "ngram_range must be two numbers"),
        ({"ngram_range": "12"}, "ngram_range must be two numbers"),
        ({"ngram_range": None}, "ngram_range must be two numbers"),
        ({"ngram_range": (2, 1)}, "ngram_range must ascend as in (1, 2), got (2, 1)"),
        ({"ngram_range": (0, 1)}, "ngram_range must be at least 1, got 0"),
        ({"ngram_range": (1.0, 2)}, "ngram_range must be an integer, got 1.0"),
        ({"analyzer": "chars"}, "analyzer must be one of 'word', 'char', 'char_wb', got 'chars'"),
        ({"token_pattern": None}, "token_pattern must be a string, got None"),
        ({"token_pattern": "("}, "token_pattern is not a regular expression: missing )"),
        ({"token_pattern": "(a)(b)"}, "token_pattern must have at most one group"),
        ({"min_df": 0}, "min_df must be at least 1, got 0"),
        ({"min_df": 1.5}, "min_df must be at least 0 and at most 1, got 1.5"),
        ({"min_df": True}, "min_df must be an integer, got True"),
        ({"max_df": float("nan")}, "max_df must be at least 0 and at most 1, got nan"),
        ({"max_df": "all"}, "max_df must be an integer, got 'all'"),
        ({"max_features": 0}, "max_features must be at least 1, got 0"),
        ({"n_features": 0}, "n_features must be at least 1, got 0"),
        ({"n_features": 2**31}, "n_features must be at most 2147483647, got 2147483648"),
        ({"n_features": 8, "max_features": 2}, "max_features and n_features exclude each other"),
        (
            {"n_features": 8, "sublinear_tf": True},
            "sublinear_tf takes logarithms, and hashed",
        ),
        ({"norm": "l3"}, "norm must be None, 'l1' or 'l2', got 'l3'"),
        ({"norm": [1]}, "norm must be None, 'l1' or 'l2', got [1]"),
        ({"lowercase": "yes"}, "lowercase must be True or False, got 'yes'"),
        ({"binary": 1}, "binary must be True or False, got 1"),
        ({"use_idf": None}, "use_idf must be True or False, got None"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises((TypeError, ValueError)) as caught:
        TextOptions(**options).checked()
    assert str(caught.value).startswith(message)


def test_numbers_of_numpy_are_taken():
    options = TextOptions(
        ngram_range=np.array([1, 2]),
        min_df=np.int64(2),
        max_df=np.float32(0.5),
        binary=np.True_,
        n_features=np.int32(8),
    ).checked()
    assert options.ngram_range == (1, 2)
    assert options.binary is True


def test_those_of_an_estimator():
    estimator = SimpleNamespace(**vars(TextOptions()), other=3)
    estimator.ngram_range = [2, 3]
    options = TextOptions.of(estimator, stop_words=("a",))
    assert options.ngram_range == (2, 3)
    assert options.stop_words == ("a",)


@pytest.mark.parametrize(
    ("options", "prunes"),
    [
        ({}, False),
        ({"min_df": 0.0}, False),
        ({"min_df": 1.0}, True),  # a part of the texts: all of them
        ({"min_df": 2}, True),
        ({"min_df": 0.1}, True),
        ({"max_df": 1}, True),  # a number of texts
        ({"max_df": 0.9}, True),
        ({"max_df": 10}, True),
    ],
)
def test_whether_features_are_left_out(options, prunes):
    assert TextOptions(**options).prunes is prunes


@pytest.mark.parametrize(
    ("pattern", "shortest"),
    [
        (r"(?u)\b\w\w+\b", 2),
        (r"\b\w\w+\b", 2),
        (r"\w\w+", 2),
        (r"(?u)\b\w+\b", 1),
        (r"\w+", 1),
        (r"\w\w\w+", None),
        (r"(?a)\w+", None),
        (r"\w", None),
        (r"(\w+)", None),
        (r"[a-z]+", None),
    ],
)
def test_patterns_that_are_compiled(pattern, shortest):
    assert shortest_word(pattern) == shortest
    assert TextOptions(token_pattern=pattern).is_plain is (shortest is not None)
    assert TextOptions(token_pattern=pattern, analyzer="char_wb").is_plain
    assert not TextOptions(token_pattern=pattern, analyzer="char").is_plain
    assert not TextOptions(token_pattern=pattern, analyzer=str.split).is_plain


@pytest.mark.parametrize("weights", [{"use_idf": True}, {"sublinear_tf": True}, {"norm": "l1"}])
def test_weights(weights):
    assert TextOptions(**weights).is_weighted
    assert not TextOptions(binary=True).is_weighted


def test_stop_words():
    assert check_stop_words(None) == ()
    assert "the" in check_stop_words("english")
    assert check_stop_words(["b", "a", "b"]) == ("a", "b")
    assert check_stop_words(np.array(["x"])) == ("x",)
    for wrong in ("german", 3):
        with pytest.raises((TypeError, ValueError), match="must be None, 'english' or a list of"):
            check_stop_words(wrong)
    with pytest.raises(TypeError, match="stop_words must hold strings, got 1"):
        check_stop_words(["a", 1])
