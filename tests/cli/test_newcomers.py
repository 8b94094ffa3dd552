"""What people type in their first hour: each gets one line that says what to do instead."""

from __future__ import annotations

import json

import pytest

from cli_runs import complaint, run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("newcomer")
    rows = [(k % 9, "abc"[k % 3], "ny"[k * 7 % 11 > 4]) for k in range(200)]
    (folder / "d.csv").write_text("age,town,y\n" + "".join(f"{a},{b},{y}\n" for a, b, y in rows))
    lines = (json.dumps({"text": f"w{a} {b}", "label": y}) + "\n" for a, b, y in rows)
    (folder / "d.jsonl").write_text("".join(lines))
    (folder / "d.svm").write_text("1 1:1\n-1 2:1\n" * 50)
    (folder / "folder").mkdir()
    assert run("fit", folder / "d.svm", "--alpha", 1, "--out", folder / "svm.model").exit_code == 0
    fit = ("fit", folder / "d.jsonl", "--text", "text", "--label", "label", "--alpha", 1)
    assert run(*fit, "--out", folder / "text.model").exit_code == 0
    return folder


ROWS_NEEDED = "and rows of indices and values are needed here: svmlight text or a store"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("fit svm.model", "svm.model is a model, and data are needed here"),
        ("compare svm.model", "svm.model is a model, and data are needed here"),
        ("convert svm.model s", "svm.model is a model, and data are needed here"),
        ("predict svm.model svm.model", "svm.model is a model, and data are needed here"),
        ("predict text.model svm.model", "svm.model is a model, and data are needed here"),
        ("predict d.svm svm.model", "MODEL: d.svm is none: give a file that fit wrote, and DATA"),
        ("report d.svm", "MODEL: d.svm is none: give a file that fit wrote, and DATA after it"),
        ("predict folder d.svm", "MODEL: folder is a folder, and a model is a file that fit wrote"),
        ("convert folder s", "folder is a folder: name the files in it"),
        ("predict text.model folder", "folder is a folder: name the files in it"),
        ("compare d.csv", f"d.csv is a table, {ROWS_NEEDED}"),
        ("convert d.csv s", f"d.csv is a table, {ROWS_NEEDED}"),
        ("inspect d.jsonl", f"d.jsonl is JSON lines, {ROWS_NEEDED}"),
        ("predict svm.model d.jsonl", f"d.jsonl is JSON lines, {ROWS_NEEDED}"),
        ("fit d.svm --test d.csv", f"d.csv is a table, {ROWS_NEEDED}"),
        ("fit d.jsonl --text txt --label label", "there is no field 'txt'; did you mean 'text'?"),
        ("fit d.jsonl --text text --label labels", "did you mean 'label'? there are text, label"),
        ("fit d.svm --checkpoint-every 5", "--checkpoint-every: give --checkpoint FOLDER too"),
        ("fit d.svm --loss hinge", "'--loss': 'hinge' is not one of 'logistic', 'exponential'"),
    ],
)
def test_one_line_says_what_to_do(folder, monkeypatch, command, words):
    monkeypatch.chdir(folder)
    assert words in complaint(run(*command.split()))


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("fit d.csv --label Y", "d.csv: there is no column 'Y'; did you mean 'y'? there are age,"),
        ("fit d.csv --label q", "d.csv: there is no column 'q'; there are age, town, y"),
        ("fit d.csv --label y --drop Town", "no column 'Town'; did you mean 'town'? there are age"),
        ("inspect d.csv --label Y", "did you mean 'y'?"),
    ],
)
def test_columns_that_are_called_otherwise(folder, monkeypatch, command, words):
    monkeypatch.chdir(folder)
    assert words in complaint(run(*command.split()))


def test_a_table_without_a_column_of_the_model_is_named(folder, monkeypatch):
    monkeypatch.chdir(folder)
    fit = ("fit", "d.csv", "--label", "y", "--alpha", "0.001", "--out", "table.model")
    assert run(*fit).exit_code == 0
    (folder / "less.csv").write_text("town,y\na,n\n")
    line = complaint(run("predict", "table.model", "less.csv"))
    assert line.startswith("less.csv: the table lacks 'age', which the model needs")
