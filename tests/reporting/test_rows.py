"""Stories of rows: they add up to the decision value, for whichever class."""

from __future__ import annotations

import pytest

import reported
from html_reading import read
from tauboost.reporting.door import _rows
from tauboost.reporting.marked_text import LONGEST, marked
from tauboost.reporting.rows import Story
from tauboost.reporting.subject import subject_of


@pytest.mark.parametrize("name", list(reported.KINDS))
def test_stories_add_up(name):
    clf, X, _ = reported.KINDS[name]()
    rows = _rows(subject_of(clf, None), clf, X, 1)
    assert rows.decisions.squeeze() == pytest.approx(clf.decision_function(X))
    for row in (0, 7):
        for code in range(len(clf.classes_)):
            story = rows.story(row, code)
            wanted = rows.decisions[row, -1 if len(clf.classes_) == 2 else code]
            sign = -1 if len(clf.classes_) == 2 and code == 0 else 1
            assert story.decision == pytest.approx(sign * wanted)
            parts = sum(part.contribution for part in story.parts)
            assert story.intercept + parts + story.rest == pytest.approx(story.decision)


def test_a_long_text_shows_where_most_is_said():
    text = "a" * 3000 + " superb " + "b" * 3000
    story = Story([], 0, 0.0, 0.0, 1.0, text, [(2.0, ((3001, 3007),)), (-0.1, ((0, 5),))])
    found = read(marked(story))
    assert "superb" in found.text
    assert "(6,008 characters)" in found.text
    assert len(found.text) < LONGEST + 60
    assert ("mark", {"class": "for5"}) in found.tags


def test_marks_of_terms_that_lie_within_each_other():
    story = Story([], 0, 0.0, 0.0, 1.0, "not dull <b>", [(-1.0, ((4, 8),)), (3.0, ((0, 8),))])
    found = read(marked(story))
    assert found.text == "not dull <b>"
    assert [a["class"] for name, a in found.tags if name == "mark"] == ["for5", "for3"]
