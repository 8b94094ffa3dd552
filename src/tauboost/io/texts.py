"""Read texts and labels: JSON lines, CSV, TSV, Parquet, Arrow, fastText's lines, or plain ones.

Which kind a file is shows in its name, or else in its first bytes. Text may be compressed, and come
from a pipe. Whatever is wrong ends in one sentence that names the file, the line or row, and what
to do.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

from numpy.typing import NDArray

from ..base.messages import shown
from .conversion import kind_of
from .source import first_bytes, open_source
from .tables import ENDINGS, kind_by_name
from .text_lines import (
    ERRORS,
    PREFIX,
    AlikeLabels,
    LabelList,
    Lines,
    TextBlock,
    Wanted,
    line_blocks,
    marked_texts,
    plain_texts,
)
from .text_records import DELIMITERS, arrow_texts, begins_with_field, csv_texts, json_texts

__all__ = [
    "KINDS",
    "TextFile",
    "begins_with_label",
    "joined",
    "kind_of_texts",
    "read_texts",
    "text_blocks",
]


TextFile: TypeAlias = str | os.PathLike[str] | BinaryIO

KINDS: Final = ("jsonl", "csv", "tsv", "parquet", "arrow", "fasttext", "lines")
BINARY: Final = ("parquet", "arrow")
JSON_ENDINGS: Final = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl"}


def read_texts(
    files: Iterable[TextFile],
    text: str | None = None,
    label: str | None = None,
    *,
    kind: str | None = None,
    with_labels: bool = True,
) -> tuple[list[str], NDArray[Any] | None]:
    """Return all texts of some files, and their labels.

    ``text`` and ``label`` name the field or column that holds them; lines have no names. ``kind``
    is one of ``KINDS``; if not given, every file shows which one it is.
    """
    blocks = text_blocks(files, text, label, kind=kind, with_labels=with_labels)
    return joined(blocks)


def joined(
    blocks: Iterable[TextBlock], classes: NDArray[Any] | None = None
) -> tuple[list[str], NDArray[Any] | None]:
    """Return the texts of all blocks, and their labels, which ``classes`` are compared with."""
    texts, labels, with_labels = list[str](), LabelList(), False
    for block in blocks:
        texts += block.texts
        labels.add(block)
        with_labels |= block.labels is not None
    return texts, labels.array(classes) if with_labels else None


def text_blocks(
    files: Iterable[TextFile],
    text: str | None = None,
    label: str | None = None,
    *,
    kind: str | None = None,
    with_labels: bool = True,
    if_named: bool = False,
    is_eager: bool = False,
    errors: str = "strict",
) -> Iterator[TextBlock]:
    """Yield the texts of some files, a few megabytes at a time: see `read_texts`.

    With ``if_named``, the names are for files that show that they have some; others are lines. A
    stream shows it by a first line that is a JSON object with the text's name. With
    ``is_eager``, what a pipe gives is yielded without waiting for more, line by line if it comes
    so, and it may give nothing at all. ``errors`` says what becomes of lines that are not UTF-8.
    """
    if errors not in ERRORS:
        raise ValueError(f"errors must be one of {', '.join(ERRORS)}, got {shown(errors)}")
    if kind is not None and kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {shown(kind)}")
    wanted, alike = Wanted(text, label, with_labels, if_named), AlikeLabels()
    before = 0  # bytes of the files that have been read
    for file in files:
        n_texts = n_bytes = 0
        for block in _blocks(file, kind, wanted, is_eager, errors):
            alike.check(block)
            n_texts, n_bytes = n_texts + len(block.texts), block.bytes_read
            if block.texts:
                yield replace(block, bytes_read=before + n_bytes)
        if n_texts == 0 and not is_eager:
            raise ValueError(f"{_name(file)}: no texts in this file")
        before += n_bytes


def kind_of_texts(file: TextFile) -> str | None:
    """Tell by its name what a file holds, if it can hold texts."""
    if not isinstance(file, str | os.PathLike):
        return None
    return kind_by_name(file, ENDINGS | JSON_ENDINGS)


def begins_with_label(file: TextFile) -> bool:
    """Return True if a file, or what waits in a pipe, begins like fastText's lines."""
    return first_bytes(file, 64).lstrip().startswith(PREFIX.encode())


def _name(file: TextFile) -> str:
    return str(file if isinstance(file, str | os.PathLike) else getattr(file, "name", "the stream"))


def _blocks(
    file: TextFile, kind: str | None, wanted: Wanted, is_eager: bool, errors: str
) -> Iterator[TextBlock]:
    kind = kind or kind_of_texts(file)
    if kind is None and kind_of(file) in BINARY:
        kind = kind_of(file)
    if kind in BINARY:
        if not isinstance(file, str | os.PathLike):
            raise ValueError(f"{_name(file)}: a {kind} file cannot come from a pipe: name the file")
        yield from arrow_texts(Path(file), kind, wanted)
        return
    with (
        open_source(file, is_eager=is_eager) as source,
        closing(line_blocks(source, errors)) as blocks,
    ):
        first = next(blocks, None)
        if first is None:
            return
        if kind is None:
            is_stream = not isinstance(file, str | os.PathLike)
            kind = _streams(first, wanted) if is_stream and wanted.if_named else None
        yield from _in_lines(chain([first], blocks), kind or _looks_like(first, wanted), wanted)


def _streams(first: Lines, wanted: Wanted) -> str:
    """Tell from the first line what a stream holds whose reader needs no names: lines, or JSON."""
    return "jsonl" if wanted.text is not None and begins_with_field(first, wanted.text) else "lines"


def _looks_like(first: Lines, wanted: Wanted) -> str:
    """Tell from the first lines what a file without a telling name holds."""
    start = first.content.lstrip()
    if start.startswith((b"{", b"[")):
        return "jsonl"
    if start.startswith(PREFIX.encode()):
        return "fasttext"
    if wanted.text is None or wanted.if_named:
        return "lines"
    return "tsv" if b"\t" in start.partition(b"\n")[0] else "csv"


def _in_lines(blocks: Iterator[Lines], kind: str, wanted: Wanted) -> Iterator[TextBlock]:
    if kind == "jsonl":
        return json_texts(blocks, wanted)
    if kind in DELIMITERS:
        return csv_texts(blocks, kind, wanted)
    return (marked_texts if kind == "fasttext" else plain_texts)(blocks, wanted)
