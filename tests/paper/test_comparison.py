"""Comparisons: labelled traces, times to objectives, files, figure."""

from __future__ import annotations

import csv
import json
import math
import sys

import numpy as np
import pytest

from extras import needs
from tauboost import Problem, Result, Status, Trace, beta, solve
from tauboost.datasets import make_w8a_like
from tauboost.paper.comparison import COLUMNS, Comparison, MethodSetting, Run, compare, thinned
from tauboost.paper.figures import plot_comparison

SETTINGS = [
    MethodSetting("pcdm tau=4", "pcdm", {"tau": 4}),
    MethodSetting("all", "fully-parallel"),
    MethodSetting("short steps", "greedy", {"step": "lipschitz"}),
]


@pytest.fixture(scope="module")
def problem():
    return Problem(*make_w8a_like(500), n_threads=1)


@pytest.fixture(scope="module")
def comparison(problem):
    return compare(problem, SETTINGS, name="w8a-like", time_limit=None, max_epochs=30)


def fake_run(label, seconds, objectives):
    objective = np.array(objectives, dtype=float)
    count = np.arange(len(objective), dtype=float)
    trace = Trace(count, 10 * count, np.array(seconds, dtype=float), objective, objective)
    last = float(objective[-1])
    status = Status.TIME_LIMIT
    result = Result(np.zeros(1), 0.0, last, last, status, "", count[-1], 10, seconds[-1], trace)
    return Run(MethodSetting(label, "greedy"), result)


def fake_comparison(*runs):
    return Comparison("fake", 10, 1, 10, 1, runs, 1, 0, 5.0, None)


def test_runs_are_those_of_solve(problem, comparison):
    for setting, run in zip(SETTINGS, comparison.runs, strict=True):
        assert run.setting is setting
        expected = solve(
            problem, setting.method, **setting.options, tol=0, max_epochs=30, random_state=0
        )
        np.testing.assert_array_equal(run.result.trace.objective, expected.trace.objective)
        assert run.result.n_epochs == pytest.approx(30, abs=0.1)
    assert comparison.runs[0].beta == beta(300, problem.omega, 4, 500)
    assert comparison.runs[1].beta is None


def test_levels_lie_between_start_and_best():
    both = fake_comparison(fake_run("a", [0, 1], [0.0, -1.0]), fake_run("b", [0, 1], [0.0, -2.0]))
    assert both.start == 0.0
    assert both.best == -2.0
    assert [level.objective for level in both.levels()] == pytest.approx(
        [-1.8, -1.98, -1.998, -1.9998]
    )
    assert [level.objective for level in both.levels([0.5])] == [-1.0]


def test_table_has_the_first_time_and_none_where_it_was_not_reached():
    # The second goes up again, as accelerated methods do: the first time counts.
    rows = fake_comparison(
        fake_run("slow", [0, 1, 2, 3], [0, -0.5, -0.91, -0.95]),
        fake_run("fast", [0, 0.1, 0.2, 0.3], [0, -0.995, -0.5, -1.0]),
    ).table()
    assert [row.label for row in rows] == ["slow", "fast"]
    assert rows[0].seconds_to == (2.0, None, None, None)
    assert rows[1].seconds_to == (0.1, 0.1, 0.3, 0.3)
    assert (rows[0].objective, rows[0].epochs, rows[0].seconds) == (-0.95, 3, 3)
    assert rows[0].status is Status.TIME_LIMIT


def test_objectives_that_are_no_numbers_are_not_the_best():
    worst = fake_run("lost", [0, 1, 2], [0, math.nan, -math.inf])
    both = fake_comparison(worst, fake_run("fine", [0, 1], [0, -1]))
    assert both.best == -1.0
    json.dumps(both.metadata(), allow_nan=False)


