"""Tables from CSV and TSV: what a column is, what is missing, and what is said of bad files."""

from __future__ import annotations

import csv
import gzip
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tauboost.io import tables as table_csv
from tauboost.io.tables import read_table
from tauboost.validation.values import Words

NAN = float("nan")


@pytest.fixture(autouse=True)
def without_extras(monkeypatch):
    """None of what pip install '.[arrow]' and the like bring is needed."""
    for name in ("pyarrow", "pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)


def column(path, text, name="a", **options):
    """Return a column as a list: numbers, or strings and None."""
    path = path / "a.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    frame, _ = read_table(path, **options)
    return as_list(frame.column(frame.names.index(name)))


def as_list(values):
    if isinstance(values, Words):
        return [values.words[place] if place >= 0 else None for place in values.places]
    return values.tolist()


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        ("1 -2 +3 007", [1.0, -2.0, 3.0, 7.0]),
        ("0.1 .5 5. 1e3 -1E-3", [0.1, 0.5, 5.0, 1000.0, -0.001]),
        ("9007199254740993 18446744073709551615", [2.0**53, 2.0**64]),
        (
            "1.7976931348623157e308 5e-324 0.30000000000000004",
            [sys.float_info.max, 5e-324, 0.1 * 3],
        ),
        ("1 NA null NaN #N/A 2", [1.0, NAN, NAN, NAN, NAN, 2.0]),
        ("true FALSE True NA", [1.0, 0.0, 1.0, NAN]),
        ("NA NULL", [NAN, NAN]),
        ("Bonn NA Ulm", ["Bonn", None, "Ulm"]),
        ("1 two", ["1", "two"]),
        ("1 true", ["1", "true"]),
        ("1_000", ["1_000"]),
        ("٣", ["٣"]),
        ("0x10", ["0x10"]),
        ("fin tan", ["fin", "tan"]),
        ("2024-01-01 soon", ["2024-01-01", "soon"]),
        ("12:30 1", ["12:30", "1"]),
    ],
)
def test_what_a_column_is(cells, values, tmp_path):
    found = column(tmp_path, "a,b\n" + "".join(f"{cell},\n" for cell in cells.split()))
    np.testing.assert_array_equal(found, values)


def test_spaces_around_cells(tmp_path):
    text = "a,b\n 1,x\n 2 ,  y\n  , \n NA,\n"
    np.testing.assert_array_equal(column(tmp_path, text), [1.0, 2.0, NAN, NAN])
    assert column(tmp_path, text, "b") == ["x", "  y", None, None]


@pytest.mark.parametrize(
    "cells", ["2024-01-01", "2024-01-01 10:00", "2024-01-01T10:00:00.5Z", "10:00", "23:59:59.999"]
)
def test_dates_are_refused(cells, tmp_path):
    with pytest.raises(TypeError, match="column 'a' holds dates or times"):
        column(tmp_path, f"a,b\n{cells},1\n,2\n{cells},3\n")


def test_infinity_is_refused(tmp_path):
    for cell in ("inf", "-Infinity", "1e999"):
        with pytest.raises(ValueError, match="column 'a' holds infinity"):
            column(tmp_path, f"a,b\n{cell},1\n1,1\n")


def test_columns_as_text_stand_as_they_are(tmp_path):
    text = "a,b\n007,1\n7,1\nNA,1\n7.0,1\n"
    assert column(tmp_path, text, as_text=["a"]) == ["007", "7", None, "7.0"]
    frame, _ = read_table(tmp_path / "a.csv")
    assert as_list(frame.with_categories([0]).column(0)) == ["007", "7", None, "7.0"]


def test_some_rows_and_some_columns(tmp_path):
    (tmp_path / "a.csv").write_text("a,b,c\n1,x,5\n2,y,6\n3,,7\n")
    frame, _ = read_table(tmp_path / "a.csv")
    chosen = frame.with_categories([2]).only(["c", "b"]).select(np.array([2, 0]))
    assert chosen.names == ("c", "b")
    assert as_list(chosen.column(0)) == ["7", "5"]
    assert as_list(chosen.column(1)) == [None, "x"]
    assert as_list(frame.only(["a"]).column(0, np.array([1]))) == [2.0]


