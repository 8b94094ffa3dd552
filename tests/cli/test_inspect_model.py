"""``tauboost inspect`` of model files: how they were fitted, and what matters most."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import tauboost as tb
from cli_runs import complaint, run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"[b]age": rng.normal(size=300), "town": rng.choice(list("abc"), 300)})
    y = np.where(table["[b]age"] + (table["town"] == "a") > 0.3, "yes", "no")
    clf = tb.TableClassifier(interactions=[("[b]age", "town")], random_state=0)
    tb.save_model(clf.fit(table, y), "table")
    linear = tb.TauBoostClassifier(alpha=1e-2).fit(rng.normal(size=(300, 4)), np.arange(300) % 3)
    tb.save_model(linear, "linear")
    tb.save_model(linear.sparsify(), "sparse")
    return tmp_path


def test_the_document_of_a_table_model(folder):
    result = run("inspect", "table", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    found, clf = json.loads(result.stdout), tb.load_model("table")
    assert (found["kind"], found["classes"]) == ("TableClassifier", ["no", "yes"])
    assert (found["alpha"], found["sweeps"]) == (clf.alpha_, clf.n_iter_)
    importances = [term["importance"] for term in found["terms"]]
    assert importances == sorted(clf.importances_.tolist(), reverse=True)
    assert {term["kind"] for term in found["terms"]} == {"numbers", "categories", "pair"}


def test_what_people_see(folder):
    shown = run("inspect", "table").stdout
    for words in ("[b]age x town", "importance", "categories", "logistic loss", "no, yes"):
        assert words in shown


@pytest.mark.parametrize("name", ["linear", "sparse"])
def test_linear_models(folder, name):
    found = json.loads(run("inspect", name, "--json").stdout)
    clf = tb.load_model("linear")
    assert found["nonzero_weights"] == np.count_nonzero(clf.coef_)
    assert abs(found["weights"][0]["weight"]) == np.abs(clf.coef_).max()
    assert "above 0 speaks for" in run("inspect", name).stdout


def test_an_edited_model_has_no_objective(folder):
    clf = tb.load_model("table")
    clf = clf.edit_term("town", remove=True)
    tb.save_model(clf, "edited")
    assert json.loads(run("inspect", "edited", "--json").stdout)["objective"] == [None]
    assert run("inspect", "edited").exit_code == 0


def test_bad_input(folder):
    assert "--verify: table is a model" in complaint(run("inspect", "table", "--verify"))
    assert "--label: table is a model" in complaint(run("inspect", "table", "--label", "x"))
    damaged = bytearray((folder / "table").read_bytes())
    damaged[-3] ^= 1
    (folder / "table").write_bytes(damaged)
    assert "cannot be loaded" in complaint(run("inspect", "table"))
