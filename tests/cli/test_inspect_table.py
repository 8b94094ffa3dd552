"""``tauboost inspect`` of tables: what is shown of each column, and what is refused."""

from __future__ import annotations

import json

import pytest

from cli_runs import complaint, run

TEXT = """age,town,when,empty,bought,pay
25,Bonn,2024-01-01,,yes,1.5
31,,2024-01-02,,no,inf
,Ulm,2024-01-03,,yes,2
47,[bold]Bonn,2024-01-04,,no,3
25,Bonn,2024-01-05,,no,4
"""


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    path = tmp_path / "shop.csv"
    path.write_text(TEXT)
    return path


def test_the_document(path):
    result = run("inspect", path, "--label", "bought", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    assert (found["n_samples"], found["n_columns"], found["label"]) == (5, 5, "bought")
    assert found["classes"] == [{"label": "no", "count": 3}, {"label": "yes", "count": 2}]
    age, town, when, empty, pay = found["columns"]
    assert age == {
        "name": "age",
        "kind": "numbers",
        "missing": 0.2,
        "n_bins": 3,
        "least": 25,
        "most": 47,
    }
    assert (town["kind"], town["n_bins"], town["missing"]) == ("categories", 3, 0.2)
    assert town["most_frequent"] == ["Bonn", "Ulm", "[bold]Bonn"]
    assert (when["kind"], pay["kind"]) == ("refused", "refused")
    assert "dates or times" in when["why"]
    assert (empty["n_bins"], empty["least"]) == (0, None)


def test_the_table(path):
    result = run("inspect", path, "--label", "bought")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "shop.csv: 5 rows, 5 columns" in result.stdout
    assert "bought no: 3 (60.00%)" in result.stdout
    assert "25 to 47" in result.stdout
    assert "Bonn, Ulm, [bold]Bonn" in result.stdout
    assert "holds infinity" in result.stdout
    assert "dates or times: give numbers" in result.stdout


def test_many_categories_and_classes(tmp_path):
    lines = [f"{k % 300}a{'z' * 40},{k % 11}" for k in range(900)]
    (tmp_path / "many.csv").write_text("\n".join(["c,y", *lines]))
    result = run("inspect", tmp_path / "many.csv", "--label", "y")
    assert "and 1 more classes" in result.stdout
    words = " ".join(result.stdout.split())
    assert "297 more" in words
    assert "rare ones" not in words


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--label", "price"], "there is no column 'price'"),
        (["--verify"], "--verify compares the checksums of a store"),
    ],
)
def test_refusals(path, arguments, words):
    assert words in complaint(run("inspect", path, *arguments))


def test_a_label_is_for_tables_only(tmp_path):
    (tmp_path / "a.svm").write_text("1 1:1\n-1 2:1\n")
    found = complaint(run("inspect", tmp_path / "a.svm", "--label", "y"))
    assert "--label names a column of a table" in found


def test_no_file(tmp_path):
    assert "none.csv" in complaint(run("inspect", tmp_path / "none.csv"))
