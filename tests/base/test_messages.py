"""How values are shown in messages: as people write them, on one line, and short."""

from __future__ import annotations

import numpy as np
import pytest

from tauboost.base.messages import listed, shown, unknown


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float64(1.0), "1.0"),
        (np.str_("a"), "'a'"),
        ([np.float64(1.0), np.int32(2)], "[1.0, 2]"),
        ((np.str_("a"), np.True_), "('a', True)"),
        ({"x": np.float32(0.5)}, "{'x': 0.5}"),
        ("two\nlines", r"'two\nlines'"),
        ("x" * 100, "'" + "x" * 56 + "..."),
        (object(), "an object of type object"),
    ],
)
def test_shown(value, expected):
    assert shown(value) == expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], "none"),
        (["a", "b c", 3], "a, b c, 3"),
        ([*range(1012)], "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1,002 more"),
        (["", "two\nlines", "x" * 100], r"'', 'two\nlines', '" + "x" * 56 + "..."),
    ],
)
def test_listed(names, expected):
    assert listed(names) == expected


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("labl", "there is no field 'labl'; did you mean 'label'? there are label, id"),
        ("LABEL", "there is no field 'LABEL'; did you mean 'label'? there are label, id"),
        ("kind", "there is no field 'kind'; there are label, id"),
    ],
)
def test_unknown_names_get_the_nearest(name, words):
    assert unknown("field", name, ["label", "id"]) == words
