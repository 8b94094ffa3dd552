"""``tauboost fit``: what it reads, prints, writes and refuses; and fits that are killed."""

from __future__ import annotations

import csv
import gzip
import json
import lzma
import math
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import log_loss, roc_auc_score

import tauboost as tb
from cli_runs import complaint, run
from stores import assert_nothing_left

FIXED = ("--alpha", "1e-3", "--json")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Make the current folder one with train.svm and test.svm, 300 features each."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    X, y = tb.make_w8a_like(3000, random_state=0)
    write("train.svm", X[:2000], y[:2000])
    write("test.svm", X[2000:], y[2000:])
    return tmp_path


def write(path, X, y):
    with Path(path).open("w", encoding="ascii") as file:
        for j in range(X.shape[0]):
            row = slice(X.indptr[j], X.indptr[j + 1])
            entries = (
                f"{i + 1}:{v:.17g}" for i, v in zip(X.indices[row], X.data[row], strict=True)
            )
            file.write(" ".join([f"{y[j]:g}", *entries]) + "\n")


def document(*arguments, **options):
    result = run("fit", *arguments, **options)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return json.loads(result.stdout)


# What it does


def test_the_model_is_that_of_the_classifier(folder):
    found = document("train.svm", "--out", "m", "--test", "test.svm", "--json", "--seed", 3)
    X, y = tb.load_svmlight("train.svm", n_features=300)
    expected = tb.TauBoostClassifier(random_state=3).fit(X, y)
    clf = tb.load_model("m")
    np.testing.assert_array_equal(clf.coef_, expected.coef_)
    assert found["alpha"] == expected.alpha_
    assert found["sweeps"] == expected.n_iter_
    assert found["objective"] == expected.objective_.tolist()
    assert found["held_out_loss"] == expected.held_out_loss_
    assert (found["n_samples"], found["n_features"], found["nnz"]) == (*X.shape, X.nnz)
    assert found["files"] == {"model": "m"}
    assert found["seconds"].keys() == {"reading", "building", "solving"}
    X, y = tb.load_svmlight("test.svm", n_features=300)
    assert found["test"]["n_samples"] == 1000
    assert found["test"]["accuracy"] == expected.score(X, y)
    assert found["test"]["auc"] == pytest.approx(roc_auc_score(y, expected.decision_function(X)))
    loss = log_loss(y, expected.predict_proba(X))
    assert found["test"]["log_loss"] == pytest.approx(loss, rel=1e-12)


def test_every_kind_of_input_gives_the_same(folder):
    text = (folder / "train.svm").read_bytes()
    (folder / "t.gz").write_bytes(gzip.compress(text))
    (folder / "t.xz").write_bytes(lzma.compress(text))
    tb.convert("train.svm", "t.store")
    inputs = [("train.svm", None), ("t.gz", None), ("t.xz", None), ("t.store", None), ("-", text)]
    found = [document(path, *FIXED, "--test", 0.2, stdin=stdin) for path, stdin in inputs]
    assert found[-1]["name"] == "standard input"
    same = [{k: v for k, v in d.items() if k not in {"name", "seconds"}} for d in found]
    assert all(d == same[0] for d in same)


def test_options_reach_the_classifier(folder):
    found = document(
        "train.svm", "--alpha", 1e-3, "--l1-ratio", 1, "--loss", "exponential", "--max-iter", 4,
        "--threads", 1, "--tol", 1e-9, "--out", "m", "--json",
    )  # fmt: skip
    clf = tb.load_model("m")
    assert (clf.loss_, clf.l1_ratio_, clf.alpha_, clf.n_iter_) == ("exponential", 1.0, 1e-3, 4)
    assert found["nonzero_weights"] == np.count_nonzero(clf.coef_) < 300
    assert found["held_out_loss"] is None


def test_time_limit(folder):
    found = document("train.svm", "--alpha", 0, "--tol", 0, "--time-limit", 0.05, "--max-iter",
                     10**6, "--json", "--checkpoint", "c")  # fmt: skip
    assert "Out of time" in found["message"]
    assert found["files"] == {"checkpoint": "c"}


def test_held_out_fraction_is_by_content(folder):
    X, y = tb.load_svmlight("train.svm", n_features=300)
    order = np.random.default_rng(0).permutation(len(y))
    write("shuffled.svm", X[order], y[order])
    a, b = (
        document(path, *FIXED, "--test", "0.3")["test"] for path in ("train.svm", "shuffled.svm")
    )
    assert a["n_samples"] == b["n_samples"]
    assert a["accuracy"] == pytest.approx(b["accuracy"])
    assert 400 < a["n_samples"] < 800


