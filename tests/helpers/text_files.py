"""Files with texts and labels, of every kind that can be read."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from svmlight_texts import COMPRESS

# What breaks readers: quotes, delimiters, ends of lines that are none, the empty text.
TEXTS = [
    'Good, very "good"!',
    "schlecht;\tnicht gut",
    "two\u2028lines \x85 here",
    "",
    "日本 😀 \\n",
]
LABELS = ["pos", "neg", "pos", "neg", "grün"]
NAMES = {
    "jsonl": "a.jsonl",
    "csv": "a.csv",
    "tsv": "a.tsv",
    "parquet": "a.parquet",
    "arrow": "a.arrow",
    "feather": "a.feather",
    "fasttext": "a.txt",
}


def as_json(texts, labels, **more) -> bytes:
    rows = zip(texts, labels, strict=True)
    lines = (json.dumps({"text": t, **more, "label": y}, ensure_ascii=k % 2 == 0) + "\n"
             for k, (t, y) in enumerate(rows))  # fmt: skip
    return "".join(lines).encode()


def as_csv(texts, labels, delimiter=",", end="\r\n") -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter, lineterminator=end)
    writer.writerow(["id", "text", "label"])
    writer.writerows([k, *row] for k, row in enumerate(zip(texts, labels, strict=True)))
    return file.getvalue().encode()


def as_marked(texts, labels) -> bytes:
    return "".join(f"__label__{y} {t}\n" for t, y in zip(texts, labels, strict=True)).encode()


AS_TEXT = {
    "jsonl": as_json,
    "csv": as_csv,
    "tsv": lambda *rows: as_csv(*rows, delimiter="\t", end="\n"),
    "fasttext": as_marked,
}


def write_texts(folder: Path, kind: str, texts=TEXTS, labels=LABELS, packed: str = "plain") -> Path:
    """Write a file, and return its path."""
    path = folder / NAMES[kind]
    if kind in AS_TEXT:
        path = path if packed == "plain" else path.with_name(f"{path.name}.{packed}")
        path.write_bytes(COMPRESS[packed](AS_TEXT[kind](texts, labels)))
        return path
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"id": range(len(texts)), "text": texts, "label": labels})
    if kind == "parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, path, row_group_size=2)
    elif kind == "feather":
        pytest.importorskip("pyarrow.feather").write_feather(table, path)
    else:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as sink:
            sink.write_table(table, max_chunksize=2)
    return path


def names_for(kind: str) -> dict[str, str]:
    """Return the names that a file of this kind needs."""
    return {} if kind == "fasttext" else {"text": "text", "label": "label"}
