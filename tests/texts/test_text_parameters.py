"""What a fit makes of the parameters of a text classifier: checked before any work."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from tauboost.parameters import LinearParameters, TextParameters
from tauboost.texts.options import FEW_TEXTS, MANY_TEXTS, linear_part, text_options

DEFAULTS = TextParameters()


def test_the_linear_part_is_that_of_the_other_classifier():
    linear = linear_part(replace(DEFAULTS, alpha=0.5, calibration="sigmoid"))
    assert vars(linear) == vars(LinearParameters(alpha=0.5, calibration="sigmoid"))
    assert {field.name for field in fields(LinearParameters)} <= vars(DEFAULTS).keys()


def test_rare_terms_of_few_texts_count():
    assert text_options(DEFAULTS, FEW_TEXTS - 1).min_df == 1
    assert text_options(DEFAULTS, FEW_TEXTS).min_df == 2
    assert text_options(DEFAULTS, MANY_TEXTS - 1).min_df == 2
    assert text_options(DEFAULTS, MANY_TEXTS).min_df == 3
    assert text_options(replace(DEFAULTS, min_df=5), 10).min_df == 5
    assert text_options(replace(DEFAULTS, min_df=0.5), 10**6).min_df == 0.5


def test_what_is_counted():
    options = text_options(replace(DEFAULTS, ngram_range=[1, 3], stop_words={"of", "a"}), 10)
    assert options.ngram_range == (1, 3)
    assert options.stop_words == ("a", "of")
    assert "whenever" in text_options(replace(DEFAULTS, stop_words="english"), 10).stop_words
    assert not options.alternate_sign


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"min_df": "few"}, "min_df must be 'auto' or a number, got 'few'"),
        ({"min_df": 0}, "min_df must be"),
        ({"min_df": None}, "min_df must be"),
        ({"max_df": 1.5}, "max_df must be"),
        ({"ngram_range": (2, 1)}, "ngram_range must ascend"),
        ({"ngram_range": 2}, "ngram_range must be two numbers"),
        ({"ngram_range": "12"}, "ngram_range must be two numbers"),
        ({"analyzer": "words"}, "analyzer must be"),
        ({"token_pattern": "("}, "token_pattern is not a regular expression"),
        ({"token_pattern": "(a)(b)"}, "token_pattern must have at most one group"),
        ({"stop_words": "french"}, "stop_words must be None, 'english' or a list"),
        ({"stop_words": [1]}, "stop_words must hold strings"),
        ({"stop_words": 5}, "stop_words must be None"),
        ({"norm": "max"}, "norm must be None, 'l1' or 'l2'"),
        ({"n_features": 0}, "n_features must be"),
        ({"n_features": 2**31}, "n_features must be"),
        ({"n_features": 8, "max_features": 8}, "exclude each other"),
        ({"max_features": 0}, "max_features must be"),
    ],
)
def test_bad_options(changes, reason):
    with pytest.raises((TypeError, ValueError), match=reason) as caught:
        text_options(replace(DEFAULTS, **changes), 10)
    assert "\n" not in str(caught.value)
