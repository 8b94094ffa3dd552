"""``report --test`` measures on the rows that ``fit --test`` kept from the model."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

import reported
import tauboost as tb
from cli_runs import complaint, run


def out(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def rows(folder):
    X, y = tb.make_w8a_like(3000, random_state=0)
    dump_svmlight_file(X, y, str(folder / "d.svm"), zero_based=False)
    return [folder / "d.svm"]


def texts(folder):
    rng = np.random.default_rng(0)
    words = [f"word{k}" for k in range(200)]
    with (folder / "d.jsonl").open("w") as file:
        for k in range(2000):
            label = ("bad", "good")[k % 2]
            text = " ".join(rng.choice(words, 8)) + (f" {label}" if rng.random() < 0.5 else "")
            file.write(json.dumps({"said": text, "is": label}) + "\n")
    return [folder / "d.jsonl", "--text", "said", "--label", "is"]


def hashed(folder):
    return [*texts(folder), "--hash", "65536"]


def table(folder):
    frame, y = reported.shop(1500)
    zips = np.random.default_rng(0).integers(1000, 1020, 1500)
    frame.insert(0, "number", np.arange(1500))
    frame.assign(zip=zips, y=y).to_csv(folder / "d.csv", index=False)
    return [folder / "d.csv", "--label", "y", "--drop", "number", "--categorical", "zip"]


@pytest.mark.parametrize("make", [rows, texts, hashed, table])
def test_the_report_is_on_the_rows_of_the_test(make, tmp_path):
    data = make(tmp_path)
    model, seed = tmp_path / "m.tauboost", ("--seed", 3)
    said = out("fit", *data, "--test", 0.2, *seed, "--out", model)
    command = said.split("a report on the test part alone: ")[1]
    tested = json.loads(out("fit", *data, "--test", 0.2, *seed, "--out", model, "--json"))["test"]
    page = (*shlex.split(command)[1:], "--out", tmp_path / "r.html", "--json")
    found = json.loads(out(*page))
    assert "of the test part of d." in found["verdict"]
    assert found["verdict"].startswith("On ")
    assert found["metrics"]["n_samples"] == tested["n_samples"]
    assert found["metrics"]["accuracy"]["value"] == pytest.approx(tested["accuracy"])
    assert not any("trained" in text for text in found["warnings"])
    whole = json.loads(out("report", model, data[0], "--out", tmp_path / "r.html", "--json"))
    assert whole["verdict"].startswith("The model was trained on about ")
    assert whole["metrics"]["trained_on"]["value"] == pytest.approx(0.8, abs=0.05)


def test_what_it_refuses(tmp_path):
    [data] = rows(tmp_path)
    model = tmp_path / "m.tauboost"
    assert "report on" not in out("fit", data, "--alpha", 0.1, "--out", model)
    for more, words in (
        ([data, "--test", 1.5], "a fraction must be between 0 and 1"),
        (["--test", 0.2], "--test: give DATA"),
    ):
        assert words in complaint(run("report", model, *more))
    X, y = tb.make_w8a_like(500, random_state=0)
    tb.save_model(tb.TauBoostClassifier(alpha=0.1, random_state=None).fit(X, y), model)
    refused = complaint(run("report", model, data, "--test", 0.2))
    assert "does not know the seed of its fit" in refused
