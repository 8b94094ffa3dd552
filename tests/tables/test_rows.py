"""The rows of a table: signs of bounds, and weights that follow from the odds."""

from __future__ import annotations

import numpy as np
import pytest

import tauboost as tb
from mixed_table import mixed_table
from tauboost.penalty import Penalty
from tauboost.tables.rows import term_signs


@pytest.fixture(scope="module")
def problem():
    return tb.TableProblem(*mixed_table(), loss="logistic")


def test_weights_follow_from_the_odds(problem):
    rows = problem.rows()
    lam = np.random.default_rng(0).normal(size=problem.n_coordinates) * 0.1
    level = rows.refresh(lam)
    assert level.value == pytest.approx(rows.point(lam).value)
    np.testing.assert_allclose(rows.w, rows.point(lam).w)
    np.testing.assert_allclose(rows.slope(), rows.point(lam).gradient(), atol=1e-14)


def test_signs_of_bounds(problem):
    design = problem.design
    n = design.n_features
    free = Penalty.build(design, 0.0, 1.0, None)
    assert not term_signs(design, free).any()
    falling = Penalty.build(design, 0.0, 1.0, (None, 0.0))
    signs = term_signs(design, falling)
    assert set(np.unique(signs[:4, 0])) == {-1}
    assert signs[list(problem.columns).index(problem.columns[5]), 1] == -1
    lower = np.full(n, -np.inf)
    lower[0] = 0.0
    with pytest.raises(ValueError, match="the same for all of a column"):
        term_signs(design, Penalty.build(design, 0.0, 1.0, (lower, None)))
