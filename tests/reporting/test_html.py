"""Every string becomes text, whatever it holds."""

from __future__ import annotations

import pytest
from hypothesis import given as over
from hypothesis import settings
from hypothesis import strategies as st

from hostile_reports import HOSTILE, LONG
from html_reading import read
from tauboost.reporting.html import Markup, given, join, safe, tag


@pytest.mark.parametrize("text", [*HOSTILE, LONG])
def test_hostile_strings_are_one_element_of_text(text):
    found = read(tag("td", given(text), title=text))
    assert [name for name, _ in found.tags] == ["td", "bdi"]
    assert set(found.tags[0][1]) == {"title"}


@over(st.text())
@settings(max_examples=50)
def test_any_text_can_be_written(text):
    html = tag("td", given(text), title=text)
    html.encode()
    found = read(html)
    assert [name for name, _ in found.tags] == ["td", "bdi"]
    assert not set("\x00\x1b\u202e\u2066") & set(html)


def test_plain_text_stays_as_it_is():
    assert safe("age <= 31 & town") == "age &lt;= 31 &amp; town"
    assert read(given("żółć שלום 東京 👩‍🚀")).text == "żółć שלום 東京 👩‍🚀"


def test_what_cannot_be_shown_is_shown_as_such():
    assert safe("a\tb\x00\x7f\x80") == "a␉b␀␡\ufffd"
    assert read(given("")).text == "''"
    assert read(given("  ")).text == "'  '"


def test_long_texts_say_how_long_they_are():
    found = read(given(LONG)).text
    assert len(found) < 100
    assert f"({len(LONG):,} characters)" in found


def test_children_and_attributes():
    html = tag(
        "a", "<b>", Markup("<i>x</i>"), None, 3, class_="n", data_v=1.5, hidden=True, id=None
    )
    assert html == '<a class="n" data-v="1.5" hidden>&lt;b&gt;<i>x</i>3</a>'
    assert tag("input", type="range") == '<input type="range">'
    assert tag("path", d="M0 0") == '<path d="M0 0"/>'
    assert join(["<", Markup("<")]) == "&lt;<"
