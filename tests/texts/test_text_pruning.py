"""Which features stay: scikit-learn's meaning of numbers and parts of texts."""

from __future__ import annotations

import numpy as np
import pytest

from tauboost.texts.features import NOTHING_FOUND, NOTHING_LEFT, staying, text_bounds
from tauboost.texts.options import TextOptions


@pytest.mark.parametrize(
    ("options", "bounds"),
    [
        ({}, (1, 10)),
        ({"min_df": 2, "max_df": 3}, (2, 3)),
        ({"min_df": 0.25, "max_df": 0.75}, (3, 7)),
        ({"min_df": 0.0, "max_df": 1}, (1, 1)),  # a feature in no text is none
        ({"min_df": 1.0}, (10, 10)),
        ({"max_df": 99}, (1, 99)),
        ({"min_df": 0.0, "max_df": 0.0}, (1, 0)),
        ({"min_df": np.float32(0.5), "max_df": np.int64(6)}, (5, 6)),
    ],
)
def test_bounds(options, bounds):
    assert text_bounds(TextOptions(**options), 10) == bounds


def test_bounds_that_exclude_each_other():
    with pytest.raises(ValueError, match="at most 2 texts, and min_df wants at least 3"):
        text_bounds(TextOptions(min_df=3, max_df=0.2), 10)
    with pytest.raises(ValueError, match="at least 11 texts, and there are 10: lower it"):
        text_bounds(TextOptions(min_df=11), 10)
    with pytest.raises(ValueError, match="there are no texts to find words in"):
        text_bounds(TextOptions(), 0)


def stays(with_term, totals=None, **options):
    found = staying(TextOptions(**options), np.array(with_term), totals, 5)
    return np.flatnonzero(found).tolist()


def test_what_stays():
    with_term = [1, 5, 3, 0, 2]
    totals = np.array([9, 8, 3, 0, 20])
    assert stays(with_term) == [0, 1, 2, 4]
    assert stays(with_term, min_df=2, max_df=0.8) == [2, 4]
    assert stays(with_term, totals, max_features=2) == [0, 4]
    assert stays(with_term, totals, max_features=2, min_df=2) == [1, 4]
    assert stays(with_term, totals, max_features=9) == [0, 1, 2, 4]


def test_nothing_stays():
    for with_term, options, message in (
        ([], {}, NOTHING_FOUND),
        ([0, 0], {"min_df": 2}, NOTHING_FOUND),
        ([1, 1], {"min_df": 2}, NOTHING_LEFT),
        ([5], {"max_df": 0.5}, NOTHING_LEFT),
    ):
        with pytest.raises(ValueError, match=r".") as caught:
            stays(with_term, **options)
        assert str(caught.value) == message
