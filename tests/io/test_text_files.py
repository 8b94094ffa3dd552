"""Texts and labels from files: the same from every kind, and one sentence for what is wrong."""

from __future__ import annotations

import io
import os
import sys

import numpy as np
import pytest

from svmlight_texts import COMPRESS
from tauboost.io import source
from tauboost.io.texts import KINDS, kind_of_texts, read_texts, text_blocks
from text_files import AS_TEXT, LABELS, NAMES, TEXTS, as_csv, as_json, names_for, write_texts


@pytest.mark.parametrize("kind", NAMES)
def test_every_kind_of_file_gives_the_same(kind, tmp_path):
    path = write_texts(tmp_path, kind)
    texts, labels = read_texts([path], **names_for(kind))
    assert texts == TEXTS
    assert labels.dtype == object
    assert labels.tolist() == LABELS
    alone, nothing = read_texts([str(path)], names_for(kind).get("text"), with_labels=False)
    assert alone == TEXTS
    assert nothing is None


@pytest.mark.parametrize("packed", COMPRESS)
@pytest.mark.parametrize("kind", AS_TEXT)
@pytest.mark.parametrize("bytes_at_once", [1, 7, 10**6])
def test_packed_and_in_small_parts(packed, kind, bytes_at_once, tmp_path, monkeypatch):
    monkeypatch.setattr(source, "PART_BYTES", max(bytes_at_once, 4096))
    path = write_texts(tmp_path, kind, packed=packed)
    assert read_texts([path], **names_for(kind))[0] == TEXTS

    class Trickle(io.BytesIO):
        def read(self, size=-1):
            return super().read(min(size, bytes_at_once))

    texts, labels = read_texts([Trickle(path.read_bytes())], **names_for(kind))
    assert (texts, labels.tolist()) == (TEXTS, LABELS)


def test_many_long_lines_over_many_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "PART_BYTES", 4096)
    rng = np.random.default_rng(0)
    texts = ["é x" * size for size in rng.integers(0, 9000, 60)]
    labels = [int(label) for label in rng.integers(0, 3, 60)]
    for kind in AS_TEXT:
        path = write_texts(tmp_path, kind, texts, labels)
        blocks = list(text_blocks([path], **names_for(kind)))
        assert [text for block in blocks for text in block.texts] == texts
        assert len(blocks) > 10
        read = [block.bytes_read for block in blocks]
        assert read == sorted(read)
        assert read[-1] == path.stat().st_size


def test_files_without_a_telling_name(tmp_path):
    for kind in (kind for kind in NAMES if kind != "feather"):
        path = write_texts(tmp_path, kind).rename(tmp_path / "data")
        assert read_texts([path], **names_for(kind))[0] == TEXTS
    (tmp_path / "data").write_bytes(b"one\r\n\r\ntwo __label__\nthree")
    assert read_texts([tmp_path / "data"], with_labels=False)[0] == [
        "one", "", "two __label__", "three"
    ]  # fmt: skip


def test_several_files_of_several_kinds(tmp_path):
    paths = [write_texts(tmp_path, kind) for kind in ("jsonl", "csv", "parquet")]
    texts, labels = read_texts(paths, "text", "label")
    assert texts == TEXTS * 3
    assert labels.tolist() == LABELS * 3


def test_the_kind_may_be_given(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(as_json(TEXTS, LABELS))
    assert read_texts([path], "text", "label", kind="jsonl")[0] == TEXTS
    assert kind_of_texts(path) == "csv"
    with pytest.raises(ValueError, match="kind must be one of jsonl, csv"):
        read_texts([path], "text", "label", kind="xml")
    assert [kind_of_texts(name) for name in ("x.JSONL.gz", "a.ndjson.zst", "a.svm", "a")] == [
        "jsonl", "jsonl", None, None
    ]  # fmt: skip
    assert set(NAMES) - {"feather"} | {"lines"} == set(KINDS)


def test_a_mark_of_the_byte_order_is_no_text(tmp_path):
    for kind in AS_TEXT:
        path = write_texts(tmp_path, kind)
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
        assert read_texts([path], **names_for(kind))[0] == TEXTS


@pytest.mark.parametrize("kind", ["jsonl", "csv", "fasttext", "lines"])
def test_lines_come_out_as_they_come_in(kind):
    """A line that has arrived in a pipe is there before the next one is written."""
    reading, writing = os.pipe()
    row = {"jsonl": b'{"text": "%d"}\n', "csv": b"%d\n", "lines": b"%d\n"}
    line = row.get(kind, b"__label__x %d\n")
    text = None if kind in ("fasttext", "lines") else "text"
    with os.fdopen(reading, "rb") as file, os.fdopen(writing, "wb", buffering=0) as other_end:
        other_end.write(b"text\n" if kind == "csv" else b"")
        blocks = text_blocks([file], text, kind=kind, with_labels=False, is_eager=True)
        for k in range(3):
            other_end.write(line % k)
            assert next(blocks).texts == [str(k)]
        other_end.write(line % 3 + line % 4 + line[:1])
        assert next(blocks).texts == ["3", "4"]


def test_a_pipe_may_be_empty_and_a_file_not(tmp_path):
    assert list(text_blocks([io.BytesIO(b"")], is_eager=True, with_labels=False)) == []
    for name, content in {
        "a.jsonl": b"",
        "b.jsonl": b"\n \n",
        "a.csv": b"",
        "b.csv": b"text\n",
        "c.csv": b"\n\n",
        "a.txt": b"",
        "b.txt.gz": COMPRESS["gz"](b""),
    }.items():
        (tmp_path / name).write_bytes(content)  # fmt: skip
        with pytest.raises(ValueError, match=f"{name}: no texts in this file"):
            read_texts([tmp_path / name], "text", with_labels=False)
    with pytest.raises(ValueError, match=r"a\.jsonl: no texts"):
        read_texts([write_texts(tmp_path, "csv"), tmp_path / "a.jsonl"], "text", "label")


def wrong(path, content, text="text", label="label", **options):
    """Return the one sentence about a file with this content, without the name of the file."""
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r".") as error:
        read_texts([path], text, label, **options)
    sentence = str(error.value)
    assert sentence.startswith(str(path))
    assert "\n" not in sentence
    return sentence.removeprefix(str(path))


