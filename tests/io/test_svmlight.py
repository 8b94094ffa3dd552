"""Reading svmlight text: the same as scikit-learn, however it is written, cut or compressed."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from svmlight_texts import COMPRESS, DENSE, TEXT, assert_same, texts
from tauboost import _core
from tauboost.io import load_svmlight


def load(text: bytes, **options):
    return load_svmlight(io.BytesIO(text), **options)


# Where the bytes come from


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("name", ["data", "data.svm", "data.gz", "data.xz"])
def test_compression_is_recognised_by_content(write, kind, name):
    X, y = load_svmlight(write(COMPRESS[kind](TEXT), name))
    assert isinstance(X, sparse.csr_array)
    assert X.dtype == y.dtype == np.float64
    assert X.has_canonical_format
    np.testing.assert_array_equal(X.toarray(), DENSE)
    np.testing.assert_array_equal(y, [1, -1, 1, -1])


@pytest.mark.parametrize("content", [TEXT, gzip.compress(TEXT, mtime=0)])
def test_path_may_be_a_string_a_pipe_or_an_open_file(write, tmp_path, content):
    path = write(content)
    np.testing.assert_array_equal(load_svmlight(str(path))[0].toarray(), DENSE)
    with path.open("rb") as file:
        np.testing.assert_array_equal(load_svmlight(file)[0].toarray(), DENSE)
        assert not file.closed
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    X, _ = load_svmlight(pipe)
    writer.join()
    np.testing.assert_array_equal(X.toarray(), DENSE)


# What may be written in it


def test_comments_blank_lines_query_ids_and_windows_line_ends(write):
    X, y = load_svmlight(write(b"# a comment\r\n\r\n2 qid:7 1:3 # more\r\n\r\n5 2:4\r\n"))
    np.testing.assert_array_equal(X.toarray(), [[3, 0], [0, 4]])
    np.testing.assert_array_equal(y, [2, 5])


@pytest.mark.parametrize(
    "text",
    [
        b"1",
        b"1\n\n\n",
        b"\n\n1 2:3",
        b"  1\t2:3 \t 4:5  \r\n",
        b"1\x0b2:3\x0c4:5\n",
        b"1 2:3#4:5\n1#\n#1:1 : : :\n",
        b"1 1:1 # comment: with: colons\n-1 2:1 # and:more\n",
        b"1 qid:3 1:1\n2 qid:4\n3 qid:x:y 2:2",
        b"+1.5e3 +1:+1 0002:-0 3:.5 4:5. 5:1E2 6:1e-400 7:-1e-400 8:0e999\n",
        b"-0 1:1.0 2:1e0 3:01\n",
        b"1 1:0 2:0.0\n",
        b"1 1:123456789012345678901234567890 2:0.1234567890123456789 3:4.9406564584124654e-324\n",
        b"1 12345678:1 123456789:1 1234567890:1\n",
        b"1 1:12345678 2:123456789 3:1.12345678 4:1.123456789 5:99999999.99999999\n",
    ],
)
def test_unusual_text(text):
    expected = load_svmlight_file(io.BytesIO(text))
    assert_same(load(text), expected)
    assert_same(load(text + b"\n"), expected)


@pytest.mark.parametrize(
    ("text", "zero_based", "columns"),
    [
        (b"1 1:1 2:1\n", "auto", 2),
        (b"1 0:1 2:1\n", "auto", 3),
        (b"1 1:1 2:1\n", True, 3),
        (b"1 1:1 2:1\n", False, 2),
        (b"1\n", "auto", 1),
        (b"1\n", True, 1),
        (b"1\n", False, 1),
    ],
)
def test_zero_based(text, zero_based, columns):
    ours = load(text, zero_based=zero_based)
    assert ours[0].shape == (1, columns)
    assert_same(ours, load_svmlight_file(io.BytesIO(text), zero_based=zero_based))


def test_n_features_widens_and_refuses_to_cut(write):
    X, _ = load_svmlight(write(TEXT), n_features=9)
    assert X.shape == (4, 9)
    np.testing.assert_array_equal(X.toarray()[:, :4], DENSE)
    with pytest.raises(ValueError, match=r"data\.svm: has 4 features, more than n_features=3"):
        load_svmlight(write(TEXT), n_features=3)


@pytest.mark.parametrize("index", [2**31 - 2, 2**31 - 1, 2**31, 2**40, 2**63 - 2])
@pytest.mark.parametrize("zero_based", [True, False])
def test_indices_are_as_short_as_possible(index, zero_based):
    X, _ = load(b"1 1:1\n1 3:1 %d:1\n1 2:1\n" % index, zero_based=zero_based)
    width = index + zero_based
    assert X.shape == (3, width)
    assert X.indices.dtype == X.indptr.dtype == (np.int32 if width < 2**31 else np.int64)
    np.testing.assert_array_equal(X.indices + (not zero_based), [1, 3, index, 2])


NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(allow_nan=False, allow_infinity=False).map("{:g}".format),
    st.integers(-(10**20), 10**20).map(str),
    st.decimals(-(10**9), 10**9, places=7).map("{:f}".format),
    st.sampled_from(["1", "1", "1", "1.0", "+1", "0", "-0", "1e400", "-1e-400", "inf", "nan"]),
    st.text("0123456789", min_size=1, max_size=30).flatmap(
        lambda digits: st.sampled_from([digits, "0." + digits, digits + ".5", digits + "e-10"])
    ),
    st.text("0019.-+eE", max_size=8),
)


@given(NUMBERS)
def test_numbers_are_those_of_python(text):
    try:
        expected = float(text)
    except ValueError:
        expected = np.nan
    for line in (f"{text} 1:1", f"1 1:{text}", f"1 1:{text} 2:1 # so that more bytes follow\n"):
        if np.isfinite(expected):
            X, y = load(line.encode())
            ours = y[0] if line[0] == text[0] and line.endswith("1:1") else X.data[0]
            assert ours == expected
            assert np.signbit(ours) == np.signbit(expected)
        elif text:
            with pytest.raises(ValueError, match="must be a finite number"):
                load(line.encode())


@given(texts())
def test_equals_scikit_learn(text):
    assert_same(load(text), load_svmlight_file(io.BytesIO(text)))
    assert_same(load(text, zero_based=True), load_svmlight_file(io.BytesIO(text), zero_based=True))


@given(texts(), st.lists(st.integers(0, 200), max_size=6), st.integers(1, 3))
def test_the_cuts_do_not_matter(text, cuts, n_threads):
    reader = _core.SvmlightReader(base=0, least=0)
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    for start, end in pairwise(edges):
        reader.feed(np.frombuffer(text, np.uint8)[start:end], n_threads)
    reader.finish()
    assert reader.complaint is None
    y, indptr, indices, data, smallest, largest = reader.take()
    X = sparse.csr_array((np.ones(len(indices)) if data is None else data, indices, indptr))
    assert (smallest, largest) == (indices.min(), indices.max())
    X.resize(len(y), largest + 1)
    expected, z = load_svmlight_file(io.BytesIO(text), zero_based=True)
    assert_same((X, y), (expected, z))


@pytest.mark.skipif("TAUBOOST_DATA" not in os.environ, reason="needs TAUBOOST_DATA")
@pytest.mark.parametrize(
    "name", ["w8a", "a9a", "a9a.t", "mushrooms", "sms_spam.svm", "url_uci_slice.svm"]
)
def test_real_data_equal_scikit_learn(name, tmp_path):
    packed = Path(os.environ["TAUBOOST_DATA"], f"{name}.xz")
    if not packed.is_file():
        pytest.skip(f"needs {packed.name} in the folder that TAUBOOST_DATA names")
    plain = tmp_path / name
    plain.write_bytes(lzma.decompress(packed.read_bytes()))
    expected = load_svmlight_file(str(plain))
    assert_same(load_svmlight(packed), expected)
    for n_threads in (1, 2, 3):
        ours = load_svmlight(plain, n_threads=n_threads)
        assert_same(ours, expected)
        assert ours[0].indices.dtype == ours[0].indptr.dtype == np.int32


@pytest.mark.slow
@pytest.mark.skipif("TAUBOOST_DATA" not in os.environ, reason="needs TAUBOOST_DATA")
def test_imdb_equals_scikit_learn():
    packed = Path(os.environ["TAUBOOST_DATA"], "imdb_unigram.svm.xz")
    if not packed.is_file():
        pytest.skip("needs imdb_unigram.svm.xz in the folder that TAUBOOST_DATA names")
    with lzma.open(packed) as file:
        assert_same(load_svmlight(packed), load_svmlight_file(file))
