"""Bins in words."""

from __future__ import annotations

import numpy as np
import pytest

from table_models import CategoryColumn, NumericColumn, make_columns
from tauboost.tables.columns import as_text
from tauboost.tables.terms import make_axis

AGE, CITY, _ = make_columns()


def identity(column):
    return np.arange(column.n_bins, dtype=np.uint8)


def test_bins_of_numbers():
    axis = make_axis(AGE, identity(AGE))
    assert axis.names == [
        "<= 18",
        "18 to 25",
        "25 to 31",
        "31 to 40",
        "40 to 64.5",
        "> 64.5",
        "missing",
    ]
    assert (axis.n_ordered, axis.missing) == (6, 6)
    assert axis.label(0) == "age <= 18"
    assert axis.label(2) == "25 < age <= 31"
    assert axis.label(1, 3) == "18 < age <= 40"
    assert axis.label(4, 5) == "age > 40"
    assert axis.label(0, 5) == "any age"
    assert axis.label(6) == "age = missing"
    assert axis.short_label(6, 6) == "missing"


def test_cells_of_several_bins():
    axis = make_axis(AGE, np.array([0, 0, 1, 1, 2, 2, 3], np.uint8))
    np.testing.assert_array_equal(axis.edges, [25.0, 40.0])
    assert axis.names == ["<= 25", "25 to 40", "> 40", "missing"]
    axis = make_axis(AGE, np.array([0, 0, 1, 1, 2, 2, 1], np.uint8))
    assert axis.label(1) == "25 < age <= 40 or missing"
    assert axis.label(2) == "age > 40"
    axis = make_axis(CITY, np.array([0, 1, 1, 1, 2], np.uint8))
    assert axis.names == ["Oslo", "Bergen, Tromsø, other", "missing"]
    many = CategoryColumn("c", np.array([f"c{k}" for k in range(9)], dtype=object))
    axis = make_axis(many, np.append(np.zeros(10), 1).astype(np.uint8))
    assert axis.names == ["c0, c1, c2 and 7 more", "missing"]


def test_a_constant_column_has_one_bin():
    column = NumericColumn("k", np.empty(0))
    axis = make_axis(column, identity(column))
    assert axis.names == ["any", "missing"]
    assert axis.label(0) == "any k"
    assert axis.runs(np.zeros(2)) == [(0, 0), (1, 1)]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([1.0, 2.5], ["1", "2.5"]),
        ([1234567.0, 1234568.0], ["1234567", "1234568"]),
        ([0.1, 0.1 + 1e-9], ["0.1", "0.100000001"]),
        ([-2e7, 1e-9, 1e20], ["-20000000", "1e-09", "1e+20"]),
        ([np.nextafter(1, 0), 1.0], ["0.9999999999999999", "1"]),
        ([], []),
    ],
)
def test_numbers_are_told_apart(values, texts):
    assert as_text(np.array(values)) == texts


def test_equal_neighbours_are_one_run():
    axis = make_axis(AGE, identity(AGE))
    scores = np.array([1.0, 1.0, 2.0, 2.0 + 1e-12, 2.0, 3.0, 3.0])
    assert axis.runs(scores) == [(0, 1), (2, 4), (5, 5), (6, 6)]
    two = np.stack([np.zeros(7), scores], axis=1)
    assert axis.runs(two) == axis.runs(scores)
    cities = make_axis(CITY, identity(CITY))
    assert cities.runs(np.zeros(5)) == [(k, k) for k in range(5)]