def test_names_that_are_not_given(tmp_path):
    for name, content, noun in (
        ("a.jsonl", as_json(TEXTS, LABELS), "field"),
        ("a.csv", as_csv(TEXTS, LABELS), "column"),
        ("a.parquet", write_texts(tmp_path, "parquet").read_bytes(), "column"),
    ):
        fields = "text, label" if name == "a.jsonl" else "id, text, label"
        path = tmp_path / name
        assert wrong(path, content, None) == (
            f": say by text= which {noun} holds the texts, one of {fields}"
        )
        assert wrong(path, content, label=None) == (
            f": say by label= which {noun} holds the labels, one of {fields}"
        )
        assert wrong(path, content, "label") == f": text= and label= both name the {noun} 'label'"
        assert wrong(path, content, "body").endswith(
            f"there is no {noun} 'body'; there are {fields}"
        )
        assert wrong(path, content, label="x").endswith(
            f"there is no {noun} 'x'; there are {fields}"
        )


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.txt"])
@pytest.mark.parametrize("bad", [b"\xff", b"\xed\xa0\x80", b"\xc3"])
def test_what_is_no_utf8(name, bad, tmp_path):
    good, label = (None, None) if name == "a.txt" else ("text", "label")
    content = {
        "a.jsonl": b'{"text": "a", "label": 1}\n' * 2 + b'{"text": "%s", "label": 1}\n',
        "a.csv": b"text,label\nx,y\n%s,z\n",
        "a.txt": b"__label__x y\n" * 2 + b"__label__x %s\n",
    }[name] % bad
    message = ", line 3: the text is not UTF-8: convert the file, as with iconv, or give --errors "
    message += "replace or skip"
    assert wrong(tmp_path / name, content, good, label) == message


def test_utf16_and_other_files(tmp_path):
    for content in ("text,label\nx,y\n".encode("utf-16"), bytes(range(128, 256)), b"\0" * 50):
        for name in ("a.csv", "a.jsonl", "a"):
            wrong(tmp_path / name, content)


def test_no_file_and_folders(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.jsonl"):
        read_texts([tmp_path / "none.jsonl"], "text", "label")
    with pytest.raises(FileNotFoundError, match="none"):
        read_texts([tmp_path / "none"], "text", "label")
    with pytest.raises(IsADirectoryError):
        read_texts([tmp_path], "text", "label")


def test_a_binary_file_needs_a_name(tmp_path):
    content = write_texts(tmp_path, "parquet").read_bytes()
    with pytest.raises(ValueError, match="a parquet file cannot come from a pipe"):
        read_texts([io.BytesIO(content)], "text", "label", kind="parquet")


@pytest.mark.parametrize("kind", ["jsonl", "csv", "fasttext"])
def test_lines_need_no_arrow(kind, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert read_texts([write_texts(tmp_path, kind)], **names_for(kind))[0] == TEXTS


def test_a_document_of_many_megabytes(tmp_path):
    long = "word " * 5_000_000
    for kind in ("jsonl", "csv", "fasttext"):
        path = write_texts(tmp_path, kind, [long, "short"], ["a", "b"])
        texts, _ = read_texts([path], **names_for(kind))
        assert texts == [long, "short"]


BAD = b"\xff\xfe"
ON_ERRORS = {
    "jsonl": b'{"text": "a"}\n{"text": "b%s"}\n{"text": "c"}\n',
    "csv": b"text,label\na,x\nb%s,x\nc,y\n",
    "tsv": b"text\tlabel\na\tx\nb%s\tx\nc\ty\n",
    "fasttext": b"__label__x a\n__label__x b%s\n__label__y c\n",
    "lines": b"a\nb%s\nc",
}


@pytest.mark.parametrize("kind", ON_ERRORS)
@pytest.mark.parametrize("bytes_at_once", [3, 10**6])
def test_lines_that_are_not_utf8(kind, bytes_at_once, monkeypatch):
    monkeypatch.setattr(source, "STREAM_BYTES", bytes_at_once)
    names = (None, None) if kind in ("fasttext", "lines") else ("text", "label")

    def read(errors):
        file = io.BytesIO(ON_ERRORS[kind] % BAD)
        blocks = text_blocks([file], *names, kind=kind, with_labels=False, errors=errors)
        return [text for block in blocks for text in block.texts]

    assert read("replace") == ["a", "b\ufffd\ufffd", "c"]
    assert read("skip") == (["a", "", "c"] if kind == "lines" else ["a", "c"])
    line = 3 if "sv" in kind else 2
    with pytest.raises(
        ValueError, match=rf"line {line}: the text .* give --errors replace or skip"
    ):
        read("strict")
    with pytest.raises(
        ValueError, match="errors must be one of strict, replace, skip, got 'ignore'"
    ):
        read("ignore")
