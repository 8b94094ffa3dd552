"""``tauboost predict``: the same predictions as the classifier's, from any source, in any form."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import tauboost as tb
from cli_runs import complaint, run
from tauboost.io import conversion as rows_module

TEXT = "1 1:1 3:0.5\n-1 2:1\n1 1:1 2:0.25 9:1\n-1\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Make the current folder one with a model of three features, and data."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)).round(2)
    y = np.where(X @ [1.0, -2.0, 0.5] > 0, 1.0, -1.0)
    tb.save_model(tb.TauBoostClassifier(alpha=1e-2).fit(X, y), "m")
    three = np.digitize(X[:, 0], [-0.5, 0.5])
    tb.save_model(tb.TauBoostClassifier(alpha=1e-2).fit(X, three), "three")
    (tmp_path / "d.svm").write_text(TEXT)
    return tmp_path


def lines(*arguments, **options):
    result = run("predict", *arguments, **options)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout.splitlines()


def matrix(path="d.svm"):
    return tb.load_svmlight(path)[0][:, :3]


def test_labels(folder):
    expected = tb.load_model("m").predict(matrix())
    assert [float(line) for line in lines("m", "d.svm")] == expected.tolist()
    assert set(lines("m", "d.svm")) <= {"1", "-1"}


def test_probabilities_and_decisions_read_back_to_the_bit(folder):
    clf, X = tb.load_model("m"), matrix()
    found = [float(line) for line in lines("m", "d.svm", "--proba")]
    np.testing.assert_array_equal(found, clf.predict_proba(X)[:, 1])
    found = [float(line) for line in lines("m", "d.svm", "--decision")]
    np.testing.assert_array_equal(found, clf.decision_function(X))


def test_three_classes(folder):
    clf, X = tb.load_model("three"), matrix()
    assert set(lines("three", "d.svm")) <= {"0", "1", "2"}
    found = [[float(p) for p in line.split()] for line in lines("three", "d.svm", "--proba")]
    np.testing.assert_array_equal(found, clf.predict_proba(X))


def test_every_kind_of_input(folder):
    (folder / "d.gz").write_bytes(gzip.compress(TEXT.encode()))
    (folder / "d3.svm").write_text(TEXT.replace(" 9:1", ""))
    tb.convert("d3.svm", "d.store")
    expected = lines("m", "d.svm", "--decision")
    assert lines("m", "d.gz", "--decision") == expected
    # A store's values are summed after its ones: the last bit may differ.
    found = np.array(lines("m", "d.store", "--decision"), dtype=float)
    np.testing.assert_allclose(found, np.array(expected, dtype=float), rtol=1e-14)
    assert lines("m", "-", "--decision", stdin=TEXT.encode()) == expected
    assert lines("m", "d.svm", "--decision", "--threads", 1) == expected


@pytest.mark.parametrize("model", ["m", "three", "sparse"])
@pytest.mark.parametrize("n_features", [2, 9])
def test_a_store_may_have_other_features_than_the_model(folder, model, n_features):
    tb.save_model(tb.load_model("m").sparsify(), "sparse")
    (folder / "other.svm").write_text(f"1 1:1 2:0.5\n-1 2:1\n1 1:1 {n_features}:0.25\n-1\n")
    tb.convert("other.svm", "other.store")
    found, expected = (lines(model, f"other.{kind}", "--decision") for kind in ("store", "svm"))
    pairs = [np.array([line.split() for line in some], dtype=float) for some in (found, expected)]
    np.testing.assert_allclose(*pairs, rtol=1e-14, atol=1e-14)


def test_zero_based(folder):
    (folder / "zero.svm").write_text("1 0:1 2:0.5\n-1 1:1\n1 0:1 1:0.25 8:1\n-1\n")
    assert lines("m", "zero.svm", "--zero-based", "--proba") == lines("m", "d.svm", "--proba")
    assert "indices count from 1" in complaint(run("predict", "m", "zero.svm"))


def test_in_blocks(folder, monkeypatch):
    whole = rows_module.svmlight_blocks

    def tiny(*arguments, **options):
        return whole(*arguments, **options, block_bytes=100)

    text = "".join(f"1 {1 + k % 3}:{k}\n" for k in range(1000))
    (folder / "long.svm").write_text(text)
    expected = lines("m", "long.svm", "--decision")
    monkeypatch.setattr(rows_module, "svmlight_blocks", tiny)
    assert lines("m", "long.svm", "--decision") == expected
    assert len(expected) == 1000


def test_out_and_metrics(folder):
    result = run("predict", "m", "d.svm", "--proba", "--out", "p.txt", "--metrics")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "AUC" in result.stderr
    assert (folder / "p.txt").read_text().splitlines() == lines("m", "d.svm", "--proba")


def test_json(folder):
    _, y = tb.load_svmlight("d.svm")
    clf = tb.load_model("m")
    found = json.loads("".join(lines("m", "d.svm", "--json", "--metrics")))
    assert found["predictions"] == clf.predict(matrix()).tolist()
    assert found["n_samples"] == found["metrics"]["n_samples"] == 4
    assert found["metrics"]["auc"] == roc_auc_score(y, clf.decision_function(matrix()))
    found = json.loads("".join(lines("m", "d.svm", "--json", "--out", "x")))
    assert found["out"] == "x"
    assert found["metrics"] is None
    assert "predictions" not in found


def test_one_class_only_has_no_auc(folder):
    (folder / "one.svm").write_text("1 1:1\n1 2:1\n")
    found = json.loads("".join(lines("m", "one.svm", "--json", "--metrics")))
    assert found["metrics"]["auc"] is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Missing argument 'MODEL'"),
        (["m"], "Missing argument 'DATA...'"),
        (["absent", "d.svm"], "absent: No such file"),
        (["d.svm", "d.svm"], "MODEL: d.svm is none"),
        (["d.store", "d.svm"], "MODEL: d.store is a store, and a model is a file that fit wrote"),
        ([".", "d.svm"], "MODEL: . is a folder, and a model is a file"),
        (["m", "absent"], "absent: No such file"),
        (["m", "."], "this directory is no store"),
        (["m", "d.svm", "--proba", "--decision"], "--proba and --decision: choose one"),
        (["m", "bad.svm", "--out", "o"], "bad.svm, line 2"),
        (["m", "strange.svm", "--metrics", "--out", "o"], "the label 7 is none of the model's"),
        (["m", "d.svm", "--out", "a/b"], "there is no folder"),
        (["m", "d.svm", "--threads", "0"], "n_threads must be between 1"),
    ],
)
def test_wrong_input_gets_one_line(folder, arguments, words):
    (folder / "bad.svm").write_text("1 1:1\nhello\n")
    (folder / "strange.svm").write_text("7 1:1\n")
    tb.convert("d.svm", "d.store")
    before = sorted(folder.iterdir())
    assert words in complaint(run("predict", *arguments))
    assert sorted(folder.iterdir()) == before


def test_an_old_file_survives_a_failure(folder):
    (folder / "bad.svm").write_text("1 1:1\nhello\n")
    (folder / "o").write_text("old")
    complaint(run("predict", "m", "bad.svm", "--out", "o"))
    assert (folder / "o").read_text() == "old"


def test_a_reader_that_has_seen_enough(folder):
    (folder / "long.svm").write_text("1 1:1\n" * 200_000)
    command = f"{sys.executable} -m tauboost predict m long.svm | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, timeout=60, check=False)
    assert done.stdout in {b"1\n", b"-1\n"}
    assert b"Traceback" not in done.stderr
