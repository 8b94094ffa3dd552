"""Explanations of rows: they add up to the decision value, for whichever class."""

from __future__ import annotations

import pytest

import reported
from html_reading import read
from tauboost.kinds.rows import RowExplanation
from tauboost.reporting.page import _named
from tauboost.reporting.rows_section import LONGEST, marked


@pytest.mark.parametrize("name", list(reported.KINDS))
def test_explanations_add_up(name):
    clf, X, _ = reported.KINDS[name]()
    named = _named(clf, None, None)
    rows = named.kind.rows(named, named.kind.take(clf, X), 1)
    assert rows.decisions.squeeze() == pytest.approx(clf.decision_function(X))
    for row in (0, 7):
        for code in range(len(clf.classes_)):
            explained = rows.explain(row, code)
            wanted = rows.decisions[row, -1 if len(clf.classes_) == 2 else code]
            sign = -1 if len(clf.classes_) == 2 and code == 0 else 1
            assert explained.decision == pytest.approx(sign * wanted)
            parts = sum(part.contribution for part in explained.parts)
            assert explained.intercept + parts + explained.rest == pytest.approx(explained.decision)


def test_a_long_text_shows_where_most_is_said():
    text = "a" * 3000 + " superb " + "b" * 3000
    explained = RowExplanation(
        [], 0, 0.0, 0.0, 1.0, text, [(2.0, ((3001, 3007),)), (-0.1, ((0, 5),))]
    )
    found = read(marked(explained))
    assert "superb" in found.text
    assert "(6,008 characters)" in found.text
    assert len(found.text) < LONGEST + 60
    assert ("mark", {"class": "for5"}) in found.tags


def test_marks_of_terms_that_lie_within_each_other():
    explained = RowExplanation(
        [], 0, 0.0, 0.0, 1.0, "not dull <b>", [(-1.0, ((4, 8),)), (3.0, ((0, 8),))]
    )
    found = read(marked(explained))
    assert found.text == "not dull <b>"
    assert [a["class"] for name, a in found.tags if name == "mark"] == ["for5", "for3"]
