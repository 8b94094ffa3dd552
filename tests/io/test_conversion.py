"""From files to a store: svmlight text, .npz, Parquet and Arrow; one or many; good and bad."""

from __future__ import annotations

import pytest

pytest.importorskip("pyarrow")

import bz2
import gzip
import io
import lzma
import os
import re
import sys
import threading
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import tauboost as tb
from stores import TEXT, assert_nothing_left, assert_same, small
from tauboost.io import blocks, inputs


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "tiny.svm"
    path.write_text(TEXT)
    return path


@pytest.fixture
def short_blocks(monkeypatch):
    """Make a block of every line, so that few lines make many blocks."""
    whole = inputs.svmlight_blocks

    def by_line(*args, **kwargs):
        return whole(*args, **kwargs, block_bytes=1)

    monkeypatch.setattr(inputs, "svmlight_blocks", by_line)
    monkeypatch.setattr(blocks, "MOST_ENTRIES", 2)


def refusal(folder, inputs, error=ValueError, **options):
    """Return the message, having seen that nothing was left behind."""
    before = sorted(path.name for path in folder.iterdir())
    with pytest.raises(error, match=r".") as caught:
        tb.convert(inputs, folder / "new.store", **options)
    assert_nothing_left(folder, *before)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# svmlight text


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
    assert "absent" in refusal(tmp_path, text, FileNotFoundError, labels=tmp_path / "absent.npy")


def test_no_inputs_and_mixed_inputs(tmp_path, text):
    assert "at least one file" in refusal(tmp_path, [])
    sp.save_npz(tmp_path / "x.npz", small()[0])
    assert "one kind, got npz and svmlight" in refusal(tmp_path, [text, tmp_path / "x.npz"])


# .npz


def save_npz(path, X, **more):
    sp.save_npz(path, X)
    with zipfile.ZipFile(path, "a") as archive:
        for name, array in more.items():
            with archive.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array(file, array, allow_pickle=False)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.bool_])
def test_npz(tmp_path, short_blocks, form, dtype):
    X, y = small()
    X = X.astype(dtype)
    X.eliminate_zeros()
    save_npz(tmp_path / "x.npz", X.asformat(form), y=y)
    store = tb.convert(tmp_path / "x.npz", tmp_path / "s")
    assert_same(store.to_csr(), X.astype(np.float64))
    np.testing.assert_array_equal(store.y, y)


def test_npz_labels_and_width(tmp_path):
    X, y = small()
    wide = sp.csr_array((X.data, X.indices, X.indptr), shape=(5, 11))
    sp.save_npz(tmp_path / "a.npz", X)
    sp.save_npz(tmp_path / "b.npz", wide, compressed=False)
    paths = [tmp_path / "a.npz", tmp_path / "b.npz"]
    assert "a.npz: holds no labels" in refusal(tmp_path, paths)
    store = tb.convert(paths, tmp_path / "s", labels=np.concatenate([y, y]))
    assert store.shape == (10, 11)
    assert_same(store.rows(5, 10), wide)


@given(st.integers(0, 30), st.integers(1, 6), st.integers(1, 4), st.integers(0, 10**6))
def test_any_npz(tmp_path_factory, n_rows, n_columns, most, seed):
    rng = np.random.default_rng(seed)
    X = sp.csr_array(sp.random(n_rows + 1, n_columns, 0.4, random_state=rng))
    path = tmp_path_factory.mktemp("npz")
    save_npz(path / "x.npz", X, y=np.arange(n_rows + 1) % 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "MOST_ENTRIES", most)
        patch.setattr(blocks, "MOST_ROWS", most)
        patch.setattr("tauboost.io.npz.MOST_ROWS", 2 * most)
        assert_same(tb.convert(path / "x.npz", path / "s").to_csr(), X)


def rewrite(path, name, array):
    """Replace an array of an archive."""
    with zipfile.ZipFile(path) as archive:
        contents = {entry: archive.read(entry) for entry in archive.namelist()}
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    contents[f"{name}.npy"] = buffer.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for entry, content in contents.items():
            archive.writestr(entry, content)


