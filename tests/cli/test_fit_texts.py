"""``tauboost fit`` of texts: every kind of file, tests, hashes, and what is refused."""

from __future__ import annotations

import gzip
import io
import json
import sys

import numpy as np
import pytest

import tauboost as tb
from cli_runs import complaint, run
from reviews import as_lines, reviews
from tauboost.io.texts import read_texts
from text_files import AS_TEXT, NAMES, names_for, write_texts

JSON = ("--text", "text", "--label", "label")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "train.jsonl").write_text(as_lines(*reviews()))
    (tmp_path / "test.jsonl").write_text(as_lines(*reviews(100, seed=1)))
    return tmp_path


def fit(*arguments, stdin=None):
    result = run("fit", *arguments, "--out", "m", "--json", stdin=stdin)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return json.loads(result.stdout)


def test_what_is_shown(folder):
    result = run("fit", "train.jsonl", *JSON, "--out", "m", "--test", "0.25")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert lines[:2] == ["train.jsonl", "data 180 texts, 2 classes"]
    assert any("features: runs of 1 to 2 words" in line for line in lines)
    assert any(line.startswith("for neg ") and "awful" in line for line in lines)
    assert any(line.startswith("test AUC ") for line in lines)
    command = "a report on the test part alone: tauboost report m train.jsonl --test 0.25"
    assert lines[-2:] == ["wrote m", command]


def test_the_model_is_the_one_of_the_classifier(folder):
    found = fit("train.jsonl", *JSON, "--seed", "3", "--test", "test.jsonl")
    texts, labels = reviews()
    others, expected = reviews(100, seed=1)
    clf = tb.TextClassifier(random_state=3).fit(texts, labels)
    loaded = tb.load_model("m")
    np.testing.assert_array_equal(loaded.decision_function(others), clf.decision_function(others))
    assert found["test"]["accuracy"] == np.mean(clf.predict(others) == expected)
    assert (found["classes"], found["text"], found["label"]) == (["neg", "pos"], "text", "label")
    assert [fact["class"] for fact in found["terms"]] == ["neg", "pos"]
    names = [term for term, _ in clf.top_features(1)]
    assert [fact["terms"][0]["term"] for fact in found["terms"]] == names
    assert found["n_features"] == len(clf.features_.terms)


@pytest.mark.parametrize("kind", NAMES)
def test_every_kind_of_file_gives_the_same_model(kind, folder):
    texts, labels = reviews()
    names = [f"--{word}={name}" for word, name in names_for(kind).items()]
    found = fit(write_texts(folder, kind, texts, labels), *names)
    assert found["n_samples"] == len(texts)
    assert found["objective"] == fit("train.jsonl", *JSON)["objective"]


@pytest.mark.parametrize("kind", AS_TEXT)
def test_standard_input(kind, folder):
    texts, labels = reviews()
    content = AS_TEXT[kind](texts, labels)
    names = [f"--{word}={name}" for word, name in names_for(kind).items()]
    for data in (content, gzip.compress(content)):
        found = fit("-", *names, stdin=data)
        assert found["name"] == "standard input"
        assert found["n_samples"] == len(texts)


def test_several_files_are_as_one(folder):
    texts, labels = reviews()
    first = write_texts(folder, "csv", texts[:100], labels[:100])
    second = write_texts(folder, "parquet", texts[100:], labels[100:])
    found = fit(first, second, *JSON)
    assert found["name"] == "a.csv and 1 more"
    assert found["objective"] == fit("train.jsonl", *JSON)["objective"]


def test_a_csv_without_texts_is_a_table(folder):
    rows = "".join(f"{k % 7},{'yes' if k % 7 > 3 else 'no'}\n" for k in range(100))
    (folder / "t.csv").write_text(f"x,y\n{rows}")
    assert "columns" in fit("t.csv", "--label", "y")


@pytest.mark.parametrize("labels", [(1, 0), (1.0, 2.0), (True, False), ("1", "two"), (3, 1, 2)])
@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_labels_of_every_kind(labels, kind, folder):
    texts, y = reviews(labels=labels)
    path = write_texts(folder, kind, texts, y)
    found = fit(path, *JSON, "--test", path)
    is_word = kind == "csv" and labels[0] is True
    values = [str(label) for label in labels] if is_word else labels
    assert found["classes"] == sorted(values)
    assert found["test"]["accuracy"] > 0.8


