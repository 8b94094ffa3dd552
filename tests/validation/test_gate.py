"""The gate for data: what once crashed, hung or was misread, each with a test of its own.

What can bring the interpreter down runs in a child process.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import askew
import tauboost as tb
from tauboost import _core
from tauboost.base.threads import resolve_jobs
from tauboost.sparse.decisions import decision_values
from tauboost.sparse.design import build_matrix, random_places
from tauboost.validation import as_csr

HEAD = "import numpy as np, scipy.sparse as sp, tauboost as tb\n"


def in_a_child(code: str, seconds: float = 60) -> str:
    """Run code in a new interpreter; a crash or a traceback fails the test."""
    run = subprocess.run(
        [sys.executable, "-c", HEAD + code],
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return run.stdout


def small(kind: str = "csr"):
    dense = np.random.default_rng(0).integers(0, 3, (12, 6)).astype(float)
    return sp.coo_array(dense).asformat(kind), np.arange(12) % 2


# Duplicates


def test_duplicates_of_one_in_a_dense_column_are_summed():
    said = in_a_child(
        "m = 200\n"
        "X = sp.csr_array((np.ones(2*m), np.zeros(2*m, int), np.arange(0, 2*m+1, 2)), (m, 3))\n"
        "y = np.arange(m) % 2\n"
        "summed = sp.csr_array((np.full(m, 2.0), np.zeros(m, int), np.arange(m + 1)), (m, 3))\n"
        "fits = [tb.TauBoostClassifier(random_state=0).fit(Z, y) for Z in (X, summed)]\n"
        "print(*(fit.coef_.tolist() for fit in fits), sep='\\n')\n"
    )
    first, second = said.splitlines()
    assert first == second


def test_a_default_fit_does_not_see_whether_duplicates_were_summed():
    """What is chosen on held-out samples depends on the content of a row, not on how it is kept."""
    X, y = tb.make_w8a_like(300, random_state=0)
    X = sp.csr_array(X)
    twice = sp.csr_array(
        (np.repeat(X.data, 2) / 2, np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape
    )
    fits = [tb.TauBoostClassifier(random_state=0, n_jobs=1).fit(Z, y) for Z in (X, twice)]
    assert fits[0].alpha_ == fits[1].alpha_
    np.testing.assert_array_equal(fits[0].coef_, fits[1].coef_)


def test_duplicates_whose_sum_cannot_be_squared_are_refused():
    X = sp.csr_array(([1e150] * 20_000 + [1.0], [0] * 20_001, [0, 20_000, 20_001]), (2, 1))
    with pytest.raises(ValueError, match="X has nonzero values outside"):
        tb.Problem(X, [0, 1])


# Threads

ESTIMATORS = {
    "classifier": lambda n_jobs: tb.TauBoostClassifier(alpha=0.1, n_jobs=n_jobs).fit(*small()),
    "cv": lambda n_jobs: tb.TauBoostClassifierCV(n_alphas=2, cv=2, n_jobs=n_jobs).fit(*small()),
    "path": lambda n_jobs: tb.regularization_path(*small(), n_alphas=2, cv=None, n_jobs=n_jobs),
    "stumps": lambda n_jobs: tb.AdaBoostPLClassifier(2, n_jobs=n_jobs).fit(*small()),
    "drawn stumps": lambda n_jobs: tb.PAdaBoostClassifier(2, n_jobs=n_jobs).fit(*small()),
}


@pytest.mark.parametrize("entry", ESTIMATORS)
@pytest.mark.parametrize("n_jobs", [100_000, 10**30, -(10**30), 0, "2", float("nan"), 2.5, True])
def test_n_jobs_is_refused_in_one_sentence(entry, n_jobs):
    with pytest.raises((TypeError, ValueError), match=r"^n_jobs must be [^\n]*$"):
        ESTIMATORS[entry](n_jobs)


def test_n_jobs_counts_as_joblib_does():
    assert resolve_jobs(np.int64(2)) == 2
    assert resolve_jobs(-1) == resolve_jobs(np.int8(-1)) >= 1
    assert resolve_jobs(-1000) == resolve_jobs(None) == 1


def test_prediction_checks_n_jobs_too():
    clf = tb.TauBoostClassifier(alpha=0.1).fit(*small()).set_params(n_jobs=100_000)
    with pytest.raises(ValueError, match="n_jobs must be"):
        clf.predict(small()[0])


# Broken matrices, before SciPy converts them

BROKEN = {
    "coo": "X.coords = (X.coords[0], X.coords[1] + 10**8)",
    "csc": "X.indices = X.indices + 10**8",
    "bsr": "X.indices = X.indices + 10**8",
    "csr": "X.indices = X.indices - 10**8",
    "dia": "X.offsets = X.offsets[:1]",
    "lil": "X.rows[0] = [10**8] * len(X.rows[0])",
    "dok": "X._dict[(10**8, 0)] = 1.0",
}


def test_a_broken_matrix_is_refused_everywhere():
    said = in_a_child(
        "def broken(kind):\n"
        "    X = np.random.default_rng(0).integers(0, 3, (12, 6)) * 1.0\n"
        "    X = sp.coo_array(X).asformat(kind)\n"
        f"    exec({BROKEN!r}[kind])\n"
        "    return X\n"
        "y = np.arange(12) % 2\n"
        "clf = tb.TauBoostClassifier(alpha=0.1).fit(np.eye(12, 6), y)\n"
        "calls = [tb.Problem, clf.fit, lambda X, y: clf.predict(X), lambda X, y: clf.explain(X),\n"
        "    tb.regularization_path, tb.AdaBoostPLClassifier(2).fit, clf.margins]\n"
        f"for kind in {list(BROKEN)}:\n"
        "    for call in calls:\n"
        "        try: call(broken(kind), y); print(kind, 'accepted')\n"
        "        except ValueError as error: print(kind, error, flush=True)\n"
    )
    lines = said.splitlines()
    assert len(lines) == 7 * len(BROKEN)
    for line in lines:
        kind = line.split()[0]
        assert line.startswith(f"{kind} X is not a valid {kind.upper()} matrix: ")


def test_unsigned_indices_are_not_truncated():
    X, y = small()
    X.indices = X.indices.astype(np.uint64)
    np.testing.assert_array_equal(tb.Problem(X, y).lipschitz, tb.Problem(small()[0], y).lipschitz)
    X.indices[1] += np.uint64(2**32)
    with pytest.raises(ValueError, match=f"index {2**32 + int(small()[0].indices[1])} is outside"):
        tb.Problem(X, y)


def test_matrices_of_other_dimensions():
    with pytest.raises(ValueError, match="X must have two dimensions"):
        tb.Problem(sp.coo_array(np.arange(3.0)), [0, 1, 1])
    X, y = small()
    X.data = X.data.reshape(1, -1)
    with pytest.raises(ValueError, match="data must have one dimension, got 2"):
        tb.TauBoostClassifier().fit(X, y)


def test_a_missing_value_is_our_own_sentence():
    X = np.where(np.eye(12) > 0, np.nan, 1.0)
    for call in (tb.TauBoostClassifier().fit, tb.AdaBoostPLClassifier().fit):
        with pytest.raises(ValueError, match=r"^X contains NaN or infinity \(12 of its values\)$"):
            call(X, np.arange(12) % 2)


# Labels and weights


@pytest.mark.parametrize("unit", ["D", "ns"])
def test_not_a_time_is_no_label(unit):
    X, _ = small()
    y = np.array(["2020-01-01", "NaT"] * 6, dtype=f"M8[{unit}]")
    for call in (tb.Problem, tb.TauBoostClassifier().fit, tb.regularization_path):
        with pytest.raises(ValueError, match="y contains NaT"):
            call(X, y)


def test_weights_count_by_their_ratios_however_large_or_small():
    X, y = small()
    given = 0.375 + np.arange(12) % 3  # no whole numbers: these would be copies
    exact = tb.TauBoostClassifier(random_state=0).fit(X, y, given).coef_
    for scale in (2.0**1020, 2.0**-1070):
        scaled = tb.TauBoostClassifier(random_state=0).fit(X, y, given * scale)
        np.testing.assert_array_equal(scaled.coef_, exact)
        assert tb.Problem(X, y, given * scale).value(np.full(6, 0.1)) == pytest.approx(
            tb.Problem(X, y, given).value(np.full(6, 0.1)), rel=1e-14
        )


def test_class_weights_may_be_huge_too():
    X, y = small()
    weights = dict.fromkeys((0, 1), 1e308)
    clf = tb.TauBoostClassifier(alpha=0.1, class_weight=weights, random_state=0)
    plain = tb.TauBoostClassifier(alpha=0.1, random_state=0).fit(X, y)
    found = clf.fit(X, y, np.full(12, 1e308)).coef_
    np.testing.assert_allclose(found, plain.coef_, atol=1e-12)


def test_a_weight_that_would_be_lost_is_refused():
    X, y = small()
    weights = np.r_[5e-324, np.ones(11)]
    for call in (tb.Problem, tb.TauBoostClassifier().fit, tb.AdaBoostPLClassifier().fit):
        with pytest.raises(ValueError, match="sample_weight has weights from"):
            call(X, y, weights)


# Far more features than entries

WIDE = 3 * 10**8


def test_a_wide_matrix_comes_back_in_seconds_and_little_memory():
    said = in_a_child(
        f"X = sp.csr_array((np.ones(3), [5, 10**8, {WIDE} - 1], range(4)), (3, {WIDE}))\n"
        "result = tb.solve(tb.Problem(X, [0, 1, 1]), alpha=0.01, l1_ratio=0.0, random_state=0)\n"
        "clf = tb.TauBoostClassifier(random_state=0).fit(X, [0, 1, 1])\n"
        "path = tb.regularization_path(X, [0, 1, 1], n_alphas=2, cv=None, random_state=0)\n"
        "print(len(result.lam), clf.coef_.shape[1], clf.predict(X), path.n_nonzero.tolist())\n"
        # Not ru_maxrss, in which the size of the process that started this one counts.
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')))\n",
        seconds=30,
    )
    numbers, memory = said.split("\nVmHWM:")
    assert numbers == f"{WIDE} {WIDE} [0 1 1] [3, 3]"
    assert int(memory.split()[0]) < 2**20


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize(
    "psi",
    [
        {},
        {"alpha": 0.1},
        {"alpha": 0.1, "l1_ratio": 0.0, "bounds": (0.5, None)},
        {"bounds": (-1.0, 1.0)},
    ],
    ids=str,
)
def test_a_wide_problem_is_the_narrow_one_in_other_places(loss, psi):
    """Features in no row: they stay at lam0, or where psi and bounds want them."""
    X, y = small()
    n, used = 100_003, np.array([3, 17, 40_000, 40_001, 70_000, 99_999])
    wide = sp.csr_array((X.data, used[X.indices], X.indptr), shape=(12, n))
    lam0 = np.linspace(-0.2, 0.2, n)
    narrow, other = (tb.Problem(Z, y, loss=loss, fit_intercept=True) for Z in (X, wide))
    assert other.n_features == n
    assert other.value(lam0, 0.3) == pytest.approx(narrow.value(lam0[used], 0.3))
    np.testing.assert_allclose(other.lipschitz[used], narrow.lipschitz)
    gradient = other.gradient(lam0, 0.3)
    np.testing.assert_allclose(gradient[[*used, n]], narrow.gradient(lam0[used], 0.3))
    assert np.count_nonzero(gradient) <= 7
    options = {"max_epochs": 300, "tol": 1e-9, "random_state": 0, **psi}
    first = tb.solve(narrow, lam0=lam0[used], **options)
    second = tb.solve(other, lam0=lam0, **options)
    np.testing.assert_allclose(second.lam[used], first.lam, atol=1e-6)
    unused = np.setdiff1d(np.arange(n), used)
    rest = np.zeros(n - 6) if "alpha" in psi else lam0[unused]
    rest = np.clip(rest, *(psi["bounds"][0], psi["bounds"][1])) if "bounds" in psi else rest
    np.testing.assert_array_equal(second.lam[unused], rest)
    ridge = 0.0 if "bounds" not in psi or "alpha" not in psi else 0.05 * np.square(rest).sum()
    assert second.objective == pytest.approx(first.objective + ridge, abs=1e-6)


@pytest.mark.parametrize("method", tb.METHODS)
def test_every_method_solves_a_wide_problem(method):
    X, y = small()
    wide = sp.csr_array((X.data, X.indices * 10_000, X.indptr), shape=(12, 10**5))
    narrow, other = tb.Problem(X, y), tb.Problem(wide, y)
    options = {"max_epochs": 20, "random_state": 0, "n_threads": 1}
    if not tb.METHODS[method].takes_tau and not tb.METHODS[method].takes_seed:
        del options["random_state"]
    first, second = (tb.solve(problem, method, **options) for problem in (narrow, other))
    assert second.objective == pytest.approx(first.objective, abs=1e-9)
    assert other.value(second.lam) == pytest.approx(second.objective, abs=1e-9)


# Data that another thread changes after the check


def checked_and_then_changed(values: bool):
    X, y = small()
    if not values:
        X = sp.csr_array((X != 0).astype(float))
    X = sp.csr_array(X)
    X.indices = X.indices.astype(np.int32)
    arrays = as_csr(X)
    assert np.shares_memory(arrays.indices, X.indices)
    assert not np.shares_memory(arrays.indptr, X.indptr)
    X.indices[[1, 5]] = [2**31 - 1, -(2**31)]
    X.indptr[:] = 2**30
    return arrays, y


@pytest.mark.parametrize("values", [False, True])
def test_indices_changed_after_the_check_are_noticed_where_they_are_used(values):
    arrays, y = checked_and_then_changed(values)
    with pytest.raises(RuntimeError, match="X was changed by another thread while it was read"):
        build_matrix(arrays, y == 1, random_places(6), False, 1)


@pytest.mark.parametrize("n_tasks", [1, 3])
def test_prediction_skips_indices_that_were_changed(n_tasks):
    arrays, _ = checked_and_then_changed(True)
    found = decision_values(arrays, np.ones((n_tasks, 6)), np.zeros(n_tasks), 1)
    assert np.isfinite(found).all()


@pytest.mark.parametrize("values", [False, True])
def test_data_rewritten_during_the_work_bring_nothing_down(values):
    said = in_a_child(
        "import threading, time\n"
        "X = sp.random(4000, 500, density=0.05, format='csr', random_state=0)\n"
        f"if not {values}: X.data[:] = 1\n"
        "y, good, stop = np.arange(4000) % 2, X.indices.copy(), threading.Event()\n"
        "def spoil():\n"
        "    r = np.random.default_rng(1)\n"
        "    while not stop.is_set():\n"
        "        k = r.integers(0, len(good), 50)\n"
        "        X.indices[k] = r.choice([2**31 - 1, -1, 500, 499, 0, -2**31], 50)\n"
        "        X.indices[k] = good[k]\n"
        "thread = threading.Thread(target=spoil); thread.start()\n"
        "clf = tb.TauBoostClassifier(alpha=1.0).fit(np.eye(4, 500), [0, 1, 0, 1])\n"
        "end = time.monotonic() + 1.5\n"
        "while time.monotonic() < end:\n"
        "    for call in (lambda: tb.Problem(X, y), lambda: clf.predict(X)):\n"
        "        try: call()\n"
        "        except (ValueError, RuntimeError): pass\n"
        "stop.set(); thread.join(); print('alive')\n"
    )
    assert said == "alive\n"


def test_numbers_that_lie_askew_are_moved_before_a_kernel_reads_them():
    X, y = tb.make_w8a_like(300, random_state=0)
    X.data = X.data * np.random.default_rng(0).uniform(0.5, 2.0, X.nnz)
    Z = sp.csr_array(X.shape)
    Z.data, Z.indices, Z.indptr = map(askew.copy_of, (X.data, X.indices, X.indptr))
    arrays = as_csr(Z)
    assert all(a.flags.aligned for a in (arrays.data, arrays.indices, arrays.indptr))
    labels, weights, start = map(askew.copy_of, (y, np.ones(len(y)), np.zeros(X.shape[1])))
    # The core refuses whatever comes to it askew.
    found = tb.solve(
        tb.Problem(Z, labels, sample_weight=weights), alpha=1e-3, lam0=start, random_state=0
    )
    problem = tb.Problem(X, y, sample_weight=np.ones(len(y)))
    wanted = tb.solve(problem, alpha=1e-3, lam0=0 * start, random_state=0)
    np.testing.assert_array_equal(found.lam, wanted.lam)
    for data in (Z, askew.copy_of(X.toarray())):
        clf = tb.TauBoostClassifier(random_state=0).fit(data, labels, sample_weight=weights)
        assert clf.decision_function(data).shape == y.shape
    table = askew.copy_of(np.random.default_rng(0).normal(size=(300, 3)))
    assert tb.TableClassifier(random_state=0).fit(table, labels).predict(table).shape == y.shape


def test_the_core_refuses_what_lies_askew():
    with pytest.raises(ValueError, match="wrong alignment of out"):
        _core.logarithms(np.ones(3), askew.copy_of(np.ones(3)))