@pytest.mark.parametrize(
    ("name", "array", "words"),
    [
        ("indices", np.array([0, 2, 2, 3, 0, 2, 3, 0, 9]), "an index is out of range"),
        ("indices", np.array([0, 2, 2, 3, 0, 2, 3, 0, -1]), "an index is out of range"),
        ("indices", np.array([0, 2]), "indices is too short"),
        ("indptr", np.array([0, 2, 1, 4, 7, 9]), "indptr must not decrease"),
        ("indptr", np.array([0, 2, 2, 4, 7, 10**12]), "is too short"),
        ("indptr", np.zeros((2, 3)), "indptr must be a vector"),
        ("data", np.ones(9, dtype=complex), "data is not an array of numbers"),
        ("data", np.array([object()] * 9), "data is not an array of numbers"),
        ("indices", np.zeros(9), "indices must be a vector of integers"),
        ("indices", np.full(9, 2**64 - 1, dtype=np.uint64), "an index is out of range"),
        (
            "format",
            np.array("lil"),
            "its format is 'lil', and accepted are csr, csc",
        ),
        ("format", np.array(1.5), "format must be a piece of text"),
        ("format", np.array("x" * 999), "format is too long"),
        ("shape", np.array([5.0, np.inf]), "shape must be a vector of integers"),
        ("data", np.full(9, np.nan), "NaN"),
        ("shape", np.array([5]), "x.npz"),
        ("shape", np.array([7, 4]), "y holds 5 labels for 7 rows"),
        ("shape", np.array([5, 10**12]), "10{12} features"),
        ("y", np.ones(4), "y holds 4 labels for 5 rows"),
        ("y", np.ones(6), "y holds 6 labels for 5 rows"),
        ("y", np.array(["a"] * 5), "y must be a vector of numbers"),
    ],
)
def test_bad_npz(tmp_path, name, array, words):
    path = tmp_path / "x.npz"
    save_npz(path, small()[0], y=small()[1])
    rewrite(path, name, array)
    message = refusal(tmp_path, path)
    assert "x.npz: " in message
    assert re.search(words, message)


BROKEN = {
    "csc": {"indices": 10**9, "indptr": 10**9},
    "coo": {"row": 10**9, "col": -1},
    "bsr": {"indices": 10**9, "indptr": 10**9},
    "dia": {"offsets": 10**9},
}


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, names in BROKEN.items() for name in names]
)
def test_npz_of_another_format_with_a_wrong_index(tmp_path, kind, name):
    """SciPy takes such arrays at their word, and reads or writes wherever they point to."""
    path = tmp_path / "x.npz"
    save_npz(path, small()[0].asformat(kind), y=small()[1])
    with np.load(path) as archive:
        array = archive[name].copy()
    array[-1] = BROKEN[kind][name]
    rewrite(path, name, array)
    message = refusal(tmp_path, path)
    assert re.search(r"out of range|do not fit|must not decrease|outside of the matrix", message)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("is_short", [False, True])
def test_npz_of_every_format(tmp_path, kind, is_short, monkeypatch):
    if is_short:
        monkeypatch.setattr("tauboost.io.npz.MOST_ROWS", 3)
    X = sp.random_array((20, 12), density=0.3, rng=np.random.default_rng(0))
    path = tmp_path / "x.npz"
    save_npz(path, X.asformat(kind), y=np.arange(20))
    store = tb.convert(path, tmp_path / "s")
    assert_same(store.to_csr(), X)


def test_npz_header_that_never_ends(tmp_path):
    path = tmp_path / "x.npz"
    save_npz(path, small()[0], y=small()[1])
    with zipfile.ZipFile(path) as archive:
        contents = {entry: archive.read(entry) for entry in archive.namelist()}
    for text in (b"{'descr': (((((", b"-" * 900 + b"1", b"{'shape': (2**99,)}", b"[1, 2]"):
        head = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text
        with zipfile.ZipFile(path, "w") as archive:
            for entry, content in (contents | {"data.npy": head}).items():
                archive.writestr(entry, content)
        assert "the header of data is damaged" in refusal(tmp_path, path)


def test_damaged_npz(tmp_path):
    path = tmp_path / "x.npz"
    save_npz(path, sp.csr_array(sp.random(500, 300, 0.5, random_state=0)), y=np.ones(500))
    content = path.read_bytes()
    path.write_bytes(content[:-30])
    assert "truncated, damaged or locked" in refusal(tmp_path, path)
    middle = len(content) // 2
    path.write_bytes(content[:middle] + bytes(50) + content[middle + 50 :])
    assert "truncated, damaged or locked" in refusal(tmp_path, path)
    np.savez(path, something=np.ones(3))
    assert "not a sparse matrix" in refusal(tmp_path, path)
    save_npz(path, small()[0], y=small()[1])
    assert "counts from 0" in refusal(tmp_path, path, zero_based=False)


# Parquet and Arrow

TABLE = {
    "label": [1, 0, 1],
    "indices": [[0, 4], [], [2, 1]],
    "values": [[1.0, 0.5], [], [2.0, 1.0]],
}
DENSE = [[1, 0, 0, 0, 0.5], [0, 0, 0, 0, 0], [0, 1, 2, 0, 0]]


def write_arrow(path, table, form):
    table = table if isinstance(table, pa.Table) else pa.table(table)
    if form == "parquet":
        pq.write_table(table, path)
        return path
    make = pa.ipc.new_file if form == "file" else pa.ipc.new_stream
    with pa.OSFile(str(path), "wb") as file, make(file, table.schema) as writer:
        writer.write_table(table)
    return path