def test_test_data_may_have_features_never_seen(folder):
    (folder / "more.svm").write_text("1 1:1 999:5\n-1 2:1 4294967296:1\n")
    (folder / "store.svm").write_text("1 1:1 999:5\n-1 2:1 2000:1\n")
    tb.convert("store.svm", "more.store")
    found = [document("train.svm", *FIXED, "--test", name) for name in ("more.svm", "more.store")]
    assert found[0]["test"] == found[1]["test"]
    assert found[0]["test"]["n_samples"] == 2


def test_three_classes(folder):
    text = "".join(f"{k % 3} {1 + k % 3}:1 {4 + k}:1\n" for k in range(90))
    found = document("-", *FIXED, "--test", "0.2", stdin=text.encode())
    assert found["classes"] == [0, 1, 2]
    assert len(found["objective"]) == 3
    assert found["test"]["auc"] is None


# What it prints and writes


def test_summary(folder):
    result = run("fit", "train.svm", "--test", "0.25")
    assert (result.exit_code, result.stderr) == (0, "")
    for words in ("features, ", "objective", "AUC", "accuracy", "log-loss", "nonzero weights",
                  "reading", "building", "solving", "no model was written"):  # fmt: skip
        assert words in result.stdout
    assert_nothing_left(folder, "train.svm", "test.svm")


def test_trace_and_plot(folder):
    pytest.importorskip("matplotlib")
    for alpha in ("auto", "1e-3"):
        result = run("fit", "train.svm", "--alpha", alpha, "--trace", "t.csv", "--plot", "[p].png")
        assert "wrote [p].png" in result.stdout
        rows = list(csv.DictReader((folder / "t.csv").read_text().splitlines()))
        assert rows[0].keys() == {"phase", "sweep", "objective", "held_out_loss", "seconds"}
        assert {row["phase"] for row in rows} == ({"select", "fit"} if alpha == "auto" else {"fit"})
        assert math.isfinite(float(rows[-1]["objective"]))
        assert (folder / "[p].png").read_bytes().startswith(b"\x89PNG")


def test_the_last_objective_of_the_trace_is_the_objective(folder):
    for alpha in ("auto", "1e-3"):
        found = document("train.svm", "--alpha", alpha, "--trace", "t.csv", "--json")
        rows = list(csv.DictReader((folder / "t.csv").read_text().splitlines()))
        assert float(rows[-1]["objective"]) == pytest.approx(found["objective"][0], rel=1e-9)


# What it refuses


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Missing argument 'DATA...'"),
        (["absent.svm"], "absent.svm: No such file"),
        (["."], "this directory is no store"),
        (["train.svm", "--alpha", "much"], "--alpha must be 'auto' or a number, got 'much'"),
        (["train.svm", "--alpha", "-1"], "alpha must be at least 0"),
        (["train.svm", "--alpha", "nan"], "alpha"),
        (["train.svm", "--l1-ratio", "2"], "l1_ratio must be at least 0 and at most 1"),
        (["train.svm", "--loss", "hinge"], "--loss"),
        (["train.svm", "--loss", "auto", "--alpha", "1"], "it needs alpha='auto'"),
        (["train.svm", "--max-iter", "0"], "max_iter must be at least 1"),
        (["train.svm", "--threads", "0"], "n_threads must be between 1"),
        (["train.svm", "--time-limit", "0"], "time_limit must be above 0"),
        (["train.svm", "--seed", "-1"], "--seed"),
        (["train.svm", "--test", "1.5"], "--test: a fraction must be between 0 and 1, got 1.5"),
        (["train.svm", "--test", "absent"], "absent: No such file"),
        (["few.svm", "--test", "0.2"], "--test: too few samples"),
        (["train.svm", "--test", "strange.svm"], "the label 7 is none of those in the data: -1, 1"),
        (["train.svm", "--out", "."], "--out: . is a folder"),
        (["train.svm", "--out", "a/b"], "--out: there is no folder a"),
        (["train.svm", "--trace", "a/b"], "--trace: there is no folder a"),
        (["train.svm", "--checkpoint", "test.svm"], "is a file, and a checkpoint is a folder"),
        (["absent.svm", "--checkpoint", "c"], "absent.svm: No such file"),
        (["train.svm", "--checkpoint", "a/b"], "there is no folder a"),
        (["one.svm"], "one class only"),
        (["bad.svm"], "bad.svm, line 1"),
    ],
)  # fmt: skip
def test_wrong_input_gets_one_line(folder, arguments, words):
    (folder / "few.svm").write_text("1 1:1\n-1 2:1\n")
    (folder / "strange.svm").write_text("7 1:1\n")
    (folder / "one.svm").write_text("1 1:1\n1 2:1\n")
    (folder / "bad.svm").write_text("hello\n")
    before = sorted(folder.iterdir())
    assert words in complaint(run("fit", *arguments))
    assert sorted(folder.iterdir()) == before


