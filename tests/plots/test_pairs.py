"""Heat maps of pairs: cells with data, names, the missing value apart."""

from __future__ import annotations

import pytest

pytest.importorskip("matplotlib")

from dataclasses import replace

import numpy as np

from pictures import png, texts
from table_models import make_model
from tauboost.tables.terms import make_terms


def drawn(weights):
    """Draw the pair of age and city with these weights."""
    model = make_model(2)
    pair = replace(model.terms[3], weights=weights)
    figure = make_terms(replace(model, terms=(pair,)))[0].plot()
    png(figure)
    return figure.axes[0]


def test_cells_without_any_data_are_left_out():
    weights = np.full((4, 4), 1 / 12)
    weights[:, 3] = 0.0  # no city is missing
    weights[3] = 0.0  # nor any age
    weights[0] = 0.0  # ranges stay whole
    axes = drawn(weights)
    assert axes.collections[0].get_array().shape == (3, 3)
    assert "missing" not in texts(axes)


def test_the_missing_value_stands_behind_a_gap():
    axes = drawn(np.full((4, 4), 1 / 16))
    table = axes.collections[0].get_array()
    assert table.shape == (5, 5)
    assert np.ma.getmaskarray(table)[:, 3].all()
    names = [label.get_text() for label in (*axes.get_xticklabels(), *axes.get_yticklabels())]
    assert names.count("missing") == 2
    assert max(axes.get_yticks()[:-1]) <= 45  # beyond the numbers there are no numbers


def test_borders_are_the_edges():
    axes = drawn(np.full((4, 4), 1 / 16))
    heights = axes.collections[0].get_coordinates()[:, 0, 1]
    np.testing.assert_array_equal(heights[1:3], [25.0, 40.0])
