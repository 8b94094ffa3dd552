"""Bad svmlight input: one line that names file, line and column, in little time; and Ctrl-C."""

from __future__ import annotations

import gzip
import io
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from interrupts import interrupted
from svmlight_texts import COMPRESS, TEXT, long_text
from tauboost.io import load_svmlight, svmlight_blocks


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (b"hello world\n", r"line 1, column 1: the label must be a finite number, got 'hello'"),
        (b"1 1:1\n-1 1 2:1\n", r"line 2, column 4: expected index:value, got '1'"),
        (b"1 1:1\n\n# c\n -1 1:1  x\n", r"line 4, column 10: expected index:value, got 'x'"),
        (b"1 1:x\n", r"line 1, column 5: the value must be a finite number, got 'x'"),
        (b"1 1:\n", r"line 1, column 5: the value must be a finite number, got ''"),
        (b"1 1: 2\n", r"line 1, column 5: the value must be a finite number, got ''"),
        (b"1 1:1:1\n", r"line 1, column 5: the value must be a finite number, got '1:1'"),
        (b"1 1:nan\n", r"line 1, column 5: the value must be a finite number, got 'nan'"),
        (b"1 1:-inf\n", r"line 1, column 5: the value must be a finite number, got '-inf'"),
        (b"1 1:1e999\n", r"line 1, column 5: the value must be a finite number, got '1e999'"),
        (b"1 1:0x1\n", r"line 1, column 5: the value must be a finite number, got '0x1'"),
        (b"1 1:1_0\n", r"line 1, column 5: the value must be a finite number, got '1_0'"),
        (b"1 1:+-1\n", r"line 1, column 5: the value must be a finite number, got '\+-1'"),
        (b"nan 1:1\n", r"line 1, column 1: the label must be a finite number, got 'nan'"),
        (b"1,2 1:1\n", r"line 1, column 1: the label must be a finite number, got '1,2'"),
        (b"1:1 2:1\n", r"line 1, column 1: the label must be a finite number, got '1:1'"),
        (b"1 1:1\n1 a:1\n", r"line 2, column 3: expected index:value, got 'a:1'"),
        (b"1 :1\n", r"line 1, column 3: expected index:value, got ':1'"),
        (b"1 1.5:1\n", r"line 1, column 3: expected index:value, got '1.5:1'"),
        (b"1 1:1 qid:3\n", r"line 1, column 7: expected index:value, got 'qid:3'"),
        (b"1 2:1 1:1\n", r"line 1, column 7: indices must increase .*, got 1 after 2$"),
        (b"1 1:1 1:1\n", r"line 1, column 7: indices must increase .*, got 1 after 1$"),
        (b"1 -1\n", r"line 1, column 3: expected index:value, got '-1'"),
        (b"1 -1:1\n", r"line 1, column 3: an index must not be negative, got '-1:1'"),
        (b"1 %d:1\n" % (2**63 - 1), r"line 1, column 3: an index must be at most 2\*\*63 - 2, got"),
        (b"1 %d:1\n" % 2**63, r"line 1, column 3: an index must be at most 2\*\*63 - 2, got"),
        (b"1 %d:1\n" % 10**30, r"line 1, column 3: an index must be at most 2\*\*63 - 2, got"),
        (bytes(range(256)) * 4, r"line 1, column 1: the label must be a finite number, got "),
        (b"1 " + b"x" * 1000, r"line 1, column 3: expected index:value, got 'x{60}\.\.\.'$"),
        (b"1 1:1\r2 1:1\n", r"line 1, column 7: expected index:value, got '2'"),
    ],
)
def test_bad_syntax_names_file_line_and_column(write, text, complaint):
    path = write(text)
    with pytest.raises(ValueError, match=complaint) as caught:
        load_svmlight(path)
    message = str(caught.value)
    assert message.startswith(f"{path}, line ")
    assert "\n" not in message
    assert len(message) < len(str(path)) + 200
    with pytest.raises(ValueError, match=complaint):
        list(svmlight_blocks(path, zero_based="auto", block_bytes=1))


@pytest.mark.parametrize("index", [b"0", b"00", b"+0"])
def test_index_zero_in_a_file_said_to_count_from_one(write, index):
    with pytest.raises(
        ValueError, match="line 1, column 3: zero_based=False means that indices count from 1, got"
    ):
        load_svmlight(write(b"1 " + index + b":1\n"), zero_based=False)


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_the_line_is_right_in_any_chunk(write, kind, n_threads):
    rows = long_text(values=("1", "2"))
    rows[15_000] += " 2000000:x"
    rows[18_000] += " 2000000:y"
    path = write(COMPRESS[kind]("\n".join(rows).encode()))
    column = len(rows[15_000])
    with pytest.raises(ValueError, match=rf"line 15001, column {column}: the value .* got 'x'"):
        load_svmlight(path, n_threads=n_threads)
    with pytest.raises(ValueError, match=rf"line 15001, column {column}: the value .* got 'x'"):
        list(svmlight_blocks(path, zero_based=False, n_threads=n_threads, block_bytes=10_000))


