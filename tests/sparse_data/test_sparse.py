"""The way of features into the core and back, with intercept and sign."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import tauboost as tb
from problems import CASES
from tauboost.sparse.design import SparseDesign, decisions
from tauboost.sparse.scaling import Units
from tauboost.validation import as_csr


@pytest.mark.parametrize("name", ["binary", "mixed"])  # without and with an intercept
def test_in_and_out(name):
    design = CASES[name].problem().design
    rng = np.random.default_rng(0)
    lam, intercept = rng.normal(size=design.n_features), 0.5 * design.fit_intercept
    point = design.coordinates(lam, intercept)
    back, last = design.split(point)
    np.testing.assert_array_equal(back, lam)
    np.testing.assert_array_equal(design.features(point), lam)
    assert last == intercept
    coef, bias = design.coefficients(point)
    np.testing.assert_array_equal(coef, -lam)
    assert bias == -intercept
    np.testing.assert_array_equal(design.point(coef, bias), point)


def test_decision_values_have_the_sign_of_the_classifier():
    case = CASES["mixed"]
    problem = case.problem()
    design = problem.design
    point = np.random.default_rng(1).normal(size=problem.n_coordinates)
    coef, intercept = design.coefficients(point)
    is_positive = (case.y == problem.classes[1])[design.row_order]
    found = decisions(problem.rows().residuals(point), is_positive)
    expected = (case.X @ coef + intercept)[design.row_order]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_unused_features_stay_where_they_were():
    X = np.zeros((4, 2))
    X[:, 0] = [1, 0, 1, 0]
    wide = sp.csr_array((X[X > 0], (np.nonzero(X)[0], [70_000, 70_000])), shape=(4, 80_000))
    design = tb.Problem(wide, [1, -1, 1, -1]).design
    np.testing.assert_array_equal(design.used, [70_000])
    assert design.n_features == 80_000
    lam = np.ones(80_000)
    point = design.coordinates(lam)
    assert point.tolist() == [1.0]
    assert design.split(point)[0].sum() == 1.0
    assert design.split(point, rest=2 * lam)[0].sum() == 2 * 79_999 + 1


def test_edges_are_in_units_of_a_usual_value_where_values_differ():
    """One large value among many: a gradient that is small next to it may not be small."""
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [rng.normal(size=500), rng.random(500) < 0.2, 3.0 * (rng.random(500) < 0.5)]
    )
    X[0, 0] = 1000.0
    units = Units.of(as_csr(X), np.ones(500), True, 1)
    design = SparseDesign.build(as_csr(X), np.ones(500, bool), True, 1, units=units)
    usual = np.append(design.edge_units[design.place], design.edge_units[-1])
    assert usual[0] == pytest.approx(np.sqrt(np.mean(X[:, 0] ** 2)) / 1000.0, rel=0.1)
    np.testing.assert_array_equal(usual[1:], 1.0)
    given = SparseDesign.build(as_csr(X), np.ones(500, bool), True, 1)
    np.testing.assert_array_equal(given.edge_units, given.scale)
