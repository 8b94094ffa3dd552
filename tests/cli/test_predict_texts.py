"""``tauboost predict`` of texts: from files, and from pipes line by line; explanations."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tauboost as tb
from cli_runs import complaint, run
from extras import needs
from reviews import as_lines, reviews
from text_files import AS_TEXT, NAMES, names_for, write_texts

TEXTS, LABELS = reviews(60, seed=1)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    (folder / "train.jsonl").write_text(as_lines(*reviews(), "body", "kind"))
    path = folder / "m"
    done = run("fit", folder / "train.jsonl", "--text=body", "--label=kind", "--out", path)
    assert done.exit_code == 0, done.output
    return path


@pytest.fixture(scope="module")
def numbers(tmp_path_factory):
    """A model of three classes that are numbers."""
    folder = tmp_path_factory.mktemp("models")
    path = write_texts(folder, "csv", *reviews(labels=(1, 2, 3)))
    done = run("fit", path, "--text=text", "--label=label", "--out", folder / "m")
    assert done.exit_code == 0, done.output
    return folder / "m"


@pytest.fixture
def expected(model):
    return tb.load_model(model).predict(TEXTS).tolist()


def lines(*arguments, stdin=None):
    result = run("predict", *arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


@pytest.mark.parametrize("kind", NAMES)
def test_every_kind_of_file(kind, model, expected, tmp_path):
    path = write_texts(tmp_path, kind, TEXTS, LABELS)
    text = ["--text", "text"] if names_for(kind) else []
    assert lines(model, path, *text) == expected
    assert lines(model, path, path, *text) == expected * 2


def test_names_are_those_of_the_fit(model, expected, tmp_path):
    path = tmp_path / "new.jsonl"
    path.write_text(as_lines(TEXTS, LABELS, "body", "kind"))
    assert lines(model, path) == expected
    result = run("predict", model, path, "--metrics")
    accuracy = np.mean(np.array(expected) == LABELS)
    assert f"accuracy {accuracy:.3%}" in result.stderr
    other = path.rename(tmp_path / "new")
    assert lines(model, other) == expected  # by its first byte
    other.write_text(as_lines(TEXTS, LABELS, "body", "other"))
    assert lines(model, other) == expected
    result = run("predict", model, other, "--metrics", "--label", "other")
    assert f"accuracy {accuracy:.3%}" in result.stderr
    wrong = complaint(run("predict", model, other, "--metrics", "--out", tmp_path / "out"))
    assert "line 1: there is no field 'kind'; there are body, id, other" in wrong


def test_a_file_without_names_is_a_text_a_line(model, expected, tmp_path):
    path = tmp_path / "new.txt"
    path.write_text("\n".join(TEXTS))
    assert lines(model, path) == expected
    path.write_text("great\n\ndull\n")
    assert len(lines(model, path)) == 3
    assert "plain lines have no labels" in run("predict", model, path, "--metrics").stderr


def test_standard_input(model, expected):
    assert lines(model, "-", stdin="\n".join(TEXTS)) == expected
    content = as_lines(TEXTS, LABELS)
    assert lines(model, "-", "--text", "text", stdin=content) == expected
    assert lines(model, "-", "--format", "jsonl", "--text", "text", stdin=content) == expected
    # Without --text, a line is a text, unless the first is an object with the field of the fit.
    raw = lines(model, "-", stdin=content)
    assert len(raw) == len(TEXTS)
    known = as_lines(TEXTS, ["great, fine, superb"] * len(TEXTS), "body", "note")
    assert lines(model, "-", stdin=known) == expected
    plain = lines(model, "-", "--format", "lines", stdin=known)
    assert plain != expected
    for first in ("", "{", "[1]", "{}", "3", '["body"]'):
        assert lines(model, "-", stdin=f"{first}\n{known}")[1:] == plain
    assert lines(model, "-", stdin="") == []
    for kind, text in (("csv", ["--text", "text"]), ("fasttext", [])):
        content = AS_TEXT[kind](TEXTS, LABELS)
        assert lines(model, "-", "--format", kind, *text, stdin=content) == expected


def test_probabilities_and_documents(model, numbers, tmp_path):
    clf = tb.load_model(model)
    found = [float(line) for line in lines(model, "-", "--proba", stdin="\n".join(TEXTS))]
    np.testing.assert_array_equal(found, clf.predict_proba(TEXTS)[:, 1])
    found = [float(line) for line in lines(model, "-", "--decision", stdin="\n".join(TEXTS))]
    np.testing.assert_array_equal(found, clf.decision_function(TEXTS))
    document = json.loads("".join(lines(numbers, "-", "--proba", "--json", stdin="only1\nonly3\n")))
    assert document["n_samples"] == 2
    assert np.argmax(document["predictions"], axis=1).tolist() == [0, 2]


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_metrics_of_labels_that_are_numbers(kind, numbers, tmp_path):
    path = write_texts(tmp_path, kind, *reviews(labels=(1, 2, 3)))
    document = json.loads("".join(lines(numbers, path, "--metrics", "--json")))
    assert document["metrics"]["accuracy"] > 0.8
    path = write_texts(tmp_path, kind, ["a", "b"], ["1", "?"])
    wrong = complaint(run("predict", numbers, path, "--metrics", "--json"))
    assert "is none of the model's: 1, 2, 3" in wrong


def test_explanations(model, numbers, tmp_path):
    shown = lines(model, "-", "--explain", stdin="great film\n\nbad \x1b[31m\n")
    assert shown[0] == "1: great film"
    assert shown[1].startswith("pos has probability ")
    assert any(line.startswith("great ") for line in shown)
    assert "2: " in shown
    assert "3: bad \\x1b[31m" in shown
    document = json.loads("".join(lines(model, "-", "--explain", "--json", stdin="great film\n")))
    (found,) = document["explanations"]
    clf = tb.load_model(model)
    assert found["class"] == "pos"
    assert found["decision"] == clf.decision_function(["great film"])[0]
    total = found["intercept"] + sum(term["contribution"] for term in found["terms"])
    assert total == pytest.approx(found["decision"])
    assert {"great"} <= {term["term"] for term in found["terms"]}
    document = json.loads("".join(lines(numbers, "-", "--explain", "--json", stdin="only2\n")))
    assert document["explanations"][0]["class"] == 2
    assert lines(model, "-", "--explain", "--out", tmp_path / "why", stdin="great\n") == []
    assert (tmp_path / "why").read_text().startswith("1: great\npos has probability")


def test_what_is_refused(model, tmp_path):
    (tmp_path / "d.svm").write_text("1 1:1\n-1 2:1\n" * 20)
    rows = tmp_path / "rows"
    assert run("fit", tmp_path / "d.svm", "--out", rows).exit_code == 0
    for option in (["--text", "a"], ["--format", "csv"], ["--explain"]):
        wrong = complaint(run("predict", rows, tmp_path / "d.svm", *option))
        assert wrong == f"{option[0]}: for models of texts, and rows is not one"
    wrong = complaint(run("predict", rows, tmp_path / "d.svm", tmp_path / "d.svm"))
    assert "several files are read if they hold texts" in wrong
    wrong = complaint(run("predict", model, "-", "--explain", "--proba", stdin="a"))
    assert wrong == "--proba and --explain: choose one"
    path = tmp_path / "bad.jsonl"
    path.write_text('{"body": "a"}\n{"body": 3}\n')
    wrong = complaint(run("predict", model, path, "--out", tmp_path / "out"))
    assert wrong == f"{path}, line 2: a text must be a string, and field 'body' is 3"
    assert not (tmp_path / "out").exists()


def test_a_line_is_answered_before_the_next_one_comes(model):
    command = [sys.executable, "-m", "tauboost", "predict", str(model), "-"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1) as process:
        for text, label in (("great", "pos"), ("awful", "neg"), ("superb", "pos")):
            process.stdin.write(f"{text}\n")
            process.stdin.flush()
            assert process.stdout.readline() == f"{label}\n"
        process.stdin.close()
        assert process.wait(timeout=60) == 0


def test_one_bad_byte_need_not_end_a_stream(model, tmp_path):
    stream = b"great film\ngreat \xff film\nawful film\n"
    wrong = complaint(run("predict", model, "-", "--json", stdin=stream))
    assert "line 2: the text is not UTF-8" in wrong
    assert "--errors replace or skip" in wrong
    assert lines(model, "-", "--errors", "replace", stdin=stream) == ["pos", "pos", "neg"]
    assert len(lines(model, "-", "--errors", "skip", stdin=stream)) == 3
    train = tmp_path / "train.txt"
    train.write_bytes(b"".join(b"__label__%d a%d b\xff\n" % (k % 2, k % 2) for k in range(40)))
    result = run("fit", train, "--errors", "replace", "--alpha", "0.1")
    assert result.exit_code == 0, result.output
    assert "line 1: the text is not UTF-8" in complaint(run("fit", train))


def test_a_file_that_is_missing_is_named(model, tmp_path):
    (tmp_path / "new.txt").write_text("superb\nawful\n")
    words = ("predict", model, tmp_path / "new.txt", tmp_path / "missing.txt")
    line = complaint(run(*words, "--out", tmp_path / "labels"))
    assert line.endswith("missing.txt: No such file or directory")


# --- One prediction a line -------------------------------------------------------------------

BREAKS = ["\n", "\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]


@pytest.mark.parametrize("line_break", BREAKS)
def test_labels_of_several_lines_are_refused_by_a_fit(tmp_path, monkeypatch, line_break):
    monkeypatch.chdir(tmp_path)
    texts, labels = reviews(labels=("a", f"c{line_break}"))
    Path("t.jsonl").write_text(as_lines(texts, labels))
    for more in ((), ("--hash", "1024")):
        line = complaint(run("fit", "t.jsonl", "--text=text", "--label=label", *more))
        assert "holds a line break, and predictions are one a line: change it" in line


@needs("pyarrow")
def test_labels_of_several_lines_in_a_table(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n" + '1,"a\nb"\n2,c\n' * 30)
    line = complaint(run("fit", tmp_path / "t.csv", "--label", "y"))
    assert "the label 'a\\nb' holds a line break" in line


def test_labels_of_several_lines_that_python_fitted(tmp_path):
    texts, labels = reviews(labels=("a\nb", "c"))
    tb.save_model(tb.TextClassifier(alpha=1e-2).fit(texts, labels), tmp_path / "m")
    (tmp_path / "new.txt").write_text("superb\nawful\n")
    command = ("predict", tmp_path / "m", tmp_path / "new.txt")
    assert "the label 'a\\nb' holds a line break" in complaint(run(*command))
    assert len(run(*command, "--proba").stdout.splitlines()) == 2
    assert set(json.loads(run(*command, "--json").stdout)["predictions"]) <= {"a\nb", "c"}
