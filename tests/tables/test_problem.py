"""A problem over all stumps of a table, against the same problem written out."""

from __future__ import annotations

import numpy as np
import pytest

import tauboost as tb
from mixed_table import mixed_table

LOSSES = ["exponential", "logistic"]


@pytest.fixture(scope="module", params=LOSSES)
def both(request):
    """Return a problem and its written-out twin."""
    table, y = mixed_table()
    problem = tb.TableProblem(table, y, loss=request.param, max_bins=30)
    return problem, problem.explicit()


def test_counts_are_those_of_the_written_out_matrix(both):
    problem, twin = both
    for name in ("n_features", "nnz", "omega", "n_coordinates", "n_samples"):
        assert getattr(problem, name) == getattr(twin, name)
    np.testing.assert_array_equal(problem.lipschitz, twin.lipschitz)


def test_values_and_gradients_are_equal(both):
    problem, twin = both
    lam = np.random.default_rng(1).normal(size=problem.n_features)
    assert problem.value(lam, 0.3) == pytest.approx(twin.value(lam, 0.3), abs=1e-12)
    np.testing.assert_allclose(
        problem.gradient(lam, 0.3), twin.gradient(lam, 0.3), rtol=1e-10, atol=1e-13
    )


@pytest.mark.parametrize(("alpha", "l1_ratio"), [(1e-3, 1.0), (1e-3, 0.0), (3e-3, 0.5)])
@pytest.mark.parametrize("bounds", [None, (None, 0.0), (0.0, None)])
def test_both_have_the_same_optimum(both, alpha, l1_ratio, bounds):
    twin = both[1]
    options = {"alpha": alpha, "l1_ratio": l1_ratio, "bounds": bounds, "tol": 1e-7}
    found, expected = (
        tb.solve(which, max_epochs=5000, random_state=0, **options) for which in both
    )
    assert found.status == "converged"
    assert found.objective == pytest.approx(expected.objective, abs=1e-10)
    assert twin.value(found.lam, found.intercept) == pytest.approx(found.value, abs=1e-12)
    assert np.all(np.diff(found.trace.objective) <= 0)
    if bounds is not None:
        lower, upper = bounds
        assert np.all(found.lam >= (-np.inf if lower is None else lower))
        assert np.all(found.lam <= (np.inf if upper is None else upper))


def test_greedy_takes_the_same_stumps_with_the_same_weights():
    table, y = mixed_table(1000, seed=3)
    problem = tb.TableProblem(table, y)
    found = tb.solve(problem, "greedy", max_epochs=200, tol=0)
    expected = tb.solve(problem.explicit(), "greedy", max_epochs=200, tol=0)
    np.testing.assert_allclose(found.lam, expected.lam, rtol=0, atol=1e-9)
    assert found.intercept == pytest.approx(expected.intercept, abs=1e-9)
    np.testing.assert_allclose(found.trace.value, expected.trace.value, rtol=0, atol=1e-9)


def test_l1_makes_exact_zeros():
    table, y = mixed_table()
    found = tb.solve(tb.TableProblem(table, y, loss="logistic"), alpha=5e-3)
    assert found.status == "converged"
    assert found.n_epochs < 30  # rounding of levels that are equal once looked like an edge
    assert 0 < np.count_nonzero(found.lam) < len(found.lam) // 8


def test_weights_are_copies_and_zeros_are_absent():
    table, y = mixed_table(200)
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    options = {"alpha": 1e-2, "tol": 1e-8}
    weighted = tb.solve(tb.TableProblem(table, y, weights, loss="logistic"), **options)
    copied = tb.solve(tb.TableProblem(table.iloc[rows], y[rows], loss="logistic"), **options)
    assert len(weighted.lam) == len(copied.lam)
    assert weighted.objective == pytest.approx(copied.objective, abs=1e-10)


@pytest.mark.parametrize("method", ["exact", "greedy"])
def test_the_bits_do_not_depend_on_the_threads(method):
    table, y = mixed_table(40_000)
    problem = tb.TableProblem(table, y, loss="exponential")
    first = tb.solve(problem, method, max_epochs=5, n_threads=1, random_state=0)
    for n_threads in (2, 3, 4, 8):
        other = tb.solve(problem, method, max_epochs=5, n_threads=n_threads, random_state=0)
        assert np.array_equal(first.lam, other.lam)


def test_weights_that_vanish_come_back():
    """Where classes part, weights leave the range of a double: they are computed anew."""
    x = np.arange(400) % 40
    problem = tb.TableProblem(x[:, None], x > 17)
    far = tb.solve(problem, tol=0, max_epochs=60).lam
    options = {"alpha": 1e-2, "l1_ratio": 0.0, "tol": 1e-7}
    found, expected = (tb.solve(problem, lam0=lam0, **options) for lam0 in (3.0 * far, None))
    assert found.status == expected.status == "converged"
    assert found.objective == pytest.approx(expected.objective, abs=1e-9)


def test_what_tables_do_not_take_is_refused_in_one_sentence():
    table, y = mixed_table(50)
    problem = tb.TableProblem(table, y)
    with pytest.raises(ValueError, match="'pcdm' needs a sparse matrix; 'exact', 'greedy' solve"):
        tb.solve(problem, "pcdm")
    with pytest.raises(ValueError, match="bounds of a TableProblem are signs"):
        tb.solve(problem, bounds=(-1.0, 1.0))
    with pytest.raises(ValueError, match="one class only"):
        tb.TableProblem(table, y, np.where(y, 1.0, 0.0))


def test_names_say_what_each_stump_is():
    table, y = mixed_table(50)
    names = tb.TableProblem(table, y).design.names()
    assert "town is Ulm" in names
    assert any(name.startswith("few > ") for name in names)
