"""Explanations of rows: values as text, order, print, any kind of table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from frames import FRAMES, NAMES
from table_models import glass_box, make_table
from tauboost.explanation import as_text
from tauboost.validation.frames import take_frame

TABLE = make_table(30)


@pytest.fixture(scope="module")
def explanation():
    return glass_box().explain(TABLE)


def test_a_row_is_sorted_by_size(explanation):
    parts = explanation.row(3)
    assert [abs(p.contribution) for p in parts] == sorted(
        (abs(p.contribution) for p in parts), reverse=True
    )
    values = {part.term: part.value for part in parts}
    age, city = TABLE.loc[3, "age"], TABLE.loc[3, "city"]
    assert values["age"] == ("missing" if np.isnan(age) else f"{age:g}")
    assert values["age x city"] == f"{values['age']}, {values['city']}"
    assert values["city"] == (city if isinstance(city, str) else "missing")


def test_rows_can_be_picked(explanation):
    some = explanation[[4, 2]]
    assert len(some) == 2
    assert some.indices.tolist() == [4, 2]
    assert some.row(1) == explanation.row(2)
    assert explanation[-1].row() == explanation.row(29)
    assert len(list(explanation[:3])) == 3
    with pytest.raises(IndexError, match="row 30 of 30"):
        explanation[30]


def test_one_row_prints_its_terms(explanation):
    text = repr(explanation[2])
    lines = text.splitlines()
    assert lines[0].startswith("row 2: yes has probability 1.000, decision value")
    assert lines[3].split() == ["intercept", "+0.2500"]
    assert lines[-1].split() == ["decision", "value", f"{explanation.decisions[2]:+.4f}"]
    assert len(lines) == 3 + 1 + 4 + 1


def test_several_rows_print_their_largest_terms(explanation):
    lines = repr(explanation).splitlines()
    assert lines[0].split() == [
        "row",
        "class",
        "probability",
        "decision",
        "largest",
        "contributions",
    ]
    assert lines[-1] == "... 20 more rows"
    first = explanation.row(0)[0]
    assert f"{first.term} = {first.value}: {first.contribution:+.3f}" in lines[2]


def test_few_terms_and_no_terms():
    one = glass_box(n_terms=1).explain(TABLE)
    assert "age = " in repr(one)
    none = glass_box(n_terms=0).explain(TABLE)
    assert none.row() == []
    assert "decision value" in repr(none[0])
    assert "+0.2500" in repr(none)


@pytest.mark.parametrize("kind", FRAMES)
def test_columns_of_any_table(kind):
    frame = take_frame(FRAMES[kind]())
    places = frame.places(NAMES)[:3]
    texts = [[as_text(frame.column(k, np.array([row]))) for k in places] for row in (0, 1, 4)]
    assert texts == [["25", "1.5", "Bonn"], ["31", "2.25", "missing"], ["25", "missing", "Köln"]]


def test_columns_in_another_order():
    clf = glass_box()
    turned = TABLE[["hours", "age", "city"]].set_index(pd.Index(range(100, 130)))
    explanation = clf.explain(turned)
    assert explanation.row(7) == clf.explain(TABLE).row(7)


def test_columns_of_a_sparse_matrix():
    frame = take_frame(sp.csr_array([[0.0, 2.0], [3.0, 0.0]]))
    row = np.array([1])
    assert [as_text(frame.column(k, row)) for k in frame.places(["x0", "x1"])] == ["3", "0"]
