"""``tauboost fit`` and ``predict`` of tables: every kind of file, labels of any kind, by name."""

from __future__ import annotations

import pytest

pytest.importorskip("pyarrow")

import gzip
import json

import numpy as np
import pyarrow as pa
from pyarrow import feather, parquet
from sklearn.metrics import roc_auc_score

import tauboost as tb
from cli_runs import complaint, run
from tauboost.kinds.table import open_table, terms_used

ROWS = 400


def columns(seed=0):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 70, ROWS)
    town = rng.choice(["Bonn", "Ulm", "Köln"], ROWS)
    zip_ = rng.choice(["01067", "10115", "20095"], ROWS)
    score = 0.1 * (age - 45) + 2.0 * (town == "Ulm") + (zip_ == "01067") + rng.normal(size=ROWS)
    income = 1e4 * (1 + rng.random(ROWS).round(3))
    bought = np.where(score > 0.5, "yes", "no")
    return {"age": age, "town": town, "zip": zip_, "income": income, "bought": bought}


def text(data, delimiter=","):
    lines = [delimiter.join(data)]
    lines += [delimiter.join(map(str, row)) for row in zip(*data.values(), strict=True)]
    return "\n".join(lines) + "\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "shop.csv").write_text(text(columns()))
    return tmp_path


