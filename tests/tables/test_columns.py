"""Columns: codes, names of bins, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from tauboost.tables.columns import CategoryColumn, NumericColumn


def numeric(*edges):
    return NumericColumn("age", np.array(edges, dtype=np.float64))


def category(*names):
    return CategoryColumn("town", np.array(names, dtype=object))


def test_a_code_is_the_number_of_edges_below():
    column = numeric(25, 30, 60)
    assert (column.n_ordered, column.n_bins, column.missing) == (4, 5, 4)
    assert column.codes([25, 25.1, 30, 59, 60, 61, np.nan]).tolist() == [0, 1, 1, 2, 2, 3, 4]
    assert column.codes([-np.inf, np.inf]).tolist() == [0, 3]
    assert column.codes([]).tolist() == []


@pytest.mark.parametrize("n_edges", [0, 1, 2, 3, 127, 128, 129, 254])
def test_codes_agree_with_a_search(n_edges):
    rng = np.random.default_rng(n_edges)
    edges = np.unique(rng.normal(size=n_edges))
    x = np.concatenate([rng.normal(size=1001), edges, np.nextafter(edges, np.inf), [-9.0, 9.0]])
    assert np.array_equal(numeric(*edges).codes(x), np.searchsorted(edges, x))
    assert numeric(*edges).codes([np.nan]) == n_edges + 1


def test_names_of_the_bins_of_numbers():
    names = ["<= 25", "25 < x <= 30.5", "> 30.5", "missing"]
    assert numeric(25, 30.5).bin_names() == names
    assert numeric().bin_names() == ["any", "missing"]
    near = numeric(1.0, np.nextafter(1.0, 2.0), 1.5)
    assert len(set(near.bin_names())) == near.n_bins
    assert numeric(1234567.0, 1234568.0).bin_names()[0] == "<= 1234567"


def test_other_and_missing_categories_have_codes():
    column = category("b", "a")
    assert (column.other, column.missing, column.n_bins) == (2, 3, 4)
    assert column.codes(["a", "b", "c", None, ""]).tolist() == [1, 0, 2, 3, 2]
    assert column.bin_names() == ["b", "a", "other", "missing"]
    assert category().codes(["a", None]).tolist() == [0, 1]
    assert category("other").bin_names() == ["other", "(other)", "missing"]


def test_numbers_are_categories_without_a_point():
    assert category("1", "2.5").codes(np.array([1, 2.5, 3, np.nan])).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: numeric(2, 1), "finite and ascend"),
        (lambda: numeric(1, 1), "finite and ascend"),
        (lambda: numeric(1, np.nan), "finite and ascend"),
        (lambda: numeric(*range(255)), "at most 254"),
        (lambda: NumericColumn("age", np.array([1, 2])), "float64 vector"),
        (lambda: NumericColumn("age", np.ones((1, 1))), "float64 vector"),
        (lambda: NumericColumn(3, np.ones(1)), "must be a string"),
        (lambda: category("a", "a"), "twice"),
        (lambda: category("a", 1), "must be strings"),
        (lambda: category(*map(str, range(65_535))), "at most 65534"),
        (lambda: CategoryColumn("town", ["a"]), "array of strings"),
    ],
)
def test_what_is_no_column_is_refused(make, words):
    with pytest.raises((TypeError, ValueError), match=words):
        make()


def test_bins_are_named_by_where_they_end():
    assert numeric(1234567.5).bin_names()[0] == "<= 1234567.5"
    assert numeric(1700000000.5, 1700000001.5).bin_names()[1] == "1700000000.5 < x <= 1700000001.5"
    assert numeric(0.1 + 0.2).bin_names()[0] == "<= 0.3"
