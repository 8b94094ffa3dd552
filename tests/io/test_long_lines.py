"""Lines that do not end: refused by their number, before they fill the memory."""

from __future__ import annotations

import io
import os
import resource
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from odd_files import Trickle, in_child
from tauboost.io import load_svmlight, source, svmlight, svmlight_blocks
from tauboost.io import text_records as text_csv
from tauboost.io.tables import read_table
from tauboost.io.texts import read_texts

LIMIT = 1000
START = {
    "svmlight": (b"1 1:1\n", b"1 1:1 2:"),
    "lines": (b"short\n", b"long "),
    "jsonl": (b'{"text": "short"}\n', b'{"text": "long'),
    "fasttext": (b"__label__a short\n", b"__label__b long"),
    "csv": (b"text\n", b"long"),
    "tsv": (b"text\n", b"long"),
}


def read(kind, file):
    if kind == "blocks":
        return list(svmlight_blocks(file, zero_based="auto"))
    if kind == "svmlight":
        return load_svmlight(file)[1]
    name = None if kind in ("lines", "fasttext") else "text"
    return read_texts([file], name, kind=kind, with_labels=False)[0]


@pytest.fixture
def short_limit(monkeypatch):
    for module in (source, svmlight, text_csv):
        monkeypatch.setattr(module, "LONGEST_LINE", LIMIT)


@pytest.mark.usefixtures("short_limit")
@pytest.mark.parametrize("kind", START)
@pytest.mark.parametrize("size", [1, 7, 400])
def test_a_line_without_an_end(kind, size):
    """However it is cut into parts, and with or without more lines behind it."""
    first, start = START[kind]
    for n, end, is_fine in (
        (LIMIT, b"\n", True),
        (LIMIT + 1, b"\n", False),
        (3 * LIMIT, b"", False),
    ):
        file = Trickle(first * 3 + start + b"1" * (n - len(start)) + end + first, size)
        if is_fine and kind not in ("svmlight", "jsonl"):
            assert len(read(kind, file)) > 1
        else:
            complaint = "no line may be longer" if not is_fine else "value must be|ends too early"
            with pytest.raises(ValueError, match=rf"line 4(, column \d)?: .*({complaint})"):
                read(kind, file)


@pytest.mark.usefixtures("short_limit")
def test_in_a_table(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(source, "PART_BYTES", 100)
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n1,2\n" + b"1" * 2 * LIMIT)
    with pytest.raises(ValueError, match=r"a\.csv, line 3: no line may be longer than 1,000 bytes"):
        read_table(path)


@pytest.mark.usefixtures("short_limit")
@pytest.mark.parametrize("lines", [b"never closed\n", b'cell",b,"\n'])
def test_a_row_of_csv_without_an_end(lines):
    """Over any number of lines."""
    content = b'text,label\na,b\n"' + lines * LIMIT
    with pytest.raises(ValueError, match=r"line 3: no row may be longer than 1,000 bytes"):
        read_texts([io.BytesIO(content)], "text", "label", kind="csv")


@pytest.mark.parametrize("kind", [*START, "blocks"])
def test_a_device_without_an_end_takes_little_memory(kind, monkeypatch):
    for module in (source, svmlight, text_csv):
        monkeypatch.setattr(module, "LONGEST_LINE", 1 << 22)

    def endless():
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (256 << 20),) * 2)
        with pytest.raises(ValueError, match=r"/dev/zero, line 1: no line may be longer"):
            read(kind, "/dev/zero")

    assert in_child(endless) == 0


def test_a_pipe_without_an_end(monkeypatch, tmp_path):
    monkeypatch.setattr(source, "LONGEST_LINE", 1 << 20)
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def write():
        with suppress(BrokenPipeError), path.open("wb", buffering=0) as pipe:
            while True:
                pipe.write(b"x" * 65536)

    writer = threading.Thread(target=write)
    writer.start()
    with pytest.raises(ValueError, match=r"pipe, line 1: no line may be longer"):
        read_texts([path], kind="lines", with_labels=False)
    writer.join(60)
    assert not writer.is_alive()
