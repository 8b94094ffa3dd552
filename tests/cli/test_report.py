"""``tauboost report`` of rows, tables and texts, and what it refuses."""

from __future__ import annotations

import json

import pytest

import reported
import tauboost as tb
from cli_runs import complaint, run
from html_reading import read


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("linear", "table", "texts", "linear_classes"):
        tb.save_model(reported.KINDS[name]()[0], f"{name}.tauboost")
    _, X, y = reported.table()
    X.assign(y=y).to_csv("new.csv", index=False)
    _, texts, labels = reported.texts()
    rows = [json.dumps({"t": t, "y": label}) for t, label in zip(texts, labels, strict=True)]
    (tmp_path / "new.jsonl").write_text("\n".join(rows))
    _, X, y = reported.linear()
    lines = [
        f"{label:g} " + " ".join(f"{k + 1}:1" for k in X[[j]].indices) for j, label in enumerate(y)
    ]
    (tmp_path / "new.svm").write_text("\n".join(lines) + "\n")
    return tmp_path


KINDS = ["linear", "table", "texts"]
DATA = {
    "linear": ["new.svm"],
    "table": ["new.csv", "--label", "y"],
    "texts": ["new.jsonl", "--text", "t", "--label", "y"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_as_python_makes_it(folder, kind):
    result = run("report", f"{kind}.tauboost", *DATA[kind], "--out", "r.html")
    assert result.exit_code == 0, result.output
    clf, X, y = reported.KINDS[kind]()
    page = tb.report(clf, X, y, name=DATA[kind][0])
    assert result.stdout.splitlines()[0] == page.verdict
    assert result.stdout.splitlines()[-1] == "wrote r.html"
    html = (folder / "r.html").read_text(encoding="utf-8")
    assert page.verdict in read(html).text
    assert "counted from 1" in html


@pytest.mark.parametrize("label", ["-1", "-1.0"])
def test_the_positive_class_is_chosen_by_its_text(folder, label):
    result = run("report", "linear.tauboost", "new.svm", "--positive", label, "--json")
    assert "tells -1 from 1 " in json.loads(result.stdout)["verdict"]


def test_a_document_for_machines(folder):
    result = run("report", "linear.tauboost", "new.svm", "--json")
    document = json.loads(result.stdout)
    assert document["out"] == "report.html"
    assert document["bytes"] == (folder / "report.html").stat().st_size
    assert document["metrics"]["auc"]["low"] < document["metrics"]["auc"]["value"]
    assert document["warnings"] == []


def test_without_data_with_title_notes_and_names(folder):
    (folder / "notes.txt").write_text("For tests only.")
    (folder / "names.txt").write_text("\n".join(f"page {k}" for k in range(300)))
    options = ["--title", "A <title>", "--notes", "notes.txt", "--names", "names.txt"]
    assert run("report", "linear.tauboost", *options, "--out", "r.html").exit_code == 0
    text = read((folder / "r.html").read_text(encoding="utf-8")).text
    assert "A <title>" in text
    assert "For tests only." in text
    assert "page 17" in text


@pytest.mark.parametrize("kind", KINDS)
def test_with_the_verdict_on_the_data(folder, kind):
    result = run("report", f"{kind}.tauboost", *DATA[kind], "--verdict", "--out", "r.html")
    assert result.exit_code == 0, result.output
    assert "The hard core" in (folder / "r.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.tauboost"], "No such file"),
        (["new.csv"], "MODEL: new.csv is none"),
        (["."], "is a folder"),
        (["linear.tauboost", "new.csv"], "is a table"),
        (["linear.tauboost", "missing.svm"], "No such file"),
        (["table.tauboost", "new.svm"], "fitted on a table"),
        (["table.tauboost", "new.csv"], "--label"),
        (["table.tauboost", "new.csv", "--label", "z"], "there is no column 'z'"),
        (["linear.tauboost", "new.svm", "--text", "t"], "--text: for models of texts"),
        (["texts.tauboost", "--names", "new.csv"], "--names: for models of sparse rows"),
        (["linear.tauboost", "--names", "new.csv"], "one for each column"),
        (["linear.tauboost", "--out", "no/r.html"], "no folder"),
        (["linear.tauboost", "--notes", "missing.txt"], "No such file"),
        (["linear.tauboost", "--verdict"], "--verdict: give DATA"),
        (["linear_classes.tauboost", "new.svm", "--verdict"], "label"),
        (["linear.tauboost", "--positive", "spam"], "labels, -1.0 or 1.0, got 'spam'"),
        (["linear_classes.tauboost", "--positive", "red"], "two classes, and this one has 3"),
    ],
)
def test_what_it_refuses_in_one_line(folder, arguments, words):
    assert words in complaint(run("report", *arguments))
    assert not (folder / "report.html").exists()
