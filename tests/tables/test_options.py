"""Parameters of a table classifier: each wrong one is refused in a sentence that names it."""

from __future__ import annotations

import numpy as np
import pandas as pd
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
        ({"monotonic_cst": {"town": 1}}, "monotonic_cst names 'town', whose values are categories"),
        ({"monotonic_cst": {"x0": 2}}, "monotonic_cst must be 1, -1 or 0"),
        ({"monotonic_cst": {"x0": 1}, "interactions": [("x0", "x2")]}, "monotone and in a pair"),
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


class TestColumnsNamedByNumbers:
    x = np.random.default_rng(0).integers(0, 9, (400, 4))
    y = x[:, 0] + x[:, 1] > 8

    @pytest.mark.parametrize("labels", [[1, 2, 3, 4], ["1", "2", "3", "4"], np.arange(1, 5)])
    def test_a_number_is_a_name(self, labels):
        table = pd.DataFrame(self.x, columns=labels)
        clf = tb.TableClassifier(
            monotonic_cst={3: 1},
            interactions=[(1, 2)],
            categorical_features=[np.int64(2)],
            alpha=1e-3,
        ).fit(table, self.y)
        assert [term.name for term in clf.terms_ if term.kind == "pair"] == ["1 x 2"]
        assert [term.name for term in clf.terms_ if term.kind == "category"] == ["2"]
        assert np.all(np.diff(clf.terms_["3"].scores[:-1]) >= 0)

    @pytest.mark.parametrize(
        "options",
        [{"monotonic_cst": {0: 1}}, {"interactions": [(0, 1)]}, {"categorical_features": [0]}],
    )
    def test_a_position_could_be_mistaken_for_a_name(self, options):
        table = pd.DataFrame(self.x, columns=["age", 2020, 2021, 2022])
        with pytest.raises(ValueError, match=r"names 0, and the table has no such column: give"):
            tb.TableClassifier(**options).fit(table, self.y)

    @pytest.mark.parametrize("columns", [None, ["a", "b", "c", "d"], range(4)])
    def test_else_it_is_a_position(self, columns):
        table = self.x if columns is None else pd.DataFrame(self.x, columns=columns)
        clf = tb.TableClassifier(categorical_features=[1], alpha=1e-3, interactions=0).fit(
            table, self.y
        )
        assert [column.is_ordered for column in clf.columns_] == [True, False, True, True]
