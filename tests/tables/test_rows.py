"""The rows of a table: signs of bounds, and weights that sweeps keep."""

from __future__ import annotations

import numpy as np
import pytest

import tauboost as tb
from mixed_table import mixed_table
from tauboost.penalty import Penalty
from tauboost.solvers.weights import Start
from tauboost.tables.exact import BlockExact, term_signs


@pytest.fixture(scope="module")
def problem():
    return tb.TableProblem(*mixed_table(), loss="logistic")


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_a_fit_knows_its_value_and_gradient(loss):
    problem = tb.TableProblem(*mixed_table(), loss=loss)
    lam = np.random.default_rng(0).normal(size=problem.n_coordinates) * 0.1
    at = BlockExact.of(Start(problem, Penalty(problem.n_features, l1=1e-2), lam, 1))
    for n_sweeps in (0, 1, 5):
        for _ in range(n_sweeps):
            at.advance(1.0)
        here = problem.rows().point(at.lam)
        assert at.value == pytest.approx(here.value, abs=1e-12)
        np.testing.assert_allclose(at.gradient(), here.gradient(), atol=1e-13)


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
