"""``tauboost inspect`` of text models: what is counted, and which terms speak for each class."""

from __future__ import annotations

import json

import pytest

import tauboost as tb
from cli_runs import run
from reviews import reviews
from tauboost.kinds.text import KIND, MOST_CLASSES, text_facts, top_rows
from tauboost.models import load


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path


def fitted(labels=("neg", "pos"), **options):
    clf = tb.TextClassifier(random_state=0, **options).fit(*reviews(labels=labels))
    tb.save_model(clf, "m")
    return clf


def test_the_document(folder):
    clf = fitted()
    found = json.loads(run("inspect", "m", "--json").stdout)
    assert (found["kind"], found["classes"]) == ("TextClassifier", ["neg", "pos"])
    assert (found["text"], found["label"]) == (None, None)
    assert found["n_features"] == clf.coef_.shape[1]
    assert found["alpha"] == clf.alpha_
    for fact in found["terms"]:
        top = list(clf.top_features(5, class_=fact["class"]))
        assert [(term["term"], term["weight"]) for term in fact["terms"][:5]] == top


def test_what_people_see(folder):
    fitted(labels=("[b]neg", "pos", "so so"))
    shown = run("inspect", "m").stdout
    for words in ("for [b]neg", "for so so", "great", "weight", "runs of 1 to 2 words"):
        assert words in shown


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ngram_range": (1, 1)}, "features: words"),
        ({"ngram_range": (3, 3), "alpha": 1e-2}, "features: runs of 3 words"),
        ({"analyzer": "char_wb", "ngram_range": (2, 4)}, "features: runs of 2 to 4 characters"),
        ({"analyzer": "char", "ngram_range": (2, 4)}, "features: runs of 2 to 4 characters"),
        ({"n_features": 3000}, "hashed to 3,000"),
    ],
)
def test_what_is_counted_is_said(options, words, folder):
    fitted(**options)
    assert words in text_facts(load("m"))["counted"]


def test_the_names_of_the_fit_are_shown(folder):
    rows = zip(*reviews(), strict=True)
    (folder / "a.jsonl").write_text("".join(json.dumps({"t": t, "y": y}) + "\n" for t, y in rows))
    assert run("fit", "a.jsonl", "--text", "t", "--label", "y", "--out", "m").exit_code == 0
    shown = [" ".join(line.split()) for line in run("inspect", "m").stdout.splitlines()]
    assert {"text t", "label y"} <= set(shown)


def test_many_classes_have_a_line_each(folder):
    """In columns side by side each would be a letter wide."""
    clf = fitted(labels=("red", "green", "blue", "grey"))
    shown = run("inspect", "m").stdout
    for label in clf.classes_:
        assert any({f"for {label}", f"only{label}"} <= parts(line) for line in shown.splitlines())
    facts = [
        {"class": k, "terms": [{"term": f"word{k}", "weight": 1.0}]}
        for k in range(MOST_CLASSES + 128)
    ]
    rows = top_rows(facts)
    assert rows[-1] == ("", "and 128 more classes")
    shown = KIND.facts_table({"terms": facts})
    assert len(shown.rows) == len(rows) == MOST_CLASSES + 1


def parts(line: str) -> set[str]:
    """The words of a line, and its beginning."""
    return {*line.replace(",", " ").split(), line.split("  ", maxsplit=1)[0].strip()}
