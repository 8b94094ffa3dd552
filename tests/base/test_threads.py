"""How many threads: what n_threads and n_jobs mean, and the team that runs them."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import warnings
from pathlib import Path

import joblib
import numpy as np
import pytest

import tauboost as tb
from tauboost.base.threads import LIMITS, available_cores, resolve_jobs, resolve_threads


@pytest.mark.parametrize("name", ["n_threads", "n_jobs"])
@pytest.mark.parametrize("given", [0, 1025, 100_000, 10**30, 2.5, "2", float("nan"), True])
def test_what_is_no_number_of_threads_is_refused_by_name(name, given):
    resolve = {"n_threads": resolve_threads, "n_jobs": resolve_jobs}[name]
    with pytest.raises((TypeError, ValueError), match=name) as error:
        resolve(given)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("limit", "expected"), [("1", 1), ("1,4", 1), ("0", 1), ("many", None)])
def test_all_threads_respect_what_numerical_libraries_are_told(monkeypatch, limit, expected):
    monkeypatch.setenv("OMP_NUM_THREADS", limit)
    expected = available_cores() if expected is None else expected
    assert resolve_threads(None) == resolve_jobs(-1) == expected
    assert resolve_threads(3) == resolve_jobs(3) == 3  # a number is meant as it is given


@pytest.fixture
def believed(monkeypatch):
    """Have this process believe in so many cores, and in no limit on top."""

    def believe(cores):
        monkeypatch.setenv("TAUBOOST_CORES", str(cores))

    for name in LIMITS:
        monkeypatch.delenv(name, raising=False)
    return believe


@pytest.mark.parametrize("cores", [1, 2, 3, 8, 64, 1024])
def test_believed_cores_take_the_place_of_those_there_are(believed, cores):
    believed(cores)
    assert available_cores() == resolve_threads(None) == resolve_jobs(-1) == cores
    assert resolve_jobs(-2) == max(1, cores - 1)
    assert resolve_jobs(-1000) == max(1, cores - 999)
    assert resolve_threads(5) == resolve_jobs(5) == 5  # a number is meant as it is given


@pytest.mark.parametrize("n_jobs", [-1, -2, None])
def test_without_a_belief_it_is_the_machine_that_counts(monkeypatch, n_jobs):
    monkeypatch.delenv("TAUBOOST_CORES", raising=False)
    for name in LIMITS:
        monkeypatch.delenv(name, raising=False)
    assert available_cores() == resolve_threads(None) == joblib.cpu_count()
    assert resolve_jobs(n_jobs) == joblib.effective_n_jobs(n_jobs)


@pytest.mark.parametrize(
    "given", ["", " ", "0", "-1", "1025", "9" * 5000, "2.0", "1e1", "+3", "1_0", "all", "\u0663"]
)
def test_what_is_no_number_of_cores_is_refused_by_the_name_of_the_variable(believed, given):
    believed(given)
    accepted = "TAUBOOST_CORES must be an integer between 1 and 1024, or not be set, got '"
    for ask in (lambda: resolve_threads(None), lambda: resolve_jobs(-1), available_cores):
        with pytest.raises(ValueError, match=accepted) as error:
            ask()
        assert len(str(error.value).splitlines()) == 1
        assert len(str(error.value)) < 200
    assert resolve_threads(3) == resolve_jobs(3) == 3  # nobody asked


@pytest.mark.parametrize("name", LIMITS)
def test_limits_hold_for_believed_cores_too(believed, monkeypatch, name):
    believed(8)
    monkeypatch.setenv(name, "3")
    assert available_cores() == 8
    assert resolve_threads(None) == resolve_jobs(-1) == 3
    assert resolve_jobs(-2) == 2


def test_the_configuration_of_joblib_counts_believed_cores(believed):
    believed(8)
    with joblib.parallel_config(n_jobs=-1):
        assert resolve_jobs(None) == 8
    with joblib.parallel_config(backend="threading", n_jobs=-3):
        assert resolve_jobs(None) == 6
    with joblib.parallel_config(backend="sequential"):
        assert resolve_jobs(-1) == resolve_jobs(-2) == resolve_jobs(None) == 1
    with joblib.parallel_config(backend="sequential", n_jobs=-1):
        assert resolve_jobs(None) == 1


def test_children_inherit_the_belief(believed):
    believed(7)
    code = "from tauboost.base.threads import *; print(resolve_threads(None), resolve_jobs(-2))"
    child = [sys.executable, "-c", code]
    assert subprocess.check_output(child, text=True).split() == ["7", "6"]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(count_threads, [None]) == [7]


def test_the_command_line_refuses_a_wrong_belief_in_one_line(believed, tmp_path):
    believed("many")
    (tmp_path / "data.svm").write_text("+1 1:1\n-1 2:1\n" * 20)
    command = [sys.executable, "-m", "tauboost", "fit", tmp_path / "data.svm", "--out"]
    done = subprocess.run(
        [*command, tmp_path / "model"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "TAUBOOST_CORES" in done.stderr
    assert "Traceback" not in done.stderr


def count_threads(n_threads: int) -> int:
    return resolve_threads(n_threads)


def test_processes_of_joblib_share_the_cores():
    counts = joblib.Parallel(n_jobs=joblib.cpu_count())(
        joblib.delayed(count_threads)(None) for _ in range(2)
    )
    assert counts == [1, 1]


def fits_in_a_child(n_jobs):
    """Fit every kind of classifier; whatever warns is an error."""
    warnings.simplefilter("error")
    rows = np.random.default_rng(0).normal(size=(60, 2))
    y = (rows[:, 0] > 0).astype(int)
    texts = ["a good film" if good else "so bad" for good in y]
    kinds = {"alpha": 0.01, "n_jobs": n_jobs, "random_state": 0}
    tb.TauBoostClassifier(**kinds).fit(rows, y).predict(rows)
    tb.TableClassifier(**kinds, interactions=0).fit(rows, y).predict(rows)
    tb.TextClassifier(**kinds).fit(texts, y).predict(texts)
    return resolve_jobs(n_jobs)


def test_children_of_a_pool_share_the_cores_in_silence():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(fits_in_a_child, [-1, -2, None, 1, 2]) == [1, 1, 1, 1, 2]


def test_the_configuration_of_joblib_is_heard():
    with joblib.parallel_config(n_jobs=2):
        assert resolve_jobs(None) == 2
    with joblib.parallel_config(backend="threading", n_jobs=3):
        assert resolve_jobs(None) == 3
    assert resolve_jobs(None) == 1


def test_many_more_threads_than_cores_give_the_same_bits():
    X, y = tb.make_w8a_like(20_000, random_state=0)
    problem = tb.Problem(X, y)
    runs = [
        tb.solve(problem, max_epochs=3, n_threads=n_threads, random_state=0).lam
        for n_threads in (1, 16, 1024)
    ]
    assert np.array_equal(runs[0], runs[1])
    assert np.array_equal(runs[0], runs[2])


def test_the_core_brings_no_openmp():
    assert b"libgomp" not in Path(tb._core.__file__).read_bytes()
