"""Where bins stand on an axis."""

from __future__ import annotations

import numpy as np

from table_models import NumericColumn
from tauboost.plots.figure import cut, positions
from tauboost.tables.terms import make_axis


def scale(edges, weights):
    column = NumericColumn("x", np.array(edges, dtype=float))
    axis = make_axis(column, np.arange(column.n_bins, dtype=np.uint8))
    return positions(axis, np.array(weights, dtype=float))


def test_to_scale_where_that_shows_the_bins():
    found = scale([0, 10, 20, 30, 40], np.ones(6))
    assert found.is_linear
    np.testing.assert_array_equal(found.bounds[1:-1], [0, 10, 20, 30, 40])
    assert np.all(np.diff(found.bounds) > 0)


def test_bins_of_equal_width_where_far_values_press_the_others_together():
    for weights in ([90, 5, 2, 1, 1, 1], [50, 30, 5, 5, 5, 5]):
        found = scale([0, 1, 2, 3, 1e6], weights)
        assert not found.is_linear
        assert found.note == " (bins of equal width)"
        np.testing.assert_array_equal(found.bounds, np.arange(7))
        assert found.ticks[1] == ["0", "1", "2", "3", "1000000"]


def test_ends_of_the_range_of_numbers():
    assert not scale([-1.7e308, 0, 1, 2, 1.7e308], np.ones(6)).is_linear
    for edges, weights in (([], [1]), ([5], [1, 1]), ([5], [0, 0]), ([0, 1, 2, 3, 4], np.zeros(6))):
        bounds = scale(edges, weights).bounds
        assert np.all(np.diff(bounds) > 0)


def test_outer_bins_are_no_denser_than_their_neighbours_let_them_be():
    found = scale([0, 100, 101, 102, 103, 203], np.ones(7))
    density = found.density(np.full(7, 1 / 7))
    np.testing.assert_allclose(density[[0, -1]], 1 / 700)
    assert density[2] == density.max()
    equal = scale([0, 1, 2, 3, 1e6], [90, 5, 2, 1, 1, 1])
    np.testing.assert_array_equal(equal.density(np.arange(6.0)), np.arange(6.0))


def test_long_names_are_cut():
    assert cut("abc", 3) == "abc"
    assert cut("a\n  bcdef", 4) == "a b…"