@pytest.mark.parametrize("rows_at_a_time", [1, 2, 10**6])
def test_types_are_found_in_all_of_a_file(rows_at_a_time, tmp_path, monkeypatch):
    monkeypatch.setattr(table_csv, "ROWS_AT_A_TIME", rows_at_a_time)
    assert column(tmp_path, "a,b\n1,1\n2,\n1,3\nx,4\n1,5\n") == ["1", "2", "1", "x", "1"]
    np.testing.assert_array_equal(
        column(tmp_path, "a,b\n1,1\n2,\n1,3\nx,4\n1,5\n", "b"), [1.0, NAN, 3.0, 4.0, 5.0]
    )


def test_quotes_blank_lines_and_a_byte_order_mark(tmp_path):
    text = '\ufeffa,b\n1,"x\ny, ""z"""\n\n ,NA\r\n2,5" pipe\n'
    np.testing.assert_array_equal(column(tmp_path, text), [1.0, NAN, 2.0])
    assert column(tmp_path, text, "b") == ['x\ny, "z"', None, '5" pipe']


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=9)


@given(st.lists(CELLS.filter(lambda cell: cell.strip() not in table_csv.MISSING), min_size=1))
def test_strings_come_back(tmp_path_factory, cells):
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerows([["a", "b"], *([cell, "1"] for cell in cells)])
    assert as_list(read_table(path, as_text=["a"])[0].column(0)) == cells


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_come_back(tmp_path_factory, numbers):
    path = tmp_path_factory.mktemp("csv") / "a.tsv"
    path.write_text("a\tb\n" + "".join(f"{number!r}\t1\n" for number in numbers))
    assert as_list(read_table(path)[0].column(0)) == numbers


BAD_TEXTS = {
    "empty": (b"", "the file is empty"),
    "blank": (b"\n\n", "the file is empty"),
    "a header only": (b"a,b\n", "no rows"),
    "too few cells": (b"a,b\n1,2\n3\n", "line 3: the line has 1 cells, and the first one 2"),
    "too many cells": (b"a,b\n1,2\n3,4,5\n", "line 3: the line has 3 cells"),
    "an open quote": (b'a,b\n"x,2\n', "line 2: a quote is opened here and never closed"),
    "Latin-1": ("a,b\nö,1\n".encode("latin-1"), "line 2: the text is not UTF-8: convert the file"),
    "a header of Latin-1": ("ö,b\nx,1\n".encode("latin-1"), "line 1: the text is not UTF-8"),
    "UTF-16": ("a,b\nx,1\n".encode("utf-16"), "not UTF-8"),
    "semicolons": (b"a;b\n1;2\n", "another sign between"),
    "a damaged stream": (gzip.compress(b"a,b\n1,2\n")[:-9], "end too early"),
}


@pytest.mark.parametrize("kind", BAD_TEXTS)
def test_bad_texts(kind, tmp_path):
    text, words = BAD_TEXTS[kind]
    path = tmp_path / "bad.csv"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=words) as error:
        read_table(path)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)
    assert "--errors" not in str(error.value)


@pytest.mark.parametrize(
    ("cells", "kind", "labels"),
    [
        ("1 0", "i", [1, 0]),
        ("1 0.5", "f", [1.0, 0.5]),
        ("007 7", "O", ["007", "7"]),
        ("NA DE", "O", ["NA", "DE"]),
        ("true false", "O", ["true", "false"]),
        ("yes no", "O", ["yes", "no"]),
        ("2024-01-01 2024-01-02", "O", ["2024-01-01", "2024-01-02"]),
    ],
)
def test_labels(cells, kind, labels, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,y\n" + "".join(f"1,{cell}\n" for cell in cells.split()))
    frame, found = read_table(path, "y")
    assert frame.names == ("a",)
    assert found.dtype.kind == kind
    assert found.tolist() == labels
    assert read_table(path, "y", as_text=["y"])[1].tolist() == cells.split()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n", "there is no column 'y'; there are a, b"),
        (",".join(f"c{k}" for k in range(12)) + "\n" + "1," * 11 + "1\n", "c9 and 2 more"),
        ("a,y\n1,2\n2,\n3,\n", "2 labels in column 'y' are missing"),
        ("y,y\n1,2\n", "more than one column is called 'y'"),
        ("y\n1\n2\n", "no column but the label"),
    ],
)
def test_bad_labels(text, words, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=words) as error:
        read_table(path, "y")
    assert str(error.value).startswith(str(path))
