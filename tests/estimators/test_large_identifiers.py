"""Integers that float64 cannot tell apart are categories of their own, wherever they come from."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tauboost as tb
from tauboost.tables.binning import ValueCounts, bin_table, count_values, encode
from tauboost.tables.columns import CategoryColumn
from tauboost.validation.frames import take_frame

IDS = [2**53, 2**53 + 1, 2**53 + 2, 10**17, 10**17 + 1, 2**62 + 1, -(2**53) - 1, 7]
NAMES = sorted(map(str, IDS))


def pyarrow_table(values):
    pa = pytest.importorskip("pyarrow")
    return pa.table({"id": pa.array(values, pa.int64())})


WHOLE = {
    "int64": lambda ids: np.array(ids, dtype=np.int64)[:, None],
    "objects": lambda ids: np.array(ids, dtype=object)[:, None],
    "rows": lambda ids: [[x, 0.5] for x in ids],
    "pandas": lambda ids: pd.DataFrame({"id": ids}),
    "pandas, beside another type": lambda ids: pd.DataFrame({"id": ids, "x": 0.5}),
    "pandas, objects": lambda ids: pd.DataFrame({"id": np.array(ids, dtype=object)}),
    "pandas, categories": lambda ids: pd.DataFrame({"id": pd.Categorical(ids)}),
    "polars": lambda ids: pl.DataFrame({"id": ids}),
}
WITH_HOLES = {
    "objects": lambda ids: np.array(ids, dtype=object)[:, None],
    "pandas": lambda ids: pd.DataFrame({"id": pd.array(ids, dtype="Int64")}),
    "pandas, objects": lambda ids: pd.DataFrame({"id": np.array(ids, dtype=object)}),
    "polars": lambda ids: pl.DataFrame({"id": ids}),
}


def table_of(kinds, kind, ids):
    make = pyarrow_table if kind == "pyarrow" else kinds[kind]
    return take_frame(make(ids))


@pytest.mark.parametrize("kind", [*WHOLE, "pyarrow"])
def test_integers_stay_exact(kind):
    frame = table_of(WHOLE, kind, IDS * 2)
    columns, codes = bin_table(frame, categorical=[0])
    assert sorted(columns[0].categories) == NAMES
    assert [columns[0].categories[code] for code in codes[0]] == list(map(str, IDS * 2))
    np.testing.assert_array_equal(encode(columns, frame), codes)


@pytest.mark.parametrize("kind", [*WITH_HOLES, "pyarrow"])
def test_integers_beside_missing_ones_stay_exact(kind):
    frame = table_of(WITH_HOLES, kind, [*IDS, None])
    columns, codes = bin_table(frame, categorical=[0])
    assert sorted(columns[0].categories) == NAMES
    assert codes[0, -1] == columns[0].missing
    np.testing.assert_array_equal(encode(columns, frame), codes)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_nothing_but_missing_values_are_categories_as_well(make):
    columns, _ = bin_table(take_frame(make({"id": ["a", "b"]})))
    missing = take_frame(make({"id": [None, None]}))
    assert encode(columns, missing).tolist() == [[columns[0].missing] * 2]


def test_unsigned_integers_stay_exact():
    ids = np.array([2**63 + 1, 2**63 + 2, 2**64 - 1], dtype=np.uint64)
    columns, _ = bin_table(take_frame(ids[:, None]), categorical=[0])
    assert sorted(columns[0].categories) == sorted(map(str, ids.tolist()))
    floats = take_frame(np.array([[2.0**63]]))
    assert encode(columns, floats)[0, 0] == columns[0].other


def test_equal_numbers_are_one_category_whatever_their_type():
    ids = [10**17, 2**53, 2**63, 5]
    columns, codes = bin_table(take_frame(np.array(ids, dtype=np.uint64)[:, None]), categorical=[0])
    floats = take_frame(np.array(ids, dtype=float)[:, None])
    np.testing.assert_array_equal(encode(columns, floats), codes)


def test_names_of_older_files_are_found():
    column = CategoryColumn("id", np.array(["1e+17", "-1.5e+16", "x"], dtype=object))
    words = [str(10**17), str(-15 * 10**15), str(15 * 10**15)]
    np.testing.assert_array_equal(column.codes(words), [0, 1, 3])


def make_table(n=600):
    """Even identifiers say yes, odd ones no: float64 sees the even ones only."""
    random = np.random.default_rng(0)
    ids = 2**53 + random.integers(0, 8, n)
    table = pd.DataFrame({"id": ids, "x": random.normal(size=n)})
    return table, np.where(random.random(n) < np.where(ids % 2 == 0, 0.9, 0.1), "yes", "no")


def test_a_model_and_its_file_tell_them_apart(tmp_path):
    table, y = make_table()
    clf = tb.TableClassifier(categorical_features=["id"], alpha=1e-3).fit(table, y)
    assert clf.score(table, y) > 0.85
    assert sorted(clf.columns_[0].categories) == [str(2**53 + k) for k in range(8)]
    tb.save_model(clf, tmp_path / "model")
    again = tb.load_model(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(table), clf.predict_proba(table))
    assert str(table.id[0]) in repr(clf.explain(table[:1]))


def test_parts_of_a_cluster_tell_them_apart():
    frame = take_frame(make_table()[0])
    parts = [frame.select(np.arange(k, 600, 3)) for k in range(3)]
    found = ValueCounts.merged([count_values(part, 0, None, True) for part in parts], "id")
    assert sorted(found.values) == [str(2**53 + k) for k in range(8)]
