"""Terms in one piece: as good as a sorted list of strings."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tauboost.texts.vocabulary import Terms

# Any character, halves of pairs of UTF-16 and NUL too.
STRINGS = st.sets(st.text(st.characters(), max_size=8), max_size=30).map(sorted)


@given(STRINGS, st.text(st.characters(), max_size=3))
def test_a_sorted_list(strings, other):
    terms = Terms.of(strings)
    assert len(terms) == len(strings)
    assert [terms[k] for k in range(len(terms))] == strings
    assert terms.names.tolist() == strings
    assert terms.numbers == {string: k for k, string in enumerate(strings)}
    assert [terms.find(string) for string in strings] == list(range(len(strings)))
    assert terms.find(other) == (strings.index(other) if other in strings else -1)


@given(STRINGS, st.data())
def test_some_of_them(strings, data):
    kept = data.draw(st.sets(st.sampled_from(range(len(strings)))) if strings else st.just(set()))
    chosen = Terms.of(strings).select(np.array(sorted(kept), dtype=np.intp))
    assert chosen.names.tolist() == [strings[k] for k in sorted(kept)]
    assert chosen.offsets.dtype == np.int64
    assert chosen.text.dtype == np.uint8


def test_names_are_one_array_and_not_pickled():
    terms = Terms.of(["a", "b", "漢"])
    size = len(pickle.dumps(terms))
    assert terms.names is terms.names
    assert terms.names.dtype == object
    assert len(terms.numbers) == 3
    assert len(pickle.dumps(terms)) == size
    assert pickle.loads(pickle.dumps(terms)).names.tolist() == ["a", "b", "漢"]


@given(STRINGS, STRINGS)
def test_two_lists_become_one(first, second):
    merged, here, there = Terms.of(first).merged(Terms.of(second))
    both = sorted(set(first) | set(second))
    assert merged.names.tolist() == both
    assert here.tolist() == [both.index(string) for string in first]
    assert there.tolist() == [both.index(string) for string in second]


def test_offsets_that_cut_nothing_are_refused():
    good, bad = Terms.of(["a", "b"]), Terms.of(["a", "b"])
    for offsets in ([0, 2, 1], [0, 1, 9], [1, 2], []):
        bad.offsets = np.array(offsets, dtype=np.int64)
        for one, other in ((good, bad), (bad, good)):
            with pytest.raises(ValueError, match="offsets do not cut the text"):
                one.merged(other)