def test_options_reach_the_fit(folder):
    options = ["--ngrams", "1", "--min-df", "3", "--alpha", "0.01", "--loss", "exponential"]
    found = fit("train.jsonl", *JSON, *options, "--trace", "t.csv")
    clf = tb.load_model("m")
    assert (clf.ngram_range, clf.min_df, clf.alpha) == ((1, 1), 3, 0.01)
    assert found["loss"] == clf.loss_ == "exponential"
    assert not any(" " in name for name in clf.features_.terms.names)
    assert (folder / "t.csv").read_text().startswith("phase,sweep,objective")


def test_a_model_of_so_many_bytes(folder):
    whole = fit("train.jsonl", *JSON)
    assert whole["shrinkage"] is None
    size = (folder / "m").stat().st_size
    found = fit("train.jsonl", *JSON, "--max-bytes", size // 2, "--test", "test.jsonl")
    assert (folder / "m").stat().st_size <= size // 2
    assert found["shrinkage"]["n_bytes"] == (folder / "m").stat().st_size
    assert found["shrinkage"]["n_bytes_before"] == size
    assert found["shrinkage"]["score"] == found["test"]["accuracy"]
    assert "bytes instead of" in found["shrinkage"]["text"]
    shown = run("fit", "train.jsonl", *JSON, "--max-bytes", size // 2).stdout
    assert "made smaller" in shown


@pytest.mark.parametrize("test", [None, "0.25", "test.jsonl"])
def test_hashes_are_read_in_parts(test, folder, monkeypatch):
    monkeypatch.setattr("tauboost.io.source.PART_BYTES", 4096)
    options = ["--hash", "5000", *(["--test", test] if test else [])]
    found = fit("train.jsonl", *JSON, *options)
    assert found["n_samples"] == (180 if test == "0.25" else 240)
    assert found["n_features"] == 5000
    clf = tb.load_model("m")
    assert clf.binary
    assert not clf.use_idf
    others, expected = reviews(100, seed=1)
    accuracy = np.mean(clf.predict(others) == expected)
    assert accuracy > 0.85
    if test == "test.jsonl":
        assert found["test"]["accuracy"] == accuracy
    if test == "0.25":
        assert found["test"]["n_samples"] == 60
        whole = fit("train.jsonl", *JSON, "--test", test)["test"]
        assert whole["n_samples"] == 60


def test_what_is_held_out_does_not_depend_on_the_order(folder):
    texts, labels = reviews()
    found = fit("train.jsonl", *JSON, "--test", "0.3")["test"]
    order = np.random.default_rng(0).permutation(len(texts))
    (folder / "b.jsonl").write_text(as_lines([texts[k] for k in order], [labels[k] for k in order]))
    assert fit("b.jsonl", *JSON, "--test", "0.3")["test"]["n_samples"] == found["n_samples"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["train.jsonl"],
            "train.jsonl: say by --text which field holds the texts, one of text, id",
        ),
        (["train.jsonl", "--text", "text"], "say by --label which field holds the labels, one of"),
        (["train.jsonl", "--text", "body", "--label", "label"], "line 1: there is no field 'body'"),
        (["train.jsonl", *JSON, "--ngrams", "x"], "--ngrams must be as in 1-2, or 1, got 'x'"),
        (["train.jsonl", *JSON, "--ngrams", "2-1"], "ngram_range must ascend as in (1, 2)"),
        (["train.jsonl", *JSON, "--min-df", "few"], "--min-df must be a number or auto, got 'few'"),
        (["train.jsonl", *JSON, "--min-df", "200"], "no words are left: take a lower min_df"),
        (["train.jsonl", *JSON, "--hash", "0"], "n_features must be at least 1, got 0"),
        (["train.jsonl", *JSON, "--hash", "9", "--min-df", "2"], "--min-df: hashed words are not"),
        (["train.jsonl", *JSON, "--max-bytes", "10"], "max_bytes must be at least"),
        (["train.jsonl", *JSON, "--drop", "id"], "--drop: train.jsonl holds texts, and has no use"),
        (["train.jsonl", *JSON, "--checkpoint", "c"], "--checkpoint: train.jsonl holds texts"),
        (["train.jsonl", *JSON, "--alpha", "much"], "--alpha must be 'auto' or a number"),
        (["train.jsonl", *JSON, "--test", "none.jsonl"], "none.jsonl: No such file"),
        (["train.jsonl", *JSON, "--format", "xml"], "Invalid value for '--format'"),
        (["none.jsonl", *JSON], "none.jsonl: No such file or directory"),
        (["d.svm", "--ngrams", "1"], "--ngrams: d.svm holds no texts, and has no use for it"),
        (
            ["d.svm", "d.svm"],
            "d.svm: several files are read if they hold texts (--text); of others",
        ),
        (["t.csv", "--label", "y", "--hash", "9"], "--hash: t.csv is a table, and has no use"),
        (["one.jsonl", *JSON], "one.jsonl: y has one class only, 'pos'"),
    ],
)
def test_one_sentence_for_what_is_wrong(arguments, message, folder):
    (folder / "d.svm").write_text("1 1:1\n-1 2:1\n" * 20)
    (folder / "t.csv").write_text("x,y\n1,2\n")
    (folder / "one.jsonl").write_text(as_lines(*reviews(labels=("pos",))))
    assert message in complaint(run("fit", *arguments, "--out", "m", "--json"))
    assert not (folder / "m").exists()


