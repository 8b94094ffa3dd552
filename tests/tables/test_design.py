"""The stumps of a table: from coordinates to levels and back, and what a fit over them is."""

from __future__ import annotations

import numpy as np

import tauboost as tb
from mixed_table import mixed_table


def test_levels_and_coordinates_are_two_ways_to_say_the_same():
    design = tb.TableProblem(*mixed_table()).design
    point = np.random.default_rng(0).normal(size=design.n_coordinates)
    levels = design.levels(point)
    np.testing.assert_allclose(design.from_levels(levels, point[-1]), point, atol=1e-12)
    for start, column in zip(design.starts, design.columns, strict=False):
        if column.is_ordered:  # stumps are -1 at one end and +1 at the other
            ends = levels[start] + levels[start + column.n_ordered - 1]
            assert abs(ends) < 1e-12


def test_levels_are_what_the_written_out_matrix_says():
    table, y = mixed_table(60)
    problem = tb.TableProblem(table, y)
    design = problem.design
    lam = np.random.default_rng(0).normal(size=design.n_features)
    levels = design.levels(np.append(lam, 0.0))
    expected = design.explicit(problem._codes) @ lam
    found = sum(
        levels[start + codes.astype(int)]
        for start, codes in zip(design.starts, problem._codes, strict=False)
    )
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_total_variation_is_twice_the_l1_norm():
    design = tb.TableProblem(*mixed_table()).design
    lam = np.where(design.is_threshold[design.kept], 1.0, 0.0)
    lam *= np.random.default_rng(0).normal(size=len(lam))
    levels = design.levels(np.append(lam, 0.0))
    variation = sum(
        np.abs(np.diff(levels[start : start + column.n_ordered])).sum()
        for start, column in zip(design.starts, design.columns, strict=False)
    )
    assert np.isclose(variation, 2 * np.abs(lam).sum())


def test_a_constant_and_an_empty_column_have_no_stumps():
    table = np.array([[1.0, np.nan, 0.0], [1.0, np.nan, 1.0], [1.0, np.nan, 2.0]])
    problem = tb.TableProblem(table, [0, 1, 1])
    assert problem.n_features == 1 + 2  # all missing is a bin that occurs, and two thresholds
    assert np.isfinite(tb.solve(problem, alpha=1e-2).objective)
