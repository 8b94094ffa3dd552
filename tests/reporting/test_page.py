"""The page: its policy names its own style and script, and nothing else is let in."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

import reported
import tauboost as tb
from html_reading import read


def test_the_policy_names_what_is_within():
    html = tb.report(reported.linear()[0]).html
    [policy] = [a["content"] for _, a in read(html).tags if a.get("http-equiv")]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for element in ("style", "script"):
        [content] = re.findall(f"<{element}>(.*?)</{element}>", html, flags=re.DOTALL)
        digest = b64encode(sha256(content.encode()).digest()).decode()
        assert f"{element}-src 'sha256-{digest}'" in policy


def test_it_has_no_style_attribute_and_no_address():
    clf, X, y = reported.texts()
    found = read(tb.report(clf, X, y).html)
    for _, attributes in found.tags:
        assert "style" not in attributes
        assert not attributes.get("href", "#").strip().startswith(("http", "//"))
        assert "src" not in attributes


def test_ids_are_there_once_and_links_lead_to_them():
    clf, X, y = reported.table()
    tags = read(tb.report(clf, X, y).html).tags
    ids = [a["id"] for _, a in tags if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for name, a in tags if name == "a"} <= set(ids)
