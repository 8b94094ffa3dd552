"""Columns as numbers or words: what the cells are is told by their types, and kept once each."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from tauboost.validation.values import Words, as_words, from_array, from_distinct, words_of


def test_words_keep_each_string_once():
    words = words_of(["b", "a", None, "b"])
    assert words.words == ("b", "a")
    assert words.places.tolist() == [0, 1, -1, 0]
    assert len(words) == 4


def test_numbers_as_words():
    words = as_words(np.array([0.0, -0.0, 2.5, np.nan, 1e20, -3.0]))
    assert words.words == ("-3", "0", "2.5", "1e+20")
    assert words.places.tolist() == [1, 1, 2, -1, 3, 0]
    assert as_words(words) is words
    assert as_words(np.array([np.nan])).places.tolist() == [-1]


def test_rows_by_their_places_among_different_cells():
    places = np.array([1, 0, -1, 2], dtype=np.int32)
    words = from_distinct(["a", "b", None], places, "c")
    assert words.places.tolist() == [1, 0, -1, -1]
    numbers = from_distinct([1, True, Decimal("0.5")], places, "c")
    assert np.array_equal(numbers, [1, 1, np.nan, 0.5], equal_nan=True)
    words = from_distinct([3, 1.0, None], places, "c", is_category=True)
    assert [words.words[place] for place in words.places[:2]] == ["1", "3"]
    assert words.places[2:].tolist() == [-1, -1]


def test_strings_of_every_type_are_strings():
    arrays = [np.array(["a", "b"]), np.array([np.str_("a"), "b"], dtype=object)]
    if hasattr(np.dtypes, "StringDType"):  # of NumPy 2
        arrays.append(np.array(["a", "b"], dtype=np.dtypes.StringDType()))
    for array in arrays:
        words = from_array(array, "c")
        assert isinstance(words, Words)
        assert [type(word) for word in words.words] == [str, str]


def test_nothing_but_missing_cells_are_numbers():
    assert np.isnan(from_array(np.array([None, None]), "c")).all()


def test_lists_beside_strings_are_refused_as_lists():
    with pytest.raises(TypeError, match="nested"):
        from_array(np.array(["a", None, {}], dtype=object), "c")
