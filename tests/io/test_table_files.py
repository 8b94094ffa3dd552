"""Tables from files: the same from every kind, and one sentence for what is wrong."""

from __future__ import annotations

import pytest

pytest.importorskip("pyarrow")

import bz2
import gzip
import lzma
import sys

import numpy as np
import pyarrow as pa
from pyarrow import csv, feather, parquet

from frames import COLUMNS
from tauboost.io.tables import is_table_file, read_table
from tauboost.tables.binning import bin_table
from tauboost.validation.frames import take_frame
from tauboost.validation.values import Words

# An empty string is missing in text.
TABLE = pa.table(
    COLUMNS
    | {"town": [town or None for town in COLUMNS["town"]]}
    | {"bought": ["yes", "no", "yes", "no", "no", "yes"]}
).drop(["empty"])
NAMES = [
    "a.csv",
    "a.CSV",
    "a.b.csv",
    "a.csv.gz",
    "a.csv.xz",
    "a.csv.bz2",
    "a.tsv",
    "a.tsv.gz",
    "a.parquet",
    "a.pq",
    "a.arrow",
    "a.feather",
]


def as_text(delimiter=","):
    sink = pa.BufferOutputStream()
    csv.write_csv(TABLE, sink, csv.WriteOptions(delimiter=delimiter))
    return sink.getvalue().to_pybytes()


def write(path):
    if path.suffix in (".parquet", ".pq"):
        parquet.write_table(TABLE, path)
    elif path.suffix == ".feather":
        feather.write_feather(TABLE, path)
    elif path.suffix == ".arrow":
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, TABLE.schema) as sink:
            sink.write_table(TABLE)
    else:
        text = as_text("\t" if ".tsv" in path.name else ",")
        pack = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}
        path.write_bytes(pack.get(path.suffix, bytes)(text))
    return path


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_file_gives_the_same_table(name, tmp_path):
    table, labels = read_table(write(tmp_path / name), "bought")
    assert list(table.names) == [n for n in TABLE.schema.names if n != "bought"]
    assert labels.tolist() == TABLE["bought"].to_pylist()
    expected = bin_table(take_frame(TABLE.drop(["bought"])))[1]
    codes = bin_table(table)[1]
    assert np.array_equal(codes, expected)
    whole, nothing = read_table(str(tmp_path / name))
    assert whole.n_columns == 6
    assert nothing is None


@pytest.mark.parametrize(
    "cells",
    [
        "1 -2 007 NA 9007199254740993 18446744073709551615",
        "0.1 -0.0 1e-400 NaN 1e308 123456789.123456789",
        "true False TRUE null",
        "Bonn NA #N/A Ulm ü nan",
        "NA NULL n/a",
        '"a,b" "7" "" "x""y"',
        "1 two 3.0",
    ],
)
def test_what_arrow_finds_in_text_is_found(cells, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n" + "".join(f"{cell},{cell}\n" for cell in cells.split()))
    missing = csv.ConvertOptions(strings_can_be_null=True)
    other = take_frame(csv.read_csv(path, convert_options=missing)).column(0)
    ours = read_table(path)[0].column(0)
    assert type(ours) is type(other)
    if isinstance(ours, Words):
        assert cells_of(ours) == cells_of(other)
    else:
        np.testing.assert_array_equal(ours, other)


def cells_of(words):
    return [words.words[place] if place >= 0 else None for place in words.places]


def test_which_files_are_tables():
    tables = ("a.csv", "b/a.TSV.gz", "x.parquet", "x.feather", "x.1.csv.xz")
    others = ("a.svm", "a.gz", "a", ".csv", "a.parquet.gz", "a.csv.zip", "a.svm.xz")
    assert all(map(is_table_file, tables))
    assert not any(map(is_table_file, others))


@pytest.mark.parametrize(
    ("labels", "kind"),
    [([1, 2], "i"), ([0.5, 2.0], "f"), ([True, False], "b"), (["a", "b"], "O")],
)
def test_labels_of_every_type(labels, kind, tmp_path):
    parquet.write_table(pa.table({"x": [1, 2], "y": labels}), tmp_path / "a.parquet")
    table, found = read_table(tmp_path / "a.parquet", "y")
    assert found.dtype.kind == kind
    assert found.tolist() == labels
    encoded = pa.table({"x": [1, 2], "y": pa.array(labels).dictionary_encode()})
    parquet.write_table(encoded, tmp_path / "b.parquet")
    assert read_table(tmp_path / "b.parquet", "y")[1].tolist() == labels
    assert table.names == ("x",)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["007", "7"], ["007", "7"]),
        (["NA", "DE"], ["NA", "DE"]),
        (["null", "nan"], ["null", "nan"]),
        (["true", "false"], ["true", "false"]),
        (["0", "1"], [0, 1]),
        (["0.0", "1.0"], [0.0, 1.0]),
        (["2024-01-01", "x"], ["2024-01-01", "x"]),
    ],
)
def test_labels_of_csv_are_read_as_they_stand(cells, expected, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("y,x\n" + "".join(f"{cell},{k}\n" for k, cell in enumerate(cells)))
    assert read_table(path, "y")[1].tolist() == expected
    assert read_table(path, "y", as_text=["y"])[1].tolist() == cells


def test_labels_that_are_not_numbers(tmp_path):
    parquet.write_table(pa.table({"x": [1, 2], "y": [1.0, np.nan]}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="labels in column 'y' are missing"):
        read_table(tmp_path / "a.parquet", "y")


@pytest.mark.parametrize("name", ["a.parquet", "a.feather", "a.arrow"])
def test_damaged_files(name, tmp_path):
    path = write(tmp_path / name)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises((ValueError, OSError), match=name) as error:
        read_table(path)
    assert "\n" not in str(error.value)


def test_no_file_and_no_table(tmp_path):
    for name in ("none.csv", "none.parquet", "none.feather"):
        with pytest.raises(FileNotFoundError, match=name):
            read_table(tmp_path / name)
    with pytest.raises(ValueError, match=r"a file with a table ends in \.csv"):
        read_table(tmp_path / "a.svm")


@pytest.mark.parametrize("name", ["a.parquet", "a.feather"])
def test_without_pyarrow_the_message_says_what_to_install(name, tmp_path, monkeypatch):
    path = write(tmp_path / name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'tauboost\[arrow\]'"):
        read_table(path)
