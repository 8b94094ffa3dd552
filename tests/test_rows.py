"""Rows of this machine: points, surfaces and weights that belong to their lam."""

from __future__ import annotations

import numpy as np
import pytest

from problems import CASES

LOSSES = ["exponential", "logistic"]


def rows_and_points(loss, name="mixed"):
    problem = CASES[name].problem(loss=loss)
    lams = np.random.default_rng(0).normal(size=(3, problem.n_coordinates)) * 0.3
    return problem.rows(1), lams


@pytest.mark.parametrize("loss", LOSSES)
def test_points_reached_by_addition_are_the_points(loss):
    rows, (a, b, _) = rows_and_points(loss)
    here, there = rows.point(a), rows.point(b)
    for found, lam in (
        (here.moved(b, b - a), b),
        (there.extrapolated(here, 0.7), b + 0.7 * (b - a)),
    ):
        expected = rows.point(lam)
        np.testing.assert_allclose(found.lam, lam)
        assert found.value == pytest.approx(expected.value, rel=1e-12)
        assert found.largest == pytest.approx(expected.largest, rel=1e-12)
        np.testing.assert_allclose(found.gradient(), expected.gradient(), atol=1e-13)
    np.testing.assert_array_equal(here.r, rows.residuals(a))  # nothing has moved it


@pytest.mark.parametrize("loss", LOSSES)
def test_points_are_apart_from_the_weights_that_kernels_keep(loss):
    rows, (a, b, _) = rows_and_points(loss)
    at = rows.point(a)
    assert rows.refresh(a, at) == pytest.approx(rows.refresh(a))
    rows.w *= 2.0  # as a kernel might
    assert at.gradient() == pytest.approx(rows.point(a).gradient())
    kept = rows.w.copy()
    rows.point(b).gradient()
    np.testing.assert_array_equal(rows.w, kept)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_surface_is_the_derivative_of_the_gradient(loss):
    rows, (a, d, _) = rows_and_points(loss)
    surface = rows.surface(a)
    columns = np.arange(len(a), dtype=np.int32)
    lower = np.tril(surface.gram(columns))
    full = lower + np.tril(lower, -1).T
    np.testing.assert_allclose(surface.product(columns, d), full @ d, atol=1e-12)
    h = 1e-6
    change = (rows.point(a + h * d).gradient() - rows.point(a - h * d).gradient()) / (2 * h)
    if loss == "exponential":
        full = full - np.outer(surface.gradient, surface.gradient)
    np.testing.assert_allclose(full @ d, change, atol=1e-7)
    surface.look_along(d)
    assert surface.at(a + 0.5 * d, 0.5).value == pytest.approx(rows.point(a + 0.5 * d).value)