@pytest.mark.parametrize("options", [[], ["--hash", "100"]])
def test_a_label_of_the_test_file_that_nobody_knows(options, folder):
    texts, labels = reviews(20, labels=("pos", "?"))
    (folder / "b.jsonl").write_text(as_lines(texts, labels))
    wrong = run("fit", "train.jsonl", *JSON, "--test", "b.jsonl", *options)
    assert "--test: the label '?' is none of those in the data: neg, pos" in complaint(wrong)


def test_a_part_of_a_pipe_cannot_be_held_out_with_hashes(folder):
    content = (folder / "train.jsonl").read_bytes()
    wrong = run("fit", "-", *JSON, "--hash", "100", "--test", "0.2", stdin=content)
    assert "--test: with --hash, a part of the data is kept for testing" in complaint(wrong)


def test_several_labels_on_a_line(folder):
    (folder / "a.txt").write_text("__label__a x\n__label__a __label__b y\n")
    wrong = complaint(run("fit", "a.txt"))
    assert wrong == "a.txt, line 2: 2 labels: only one label a line is understood"


def test_files_of_the_fit_are_read_by_python(folder):
    texts, labels = read_texts(["train.jsonl"], "text", "label")
    clf = tb.TextClassifier().fit(texts, labels)
    assert clf.score(*reviews(100, seed=1)) > 0.85


def test_lines_of_fasttext_need_no_names(folder):
    texts, labels = reviews()
    path = write_texts(folder, "fasttext", texts, labels)
    assert fit(path)["label"] is None
    packed = folder / "a.txt.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert fit(packed)["classes"] == ["neg", "pos"]
    assert fit("-", "--format", "fasttext", stdin=path.read_bytes())["n_samples"] == 240
    assert "have no names: leave --text out" in complaint(run("fit", path, "--text", "x"))


def test_standard_input_is_looked_at_without_taking_it_away(folder):
    """Rows through a pipe are still rows."""
    rows = b"1 1:1\n-1 2:1\n" * 20
    assert fit("-", stdin=io.BytesIO(rows).read())["n_samples"] == 40


def test_what_to_install_is_one_line(folder, monkeypatch):
    path = write_texts(folder, "parquet", *reviews())
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for options in (JSON, ["--label", "label"]):
        wrong = complaint(run("fit", path, *options))
        assert wrong.endswith("needs pyarrow: pip install 'tauboost[arrow]'")


def test_an_import_that_fails_for_another_reason_is_a_fault_of_ours(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "tauboost.kinds.text", None)
    result = run("fit", "train.jsonl", *JSON)
    assert isinstance(result.exception, ImportError)
