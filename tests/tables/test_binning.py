"""Binning: what has to be the same stays the same, to the last edge and code."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extras import arrow_case
from frames import FRAMES, NAMES, as_pandas
from tauboost.tables.binning import bin_table, encode
from tauboost.tables.columns import CategoryColumn, NumericColumn, split_planes
from tauboost.validation.frames import take_frame

NUMBERS = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-1e9, 1e9, allow_nan=False).map(lambda x: round(x, 3)),
    st.just(float("nan")),
)
WORDS = st.one_of(st.sampled_from("abc"), st.integers(0, 30).map(str), st.none())
ROWS = st.lists(st.tuples(NUMBERS, WORDS), min_size=1, max_size=120)
BINS = st.sampled_from([2, 3, 5, 16, 255])


def table_of(rows):
    return take_frame([list(row) for row in rows])


def bins_of(columns):
    return [c.edges.tolist() if c.is_ordered else c.categories.tolist() for c in columns]


def edges_of(x, weights=None, max_bins=255):
    columns, _ = bin_table(take_frame(np.reshape(x, (-1, 1))), weights, max_bins)
    return columns[0].edges


@given(ROWS, BINS)
def test_codes_of_the_training_data_are_found_again(rows, max_bins):
    columns, codes = bin_table(table_of(rows), max_bins=max_bins)
    assert codes.flags.c_contiguous
    assert np.array_equal(encode(columns, table_of(rows)), codes)
    for column, row in zip(columns, codes, strict=True):
        assert len(column.bin_names()) == column.n_bins
        assert row.max() < column.n_bins
        assert column.n_bins <= max_bins + 1 + (not column.is_ordered)


@given(ROWS, BINS)
def test_increasing_transforms_give_the_same_codes(rows, max_bins):
    x = np.array([row[0] for row in rows])
    order = {value: i for i, value in enumerate(sorted(set(x[~np.isnan(x)])))}
    ranks = [order.get(value, np.nan) for value in x]
    tables = [np.reshape(v, (-1, 1)) for v in (x, ranks, np.exp2(ranks) * 3 - 7)]
    first, *others = [bin_table(take_frame(table), max_bins=max_bins)[1] for table in tables]
    assert all(np.array_equal(first, other) for other in others)


@given(st.data(), ROWS, BINS)
def test_a_weight_is_as_many_copies(data, rows, max_bins):
    weights = data.draw(st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows)))
    if not any(weights):
        weights[0] = 1
    copies = [row for row, n in zip(rows, weights, strict=True) for _ in range(n)]
    weighted, codes = bin_table(table_of(rows), np.array(weights, dtype=float), max_bins)
    copied, codes_of_copies = bin_table(table_of(copies), max_bins=max_bins)
    if all(a.is_ordered == b.is_ordered for a, b in zip(weighted, copied, strict=True)):
        assert bins_of(weighted) == bins_of(copied)
        assert np.array_equal(np.repeat(codes, weights, axis=1), codes_of_copies)


@given(st.data(), ROWS, BINS)
def test_the_order_of_the_rows_changes_nothing(data, rows, max_bins):
    order = data.draw(st.permutations(range(len(rows))))
    weights = np.random.default_rng(0).random(len(rows)) + 0.1
    columns, codes = bin_table(table_of(rows), weights, max_bins)
    others, shuffled = bin_table(table_of([rows[j] for j in order]), weights[order], max_bins)
    assert bins_of(columns) == bins_of(others)
    assert np.array_equal(codes[:, order], shuffled)


@settings(max_examples=30)
@given(ROWS, st.integers(2, 5))
def test_threads_change_nothing(rows, n_threads):
    columns, codes = bin_table(table_of(rows))
    others, same = bin_table(table_of(rows), n_threads=n_threads)
    assert bins_of(columns) == bins_of(others)
    assert np.array_equal(codes, same)


@pytest.mark.parametrize("kind", FRAMES)
def test_every_kind_of_table_gives_the_same_codes(kind):
    columns, codes = bin_table(take_frame(as_pandas()))
    others, same = bin_table(take_frame(FRAMES[kind]()))
    assert bins_of(columns) == bins_of(others)
    assert np.array_equal(codes, same)
    assert np.array_equal(encode(columns, take_frame(FRAMES[kind]())), codes)


def test_few_values_have_a_bin_each():
    x = np.array([3.0, 1.0, 2.0, 3.0, np.nan])
    assert edges_of(x).tolist() == [1.5, 2.5]
    assert edges_of(x, max_bins=3).tolist() == [1.5, 2.5]
    assert len(edges_of(np.arange(255.0))) == 254
    assert len(edges_of(np.arange(256.0))) == 254
    assert edges_of(np.full(4, 7.0)).tolist() == []
    assert edges_of(np.full(4, np.nan)).tolist() == []


@pytest.mark.parametrize(
    ("low", "high", "edge"),
    [
        (30, 31, 30.5),
        (30, 32, 31),
        (31, 40, 36),
        (1670, 1680, 1675),
        (0.1, 0.2, 0.15),
        (0.3, 0.1 * 4, 0.35),
        (-1, 1.2, 0),
        (-0.2, -0.1, -0.15),
        (999.5, 1000.7, 1000),
        (0.1234567, 0.1234568, 0.12345675),
        (1.7e9, 1.7e9 + 1, 1.7e9 + 0.5),
        (2.0**53, 2.0**53 + 2, 2.0**53),  # no number in between
        (2.0**60, 2.0**60 + 2.0**12, 1152921504606850000),
        (1.0, np.nextafter(1.0, 2.0), 1.0),
        (np.nextafter(1.0, 0.0), 1.0, np.nextafter(1.0, 0.0)),
        (0.0, 5e-324, 0.0),
        (-5e-324, 0.0, -5e-324),
        (-1.7e308, 1.7e308, 0),
        (1.5e308, 1.7e308, 1.6e308),
        (1e-310, 3e-310, 2e-310),
    ],
)
def test_an_edge_is_a_short_number_between_its_neighbours(low, high, edge):
    assert edges_of([low, high]).tolist() == [pytest.approx(edge, rel=1e-12, abs=0)]
    assert low <= edges_of([low, high])[0] < high


@given(st.sets(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=40), BINS)
def test_edges_are_well_inside_the_gaps(values, max_bins):
    x = np.unique(np.array(sorted(values)) + 0.0)
    for edge in edges_of(x, max_bins=max_bins):
        low, high = x[x <= edge].max(), x[x > edge].min()
        inside = low < edge or np.nextafter(low, high) == high
        assert inside
        if inside and np.nextafter(np.nextafter(low, high), high) < high:
            quarter = high / 4 - low / 4
            assert edge - low >= quarter * (1 - 1e-9) - 5e-324
            assert high - edge >= quarter * (1 - 1e-9) - 5e-324


@pytest.mark.parametrize(
    "given_at_prediction",
    [
        lambda x: x.astype(np.float32),
        lambda x: x * 3 / 3,
        lambda x: x * 1.1 / 1.1,
        lambda x: (x - 0.7) / 0.13 * 0.13 + 0.7,
    ],
)
@pytest.mark.parametrize("unit", [0.1, 1.0, 1e-6, 1e6 / 7])
def test_rounding_moves_no_value_into_another_bin(given_at_prediction, unit):
    x = unit * np.arange(1.0, 200.0)
    columns, codes = bin_table(take_frame(x.reshape(-1, 1)))
    moved = given_at_prediction(x).reshape(-1, 1)
    assert np.array_equal(encode(columns, take_frame(moved)), codes)


@pytest.mark.parametrize("max_bins", [2, 3, 10, 64, 255])
@pytest.mark.parametrize("seed", range(5))
def test_quantiles_are_even(max_bins, seed):
    x = np.random.default_rng(seed).normal(size=5000)
    edges = edges_of(x, max_bins=max_bins)
    assert len(edges) == max_bins - 1
    counts = np.bincount(np.searchsorted(edges, x))
    assert counts.max() - counts.min() <= 2
    assert not np.isin(edges, x).any()


@pytest.mark.parametrize("max_bins", [5, 8, 50, 255])
def test_values_that_hold_a_share_have_a_bin_of_their_own(max_bins):
    rng = np.random.default_rng(max_bins)
    x = np.concatenate([rng.normal(size=3000), np.zeros(3000), np.full(2000, 99.0)])
    edges = edges_of(x, max_bins=max_bins)
    codes = np.searchsorted(edges, x)
    assert np.all(x[codes == np.searchsorted(edges, 0.0)] == 0)
    assert np.all(x[codes == np.searchsorted(edges, 99.0)] == 99)
    assert len(edges) == max_bins - 1


@pytest.mark.parametrize("n_special", range(1, 9))
def test_more_special_values_than_bins_allow(n_special):
    x = np.concatenate([np.repeat(np.arange(n_special) * 10.0, 100), np.arange(-4, 95)])
    for max_bins in range(2, 20):
        edges = edges_of(x, max_bins=max_bins)
        assert len(edges) <= max_bins - 1
        assert np.all(np.diff(edges) > 0)
        if max_bins > 2 * n_special + 1:
            assert len(edges) == max_bins - 1


def test_tiny_and_huge_weights():
    x, w = np.arange(1000.0), np.random.default_rng(0).integers(1, 9, 1000).astype(float)
    for scale in (2.0**-300, 2.0**300):
        assert np.array_equal(edges_of(x, w, 16), edges_of(x, w * scale, 16))


def test_categories_by_weight_then_by_name():
    table = take_frame([["b"], ["a"], ["c"], ["c"], ["d"], [None]])
    assert bin_table(table)[0][0].categories.tolist() == ["c", "a", "b", "d"]
    heavy = np.array([1, 1, 1, 1, 9, 1.0])
    assert bin_table(table, heavy)[0][0].categories.tolist() == ["d", "c", "a", "b"]
    columns, codes = bin_table(table, max_bins=3)
    assert columns[0].categories.tolist() == ["c", "a"]
    assert codes.tolist() == [[2, 1, 0, 0, 2, 3]]
    assert bin_table(table, max_bins=4)[0][0].categories.tolist() == ["c", "a", "b", "d"]


def test_at_most_as_many_categories_as_a_lower_max_bins():
    for n in (253, 254, 255, 400):
        columns, codes = bin_table(take_frame([[f"{k}a"] for k in range(n)]), max_bins=254)
        assert len(columns[0].categories) == 253 + (n == 254)
        assert len(codes) == 1
        assert codes.max() == (n - 1 if n <= 254 else 253)


def test_categories_that_hold_a_share_of_the_rows_have_codes_of_their_own():
    for n, n_planes in ((254, 1), (255, 3), (400, 3)):
        columns, planes = bin_table(take_frame([[f"{k}a"] for k in range(n)]))
        [codes] = split_planes(columns, planes)
        assert len(planes) == n_planes
        assert len(columns[0].categories) == n
        assert sorted(codes) == list(range(n))


def test_numbers_can_be_categories():
    table = take_frame(pd.DataFrame({"a": [1.0, 2.0, 1.0, np.nan], "b": [1.5, 0.0, 1.5, 2.0]}))
    for categorical in (["a", "b"], [0, 1], ("a", 1), np.array([0, 1])):
        columns, codes = bin_table(table, categorical=categorical)
        assert bins_of(columns) == [["1", "2"], ["1.5", "0", "2"]]
        assert codes.tolist() == [[0, 1, 0, 3], [0, 1, 0, 2]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"max_bins": 1}, "max_bins must be at least 2"),
        ({"max_bins": 256}, "max_bins must be at most 255"),
        ({"max_bins": 2.5}, "max_bins must be an integer"),
        ({"categorical": "all"}, "'auto' or a list"),
        ({"categorical": ["z"]}, "no such column"),
        ({"categorical": [2]}, "has 1 columns"),
        ({"categorical": [-1]}, "at least 0"),
        ({"categorical": [0.5]}, "must be an integer"),
        ({"categorical": 3}, "'auto' or a list"),
    ],
)
def test_bad_arguments(arguments, words):
    with pytest.raises((TypeError, ValueError), match=words):
        bin_table(take_frame([[1], [2]]), **arguments)


def test_identifiers_are_refused():
    names = [f"n{k}" for k in range(2002)]
    with pytest.raises(ValueError, match=r"'id' has 2,002 different values in 2,002 rows.*leave"):
        bin_table(take_frame(pd.DataFrame({"id": names})))
    bin_table(take_frame(pd.DataFrame({"id": names[:1001] * 2})))  # half of the rows
    bin_table(take_frame(pd.DataFrame({"id": names[:1000]})))  # few
    with pytest.raises(ValueError, match="identifier"):
        bin_table(take_frame(np.arange(3000.0).reshape(-1, 1)), categorical=[0])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, arrow_case(lambda pa: pa.table)])
def test_a_million_different_strings_are_refused_quickly(make):
    table = take_frame(make({"id": np.arange(1_000_000).astype(str)}))
    began = time.perf_counter()
    with pytest.raises(ValueError, match="no value twice among"):
        bin_table(table)
    assert time.perf_counter() - began < 2


def test_a_million_different_numbers_are_no_categories():
    with pytest.raises(ValueError, match="no value twice among"):
        bin_table(take_frame(np.arange(1e6).reshape(-1, 1)), categorical=[0])


def test_identifiers_with_holes():
    names = np.where(np.arange(300_000) % 3, np.arange(300_000).astype(str), None).reshape(-1, 1)
    with pytest.raises(ValueError, match="identifier"):
        bin_table(take_frame(names))


def test_a_tiny_weight_is_still_a_row():
    x, w = np.array([1.0, 2.0, 3.0]), np.array([1e-100, 1.0, 1e-30])
    assert edges_of(x, w).tolist() == [1.5, 2.5]
    assert edges_of(x, np.array([0.0, 1.0, 1e-30])).tolist() == [2.5]


def test_a_million_rows_of_a_few_thousand_strings_are_fine():
    names = np.arange(300_000) % 5000
    columns, codes = bin_table(take_frame(pd.DataFrame({"n": names.astype(str)})))
    [codes] = split_planes(columns, codes)
    assert len(columns[0].categories) == 5000
    assert np.bincount(codes).tolist() == [60] * 5000


class TestOtherTables:
    columns, codes = bin_table(take_frame(as_pandas()))

    def test_columns_are_found_by_name(self):
        frame = as_pandas()[NAMES[::-1]].assign(when=pd.Timestamp("2024-01-01"))
        assert np.array_equal(encode(self.columns, take_frame(frame)), self.codes)

    def test_columns_without_names_are_taken_by_position(self):
        columns, codes = bin_table(take_frame([[1, 2], [2, 1]]))
        frame = pd.DataFrame({"a": [1, 2], "b": [2, 1]})
        assert np.array_equal(encode(columns, take_frame(frame)), codes)
        swapped = frame.set_axis(["x1", "x0"], axis=1)
        assert np.array_equal(encode(columns, take_frame(swapped)), [[1, 0], [0, 1]])
        with pytest.raises(
            ValueError, match="lacks 'x0', which the model needs, and has other, wh"
        ):
            encode(columns, take_frame(frame.set_axis(["x1", "other"], axis=1)))

    def test_a_missing_column(self):
        with pytest.raises(ValueError, match="lacks 'age', which the model needs"):
            encode(self.columns, take_frame(as_pandas().drop(columns="age")))
        with pytest.raises(ValueError, match="'pay', 'town' and 2 more"):
            encode(self.columns, take_frame(as_pandas()[["same"]]))
        with pytest.raises(ValueError, match="has 2 columns, and the model was trained on 6"):
            encode(self.columns, take_frame([[1, 2]]))

    def test_strings_for_numbers(self):
        frame = as_pandas().assign(age="old")
        with pytest.raises(TypeError, match=r"'age' holds strings such as 'old'.*trained on num"):
            encode(self.columns, take_frame(frame))
        gone = as_pandas().assign(age=pd.Series([None] * 6, dtype="str"))
        assert np.all(encode(self.columns, take_frame(gone))[0] == self.columns[0].missing)

    def test_numbers_for_strings(self):
        with pytest.raises(TypeError, match=r"'town' holds numbers such as 3.*trained on cat"):
            encode(self.columns, take_frame(as_pandas().assign(town=3)))
        gone = as_pandas().assign(town=np.nan)
        assert np.all(encode(self.columns, take_frame(gone))[2] == self.columns[2].missing)

    def test_unseen_categories_and_whole_numbers(self):
        town = encode(self.columns, take_frame(as_pandas().assign(town="Rom")))[2]
        assert np.all(town == self.columns[2].other)
        columns = (CategoryColumn("a", np.array(["1", "2"], dtype=object)),)
        for values in ([2, 1, 9], [2.0, 1.0, 9.0], ["2", "1", "9"], pd.Categorical([2, 1, 9])):
            found = encode(columns, take_frame(pd.DataFrame({"a": values})))
            assert found.tolist() == [[1, 0, 2]]

    def test_infinities_are_refused(self):
        with pytest.raises(ValueError, match="'pay' holds infinity"):
            encode(self.columns, take_frame(as_pandas().assign(pay=-np.inf)))

    def test_one_numeric_column(self):
        column = NumericColumn("a", np.array([1.0]))
        assert encode((column,), take_frame([[1], [2]])).tolist() == [[0, 1]]
