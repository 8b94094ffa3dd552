"""Tables of every kind come out the same, and bad ones get one sentence."""

from __future__ import annotations

import datetime as dt
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from extras import arrow_case
from frames import COLUMNS, FRAMES, NAMES
from sparse_data import random_csr
from tauboost.validation.frames import take_frame
from tauboost.validation.values import Words

DAY = dt.date(2024, 2, 29)


def cells(values):
    if isinstance(values, Words):
        return [None if place < 0 else values.words[place] for place in values.places]
    return [None if np.isnan(x) else x for x in values.tolist()]


@pytest.mark.parametrize("kind", FRAMES)
def test_every_kind_of_table_gives_the_same_columns(kind):
    frame = take_frame(FRAMES[kind]())
    assert (frame.n_rows, frame.n_columns) == (6, 6)
    assert list(frame.names) == (NAMES if frame.has_names else [f"x{k}" for k in range(6)])
    for k, name in enumerate(NAMES):
        assert cells(frame.column(k)) == COLUMNS[name], name
        assert cells(frame.column(k, np.array([1, 3]))) == COLUMNS[name][1:4:2], name


@pytest.mark.parametrize("kind", FRAMES)
def test_some_rows_of_a_table(kind):
    part = take_frame(FRAMES[kind]()).select(np.array([4, 0, 3]))
    assert part.n_rows == 3
    assert cells(part.column(2)) == ["Köln", "Bonn", "Bonn"]
    assert cells(part.column(2, np.array([0, 2]))) == ["Köln", "Bonn"]
    assert cells(part.select(np.array([1])).column(0)) == [25.0]


def test_a_frame_is_taken_as_it_is():
    frame = take_frame([[1, 2]])
    assert take_frame(frame) is frame


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f8", "i1", "u8", "?", "g"])
def test_numbers_of_every_type(dtype):
    array = np.array([[1, 0], [0, 1]], dtype=dtype)
    assert cells(take_frame(array).column(0)) == [1.0, 0.0]


def test_sparse_matrices_are_made_dense_by_columns():
    X = random_csr((30, 7), 0.3, np.random.default_rng(0))
    for make in (sp.csr_array, sp.csc_matrix, sp.coo_array):
        frame = take_frame(make(X))
        found = np.array([frame.column(k) for k in range(7)])
        assert np.array_equal(found, X.toarray().T)
        assert np.array_equal(frame.column(2, np.array([3, 4])), X.toarray()[3:5, 2])


def test_large_integers():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"big": pa.array([2**63 - 1, None]), "u": pa.array([2**64 - 1, 0], "uint64")})
    assert cells(take_frame(table).column(0)) == [float(2**63), None]
    assert cells(take_frame(table).column(1)) == [float(2**64), 0.0]


def test_decimals_and_fractions():
    decimals = [Decimal("1.5"), None, Decimal("NaN")]
    for frame in (pd.DataFrame({"d": decimals}), pl.DataFrame({"d": decimals[:2]})):
        assert cells(take_frame(frame).column(0))[:2] == [1.5, None]
    assert cells(take_frame([[Fraction(1, 4)], [np.float32(2)], [True]]).column(0)) == [0.25, 2, 1]


def test_everything_that_says_missing_is_missing():
    holes = [None, np.nan, pd.NA, pd.NaT, float("nan"), np.float32("nan")]
    assert cells(take_frame([["a"], *([h] for h in holes)]).column(0)) == ["a"] + [None] * 6
    assert cells(take_frame([[1.5], *([h] for h in holes)]).column(0)) == [1.5] + [None] * 6


def test_categories_of_numbers_are_words():
    frame = take_frame(pd.DataFrame({"c": pd.Categorical([3, 1, None, 3])}))
    assert cells(frame.column(0)) == ["3", "1", None, "3"]


def test_categories_of_numbers_in_arrow_are_words():
    pa = pytest.importorskip("pyarrow")
    encoded = pa.table({"c": pa.array([3, 1, None, 3]).dictionary_encode()})
    assert cells(take_frame(encoded).column(0)) == ["3", "1", None, "3"]


def test_a_matrix_of_numpy_is_an_array():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        matrix = np.matrix([[1, 2], [3, 4]])
    assert cells(take_frame(matrix).column(1)) == [2.0, 4.0]


