"""Parameters of a table classifier: each wrong one is refused in a sentence that names it."""

from __future__ import annotations

import pytest

import tauboost as tb
from mixed_table import mixed_table


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interactions": "some"}, "interactions must be 'auto', a number or pairs"),
        ({"interactions": [("x0", "age")]}, "interactions names 'age', and the table has no such"),
        ({"interactions": [("x0", "x0")]}, "pairs 'x0' with itself"),
        ({"interactions": [("x0",)]}, "must hold pairs of columns"),
        ({"monotone": {"town": 1}}, "monotone names 'town', whose values are categories"),
        ({"monotone": {"x0": 2}}, "monotone must be 1, -1 or 0"),
        ({"monotone": {"x0": 1}, "interactions": [("x0", "x2")]}, "monotone and in a pair"),
        ({"l1_ratio": "auto", "alpha": 1.0}, "needs alpha='auto'"),
        ({"loss": "hinge"}, "loss must be"),
        ({"alpha": -1.0}, "alpha must be"),
        ({"time_limit": 0.0}, "time_limit must be"),
    ],
)
def test_what_is_wrong_is_named(options, message):
    table, y = mixed_table(60)
    with pytest.raises((ValueError, TypeError), match=message):
        tb.TableClassifier(**options).fit(table, y)
