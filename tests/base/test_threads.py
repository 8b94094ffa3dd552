"""How many threads: what n_threads and n_jobs mean, and the team that runs them."""

from __future__ import annotations

import multiprocessing
import warnings
from pathlib import Path

import joblib
import numpy as np
import pytest

import tauboost as tb
from tauboost.base.threads import resolve_jobs, resolve_threads


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
    expected = joblib.cpu_count() if expected is None else expected
    assert resolve_threads(None) == resolve_jobs(-1) == expected
    assert resolve_threads(3) == resolve_jobs(3) == 3  # a number is meant as it is given


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
