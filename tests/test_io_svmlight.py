"""Reading svmlight text: every compression by content, and an error that names file and line."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import threading
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from tauboost.io import load_svmlight

TEXT = b"+1 1:0.5 3:2\n-1 2:1\n+1\n-1 1:1 2:1 4:-1e-3\n"
DENSE = np.array([[0.5, 0, 2, 0], [0, 1, 0, 0], [0, 0, 0, 0], [1, 1, 0, -1e-3]])
COMPRESS = {"plain": bytes, "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


@pytest.fixture
def write(tmp_path):
    def write(content, name="data.svm"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("name", ["data", "data.svm", "data.gz", "data.xz"])
def test_compression_is_recognised_by_content(write, kind, name):
    X, y = load_svmlight(write(COMPRESS[kind](TEXT), name))
    assert isinstance(X, sparse.csr_array)
    assert X.dtype == y.dtype == np.float64
    np.testing.assert_array_equal(X.toarray(), DENSE)
    np.testing.assert_array_equal(y, [1, -1, 1, -1])


def test_path_may_be_a_string_or_a_pipe(write, tmp_path):
    X, _ = load_svmlight(str(write(TEXT)))
    np.testing.assert_array_equal(X.toarray(), DENSE)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(TEXT),))
    writer.start()
    X, _ = load_svmlight(pipe)
    writer.join()
    np.testing.assert_array_equal(X.toarray(), DENSE)


def test_comments_blank_lines_query_ids_and_windows_line_ends(write):
    X, y = load_svmlight(write(b"# a comment\r\n\r\n2 qid:7 1:3 # more\r\n\r\n5 2:4\r\n"))
    np.testing.assert_array_equal(X.toarray(), [[3, 0], [0, 4]])
    np.testing.assert_array_equal(y, [2, 5])


@pytest.mark.parametrize(
    ("text", "zero_based", "columns"),
    [
        (b"1 1:1 2:1\n", "auto", 2),
        (b"1 0:1 2:1\n", "auto", 3),
        (b"1 1:1 2:1\n", True, 3),
        (b"1 1:1 2:1\n", False, 2),
    ],
)
def test_zero_based(write, text, zero_based, columns):
    assert load_svmlight(write(text), zero_based=zero_based)[0].shape == (1, columns)


def test_n_features_widens_and_refuses_to_cut(write):
    X, _ = load_svmlight(write(TEXT), n_features=9)
    assert X.shape == (4, 9)
    np.testing.assert_array_equal(X.toarray()[:, :4], DENSE)
    with pytest.raises(ValueError, match=r"data\.svm: has 4 features, more than n_features=3"):
        load_svmlight(write(TEXT), n_features=3)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (b"hello world\n", r"line 1: expected 'label index:value"),
        (b"1 1:1\n-1 1 2:1\n", r"line 2: expected .* got '-1 1 2:1'"),
        (b"1 1:x\n", r"line 1: expected"),
        (b"1 1:1\n1 a:1\n", r"line 2: expected"),
        (b"1 2:1 1:1\n", r"line 1: indices must increase"),
        (b"1 1:1 1:1\n", r"line 1: indices must increase"),
        (b"1 -1:1\n", r"line 1: an index is out of range"),
        (b"1 99999999999:1\n", r"line 1: an index is out of range"),
        (bytes(range(256)) * 4, r"line 1: expected"),
        (b"1 " + b"x" * 1000, r"line 1: expected .*\.\.\.'$"),
    ],
)
def test_bad_syntax_names_file_and_line(write, text, complaint):
    path = write(text)
    with pytest.raises(ValueError, match=complaint) as caught:
        load_svmlight(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    assert len(message) < len(str(path)) + 400


def test_index_zero_in_a_file_said_to_count_from_one(write):
    with pytest.raises(ValueError, match="line 1: an index is out of range"):
        load_svmlight(write(b"1 0:1\n"), zero_based=False)


@pytest.mark.parametrize("text", [b"", b"\n\n", b"# nothing\n", gzip.compress(b"")])
def test_no_samples(write, text):
    with pytest.raises(ValueError, match=r"data\.svm: no samples"):
        load_svmlight(write(text))


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz"])
@pytest.mark.parametrize("damage", ["cut", "flip"])
def test_truncated_or_damaged(write, kind, damage):
    rng = np.random.default_rng(0)
    lines = [f"1 {i}:{x}" for i, x in enumerate(rng.random(2000), start=1)]
    whole = bytearray(COMPRESS[kind]("\n".join(lines).encode()))
    if damage == "cut":
        whole = whole[: len(whole) // 2]
    else:
        whole[len(whole) // 2 :] = bytes(255 - byte for byte in whole[len(whole) // 2 :])
    with pytest.raises(ValueError, match=r"data\.svm(: the compressed data|, line \d+:)"):
        load_svmlight(write(bytes(whole)))


def test_what_cannot_be_opened(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent"):
        load_svmlight(tmp_path / "absent.svm")
    with pytest.raises(IsADirectoryError, match=tmp_path.name):
        load_svmlight(tmp_path)
    with pytest.raises(TypeError):
        load_svmlight(0)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"n_features": 0}, ValueError),
        ({"n_features": 2.5}, TypeError),
        ({"n_features": True}, TypeError),
        ({"zero_based": "yes"}, ValueError),
        ({"n_threads": 0}, ValueError),
    ],
)
def test_bad_options(write, options, error):
    with pytest.raises(error, match=next(iter(options))):
        load_svmlight(write(TEXT), **options)


@pytest.mark.skipif(
    not Path(os.environ.get("TAUBOOST_DATA", ""), "w8a.xz").is_file(),
    reason="needs w8a.xz in the folder that TAUBOOST_DATA names",
)
def test_w8a():
    X, y = load_svmlight(Path(os.environ["TAUBOOST_DATA"], "w8a.xz"))
    assert X.shape == (49_749, 300)
    assert X.nnz == 579_586
    assert np.count_nonzero(y > 0) == 1_479