def document(*arguments):
    result = run(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return json.loads(result.stdout)


def fit(*options, data="shop.csv"):
    return document("fit", data, "--label", "bought", "--out", "m", *options)


def predictions(data, *options):
    return document("predict", "m", data, *options)


def test_what_is_shown(folder):
    result = run("fit", "shop.csv", "--label", "bought", "--out", "m", "--test", "0.25")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert lines[:3] == ["shop.csv", "numbers age, zip, income", "categories town"]
    command = "a report on the test part alone: tauboost report m shop.csv --test 0.25"
    assert lines[-2:] == ["wrote m", command]
    assert any(line.startswith("importance age") for line in lines)
    assert any(line.startswith("test AUC 0.") for line in lines)


def test_the_model_is_the_one_of_the_classifier(folder):
    found = fit("--categorical", "zip", "--seed", "3")
    table = {name: values for name, values in columns().items() if name != "bought"}
    clf = tb.TableClassifier(random_state=3).fit(pa.table(table), columns()["bought"])
    loaded = tb.load_model("m")
    wanted = clf.decision_function(pa.table(table))
    np.testing.assert_array_equal(loaded.decision_function(pa.table(table)), wanted)
    assert found["classes"] == ["no", "yes"]
    assert found["columns"] == {
        "age": "numbers", "town": "categories", "zip": "categories", "income": "numbers"
    }  # fmt: skip
    assert {"01067", "10115"} < set(clf.columns_[2].categories)  # no number has lost its zero


def test_predictions_by_name(folder):
    fit("--categorical", "zip")
    clf, data = tb.load_model("m"), columns(1)
    shuffled = {"more": data["age"], **dict(reversed(data.items()))}
    (folder / "new.csv").write_text(text(shuffled))
    wanted = clf.predict_proba(pa.table(data))[:, 1]
    found = predictions("new.csv", "--proba", "--metrics")
    np.testing.assert_array_equal(found["predictions"], wanted)
    assert found["metrics"]["auc"] == pytest.approx(roc_auc_score(data["bought"], wanted))
    without = {name: values for name, values in data.items() if name != "bought"}
    (folder / "bare.csv").write_text(text(without))
    assert set(predictions("bare.csv")["predictions"]) == {"yes", "no"}
    del without["age"]
    (folder / "poor.csv").write_text(text(without))
    assert "lacks 'age'" in complaint(run("predict", "m", "poor.csv"))
    assert "no column 'bought'" in complaint(run("predict", "m", "bare.csv", "--metrics"))


def test_one_row_is_read_like_the_table_of_the_fit(folder):
    """A file where a category looks like a number or a truth value would have other types."""
    lines = [
        f"{k % 7},{('True', 'False', 'often')[k % 3]},{('1', '2', 'a')[k % 3]}" for k in range(90)
    ]
    (folder / "odd.csv").write_text("\n".join(["x,flag,bought", *lines]))
    fit(data="odd.csv")
    (folder / "one.csv").write_text("x,flag,bought\n3,True,1\n")
    assert predictions("one.csv", "--metrics")["metrics"]["accuracy"] == 1.0


def write_all(folder, data):
    table = pa.table(data)
    (folder / "t.tsv").write_text(text(data, "\t"))
    (folder / "t.csv.gz").write_bytes(gzip.compress(text(data).encode()))
    parquet.write_table(table, folder / "t.parquet")
    feather.write_feather(table, folder / "t.feather")
    with pa.ipc.new_file(folder / "t.arrow", table.schema) as writer:
        writer.write_table(table)


@pytest.mark.parametrize("name", ["t.tsv", "t.csv.gz", "t.parquet", "t.feather", "t.arrow"])
def test_every_kind_of_file(folder, name):
    write_all(folder, columns())
    wanted = fit("--alpha", "1e-3", "--categorical", "zip")
    again = fit("--alpha", "1e-3", "--categorical", "zip", data=name)
    assert again["objective"] == wanted["objective"]
    assert predictions(name)["predictions"] == predictions("shop.csv")["predictions"]


@pytest.mark.parametrize("labels", [[0, 1], [-1.0, 1.0], ["true", "false"], ["<=50K", ">50K", "?"]])
def test_labels_of_any_kind(folder, labels):
    data = columns()
    data["bought"] = np.array(labels)[np.arange(ROWS) % len(labels)]
    data["age"] = np.arange(ROWS) % len(labels) + np.random.default_rng(0).normal(0, 0.3, ROWS)
    (folder / "shop.csv").write_text(text(data))
    found = fit("--interactions", "0", "--test", "0.2")
    assert len(found["classes"]) == len(labels)
    assert found["test"]["accuracy"] > 0.7
    assert predictions("shop.csv", "--metrics")["metrics"]["accuracy"] > 0.7


def test_options_reach_the_fit(folder):
    options = "--drop town --interactions age:income --max-bins 8 --loss exponential"
    found = fit(*options.split(), *["--l1-ratio", "0.5", "--alpha", "0.001", "--trace", "t.csv"])
    assert (found["loss"], found["l1_ratio"], found["alpha"]) == ("exponential", 0.5, 0.001)
    assert "town" not in found["columns"]
    clf = tb.load_model("m")
    assert [len(term.axes) for term in clf.terms_] == [1, 1, 1, 2]
    assert clf.columns_[0].n_ordered <= 8
    assert (folder / "t.csv").read_text().startswith("phase,sweep,objective")
    fit("--monotone", "age=-1, income=1", "--interactions", "0")
    age = tb.load_model("m").terms_["age"]
    assert np.all(np.diff(age.scores[: len(age.edges) + 1]) <= 0)


def test_another_file_to_test_on(folder):
    (folder / "other.csv").write_text(text(columns(1)))
    found = fit("--test", "other.csv")["test"]
    assert found["n_samples"] == ROWS
    assert found == predictions("other.csv", "--metrics")["metrics"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "say by --label which column"),
        (["--label", "nothing"], "there is no column 'nothing'"),
        (["--label", "bought", "--checkpoint", "c"], "--checkpoint: shop.csv is a table"),
        (["--label", "bought", "--zero-based"], "--zero-based: shop.csv is a table"),
        (["--label", "bought", "--drop", "no"], "--drop: there is no column 'no'"),
        (["--label", "bought", "--drop", "age,town,zip,income"], "--drop leaves no column"),
        (["--label", "bought", "--categorical", "no"], "categorical_features names 'no'"),
        (["--label", "bought", "--monotone", "age"], "--monotone must be as in age=1"),
        (["--label", "bought", "--monotone", "age=2"], "--monotone must be as in age=1"),
        (["--label", "bought", "--monotone", "no=1"], "monotonic_cst names 'no'"),
        (["--label", "bought", "--monotone", "town=1"], "monotonic_cst names 'town', whose values"),
        (["--label", "bought", "--interactions", "age"], "--interactions must be a number"),
        (["--label", "bought", "--interactions", "age:no"], "interactions names 'no'"),
        (["--label", "bought", "--interactions", "-1"], "interactions must be at least 0"),
        (["--label", "bought", "--max-bins", "1"], "max_bins must be at least 2"),
        (["--label", "bought", "--max-bins", "300"], "max_bins must be at most 255"),
        (["--label", "bought", "--loss", "auto"], "loss must be one of"),
        (["--label", "bought", "--alpha", "much"], "--alpha must be 'auto' or a number"),
        (["--label", "bought", "--test", "a.svm"], "--test: a.svm must be a table"),
        (["--label", "income", "--test", "0.2"], "shop.csv: Unknown label type: y holds 1"),
    ],
)
def test_bad_options(folder, options, message):
    assert message in complaint(run("fit", "shop.csv", *options, "--json"))


