"""Characters: what the compiled code knows of each is what the interpreter knows."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from odd_texts import oracle, same_matrix
from tauboost import TextVectorizer
from tauboost.texts.vocabulary import LIMITS, characters_of

WAYS = [
    {},
    {"token_pattern": r"\w+", "lowercase": False},
    {"token_pattern": r"\w+", "ngram_range": (1, 2)},
    {"analyzer": "char_wb", "ngram_range": (2, 3)},
]


def assigned():
    return [chr(c) for c in range(sys.maxunicode + 1) if unicodedata.category(chr(c)) != "Cn"]


def around(characters):
    """Each alone, within a word, twice, at both ends of a word, and beside a space."""
    return [f"{c} x{c}y {c}{c}a B{c} {c}\u0301{c}" for c in characters]


def compare(options, characters):
    texts = around(characters)
    texts = [" ".join(texts[k : k + 50]) for k in range(0, len(texts), 50)]
    ours, theirs = TextVectorizer(**options), oracle(options)
    same_matrix(ours.fit_transform(texts), theirs.fit_transform(texts))
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    same_matrix(ours.transform(texts[:9]), theirs.transform(texts[:9]))


@pytest.mark.parametrize("options", WAYS, ids=str)
def test_some_of_all_characters(options):
    """Those whose lower case differs, all digits and space, Latin, and one of twenty others."""
    chosen = [
        c
        for k, c in enumerate(assigned())
        if c.lower() != c or c.isspace() or c.isdigit() or ord(c) < 0x250 or k % 20 == 0
    ]
    compare(options, chosen)


@pytest.mark.slow
@pytest.mark.parametrize("options", WAYS, ids=str)
def test_every_assigned_character(options):
    compare(options, assigned())


@pytest.mark.parametrize("width", LIMITS)
def test_only_as_many_are_looked_up_as_texts_can_have(width):
    assert len(characters_of(width)) == LIMITS[width]
    assert characters_of(width) is characters_of(width)


def test_only_two_lower_cases_are_odd():
    """The compiled code hands over texts with these to the interpreter; there must be no others."""
    longer = [c for c in map(chr, range(sys.maxunicode + 1)) if len(c.lower()) > 1]
    assert longer == ["İ"]
    by_place = [c for c in map(chr, range(sys.maxunicode + 1)) if f"a{c}".lower()[1:] != c.lower()]
    assert by_place == ["Σ"]
