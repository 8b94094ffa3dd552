"""How values are shown in messages: as people write them, on one line, and short."""

from __future__ import annotations

import numpy as np
import pytest

from tauboost.base.messages import shown


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