def test_a_label_of_the_test_file_that_nobody_knows(folder):
    data = columns(1)
    data["bought"][0] = "?"
    (folder / "other.csv").write_text(text(data))
    wrong = run("fit", "shop.csv", "--label", "bought", "--test", "other.csv", "--json")
    assert "the label '?' is none of those in the data: no, yes" in complaint(wrong)
    fit()
    wrong = run("predict", "m", "other.csv", "--metrics", "--json")
    assert "the label '?' is none of the model's: 'no', 'yes'" in complaint(wrong)


def test_tables_and_rows_are_not_mixed_up(folder):
    (folder / "d.svm").write_text("1 1:1\n-1 2:1\n" * 20)
    assert "--label: d.svm is no table" in complaint(run("fit", "d.svm", "--label", "x"))
    assert run("fit", "d.svm", "--out", "linear").exit_code == 0
    assert "shop.csv is a table, and the model" in complaint(run("predict", "linear", "shop.csv"))
    fit()
    assert "d.svm must be one, as in new.csv" in complaint(run("predict", "m", "d.svm"))


def test_metrics_need_a_label(folder):
    data = open_table(folder / "shop.csv", "bought")
    tb.save_model(tb.TableClassifier(interactions=0).fit(data.X, data.y), "m")
    assert "say by --label" in complaint(run("predict", "m", "shop.csv", "--metrics"))
    found = predictions("shop.csv", "--metrics", "--label", "bought")
    assert found["metrics"]["n_samples"] == ROWS


def test_terms_of_rounding_are_not_counted():
    """One column says all there is; what is left in another is 1e-32."""
    terms = [
        {"name": name, "columns": [name], "importance": importance}
        for name, importance in (("age", 0.5), ("town", 1e-32), ("zip", 0.0))
    ]
    shown = terms_used(terms)
    assert shown == [("terms", "1 columns, 0 pairs of columns"), ("importance", "age 0.5")]


def test_columns_are_found_by_name_in_any_order(folder):
    fit("--interactions", "0")
    expected = predictions("shop.csv")
    data = columns()
    turned = {name: data[name] for name in ("zip", "bought", "income", "town", "age")}
    (folder / "new.csv").write_text(text(turned | {"since": ["2024-05-01"] * ROWS}))
    assert predictions("new.csv")["predictions"] == expected["predictions"]
    del data["age"]
    (folder / "less.csv").write_text(text(data | {"years": turned["age"]}))
    assert "the table lacks 'age', which the model needs, and has " in complaint(
        run("predict", "m", "less.csv")
    )


def test_columns_that_are_named_as_if_they_had_no_names(folder):
    data = columns()
    data = {"x0": data["age"], "x1": data["income"], "bought": data["bought"]}
    (folder / "shop.csv").write_text(text(data))
    fit("--interactions", "0")
    (folder / "new.csv").write_text(text({"x1": data["x0"], "other": data["x1"]}))
    assert "the table lacks 'x0', which the model needs" in complaint(
        run("predict", "m", "new.csv")
    )
