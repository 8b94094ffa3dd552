"""Bins from value counts of parts of a table: those of the whole table, however it is cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frames import FRAMES
from tauboost.tables import binning
from tauboost.tables.binning import (
    ValueCounts,
    WholeUnit,
    bin_table,
    count_values,
    weight_units,
    whole_weights,
)
from tauboost.validation.frames import take_frame


def merged_column(frame, k, cuts, weights=None, max_bins=255, is_category=False):
    parts = [rows for rows in np.split(np.arange(frame.n_rows), cuts) if len(rows)]
    found = [
        count_values(frame.select(rows), k, None if weights is None else weights[rows], is_category)
        for rows in parts
    ]
    return ValueCounts.merged(found, frame.names[k]).column(frame.names[k], max_bins)


@given(
    values=st.lists(
        st.one_of(st.integers(-20, 20), st.floats(-1e300, 1e300), st.none()), min_size=1
    ),
    share=st.floats(0, 1),
    max_bins=st.integers(2, 255),
    data=st.data(),
)
def test_edges_do_not_depend_on_the_parts(values, share, max_bins, data):
    table = np.array(values, dtype=float).reshape(-1, 1)
    weights = np.array(data.draw(st.lists(st.sampled_from([0.5, 1, 3]), min_size=len(table))))
    weights = weights[: len(table)]
    [column], _ = bin_table(take_frame(table), weights, max_bins)
    unit = WholeUnit.of(weights.max(), weight_units(weights), len(weights))
    whole = whole_weights(weights, unit)
    found = merged_column(take_frame(table), 0, [int(share * len(table))], whole, max_bins)
    np.testing.assert_array_equal(found.edges, column.edges)


@pytest.mark.parametrize("cut", [1, 2, 4])
@pytest.mark.parametrize("kind", FRAMES)
def test_every_kind_of_column(kind, cut):
    frame = take_frame(FRAMES[kind]())
    columns, _ = bin_table(frame)
    for k, column in enumerate(columns):
        assert merged_column(frame, k, [cut]).bin_names() == column.bin_names()


def test_numbers_as_categories():
    frame = take_frame(np.array([[1.0], [2.5], [np.nan], [1.0]]))
    found = merged_column(frame, 0, [2], is_category=True)
    assert found.bin_names() == ["1", "2.5", "other", "missing"]


def test_strings_in_one_part_and_numbers_in_another():
    frame = take_frame(np.array([["a"], [None]], dtype=object))
    words, missing = (count_values(frame.select(np.array([k])), 0, None, False) for k in (0, 1))
    assert ValueCounts.merged([missing, words], "x").values == ("a",)
    numbers = count_values(take_frame([[1.0]]), 0, None, False)
    with pytest.raises(TypeError, match="column 'x' holds both strings and numbers"):
        ValueCounts.merged([words, numbers], "x")


def test_many_values_are_taken_together_and_heavy_ones_stay(monkeypatch):
    monkeypatch.setattr(binning, "MOST_VALUES", 2000)
    random = np.random.default_rng(0)
    x = np.where(random.random(50_000) < 0.3, 0.25, random.random(50_000))
    count = count_values(take_frame(x.reshape(-1, 1)), 0, None, False)
    few = count.bounded("x")
    assert len(few.values) <= 2000 < len(count.values)
    assert few.weights.sum() == 50_000
    assert few.weights[few.values == 0.25] == count.weights[count.values == 0.25]
    edges, rough = (t.column("x", 64).edges for t in (count, few))
    shares = [np.diff(np.searchsorted(np.sort(x), e, side="right")) for e in (edges, rough)]
    group = 4 * 50_000 / 2000
    assert abs(len(edges) - len(rough)) <= 1
    assert shares[1][shares[1] < 15_000].max() <= shares[0][shares[0] < 15_000].max() + 2 * group
    np.testing.assert_array_equal(few.bounded("x").values, few.values)
    at = np.searchsorted(count.values, 0.25) + np.arange(
        -1, 2
    )  # its neighbours, too: edges are cut there
    assert np.isin(count.values[at], few.values).all()


def test_many_strings(monkeypatch):
    monkeypatch.setattr(binning, "MOST_VALUES", 1500)
    words = [f"w{k % 1600}" for k in range(8000)] + ["often"] * 50
    count = count_values(take_frame([[w] for w in words]), 0, None, False)
    few = count.bounded("x")
    assert len(few.values) == 1500
    assert few.values[0] == "often"
    names = take_frame([[f"n{k}"] for k in range(2000)])
    with pytest.raises(ValueError, match="2,000 different values in 2,000 rows, like an identif"):
        count_values(names, 0, None, False).bounded("x")