def test_an_old_model_survives_a_failure(folder):
    (folder / "m").write_text("old")
    complaint(run("fit", "train.svm", "--out", "m", "--test", "absent"))
    assert (folder / "m").read_text() == "old"


# Checkpoints


def fit_process(folder, *arguments):
    command = [sys.executable, "-m", "tauboost", "fit", "train.svm", *arguments]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(
            ("--alpha", "1e-7", "--tol", "1e-12", "--max-iter", "100000"), marks=pytest.mark.slow
        ),
        ("--loss", "auto"),
    ],
    ids=["given alpha", "chosen alpha"],
)
def test_killed_at_any_moment(folder, options):
    X, y = tb.make_url_like(6000, random_state=0)
    write("train.svm", X, y)
    arguments = (*options, "--json", "--out", "m")
    began = time.monotonic()
    expected = document("train.svm", *arguments)
    length = time.monotonic() - began
    rng = np.random.default_rng(0)
    kept = ("--checkpoint", "c", "--checkpoint-every", "0")
    state = folder / "c" / "fit.safetensors"
    n_saved = 0
    for attempt in range(16):
        with fit_process(folder, *arguments, *kept) as process:
            while not (folder / "c").exists() and process.poll() is None:
                time.sleep(0.001)  # made just before the fit
            # Alone on the machine, a fit may be over much sooner: strike early, too. What a search
            # has chosen is saved when it is over: strike soon after that every other time.
            while attempt % 2 and not state.exists() and process.poll() is None:
                time.sleep(0.001)
            time.sleep(rng.uniform(0, length / 2 ** (attempt % 8)))
            process.send_signal(signal.SIGKILL)
        n_saved += state.exists()
        if n_saved == 4:
            break
    assert n_saved > 0
    is_left = state.exists()  # it may have come to its end in time
    found = document("train.svm", *arguments, *kept)
    assert found["resumed"] == is_left
    tol = 1e-9 if "--tol" in options else 1e-3
    assert found["objective"][0] == pytest.approx(expected["objective"][0], rel=tol)
    assert found["alpha"] == expected["alpha"]
    assert not (folder / "c").exists()


def test_the_same_command_goes_on(folder):
    """Out of time, a fit keeps its checkpoint; again, it goes on, and in the end removes it."""
    X, y = tb.make_url_like(3000, random_state=0)
    write("train.svm", X, y)
    arguments = ("train.svm", "--alpha", "1e-7", "--tol", "1e-10", "--json")
    expected = document(*arguments)
    kept = (*arguments, "--checkpoint", "c", "--checkpoint-every", "0")
    first = document(*kept, "--time-limit", "0.001")
    assert first["files"] == {"checkpoint": "c"}
    assert first["resumed"] is False
    last = document(*kept)
    assert last["resumed"] is True
    assert last["objective"] == pytest.approx(expected["objective"], rel=2e-10)  # of tol
    assert not (folder / "c").exists()


def test_a_checkpoint_of_another_fit_is_refused(folder):
    limits = ("--alpha", "0", "--tol", "0", "--checkpoint", "c", "--checkpoint-every", "0")
    document("train.svm", *limits, "--time-limit", "0.01", "--max-iter", "10000", "--json")
    before = (folder / "c" / "fit.safetensors").read_bytes()
    line = complaint(run("fit", "train.svm", *limits, "--loss", "exponential"))
    assert "the state of another fit (loss was 'logistic', now 'exponential')" in line
    assert "samples was 2000, now 1000" in complaint(
        run("fit", "test.svm", *limits, "--max-iter", "10000")
    )
    assert (folder / "c" / "fit.safetensors").read_bytes() == before


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_useless_model_is_named_once(tmp_path, options):
    rng = np.random.default_rng(0)
    X = csr_array((rng.random((2000, 10)) < 0.3).astype(float))
    path = tmp_path / "noise.svm"
    write(path, X, rng.integers(0, 2, 2000))
    result = run("fit", str(path), *options)
    assert result.exit_code == 0
    sentence = "the model is no better than the shares of the classes"
    assert (result.stdout + result.stderr).count(sentence) == 1
    if options:
        assert json.loads(result.stdout)["warnings"][0].startswith(sentence)
