"""The comparison on tables runs in its quick form and writes what it promises."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("pandas")
pytest.importorskip("matplotlib")

import tauboost as tb
from benchmark_runs import complaints, quick_run, rows_of, run

HAS_TABLES = hasattr(tb, "TableClassifier")
OURS = {"tauboost", "tauboost, no pairs"}
# One of ours and one peer: each classifier imports in a process of its own.
quick = quick_run("tables.py", "--peers", "no pairs", "Logistic")


def test_every_model_has_a_row(quick):
    check_rows(*quick, {"tauboost, no pairs", "LogisticRegression"})


@pytest.mark.slow
def test_every_model_that_is_installed_has_a_row(tmp_path):
    check_rows(tmp_path, run("tables.py", tmp_path), OURS | {"LogisticRegression"})


def check_rows(out, printed, names):
    rows = {row["model"]: row for row in rows_of(out / "tables.csv")}
    assert rows.keys() == names
    assert "### small: 420 rows x 3 columns" in printed
    assert "| model | AUC | log-loss | seconds | x tauboost |" in printed
    for name, row in rows.items():
        if HAS_TABLES or name not in OURS:
            assert row["failure"] == ""
            assert 0.7 < float(row["auc"]) < 1
            assert float(row["seconds"]) > 0


def test_what_it_comes_to(quick):
    out, printed = quick
    figures = {(row["data"], row["what"]) for row in rows_of(out / "tables_summary.csv")}
    assert ("all", "time of EBM / ours") in figures
    assert ("all", "time of LightGBM / ours") in figures
    assert ("small", "AUC - that of EBM, no pairs") in figures
    assert "Summary" in printed
    assert (out / "tables.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_any_csv_file(tmp_path):
    lines = [f"{k % 7},{'ab'[k % 2]},{'' if k % 5 else k},{k % 3 > 0}" for k in range(200)]
    data = tmp_path / "mine.csv"
    data.write_text("\n".join(["x,word,hole,says", *lines]))
    run("tables.py", tmp_path, str(data), "--label", "says", "--peers", "stumps", "logistic")
    rows = {row["model"]: row for row in rows_of(tmp_path / "tables.csv")}
    assert rows.keys() == {"AdaBoost, 200 stumps", "LogisticRegression"}
    for row in rows.values():
        assert row["failure"] == ""
        assert not math.isnan(float(row["auc"]))


def test_a_mistake_is_one_clear_line(tmp_path):
    data = tmp_path / "mine.csv"
    data.write_text("a,b\n1,2\n")
    cases = ["nothing"], ["--peers", "nobody"], ["--repeats", "0"], [str(data)]
    label = complaints("tables.py", tmp_path, *cases)[-1]
    assert "has no column 'target' to predict: --label names it (a, b)" in label


SINGLE = ["sweep"] + ["million", "genes", "greedy"] * HAS_TABLES


@pytest.mark.slow
@pytest.mark.parametrize("name", SINGLE)
def test_single_figures(tmp_path, name):
    run("tables.py", tmp_path, f"--{name}")
    assert rows_of(tmp_path / f"tables_{name}.csv")[0].keys() >= {"what", "value", "unit", "goal"}


@pytest.mark.parametrize(("module", "word"), [("lightgbm", "LightGBM"), ("interpret", "EBM")])
def test_peers_that_are_installed_work(tmp_path, module, word):
    pytest.importorskip(module)
    run("tables.py", tmp_path, "--peers", word)
    assert all(row["failure"] == "" for row in rows_of(tmp_path / "tables.csv"))


@pytest.mark.slow
def test_parallel_adaboost(tmp_path):
    assert "AdaBoost.PL, 4 parts" in run("parallel_adaboost.py", tmp_path)
    rows = {row["model"]: row for row in rows_of(tmp_path / "parallel_adaboost.csv")}
    assert rows.keys() >= {"AdaBoost", "P-AdaBoost, 10 serial"}
    assert all(float(row["auc"]) > 0.7 for row in rows.values())
