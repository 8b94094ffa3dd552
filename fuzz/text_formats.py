"""Files of texts and labels: JSON lines, CSV, TSV, fastText's lines, Parquet and Arrow."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from tauboost.io.tables import read_csv
from tauboost.io.text_records import DELIMITERS
from tauboost.io.texts import read_texts

from .mutations import edit_bytes, edit_json
from .others_formats import edit_arrow, edit_parquet
from .own_formats import check
from .packed import COMPRESS, edit_packed, stretched
from .sample import Sample

__all__ = ["Texts"]

TEXTS = ["good", 'Not, "bad"!', "", "zwei\u2028Zeilen\n und \t mehr", "日本 😀", "x" * 300] * 2
LABELS: dict[str, list[Any]] = {
    "words": ["pos", "neg", "grün"] * 4,
    "numbers": [1, -2, 0.5] * 4,
    "flags": [True, False] * 6,
}
WORDS = [b"\n", b"\r", b"\r\n", b'"', b'""', b",", b"\t", b"\\", b"\\ud800", b"\\u0041", b"{", b"}"]
WORDS += [b"__label__", b"__label__a ", b" __label__b", b"\0", b"\xff", b"\xed\xa0\x80", b"\xc3"]
WORDS += [
    b"null",
    b"[1]",
    b"1e999",
    b'"text":',
    b'"label": 3, ',
    b"text",
    b"\xef\xbb\xbf",
    b"[" * 99,
]
BINARY = ("parquet", "arrow")


def lines_of(labels: list[Any]) -> dict[str, bytes]:
    """Return the formats that are text, by kind."""
    rows = list(zip(TEXTS, labels, strict=True))
    found = {
        "jsonl": "".join(json.dumps({"text": t, "x": [1], "label": y}) + "\n" for t, y in rows)
    }
    for kind, delimiter in (("csv", ","), ("tsv", "\t")):
        file = io.StringIO(newline="")
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerows([("text", "label"), *rows])
        found[kind] = file.getvalue()
    found["fasttext"] = "".join(f"__label__{y} {' '.join(t.split())}\n" for t, y in rows)
    return {kind: text.encode() for kind, text in found.items()}


def binary_of(labels: list[Any]) -> dict[str, bytes]:
    """Return the formats that are not, by kind."""
    table = pa.table({"text": TEXTS, "label": labels})
    pages, stream = io.BytesIO(), io.BytesIO()
    parquet.write_table(table, pages, row_group_size=5)
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table, max_chunksize=5)
    return {"parquet": pages.getvalue(), "arrow": stream.getvalue()}


class Texts:
    """All kinds of files with texts; those of lines also compressed."""

    def seeds(self, folder: Path) -> list[Sample]:  # noqa: ARG002
        """Return one of each, for labels of every type; the kind says how it is compressed."""
        found = []
        for labels in LABELS.values():
            for kind, content in lines_of(labels).items():
                found += [Sample(f"{kind} {pack}", {"data": content}) for pack in COMPRESS]
            for kind, content in binary_of(labels).items():
                found += [Sample(f"{kind} plain", {"data": content})] * 2
        return found

    def mutate(self, rng: random.Random, seeds: list[Sample]) -> Sample:
        """Mutate the text, an object of it, or what it was compressed to."""
        seed, donor = rng.choice(seeds), rng.choice(seeds).files["data"]
        kind, pack = seed.kind.split()
        content = seed.files["data"]
        if kind in BINARY:
            edit = edit_parquet if kind == "parquet" else edit_arrow
            return Sample(seed.kind, {"data": edit(rng, content, donor)})
        is_deep = pack == "plain" or rng.random() < 0.3
        for _ in range(rng.randint(1, 3) if is_deep else 0):
            content = self.edit(rng, kind, content, donor)
        packed = COMPRESS[pack](content)
        return Sample(seed.kind, {"data": packed if is_deep else edit_packed(rng, pack, packed)})

    def edit(self, rng: random.Random, kind: str, content: bytes, donor: bytes) -> bytes:
        """Change something in the text."""
        choice = rng.random()
        if choice > 0.98:
            return stretched(rng, content)
        if choice < 0.3 and kind == "jsonl":
            lines = content.split(b"\n")
            k = rng.randrange(len(lines))
            try:
                lines[k] = json.dumps(edit_json(rng, json.loads(lines[k]))).encode()
            except (ValueError, RecursionError):  # edited before
                lines[k] = b"{}"
            return b"\n".join(lines)
        if choice < 0.7:
            at = rng.randrange(len(content) + 1)
            return content[:at] + rng.choice(WORDS) + content[at:]
        return edit_bytes(rng, content, donor)

    def read(self, kind: str, folder: Path) -> None:
        """Read texts and labels, and the texts alone."""
        path, (kind, pack) = folder / "data", kind.split()
        names = (None, None) if kind == "fasttext" else ("text", "label")
        texts, labels = read_texts([path], *names, kind=kind)
        assert labels is not None
        check(len(texts) == len(labels) > 0, "the lengths differ")
        for text in texts:
            text.encode()  # no half pairs
        check(labels.dtype.kind in "biufO", "labels of an odd type")
        if labels.dtype == object:
            check(
                all(isinstance(label, str) and label for label in labels) or kind != "csv", "type"
            )
        alone, _ = read_texts([path], names[0], kind=kind, with_labels=False)
        check(alone == texts, "other texts without the labels")
        if kind in DELIMITERS:  # as a table, too
            _, columns = read_csv(path, kind)
            check({len(column.places) for column in columns} == {len(texts)}, "other rows")
        if kind == "jsonl" and pack == "plain":
            lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
            rows = [json.loads(line) for line in lines if line.strip()]
            check([row["text"] for row in rows] == texts, "not what Python reads")
            found = np.array([row["label"] for row in rows], dtype=labels.dtype)
            check(np.array_equal(found, labels), "not the labels that Python reads")