@pytest.mark.parametrize(
    ("cell", "words"), [([1], "nested"), (DAY, "dates"), (1j, "omplex"), ("a", "both strings")]
)
def test_what_comes_late_in_a_column_is_found(cell, words):
    for first in (None, "a", 1.0):
        column = pd.Series([first] * 300 + [1.5, cell], dtype=object)
        with pytest.raises(TypeError, match=f"{words}|both strings"):
            take_frame(pd.DataFrame({"late": column})).column(0)


def test_intervals_of_pandas_are_categories():
    frame = take_frame(pd.DataFrame({"c": pd.cut([1, 2, 3, np.nan], [0, 2, 4])}))
    assert cells(frame.column(0)) == ["(0, 2]", "(0, 2]", "(2, 4]", None]


def test_numbers_of_128_bits():
    frame = pl.DataFrame({"c": pl.Series([1, None, 2**100], dtype=pl.Int128)})
    assert cells(take_frame(frame).column(0)) == [1.0, None, 2.0**100]


@pytest.mark.parametrize("dtype", ["i2", "?", "f4", "Int16", "Float64", "Sparse[float64]"])
def test_frames_of_pandas_of_one_type(dtype):
    frame = take_frame(pd.DataFrame({"a": [1, 0], "b": [0, 1]}).astype(dtype))
    assert frame.names == ("a", "b")
    assert cells(frame.column(1)) == [0.0, 1.0]
    assert cells(frame.column(0, np.array([1]))) == [0.0]
    bad = pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, np.inf]})
    with pytest.raises(ValueError, match="column 'b' holds infinity"):
        take_frame(bad).column(1)


def test_names_are_made_strings():
    assert take_frame(pd.DataFrame([[1, 2]], columns=[3, "a"])).names == ("3", "a")
    assert take_frame(np.ones((2, 2))).names == ("x0", "x1")


BAD_CELLS = {
    "infinity": ([1.0, np.inf], "holds infinity"),
    "a huge integer": ([1, 10**400], "too large"),
    "dates": ([DAY, None], "dates or times: give numbers, such as the days"),
    "times": ([dt.datetime(2024, 1, 1), None], "dates or times"),
    "durations": ([dt.timedelta(1), None], "dates or times"),
    "NumPy's dates": ([np.datetime64("2024-01-01"), None], "dates or times"),
    "NumPy's durations": ([np.timedelta64(1, "D"), None], "dates or times"),
    "periods": ([pd.Period("2024"), None], "dates or times"),
    "strings and numbers": (["a", 1], "both strings and numbers"),
    "strings and booleans": (["a", True], "both strings and numbers"),
    "complex numbers": ([1j, 2], "complex numbers"),
    "lists": ([[1], [2]], "nested"),
    "tuples": ([(1, 2), None], "nested"),
    "dicts": ([{"a": 1}, None], "nested"),
    "bytes": ([b"a", None], "decode them"),
    "objects": ([object(), None], "give numbers or strings"),
    "intervals": ([pd.Interval(0, 1), "a"], "give numbers or strings"),
}


