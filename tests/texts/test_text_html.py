"""Marked texts as HTML: well-formed and escaped whatever the text is, marked where terms are."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.dom.minidom import parseString

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from small_texts import fitted
from tauboost.texts.explanation import AGAINST, FOR, TermContribution, marked_text

WORDS = fitted()
CHARACTERS = fitted(3, analyzer="char_wb", ngram_range=(1, 3))
HOSTILE = [
    "<script>alert('good film')</script>",
    '"><img src=x onerror=alert(1)> good',
    "good & bad &lt; film &amp;",
    "good\0film\x1b[31m\x9b bad\ud800",
    "good \u202efilm\u2066 bad",
    "]]> <!-- good --> <![CDATA[",
    "' onmouseover='alert(1) good film",
]


class Seen(HTMLParser):
    """Collects tags, attributes and text."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text += data


def parsed(html):
    seen = Seen()
    seen.feed(html)
    seen.close()
    parseString(html)  # every element is closed
    html.encode()
    assert seen.tags <= {"div", "span", "table", "tr", "td"}
    assert seen.attributes <= {"style", "class", "title", "dir"}
    assert not re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", html)
    return seen


@pytest.mark.parametrize("clf", [WORDS, CHARACTERS], ids=["words", "characters"])
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts(clf, text):
    parsed(clf.explain(text).html())
    parsed(clf.explain(text)._repr_html_())


@given(st.text(max_size=40))
def test_any_text(text):
    found = CHARACTERS.explain(text)
    seen = parsed(found.html())
    shown = re.sub("[^\ufffd\\w]", "", seen.text)
    for letter in re.findall(r"\w", found.text):
        assert letter in shown or "\ufffd" in shown


def test_hostile_labels():
    labels = ["<b>x</b>", "\x1b&"]
    clf = fitted().fit(["good film", "bad film"] * 5, labels * 5)
    seen = parsed(clf.explain("good").html())
    assert "<b>x</b>" in seen.text


def test_what_is_marked():
    html = WORDS.explain("A GOOD film, dull").html()
    marks = re.findall(r'rgba\((\d+,\d+,\d+),([\d.]+)\)[^>]*title="([^"]*)">([^<]*)<', html)
    found = {
        text.strip(): (colour, float(strength), title) for colour, strength, title, text in marks
    }
    assert found["GOOD"][0] == FOR
    assert found["dull"][0] == AGAINST
    assert "dull -" in found["dull"][2]
    assert max(strength for _, strength, _ in found.values()) == 0.6
    seen = parsed(html)
    assert "for good" in seen.text
    assert "for bad" in seen.text
    assert "A GOOD film, dull" in seen.text


def test_several_classes_have_a_legend_and_a_row_each():
    seen = parsed(fitted(3).explain("odd and dull film").html())
    assert "for odd" in seen.text
    assert "against odd" in seen.text
    for label in ("bad", "good", "odd"):
        assert re.search(rf"{label}\d\.\d\d\d", seen.text)


def test_terms_at_one_place_add_up():
    terms = [
        TermContribution("good film", 0.5, ((0, 9),)),
        TermContribution("film", -0.4, ((5, 9), (11, 15))),
    ]
    marked = marked_text("good film, film", terms)
    strengths = [float(s) for s in re.findall(r"rgba\([^)]*,([\d.]+)\)", marked)]
    # good: 0.5; a space between; film: 0.5 - 0.2; film alone: -0.2
    np.testing.assert_allclose(strengths, [0.6, 0.36, 0.24], atol=0.005)
    assert marked.count(FOR) == 2
    assert marked.count(AGAINST) == 1
    assert re.sub("<[^>]*>", "", marked) == "good film, film"


def test_nothing_to_mark():
    assert marked_text("a < b", []) == "a &lt; b"
    assert marked_text("", []) == ""
    assert marked_text("ab", [TermContribution("ab", 0.0, ((0, 2),))]) == "ab"
