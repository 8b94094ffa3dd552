"""``tauboost inspect --plan``."""

from __future__ import annotations

import json

import pytest

import tauboost as tb
from cli_runs import complaint, run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("plan")
    tb.generate_w8a(path / "w8a.svm", scale=0.05, as_text=True)
    tb.generate_w8a(path / "w8a.store", scale=0.05)
    return path


@pytest.mark.parametrize("name", ["w8a.svm", "w8a.store"])
def test_a_newcomer_reads_it(folder, name):
    result = run("inspect", folder / name, "--plan")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"{name}: 2,487 samples, 300 features")
    for words in ("Reading", "default fit about", "beyond the data", "Worth using"):
        assert words in result.stdout


def test_the_document(folder):
    result = run("inspect", folder / "w8a.svm", "--plan", "--json", "--threads", "1")
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    assert (found["n_samples"], found["n_threads"]) == (2487, 1)
    assert found["fit_seconds"] > 0
    assert found["how"]["read_seconds"] == "measured"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("t.csv", "--plan is for svmlight files and stores, and t.csv is a table"),
        ("-", "--plan reads data twice"),
        ("none.svm", "none.svm"),
        ("m.tauboost", "--plan: m.tauboost is a model"),
        ("one.svm", "one.svm: y has one class only"),
    ],
)
def test_refusals(folder, monkeypatch, name, words):
    monkeypatch.chdir(folder)
    (folder / "t.csv").write_text("x,y\n1,2\n")
    (folder / "one.svm").write_text("1 1:1\n1 2:1\n")
    X, y = tb.make_w8a_like(300, random_state=0)
    tb.save_model(tb.TauBoostClassifier(alpha=1.0).fit(X, y), folder / "m.tauboost")
    assert words in complaint(run("inspect", name, "--plan"))
