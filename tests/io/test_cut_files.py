"""Files that become shorter while they are read: an error of one line, and no signal.

Each is read in a child process, which a signal would end. Random moments, through the command line:
tests/attack/cuts.py.
"""

from __future__ import annotations

import os

import pytest

from odd_files import in_child
from tauboost.io import svmlight_blocks
from tauboost.io.source import open_source
from tauboost.io.text_lines import line_blocks
from tauboost.io.texts import text_blocks

LINES = {
    "svmlight": b"1 1:1 20:1 300:1 4000:1\n",
    "lines": b"as good as it gets\n",
    "jsonl": b'{"text": "as good as it gets"}\n',
    "fasttext": b"__label__good as good as it gets\n",
    "csv": b"as good," + b"as it gets " * 30 + b"\n",
}
N_BYTES = 20 << 20  # more than one part, whatever reads it


def blocks(path, kind):
    if kind == "svmlight":
        return svmlight_blocks(path, zero_based=False, block_bytes=1 << 20)
    names = (None, None) if kind in ("lines", "fasttext") else ("text", None)
    return text_blocks([path], *names, kind=kind, with_labels=False)


@pytest.mark.parametrize("kind", LINES)
@pytest.mark.parametrize("left", [0, 5 << 20])
def test_a_file_that_is_cut_short_while_it_is_read(kind, left, tmp_path):
    path = tmp_path / "log"
    head = b"text,label\n" if kind == "csv" else b""
    path.write_bytes(head + LINES[kind] * (N_BYTES // len(LINES[kind])))

    def read():
        found = blocks(path, kind)
        next(found)
        os.truncate(path, left)
        with pytest.raises(ValueError, match=r"log: the file was cut short while it was read"):
            for _ in found:
                pass

    assert in_child(read) == 0


def test_what_is_written_behind_a_file_meanwhile_is_not_read(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"a line\n" * 1000)
    with open_source(path) as source, path.open("ab") as log:
        found = []
        for lines in line_blocks(source):
            found += lines.strings()
            log.write(b"one more\n" * 1000)
            log.flush()
    assert found == ["a line"] * 1000
