"""CSV and TSV of texts: quotes, ends of lines, and what is said where they are broken."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tauboost.io import source
from tauboost.io.texts import read_texts

CELL = st.text(st.characters(codec="utf-8"), max_size=12)
BAD = {
    "never closed": (b'text,label\na,b\n"c,d\ne,f\n', 3, "a quote is opened here and never closed"),
    "behind a quote": (b'text,label\na,b\n"c" d,e\n', 3, "text follows a closing quote: inside"),
    "swallowed": (b'text,label\n"a,b\nc,"d"\n', 2, "text follows a closing quote"),
    "too few cells": (b"text,label\na,b\nc\n", 3, "the line has 1 cells, and the first one 2"),
    "too many": (b"text,label\na,b,c\n", 2, "the line has 3 cells, and the first one 2"),
    "no label": (b'text,label\n"a\nb",c\n\nd,\n', 5, "column 'label' is empty: leave the line out"),
    "an old Mac": (b"text,label\ra,b\rc,d\r", 1, "a carriage return stands alone in a cell"),
    "behind a block": (b'text,label\n"a\n\nb",c\nd,"e\n', 5, "a quote is opened here"),
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("bytes_at_once", [1, 10**6])
def test_bad_lines(kind, bytes_at_once, tmp_path, monkeypatch):
    monkeypatch.setattr(source, "STREAM_BYTES", bytes_at_once)
    content, line, message = BAD[kind]
    (tmp_path / "a.csv").write_bytes(content)
    with (
        (tmp_path / "a.csv").open("rb") as file,
        pytest.raises(ValueError, match=rf"a\.csv, line {line}: {message}"),
    ):
        read_texts([file], "text", "label", kind="csv")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"text;label\na;b\n", r"no column 'text'; there are text;label \(is another sign between"),
        (b"text\tlabel\na\tb\n", r"another sign between the cells\?"),
        (b"text,text,label\na,b,c\n", "more than one column is called 'text'"),
        (b"id,body\n1,2\n", "there is no column 'text'; there are id, body$"),
    ],
)
def test_bad_headers(content, message, tmp_path):
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(ValueError, match=rf"a\.csv: .*{message}"):
        read_texts([tmp_path / "a.csv"], "text", "label")


@given(st.lists(st.tuples(CELL, CELL.filter(bool)), min_size=1, max_size=8), st.sampled_from(",\t"))
def test_what_python_writes_is_read(rows, delimiter):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    writer.writerows([("text", "label"), *rows])
    file = io.BytesIO(text.getvalue().encode())
    kind = "csv" if delimiter == "," else "tsv"
    texts, labels = read_texts([file], "text", "label", kind=kind)
    assert texts == [text for text, _ in rows]
    assert len(labels) == len(rows)


def test_cells_longer_than_the_usual_limit(tmp_path):
    long = "x" * 200_000
    (tmp_path / "a.csv").write_text(f"text,label\n{long},b\n")
    assert read_texts([tmp_path / "a.csv"], "text", "label")[0] == [long]


@pytest.mark.parametrize(
    ("labels", "kind", "expected"),
    [
        ("1 0 -3", "i", [1, 0, -3]),
        ("1 0.5 1e3", "f", [1.0, 0.5, 1000.0]),
        ("01 02", "O", ["01", "02"]),
        ("1 two", "O", ["1", "two"]),
        ("nan 1", "O", ["nan", "1"]),
        ("99999999999999999999 1", "O", ["99999999999999999999", "1"]),
    ],
)
def test_labels_are_numbers_if_all_are(labels, kind, expected, tmp_path):
    rows = "\n".join(f"a,{label}" for label in labels.split())
    (tmp_path / "a.csv").write_text(f"text,label\n{rows}\n")
    found = read_texts([tmp_path / "a.csv"], "text", "label")[1]
    assert (found.dtype.kind, found.tolist()) == (kind, expected)


HELD = [f"row {k}" for k in range(100)]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("bytes_at_once", [5, 10**6])
@pytest.mark.parametrize("label_first", [False, True])
def test_stray_quotes_in_tsv_swallow_nothing(end, bytes_at_once, label_first, monkeypatch):
    monkeypatch.setattr(source, "STREAM_BYTES", bytes_at_once)
    texts = ['"Good, he said', *HELD, '6" and "more"', '"so" good', '"all"', 'an end"', '"last']
    rows = [("label", "text") if label_first else ("text", "label")]
    rows += [("x", text) if label_first else (text, "x") for text in texts]
    file = io.BytesIO("".join("\t".join(row) + end for row in rows).encode())
    found, labels = read_texts([file], "text", "label", kind="tsv")
    assert found == [text.replace('"all"', "all") for text in texts]
    assert labels.tolist() == ["x"] * len(texts)


@pytest.mark.parametrize("cell", ["a\nb", 'a\n\nb "c"\td', "a\tb", "a\r\nb\r\n\r\nc"])
@pytest.mark.parametrize("label_first", [False, True])
def test_quoted_cells_of_tsv_go_on_below(cell, label_first):
    text = io.StringIO(newline="")
    rows = [("text", "label"), (cell, "x"), ("behind", "y")]
    rows = [row[::-1] for row in rows] if label_first else rows
    csv.writer(text, delimiter="\t").writerows(rows)
    file = io.BytesIO(text.getvalue().encode())
    texts, labels = read_texts([file], "text", "label", kind="tsv")
    assert (texts, labels.tolist()) == ([cell, "behind"], ["x", "y"])


def test_a_quote_of_tsv_that_is_never_closed():
    for content, message in (
        (b'label\ttext\nx\t"a\nb\nc\n', "line 2: a quote is opened here and never closed"),
        (b'"label"\t"text"\nx\t"a\ny\tc\n', "line 2: a quote is opened here and never closed"),
    ):
        with pytest.raises(ValueError, match=message):
            read_texts([io.BytesIO(content)], "text", "label", kind="tsv")
