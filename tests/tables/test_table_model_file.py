"""Plain data of a table model: whatever does not fit together is refused in one sentence."""

from __future__ import annotations

import numpy as np
import pytest

from model_files import changed
from table_files import assert_valid_table, table_data
from tauboost.models import model_of
from tauboost.tables.model_file import terms_of_file

DATA = table_data()
# Codes of age: 7, city: 5, hours: 4; then the pair of age (7 codes, 4 cells) and city (5, 4).
PAIR = 7 + 5 + 4


def with_value(name, place, value):
    array = DATA.arrays[name].copy()
    array[place] = value
    return {name: array}


def test_what_the_arrays_mean():
    assert_valid_table(DATA)
    assert_valid_table(table_data(3))
    assert_valid_table(table_data(n_terms=0))
    age, city, hours = model_of(DATA, "").columns
    assert [column.n_bins for column in (age, city, hours)] == [7, 5, 4]
    assert hours.edges.tolist() == [0.0, 37.5]
    assert city.categories.tolist() == ["Oslo", "Bergen", "Tromsø"]
    parts = terms_of_file(DATA.arrays)
    assert [part.columns for part in parts] == [(0,), (1,), (2,), (0, 1)]
    assert parts[-1].shape == (4, 4)
    assert parts[-1].cells == slice(16, 32)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (with_value("names", 1, "age"), "names must be .* all different"),
        ({"names": np.empty(0, dtype=object)}, "names must be those of one column"),
        (with_value("names", 1, 7), "names must be an object array of strings"),
        ({"feature_names": 1}, "feature_names must be a bool, got 1"),
        ({"kind": "a b"}, "kind must be the name of a class"),
        ({"classes": np.array([1, 1])}, "label twice"),
        ({"intercept": np.array([np.nan])}, "intercept contains NaN"),
        ({"intercept": np.zeros(2)}, "intercept must be float64 of shape"),
        (with_value("is_category", 0, True), "a column has edges that should have none"),
        (with_value("is_category", 1, False), "a column has categories that should have none"),
        ({"is_category": np.zeros(2, bool)}, r"is_category must be bool of shape \(3,\)"),
        (with_value("edges", 1, 18.0), "edges must ascend in each column"),
        (with_value("edges", 1, np.nan), "edges contains NaN"),
        (with_value("edges", 1, np.inf), "edges contains NaN or infinity"),
        (
            with_value("edge_offsets", slice(1, 3), 6),
            "edges must ascend|has edges that should have none",
        ),
        (with_value("edge_offsets", 3, 99), "offsets of edges do not cut them into columns"),
        (with_value("edge_offsets", 1, -1), "offsets of edges do not cut"),
        (with_value("category_offsets", 0, 1), "offsets of categories do not cut"),
        (with_value("categories", 1, "Oslo"), "column 'city' has a category twice"),
        (with_value("term_columns", (0, 0), 3), r"term_columns must be within 0\.\.2"),
        (with_value("term_columns", (0, 0), -1), r"term_columns must be within 0\.\.2"),
        (with_value("term_columns", (0, 1), -2), r"term_columns must be within 0\.\.2"),
        (with_value("term_columns", (3, 1), 3), "term_columns must be two columns"),
        (with_value("term_columns", (3, 1), 0), "term_columns must be two columns"),
        (with_value("term_columns", (1, 0), 0), "term_columns has a term twice"),
        (
            with_value("term_cells", (3, 0), 0),
            r"term_cells must be within 1\.\.65536, of a pair 1\.\.256",
        ),
        (
            with_value("term_cells", (3, 0), 2**62),
            r"term_cells must be within 1\.\.65536, of a pair 1\.\.256",
        ),
        (with_value("term_cells", (0, 1), 2), "term_cells must be 1 where there is no second"),
        (with_value("term_cells", (0, 0), 6), "scores must be float64 of shape"),
        (with_value("term_cells", (3, 0), 5), "scores must be float64 of shape"),
        (with_value("maps", PAIR, 4), r"maps must lead the codes of 'age' to cells 0\.\.3"),
        (with_value("maps", PAIR + 6, 0), r"maps must lead the codes of 'age' to cells 0\.\.3"),
        (with_value("maps", slice(PAIR, PAIR + 2), [1, 0]), "maps must keep the codes of 'age' in"),
        (with_value("maps", slice(7, 9), [1, 0]), "maps must keep the codes of 'city' in order"),
        ({"maps": DATA.arrays["maps"][:-1]}, r"maps must be uint8 of shape \(28,\)"),
        ({"maps": DATA.arrays["maps"].astype(np.int64)}, "maps must be uint8"),
        (with_value("scores", (3, 0), np.nan), "scores contains NaN"),
        ({"scores": DATA.arrays["scores"].astype(np.float32)}, "scores must be float64"),
        (with_value("weights", 3, -0.1), "weights of a term must not be negative, and sum to 1"),
        (with_value("weights", 3, 2.0), "weights of a term must not be negative, and sum to 1"),
        (with_value("weights", 3, np.inf), "weights contains NaN or infinity"),
    ],
)
def test_what_does_not_fit(changes, reason):
    with pytest.raises((TypeError, ValueError), match=reason) as caught:
        changed(DATA, **changes)
    assert "\n" not in str(caught.value)


def test_too_many_bins_for_a_byte():
    edges = np.arange(256.0)
    offsets = np.array([0, 256, 256, 256])
    with pytest.raises(ValueError, match="a column has more than 254 edges"):
        changed(table_data(n_terms=0), edges=edges, edge_offsets=offsets)


def wide_data(n=300):
    """Return a column of many categories alone."""
    data = table_data(n_terms=0)
    cells = n + 2
    return changed(
        data,
        names=np.array(["zip"], dtype=object),
        is_category=np.array([True]),
        edges=np.empty(0),
        edge_offsets=np.zeros(2, dtype=np.int64),
        categories=np.array([str(k) for k in range(n)], dtype=object),
        category_offsets=np.array([0, n]),
        term_columns=np.array([[0, -1]]),
        term_cells=np.array([[cells, 1]]),
        maps=np.arange(cells, dtype=np.uint16),
        scores=np.zeros((cells, len(data.arrays["intercept"]))),
        weights=np.full(cells, 1 / cells),
    )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"maps": np.arange(302).astype(np.uint8)}, "maps must lead the codes of 'zip'"),
        ({"maps": np.arange(302).astype(np.uint32)}, "maps must be uint8 of shape"),
        ({"maps": np.arange(1, 303).astype(np.uint16)}, "maps must lead the codes of 'zip'"),
        ({"maps": np.arange(302)[::-1].astype(np.uint16)}, "maps must keep the codes"),
        ({"maps": np.full(302, 65_535, np.uint16)}, "maps must lead the codes of 'zip'"),
        ({"term_cells": np.array([[65_536, 1]])}, "scores must be float64 of shape"),
        ({"term_cells": np.array([[65_537, 1]])}, r"term_cells must be within 1\.\.65536"),
    ],
)
def test_maps_of_two_bytes(changes, reason):
    with pytest.raises(ValueError, match=reason):
        changed(wide_data(), **changes)
    assert model_of(wide_data(65_534), "").columns[0].n_bins == 65_536
    with pytest.raises(ValueError, match="a column has more than 65534 categories"):
        wide_data(65_535)


def test_categories_of_a_pair_may_be_in_any_order():
    maps = DATA.arrays["maps"].copy()
    maps[PAIR + 7 : PAIR + 12] = [3, 0, 1, 2, 2]
    assert_valid_table(changed(DATA, maps=maps))
