"""From svmlight text to a store: one file or many, good and bad, plain and compressed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import threading
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import tauboost as tb
from stores import TEXT, assert_same, refusal, small
from tauboost.io import conversion as inputs


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "tiny.svm"
    path.write_text(TEXT)
    return path


def test_text_gives_what_the_reader_gives(tmp_path, text):
    X, y = tb.load_svmlight(text)
    store = tb.convert(text, tmp_path / "s")
    assert_same(store.to_csr(), X)
    np.testing.assert_array_equal(store.y, y)
    store.verify()
    assert store.source["made_from"] == "svmlight"
    assert store.source["files"] == ["tiny.svm"]


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_text(tmp_path, text, compress):
    (tmp_path / "packed").write_bytes(compress(TEXT.encode()))
    store = tb.convert(tmp_path / "packed", tmp_path / "s")
    assert_same(store.to_csr(), tb.load_svmlight(text)[0])


def test_several_files_become_one_store(tmp_path, text, short_blocks):
    (tmp_path / "day1.svm").write_text("1 1:1\n-1 2:0.5\n")
    (tmp_path / "day2.svm").write_text("1 7:2\n-1 3:1 4:1\n1\n")
    days = sorted(tmp_path.glob("day*.svm"))
    store = tb.convert(days, tmp_path / "s")
    dense = np.zeros((5, 7))
    dense[[0, 1, 2, 3, 3], [0, 1, 6, 2, 3]] = 1, 0.5, 2, 1, 1
    np.testing.assert_array_equal(store.to_csr().toarray(), dense)
    np.testing.assert_array_equal(store.y, [1, -1, 1, -1, 1])


@pytest.mark.parametrize(
    ("lines", "zero_based", "expected"),
    [
        ("1 1:1\n1 2:1\n", "auto", [[1, 0], [0, 1]]),
        ("1 1:1\n1 2:1\n", True, [[0, 1, 0], [0, 0, 1]]),
        ("1 1:1\n1 2:1\n", False, [[1, 0], [0, 1]]),
        ("1 0:1\n1 1:1\n", "auto", [[1, 0], [0, 1]]),
        ("1 1:1 2:3\n1 0:1\n1 1:1\n", "auto", [[0, 1, 3], [1, 0, 0], [0, 1, 0]]),
        ("1\n1 0:1\n", "auto", [[0], [1]]),
        ("1 3:0\n1 0:1\n", "auto", [[0, 0, 0, 0], [1, 0, 0, 0]]),
        ("1 1:1 4:0\n", "auto", [[1, 0, 0, 0]]),
    ],
)
def test_what_indices_count_from(tmp_path, short_blocks, lines, zero_based, expected):
    (tmp_path / "x").write_text(lines)
    store = tb.convert(tmp_path / "x", tmp_path / "s", zero_based=zero_based)
    np.testing.assert_array_equal(store.to_csr().toarray(), expected)
    store.verify()


def test_a_zero_in_the_last_file_counts_for_all(tmp_path, short_blocks):
    (tmp_path / "a").write_text("1 1:1 3:0.5\n")
    (tmp_path / "b").write_text("1 0:1\n")
    store = tb.convert([tmp_path / "a", tmp_path / "b"], tmp_path / "s")
    np.testing.assert_array_equal(store.to_csr().toarray(), [[0, 1, 0, 0.5], [1, 0, 0, 0]])


def test_a_late_zero_may_be_one_column_too_many(tmp_path, short_blocks):
    (tmp_path / "x").write_text("1 1:1 3:1\n1 0:1\n")
    message = refusal(tmp_path, tmp_path / "x", n_features=3)
    assert message == f"{tmp_path / 'x'}: has 4 features, more than n_features=3"


@st.composite
def texts(draw):
    rows = []
    for _ in range(draw(st.integers(1, 8))):
        indices = sorted(draw(st.sets(st.integers(0, 9), max_size=6)))
        values = [draw(st.sampled_from(["1", "0.5", "-3", "1e-7", "0"])) for _ in indices]
        pairs = " ".join(f"{i}:{v}" for i, v in zip(indices, values, strict=True))
        rows.append(f"{draw(st.sampled_from([-1, 1]))} {pairs}\n")
    return "".join(rows)


@given(st.lists(texts(), min_size=1, max_size=3))
def test_any_text(tmp_path_factory, days):
    folder = tmp_path_factory.mktemp("days")
    paths = [folder / f"day{k}" for k in range(len(days))]
    for path, day in zip(paths, days, strict=True):
        path.write_text(day)
    (folder / "all").write_text("".join(days))
    X, y = tb.load_svmlight(folder / "all")
    store = tb.convert(paths, folder / "s")
    assert_same(store.to_csr(), X)
    np.testing.assert_array_equal(store.y, y)


def test_a_binary_file_and_a_pipe(tmp_path, text):
    X, _ = tb.load_svmlight(text)
    assert_same(tb.convert(io.BytesIO(TEXT.encode()), tmp_path / "a").to_csr(), X)
    os.mkfifo(tmp_path / "pipe")
    thread = threading.Thread(target=lambda: (tmp_path / "pipe").write_text(TEXT))
    thread.start()
    assert_same(tb.convert(tmp_path / "pipe", tmp_path / "b").to_csr(), X)
    thread.join()


def test_labels_in_place_of_those_in_the_file(tmp_path, text):
    y = np.array([3, 4, 3, 4, 5])
    np.save(tmp_path / "y.npy", y)
    for k, labels in enumerate([y, y.tolist(), tmp_path / "y.npy"]):
        store = tb.convert(text, tmp_path / f"{k}", labels=labels)
        np.testing.assert_array_equal(store.y, y)


def test_returns_the_open_store_and_overwrites_if_told(tmp_path, text):
    store = tb.convert(text, tmp_path / "s")
    assert isinstance(store, tb.Store)
    with pytest.raises(FileExistsError):
        tb.convert(text, tmp_path / "s")
    (tmp_path / "other").write_text("1 1:1\n")
    assert tb.convert(tmp_path / "other", tmp_path / "s", overwrite=True).shape == (1, 1)


# Bad input


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "no samples"),
        ("# nothing but a comment\n", "no samples"),
        ("1 1:1\nhello\n", "line 2"),
        ("1 2:1 1:1\n", "line 1"),
        ("1 1:nan\n", "NaN|finite"),
        ("nan 1:1\n", "NaN|finite"),
        ("1 3000000000:1\n", "3000000000|out of range"),
        ("1 1:1e-200\n", "rescale"),
    ],
)
def test_bad_text(tmp_path, content, words):
    (tmp_path / "bad.svm").write_text(content)
    message = refusal(tmp_path, tmp_path / "bad.svm").removeprefix(str(tmp_path))
    assert message.startswith("/bad.svm")
    assert re.search(words, message)


def test_a_bad_file_after_a_good_one(tmp_path, text):
    (tmp_path / "bad.svm").write_text("1 1:1\noops\n")
    assert "bad.svm, line 2" in refusal(tmp_path, [text, tmp_path / "bad.svm"])


def test_files_that_are_not_there_are_noticed_first(tmp_path, text, monkeypatch):
    monkeypatch.setattr(inputs, "svmlight_blocks", None)
    paths = [text, tmp_path / "absent"]
    assert "absent" in refusal(tmp_path, paths, FileNotFoundError)
    (tmp_path / "folder").mkdir()
    assert "folder" in refusal(tmp_path, [text, tmp_path / "folder"], IsADirectoryError)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_features": 4}, "tiny.svm: has 5 features, more than n_features=4"),
        ({"n_features": 0}, "n_features must be between 1"),
        ({"zero_based": "maybe"}, "zero_based must be True, False or 'auto'"),
        ({"n_threads": 0}, "n_threads must be"),
        ({"labels": [1, 2]}, "labels has 2 entries, but there are more rows"),
        ({"labels": [1] * 9}, "labels has 9 entries for 5 rows"),
        ({"labels": ["a"] * 5}, "labels must be a vector of numbers"),
        ({"labels": [[1] * 5]}, "labels must be a vector of numbers, got 2-D"),
    ],
)
def test_bad_options(tmp_path, text, options, words):
    assert words in refusal(tmp_path, text, **options)


def test_bad_label_files(tmp_path, text):
    (tmp_path / "y.npy").write_text("not an array")
    assert "y.npy: labels must be" in refusal(tmp_path, text, labels=tmp_path / "y.npy")
    np.save(tmp_path / "y.npy", np.array([object()] * 5), allow_pickle=True)
    assert "y.npy: labels must be" in refusal(tmp_path, text, labels=tmp_path / "y.npy")
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }"
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(40)
    (tmp_path / "y.npy").write_bytes(content)
    assert "y.npy: labels must be" in refusal(tmp_path, text, labels=tmp_path / "y.npy")
    assert "absent" in refusal(tmp_path, text, FileNotFoundError, labels=tmp_path / "absent.npy")


def test_no_inputs_and_mixed_inputs(tmp_path, text):
    assert "at least one file" in refusal(tmp_path, [])
    sp.save_npz(tmp_path / "x.npz", small()[0])
    assert "one kind, got npz and svmlight" in refusal(tmp_path, [text, tmp_path / "x.npz"])


@pytest.mark.parametrize("name", ["w8a.xz", "url_uci_slice.svm.xz"])
def test_real_data(tmp_path, name):
    path = Path(os.environ.get("TAUBOOST_DATA", ""), name)
    if not path.is_file():
        pytest.skip(f"needs {name} in the folder that TAUBOOST_DATA names")
    X, y = tb.load_svmlight(path)
    store = tb.convert(path, tmp_path / "s")
    assert_same(store.to_csr(), X)
    np.testing.assert_array_equal(store.y, y)
