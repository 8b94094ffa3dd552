"""``tauboost inspect --verdict``: files, stores and tables, text, JSON and the picture."""

from __future__ import annotations

import json

import pytest

from cli_runs import complaint, run
from extras import needs

# Rows 2 and 4 have equal features and different labels; feature 3 tells rows 1 and 5.
TEXT = b"""+1 1:1 3:1
-1 1:1 2:1
-1 2:1
+1 1:1 2:1
+1 2:1 3:2
-1 1:1
"""


@pytest.fixture
def path(write, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    return write(TEXT)


def test_the_text(path):
    result = run("inspect", path, "--verdict")
    assert (result.exit_code, result.stderr) == (0, "")
    said = " ".join(result.stdout.split())
    assert "The optimum is not attained" in said
    assert "The certificate holds to 1e-09" in said
    assert "2 rows have equal features and different labels" in said
    assert "4 1 2 -1" in said or "2 -1 4 1" in said


def test_the_document(path):
    result = run("inspect", path, "--verdict", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    assert found["verdict"] == "mixed"
    assert found["proof"]["holds"] is True
    assert found["core_rows"] + found["separated_rows"] == found["n_samples"] == 6
    assert found["rows_counted_from"] == 1
    assert sorted(side["rows"][0] for side in found["duplicates"][0]) == [2, 4]
    assert found["margin"] is None


def test_a_store_gives_the_same(path, tmp_path):
    assert run("convert", path, tmp_path / "data.store").exit_code == 0
    documents = []
    for data in (path, tmp_path / "data.store"):
        found = json.loads(run("inspect", data, "--verdict", "--json").stdout)
        documents.append({key: found[key] for key in found.keys() - {"name", "seconds"}})
    assert documents[0] == documents[1]


def test_a_table(tmp_path):
    path = tmp_path / "shop.csv"
    path.write_text("age,town,bought\n25,Bonn,yes\n31,Ulm,no\n25,Bonn,no\n47,Ulm,no\n,Bonn,yes\n")
    result = run("inspect", path, "--label", "bought", "--verdict", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    assert found["verdict"] == "mixed"
    assert found["core_rows"] == 2
    assert [side["label"] for side in found["duplicates"][0]] in (["yes", "no"], ["no", "yes"])


def test_separable_data_have_a_margin(write):
    result = run("inspect", write(b"1 1:1\n2 2:1\n"), "--verdict", "--json")
    found = json.loads(result.stdout)
    assert found["verdict"] == "separable"
    assert found["margin"][0] == pytest.approx(found["margin"][1])
    assert found["heaviest"] == []
    assert "separable" in run("inspect", write(b"1 1:1\n2 2:1\n"), "--verdict").stdout


@needs("matplotlib")
def test_the_picture(path, tmp_path):
    picture = tmp_path / "verdict.png"
    result = run("inspect", path, "--verdict", "--plot", picture)
    assert (result.exit_code, result.stderr) == (0, "")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_what_is_refused(path, tmp_path, write):
    assert "--verdict" in complaint(run("inspect", path, "--plot", tmp_path / "a.png"))
    missing = tmp_path / "no" / "a.png"
    assert "folder" in complaint(run("inspect", path, "--verdict", "--plot", missing))
    assert "--label" in complaint(run("inspect", path, "--verdict", "--label", "x"))
    many = write(b"1 1:1\n2 1:1\n3 1:1\n", "many.svm")
    assert "many.svm" in complaint(run("inspect", many, "--verdict"))