@pytest.mark.parametrize("kind", BAD_CELLS)
def test_bad_cells_get_one_sentence_that_names_the_column(kind):
    column, words = BAD_CELLS[kind]
    array = np.empty((2, 2), dtype=object)
    array[:, 0] = 1
    for j, cell in enumerate(column):
        array[j, 1] = cell
    frame = pd.DataFrame({"fine": [1, 2], "x1": pd.Series(column, dtype=object)})
    for table in (array, array.tolist(), frame):
        with pytest.raises((TypeError, ValueError), match=words) as error:
            take_frame(table).column(1)
        assert "'x1'" in str(error.value)
        assert "\n" not in str(error.value)
        take_frame(table).column(0)  # nobody asked for the other


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ([DAY], "dates or times"),
        ([dt.datetime(2024, 1, 1)], "dates or times"),
        ([dt.timedelta(1)], "dates or times"),
        ([dt.time(1)], "dates or times"),
        ([[1, 2]], "nested"),
        ([{"a": 1}], "nested"),
        ([b"a"], "decode them"),
        ([np.inf], "holds infinity"),
    ],
)
@pytest.mark.parametrize("make", [pl.DataFrame, arrow_case(lambda pa: pa.table)])
def test_bad_columns_of_typed_frames(make, column, words):
    with pytest.raises((TypeError, ValueError), match=words) as error:
        take_frame(make({"bad": column})).column(0)
    assert "'bad'" in str(error.value)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.array([[1j]]), "omplex"),
        (np.array([["2024-01-01"]], dtype="M8[D]"), "dates"),
        (np.array([[b"a"]]), "decode"),
        (np.zeros((1, 1), dtype=[("a", "f8")]), "nested"),
        (np.array([[1e300]], dtype="g") ** 4, "infinity"),
    ],
)
def test_bad_arrays(array, words):
    with pytest.raises((TypeError, ValueError), match=words):
        take_frame(array).column(0)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (np.ones((0, 3)), "no rows"),
        (np.ones((3, 0)), "no columns"),
        ([], "two dimensions"),
        ([[], []], "no columns"),
        ([[1], [1, 2]], "differ in length"),
        ([["a"], ["a", "b"]], "differ in length"),
        (np.ones(3), r"reshape\(-1, 1\)"),
        (np.ones((1, 1, 1)), "two dimensions"),
        (["a", "b"], "two dimensions"),
        (pd.DataFrame(), "no columns"),
        (pd.DataFrame({"a": []}), "no rows"),
        (pl.DataFrame({"a": []}), "no rows"),
        arrow_case(lambda pa: pa.table({"a": []}), "no rows"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "more than one column 'a'"),
        (pd.DataFrame([[1, 2]], columns=["1", 1]), "more than one column '1'"),
        arrow_case(lambda pa: pa.table([[1], [2]], names=["a", "a"]), "more than one column 'a'"),
        (np.ma.masked_array([[1.0, 2.0]], mask=[[True, False]]), "masked"),
        (sp.csr_array((10**6, 10**5)), "cells as a table"),
        (pd.Series([1, 2]), "single column"),
        (pl.Series([1, 2]), "single column"),
        arrow_case(lambda pa: pa.chunked_array([[1]]), "single column"),
        (pl.LazyFrame({"a": [1]}), "not in memory"),
        ("a.csv", "must be a data frame"),
        (None, "must be a data frame"),
        (3, "must be a data frame"),
        ({}, "no columns"),
        ({"a": []}, "no rows"),
        ({"a": [1], "b": [1, 2]}, "differ in length: 1 and 2"),
        ({"1": [1], 1: [2]}, "more than one column '1'"),
        ({"a": "bc"}, "column 'a' of the table must be an array or a list, got 'bc'"),
        ({"a": np.ones((2, 2))}, "column 'a' of the table must have one dimension, got 2"),
        ({"a": np.ma.masked_array([1.0], mask=[True])}, "column 'a' is a masked array"),
        (int, "must be a data frame"),
    ],
)
def test_what_is_no_table_is_refused(table, words):
    with pytest.raises((TypeError, ValueError), match=words) as error:
        take_frame(table)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_a_broken_sparse_matrix_is_refused_before_scipy_believes_it(kind):
    matrix = sp.coo_array(np.eye(4)).asformat(kind)
    if kind == "coo":
        matrix.coords = (matrix.coords[0], np.array([0, 1, 2, 99]))
    else:
        matrix.indices = np.array([0, 1, 2, 99], dtype=matrix.indices.dtype)
    with pytest.raises(ValueError, match="index 99 is outside"):
        take_frame(matrix)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("row", range(4))
@pytest.mark.parametrize("is_category", [False, True])
def test_a_single_row_is_what_it_is_among_others(make, row, is_category):
    """Its cells are read all at once."""
    frame = make(
        {
            "float": [1.5, float("nan"), -0.0, 1e300],
            "int": [1, 2**62 + 1, -3, 0],
            "byte": np.array([1, 2, 3, 255], np.uint8),
            "single": np.array([0.1, 1.0, 2.0, np.nan], np.float32),
            "bool": [True, False, True, False],
            "text": ["a", "", None, "nan"],
        }
    )
    some = frame.iloc[[row]] if make is pd.DataFrame else frame[[row]]
    frames = [take_frame(some), take_frame(frame).select(np.array([row]))]
    if is_category:
        frames = [one.with_categories(range(6)) for one in frames]
    for k in range(6):
        alone, among = (one.column(k) for one in frames)
        assert isinstance(alone, Words) == isinstance(among, Words) or np.isnan(alone).all()
        if isinstance(alone, Words):
            assert [alone.words[p] for p in alone.places if p >= 0] == [
                among.words[p] for p in among.places if p >= 0
            ]
        else:
            assert alone.dtype == np.float64
            assert isinstance(among, Words) or np.array_equal(alone, among, equal_nan=True)