def test_csv(comparison, tmp_path):
    comparison.write_csv(tmp_path / "trace.csv")
    with (tmp_path / "trace.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == COLUMNS
    for run in comparison.runs:
        own = [row for row in rows if row["label"] == run.setting.label]
        assert {row["method"] for row in own} == {run.setting.method}
        for name in COLUMNS[2:]:
            np.testing.assert_array_equal([float(row[name]) for row in own], run.result.trace[name])
    assert rows[1]["updates"].isdecimal()


def test_csv_is_thinned_on_request(comparison, tmp_path):
    comparison.write_csv(tmp_path / "trace.csv", max_rows=10)
    lines = (tmp_path / "trace.csv").read_text().splitlines()
    assert len(lines) <= 1 + 10 * len(SETTINGS)


@pytest.mark.parametrize(("length", "most"), [(1, 5), (5, 5), (100, 5), (100_000, 2000)])
def test_thinned_keeps_first_and_last(length, most):
    keep = thinned(length, most)
    assert len(keep) <= most
    assert (keep[0], keep[-1]) == (0, length - 1)
    assert np.all(np.diff(keep) > 0)


def test_json(comparison, tmp_path):
    comparison.write_json(tmp_path / "trace.json")
    document = json.loads((tmp_path / "trace.json").read_text())
    assert document == comparison.metadata()
    assert document["data"] == {
        "name": "w8a-like",
        "n_samples": 500,
        "n_features": 300,
        "nnz": comparison.nnz,
        "omega": comparison.omega,
    }
    first = document["methods"][0]
    assert first["options"] == {"tau": 4}
    assert first["beta"] > 1
    assert first["trace_length"] == len(comparison.runs[0].result.trace.epoch)
    assert {"tauboost", "python", "numpy", "processor", "cpu_count"} <= set(document["environment"])


@pytest.mark.parametrize(
    ("settings", "options", "complaint"),
    [
        ([], {}, "at least one"),
        ([SETTINGS[1], SETTINGS[1]], {}, "'all' is listed twice"),
        ([SETTINGS[1]], {"time_limit": None}, "must be finite"),
        ([SETTINGS[1]], {"time_limit": math.inf, "max_epochs": math.inf}, "must be finite"),
        ([SETTINGS[1]], {"n_threads": 0}, "n_threads"),
        ([MethodSetting("x", "magic")], {}, "method must be one of"),
    ],
)
def test_bad_arguments(problem, settings, options, complaint):
    with pytest.raises(ValueError, match=complaint):
        compare(problem, settings, **options)


def test_a_wrong_last_setting_is_found_before_the_first_run(problem):
    seen = []
    settings = [SETTINGS[1], MethodSetting("wrong", "pcdm", {"tau": 301})]
    with pytest.raises(ValueError, match="tau"):
        compare(problem, settings, callback=lambda *args: seen.append(args))
    assert seen == []


def test_callback_sees_every_look_and_can_end_a_run(problem):
    seen = []

    def watch(setting, snapshot):
        seen.append((setting.label, snapshot.epoch))
        return setting.label == "all" and snapshot.epoch >= 3

    comparison = compare(problem, SETTINGS[1:], max_epochs=6, time_limit=None, callback=watch)
    assert [run.result.n_epochs for run in comparison.runs] == [3, 6]
    assert comparison.runs[0].result.status is Status.INTERRUPTED
    assert seen[:4] == [("all", 0), ("all", 1), ("all", 2), ("all", 3)]


@needs("matplotlib")
def test_figure(comparison, tmp_path):
    plot_comparison(comparison, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


@needs("matplotlib")
def test_figure_of_odd_comparisons(problem, tmp_path):
    many = [MethodSetting(f"tau={tau}", "pcdm", {"tau": tau}) for tau in (1, 2, 4, 8, 16, 32, 64)]
    separable = Problem([[1.0, 0.0], [1.0, 0.5], [-1.0, 0.0]], [1, 1, 0])
    for data, settings, epochs in (
        (problem, many, 2),
        (problem, many[:1], 0),
        (separable, [MethodSetting("a", "lbfgs")], 50),
    ):
        odd = compare(data, settings, name="$x_1$ {", time_limit=None, max_epochs=epochs)
        plot_comparison(odd, str(tmp_path / "figure.png"))


def test_separable_data_are_recognised(comparison):
    assert not comparison.is_separable
    problem = Problem([[1.0, 0.0], [1.0, 0.5], [-1.0, 0.0]], [1, 1, 0])
    settings = [MethodSetting("a", "fully-parallel"), MethodSetting("b", "lbfgs")]
    separable = compare(problem, settings, time_limit=None, max_epochs=50)
    assert separable.is_separable
    assert separable.best < -math.log(3)


def test_figure_without_matplotlib(comparison, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'tauboost\[plot\]'"):
        plot_comparison(comparison, tmp_path / "figure.png")
