"""Penalty factors of a table's columns: alpha times a number, measured or given."""

from __future__ import annotations

import numpy as np
import pytest

import tauboost as tb

RNG = np.random.default_rng(0)
TABLE = RNG.integers(0, 6, (800, 3)).astype(float)
Y = RNG.random(800) < 1 / (1 + np.exp(-0.8 * (TABLE[:, 0] > 2) - 0.3 * TABLE[:, 1] + 1.0))
PLAIN = {"interactions": 0, "alpha": 3e-3, "tol": 1e-9}


def fitted(factors, X=TABLE, **options):
    return tb.TableClassifier(penalty_factors=factors, **PLAIN | options).fit(X, Y)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_without_factors_it_is_the_plain_problem(loss):
    problem = tb.TableProblem(TABLE, Y, loss=loss)
    solved = tb.solve(problem, alpha=3e-3, l1_ratio=0.5, gap=1e-10)
    for factors in (None, [1.0, 1.0, 1.0], {}):
        clf = fitted(factors, loss=loss, l1_ratio=0.5)
        assert clf.objective_[0] == pytest.approx(solved.objective, abs=1e-8)


def test_factors_of_all_columns_are_another_alpha():
    np.testing.assert_allclose(
        fitted(np.full(3, 2.0)).predict_proba(TABLE),
        fitted(None, alpha=6e-3).predict_proba(TABLE),
        atol=1e-5,
    )


def test_a_column_that_costs_much_is_not_used():
    clf = fitted({1: 1e6})
    assert clf.importances_[1] == 0.0
    assert clf.importances_[0] > 0.0
    assert fitted(None).importances_[1] > 0.0


def test_a_column_without_penalty_is_fitted_to_the_end():
    free = fitted({0: 0.0}, alpha=0.5)
    assert free.importances_[1] == 0.0
    for value in range(6):
        rows = TABLE[:, 0] == value
        assert free.predict_proba(TABLE[rows])[:, 1].mean() == pytest.approx(
            Y[rows].mean(), abs=1e-3
        )


def test_alpha_is_chosen_with_them():
    for factors in (None, {2: 100.0}):
        clf = fitted(factors, alpha="auto", tol=1e-3)
        assert clf.selection_
        assert clf.message_.startswith("Converged")  # also where no sweep gains any more at once
    assert clf.importances_[2] == 0.0


@pytest.mark.parametrize(
    ("factors", "message"),
    [
        ("own", "must be 'auto', None, a dict of columns and numbers or a number for each column"),
        ([1.0, 2.0], "penalty_factors"),
        ([1.0, -2.0, 1.0], "must be 0 or more"),
        ([0.0, 0.0, 0.0], "not 0 for all"),
        ({3: 1.0}, "position 3, and the table has 3 columns"),
        ({"age": 1.0}, "names 'age', and the table has no such column"),
        ({0: -1.0}, "penalty_factors of 0 must be"),
        ({0: "much"}, "penalty_factors of 0 must be"),
    ],
)
def test_what_is_wrong_is_named(factors, message):
    with pytest.raises((ValueError, TypeError), match=message.replace("(", r"\(")):
        fitted(factors)