def test_an_open_file_is_named_if_it_has_a_name(write):
    with write(b"x").open("rb") as file, pytest.raises(ValueError, match=r"data\.svm, line 1"):
        load_svmlight(file)
    with pytest.raises(ValueError, match="the stream, line 1"):
        load_svmlight(io.BytesIO(b"x"))
    with write(TEXT).open() as file, pytest.raises(TypeError, match="opened in binary mode"):
        load_svmlight(file)


@pytest.mark.parametrize("text", [b"", b"\n\n", b"# nothing\n", gzip.compress(b"", mtime=0)])
def test_no_samples(write, text):
    with pytest.raises(ValueError, match=r"data\.svm: no samples"):
        load_svmlight(write(text))
    with pytest.raises(ValueError, match=r"data\.svm: no samples"):
        list(svmlight_blocks(write(text), zero_based=True))


def test_what_cannot_be_opened(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent"):
        load_svmlight(tmp_path / "absent.svm")
    with pytest.raises(IsADirectoryError, match=tmp_path.name):
        load_svmlight(tmp_path)
    with pytest.raises(TypeError, match="path must be"):
        load_svmlight(0)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable(write):
    path = write(TEXT)
    path.chmod(0)
    with pytest.raises(PermissionError, match=r"data\.svm"):
        load_svmlight(path)


def test_an_error_while_reading_names_the_file(write):
    class Broken(io.RawIOBase):
        name = "broken.svm"

        def read(self, _=-1):
            raise OSError(5, "Input/output error")

    with pytest.raises(OSError, match=r"broken\.svm") as caught:
        load_svmlight(Broken())
    assert caught.value.errno == 5


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"n_features": 0}, ValueError),
        ({"n_features": 2.5}, TypeError),
        ({"n_features": True}, TypeError),
        ({"zero_based": "yes"}, ValueError),
        ({"zero_based": 1}, ValueError),
        ({"n_threads": 0}, ValueError),
    ],
)
def test_bad_options(write, options, error):
    with pytest.raises(error, match=next(iter(options))):
        load_svmlight(write(TEXT), **options)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"zero_based": None}, ValueError),
        ({"zero_based": True, "n_threads": 1.5}, TypeError),
        ({"zero_based": True, "block_bytes": 0}, ValueError),
        ({"zero_based": True, "block_bytes": 1e6}, TypeError),
    ],
)
def test_bad_options_of_blocks_are_refused_at_once(options, error):
    with pytest.raises(error, match=list(options)[-1]):
        svmlight_blocks("absent.svm", **options)


# A line of 100 MB


def test_a_long_line_of_junk():
    size = 100 << 20
    for text, complaint in [
        (b"1 1:1 #" + b"x" * size, None),
        (b"1" * size, "line 1, column 1: the label"),
        (b"1 " + b"7" * size, "line 1, column 3: expected index:value"),
        (b"1 " + b"7" * size + b":1", "line 1, column 3: an index must be at most"),
        (b"1 1:0." + b"3" * size, None),
        (b" " * size + b"1 x", f"line 1, column {size + 3}: expected index:value"),
    ]:
        file = io.BytesIO(text)
        if complaint is None:
            assert load_svmlight(file)[0].shape == (1, 1)
        else:
            with pytest.raises(ValueError, match=complaint):
                load_svmlight(file)


def test_a_long_line_of_entries(write):
    n, block = 10_000_000, 1_000_000
    entries = np.full((n // block, block, 12), ord(" "), dtype=np.uint8)
    entries[..., :2] = np.frombuffer(b"10", np.uint8)
    entries[..., 2] = np.arange(n // block)[:, None] + ord("0")
    entries[..., 3:9] = np.arange(block)[:, None] // 10 ** np.arange(5, -1, -1) % 10 + ord("0")
    entries[..., 9:11] = np.frombuffer(b":1", np.uint8)
    X, y = load_svmlight(write(b"-1 " + entries.tobytes()))
    assert (X.shape, X.nnz) == ((1, 11 * n - 1), n)
    np.testing.assert_array_equal(X.indices, np.arange(10 * n - 1, 11 * n - 1))
    np.testing.assert_array_equal(y, [-1])


# Ctrl-C


def test_ctrl_c_while_parsing():
    class Endless(io.RawIOBase):
        text = b"1 1:1 2:0.5 3:1\n" * 100_000

        def read(self, _=-1):
            return self.text

    with interrupted(0.3):
        for _ in svmlight_blocks(Endless(), zero_based=False, n_threads=2, block_bytes=1 << 24):
            pass


@pytest.mark.parametrize("start", [b"1 1:1\n", gzip.compress(b"1 1:1\n" * 1000, mtime=0)[:30]])
def test_ctrl_c_while_a_pipe_is_silent(start):
    code = "import tauboost as tb; print('ready', flush=True); tb.load_svmlight('/dev/stdin')"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        assert child.stdout.readline().strip() == b"ready"
        child.stdin.write(start)
        child.stdin.flush()
        # On a busy machine the first may come while modules are loaded, where Python drops some.
        for _ in range(5):
            time.sleep(0.5)
            child.send_signal(signal.SIGINT)
            try:
                child.wait(timeout=2)
                break
            except subprocess.TimeoutExpired:
                continue
        child.kill()
        assert child.stderr is not None
        assert b"KeyboardInterrupt" in child.stderr.read()