@pytest.mark.parametrize("form", ["parquet", "file", "stream"])
def test_arrow(tmp_path, monkeypatch, form):
    monkeypatch.setattr("tauboost.io.arrow.ROWS_AT_A_TIME", 2)
    path = write_arrow(tmp_path / "x", TABLE | {"name": ["a", "b", "c"]}, form)
    store = tb.convert(path, tmp_path / "s")
    np.testing.assert_array_equal(store.to_csr().toarray(), DENSE)
    np.testing.assert_array_equal(store.y, [1, 0, 1])
    assert store.source["made_from"] == ("parquet" if form == "parquet" else "arrow")


@pytest.mark.parametrize("kind", [pa.list_(pa.int32()), pa.large_list(pa.uint64()),
                                  pa.list_(pa.int64(), 2)])  # fmt: skip
def test_kinds_of_lists(tmp_path, kind):
    lists = pa.array([[0, 4], [1, 2], [2, 1]], type=kind)
    path = write_arrow(tmp_path / "x", pa.table({"y": [True, False, True], "i": lists}), "parquet")
    store = tb.convert(path, tmp_path / "s")
    assert store.n_values == 0
    np.testing.assert_array_equal(store.to_csr().toarray()[1], [0, 1, 1, 0, 0])
    np.testing.assert_array_equal(store.y, [1, 0, 1])


def test_arrow_one_based_and_other_labels(tmp_path):
    table = {"indices": [[1, 5], [], [3, 2]], "values": [[1, 2], [], [3, 1]]}
    path = write_arrow(tmp_path / "x", table, "parquet")
    store = tb.convert(path, tmp_path / "s", zero_based=False, labels=[1, 2, 1])
    np.testing.assert_array_equal(store.to_csr().toarray()[2], [0, 1, 3, 0, 0])
    assert "below 1" in refusal(
        tmp_path, write_arrow(path, TABLE, "parquet"), zero_based=False, labels=[1, 2, 1]
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"label": ["a", "b", "c"]}, "which column holds the label? 0 of the columns"),
        ({"label": None, "a": [1, 0, 1], "b": [1, 2, 3]}, "2 of the columns indices, values, a, b"),
        ({"indices": None}, "which column holds the indices?"),
        ({"indices": [[0], [1], None]}, "column indices holds nulls"),
        ({"indices": [[0, None], [], [2, 1]]}, "column indices holds nulls"),
        ({"label": [1, None, 0]}, "column label holds nulls"),
        ({"values": [[1.0], [], [2.0, 1.0]]}, "differ in length"),
        ({"values": [[1.0, np.nan], [], [2.0, 1.0]]}, "NaN"),
        ({"indices": [[0, -4], [], [2, 1]]}, "index -4 is below 0"),
        ({"indices": [[0, 2**31], [], [2, 1]]}, "has 2147483649 features"),
    ],
)
@pytest.mark.parametrize("form", ["parquet", "file"])
def test_bad_tables(tmp_path, change, words, form):
    table = {name: column for name, column in (TABLE | change).items() if column is not None}
    message = refusal(tmp_path, write_arrow(tmp_path / "x.pq", table, form))
    assert "x.pq: " in message
    assert words in message


@pytest.mark.parametrize("form", ["parquet", "file", "stream"])
def test_damaged_tables(tmp_path, form):
    path = write_arrow(tmp_path / "x", TABLE, form)
    os.truncate(path, path.stat().st_size // 2)
    assert f"{path}: " in refusal(tmp_path, path)


@pytest.mark.parametrize("form", ["file", "stream"])
def test_arrow_buffers_that_point_elsewhere(tmp_path, form):
    """Nothing protects an Arrow file's buffers: pyarrow ends the process where it believes them."""
    path = write_arrow(tmp_path / "x", TABLE, form)
    content = path.read_bytes()
    offsets = np.array([0, 2, 2, 4], dtype=np.int32).tobytes()
    assert content.count(offsets) >= 1
    for wrong in ([0, 2, 2, 10**9], [0, -5, 2, 4], [0, 3, 2, 4]):
        path.write_bytes(content.replace(offsets, np.array(wrong, dtype=np.int32).tobytes()))
        assert "Offset" in refusal(tmp_path, path) or "offset" in refusal(tmp_path, path)


def test_without_pyarrow(tmp_path, monkeypatch):
    path = write_arrow(tmp_path / "x", TABLE, "parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "pip install 'tauboost[arrow]'" in refusal(tmp_path, path, ImportError)


@pytest.mark.parametrize("name", ["w8a.xz", "url_uci_slice.svm.xz"])
def test_real_data(tmp_path, name):
    path = Path(os.environ.get("TAUBOOST_DATA", ""), name)
    if not path.is_file():
        pytest.skip(f"needs {name} in the folder that TAUBOOST_DATA names")
    X, y = tb.load_svmlight(path)
    store = tb.convert(path, tmp_path / "s")
    assert_same(store.to_csr(), X)
    np.testing.assert_array_equal(store.y, y)
