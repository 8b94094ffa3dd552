"""Texts from Parquet and Arrow files: every type of string and label, and what is refused."""

from __future__ import annotations

import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa
from pyarrow import parquet

from tauboost.io.texts import read_texts, text_blocks


def written(path, texts, labels):
    parquet.write_table(pa.table({"text": texts, "label": labels}), path, row_group_size=2)
    return path


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), "encoded"])
@pytest.mark.parametrize(
    "labels", [[1, 2, 1], [0.5, 1.0, 2.0], [True, False, True], ["a", "b", "a"]]
)
def test_types(kind, labels, tmp_path):
    texts = pa.array(["é", "", "b"], None if kind == "encoded" else kind)
    texts = texts.dictionary_encode() if kind == "encoded" else texts
    for y in (pa.array(labels), pa.array(labels).dictionary_encode()):
        found, labels_found = read_texts([written(tmp_path / "a.parquet", texts, y)], *NAMES)
        assert found == ["é", "", "b"]
        assert labels_found.tolist() == labels


NAMES = ("text", "label")


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        (["a", "b", None], [1, 2, 3], ": row 3: column 'text' is missing: leave the row out"),
        (["a", "b", "c"], [1, 2, None], ": row 3: column 'label' is missing: leave the row out"),
        (["a", "b", "c"], [0.0, 1.0, float("nan")], ", row 3: a label cannot be nan"),
        ([1, 2, 3], [1, 2, 3], ": texts must be strings, and column 'text' is int64"),
        ([b"a", b"b", b"c"], [1, 2, 3], ": texts must be strings, and column 'text' is binary"),
        (["a", "b", "c"], [[1], [2], [3]], ": labels must be numbers or strings, and column"),
    ],
)
def test_bad_columns(texts, labels, message, tmp_path):
    path = written(tmp_path / "a.parquet", texts, labels)
    with pytest.raises(ValueError, match=r".") as error:
        read_texts([path], *NAMES)
    assert str(error.value).startswith(f"{path}{message}")


def test_rows_come_a_few_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr("tauboost.io.arrow.ROWS_AT_A_TIME", 2)
    path = written(tmp_path / "a.parquet", [str(k) for k in range(7)], [0, 1, 0, 1, 0, 1, 0])
    blocks = list(text_blocks([path], *NAMES))
    assert [block.texts for block in blocks] == [["0", "1"], ["2", "3"], ["4", "5"], ["6"]]
    assert blocks[2].place(1) == f"{path}, row 6"
    assert blocks[-1].bytes_read == path.stat().st_size
