"""From Parquet and Arrow files to a store: kinds of lists, bad tables, damaged files."""

from __future__ import annotations

import pytest

pytest.importorskip("pyarrow")

import os
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import tauboost as tb
from stores import refusal

TABLE = {
    "label": [1, 0, 1],
    "indices": [[0, 4], [], [2, 1]],
    "values": [[1.0, 0.5], [], [2.0, 1.0]],
}
DENSE = [[1, 0, 0, 0, 0.5], [0, 0, 0, 0, 0], [0, 1, 2, 0, 0]]


def write_arrow(path, table, form):
    table = table if isinstance(table, pa.Table) else pa.table(table)
    if form == "parquet":
        pq.write_table(table, path)
        return path
    make = pa.ipc.new_file if form == "file" else pa.ipc.new_stream
    with pa.OSFile(str(path), "wb") as file, make(file, table.schema) as writer:
        writer.write_table(table)
    return path


@pytest.mark.parametrize("form", ["parquet", "file", "stream"])
def test_arrow(tmp_path, monkeypatch, form):
    monkeypatch.setattr("tauboost.io.arrow.ROWS_AT_A_TIME", 2)
    path = write_arrow(tmp_path / "x", TABLE | {"name": ["a", "b", "c"]}, form)
    store = tb.convert(path, tmp_path / "s")
    np.testing.assert_array_equal(store.to_csr().toarray(), DENSE)
    np.testing.assert_array_equal(store.y, [1, 0, 1])
    assert store.source["made_from"] == ("parquet" if form == "parquet" else "arrow")


@pytest.mark.parametrize("kind", [pa.list_(pa.int32()), pa.large_list(pa.uint64()),
                                  pa.list_(pa.int64(), 2)])  # fmt: skip
def test_kinds_of_lists(tmp_path, kind):
    lists = pa.array([[0, 4], [1, 2], [2, 1]], type=kind)
    path = write_arrow(tmp_path / "x", pa.table({"y": [True, False, True], "i": lists}), "parquet")
    store = tb.convert(path, tmp_path / "s")
    assert store.n_values == 0
    np.testing.assert_array_equal(store.to_csr().toarray()[1], [0, 1, 1, 0, 0])
    np.testing.assert_array_equal(store.y, [1, 0, 1])


def test_arrow_one_based_and_other_labels(tmp_path):
    table = {"indices": [[1, 5], [], [3, 2]], "values": [[1, 2], [], [3, 1]]}
    path = write_arrow(tmp_path / "x", table, "parquet")
    store = tb.convert(path, tmp_path / "s", zero_based=False, labels=[1, 2, 1])
    np.testing.assert_array_equal(store.to_csr().toarray()[2], [0, 1, 3, 0, 0])
    assert "below 1" in refusal(
        tmp_path, write_arrow(path, TABLE, "parquet"), zero_based=False, labels=[1, 2, 1]
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"label": ["a", "b", "c"]}, "which column holds the label? 0 of the columns"),
        ({"label": None, "a": [1, 0, 1], "b": [1, 2, 3]}, "2 of the columns indices, values, a, b"),
        ({"indices": None}, "which column holds the indices?"),
        ({"indices": [[0], [1], None]}, "column indices holds nulls"),
        ({"indices": [[0, None], [], [2, 1]]}, "column indices holds nulls"),
        ({"label": [1, None, 0]}, "column label holds nulls"),
        ({"values": [[1.0], [], [2.0, 1.0]]}, "differ in length"),
        ({"values": [[1.0, np.nan], [], [2.0, 1.0]]}, "NaN"),
        ({"indices": [[0, -4], [], [2, 1]]}, "index -4 is below 0"),
        ({"indices": [[0, 2**31], [], [2, 1]]}, "has 2147483649 features"),
    ],
)
@pytest.mark.parametrize("form", ["parquet", "file"])
def test_bad_tables(tmp_path, change, words, form):
    table = {name: column for name, column in (TABLE | change).items() if column is not None}
    message = refusal(tmp_path, write_arrow(tmp_path / "x.pq", table, form))
    assert "x.pq: " in message
    assert words in message


@pytest.mark.parametrize("form", ["parquet", "file", "stream"])
def test_damaged_tables(tmp_path, form):
    path = write_arrow(tmp_path / "x", TABLE, form)
    os.truncate(path, path.stat().st_size // 2)
    assert f"{path}: " in refusal(tmp_path, path)


@pytest.mark.parametrize("form", ["file", "stream"])
def test_arrow_buffers_that_point_elsewhere(tmp_path, form):
    """Nothing protects an Arrow file's buffers: pyarrow ends the process where it believes them."""
    path = write_arrow(tmp_path / "x", TABLE, form)
    content = path.read_bytes()
    offsets = np.array([0, 2, 2, 4], dtype=np.int32).tobytes()
    assert content.count(offsets) >= 1
    for wrong in ([0, 2, 2, 10**9], [0, -5, 2, 4], [0, 3, 2, 4]):
        path.write_bytes(content.replace(offsets, np.array(wrong, dtype=np.int32).tobytes()))
        assert "Offset" in refusal(tmp_path, path) or "offset" in refusal(tmp_path, path)


def test_without_pyarrow(tmp_path, monkeypatch):
    path = write_arrow(tmp_path / "x", TABLE, "parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "pip install 'tauboost[arrow]'" in refusal(tmp_path, path, ImportError)
