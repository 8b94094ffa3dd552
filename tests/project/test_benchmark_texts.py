"""The comparison on texts runs in its quick form and writes what it promises."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("matplotlib")

from benchmark_runs import complaints, quick_run, rows_of, run

quick = quick_run("texts.py")


@pytest.mark.slow
def test_every_way_has_a_row(quick):
    out, printed = quick
    rows = {row["model"]: row for row in rows_of(out / "texts_small.csv")}
    assert rows.keys() == {
        "tauboost",
        "tauboost, one thread",
        "tf-idf of pairs + LogisticRegression",
    }
    assert "### small: 400 texts to fit on, 200 to score on" in printed
    assert "| model | accuracy | AUC | processor s | wall s | prediction s | x tauboost" in printed
    for row in rows.values():
        assert row["failure"] == ""
        assert 0.6 < float(row["accuracy"]) <= 1
        assert all(float(row[f"{clock}seconds"]) >= 0 for clock in ("", "processor_", "predict_"))
    assert (out / "texts_small.png").read_bytes().startswith(b"\x89PNG")


def facts(out, name):
    return {row["what"]: float(row["value"]) for row in rows_of(out / f"texts_{name}.csv")}


@pytest.mark.slow
def test_single_figures(quick):
    out, _ = quick
    assert {"accuracy", "AUC", "strings to model, processor"} <= facts(out, "small_summary").keys()
    found = facts(out, "small_vectorizers")
    assert found["words: one thread"] > 0
    assert found["hashed words: two threads / one"] > 0
    assert found["limit: copy the bytes of all texts"] > 0
    assert "words and pairs: our peak / theirs" in found
    assert facts(out, "small_files")["file to model"] > 0
    assert facts(out, "small_budget")["small model"] <= 2


@pytest.mark.slow
def test_large_texts(tmp_path):
    run("texts.py", tmp_path, "--scale")
    assert facts(tmp_path, "scale")["fit, runs of 1-2 words, peak memory"] > 0
    assert [path.name for path in tmp_path.iterdir()] == ["texts_scale.csv"]


@pytest.mark.parametrize(("module", "word"), [("fasttext", "fast"), ("vowpalwabbit", "vowpal")])
def test_peers_that_are_installed_work(tmp_path, module, word):
    pytest.importorskip(module)
    run("texts.py", tmp_path, "--ways", "--peers", word)
    assert all(row["failure"] == "" for row in rows_of(tmp_path / "texts_small.csv"))


def test_texts_of_ones_own(tmp_path):
    for part in ("train", "test"):
        lines = [{"text": f"so {'good' if k % 2 else 'bad'}", "label": k % 2} for k in range(40)]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / f"mine_{part}.jsonl").write_text(text)
    data = str(tmp_path / "mine_train.jsonl")
    run("texts.py", tmp_path / "out", data, "--budget")
    assert facts(tmp_path / "out", "mine_budget")["accuracy, small model"] == 100


def test_a_mistake_is_one_clear_line(tmp_path):
    complaints("texts.py", tmp_path, ["nothing"], ["--peers", "nobody"], ["--repeats", "0"])
