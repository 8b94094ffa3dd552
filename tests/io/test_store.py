"""Stores: what goes in comes out, and what is damaged is refused."""

from __future__ import annotations

import _thread
import contextlib
import json
import os
import pickle
import signal
import threading
import time
from importlib.metadata import version

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import tauboost as tb
from stores import assert_same, forge, small, write
from tauboost.io import store_format
from tauboost.io.store_format import ARRAY_NAMES
from tauboost.validation import as_csr

FILES = ["store.json", *(f"{name}.npy" for name in ARRAY_NAMES)]


@pytest.fixture
def store(tmp_path):
    return write(tmp_path / "small.store")


# What goes in comes out


@st.composite
def matrices(draw):
    m, n = draw(st.integers(1, 12)), draw(st.integers(1, 9))
    values = st.sampled_from([0.0, 0.0, 0.0, 1.0, 1.0, -1.0, 0.1, 1e-100, 1e100, 1 / 3])
    dense = draw(st.lists(values, min_size=m * n, max_size=m * n))
    y = draw(st.lists(st.sampled_from([-1.0, 0.0, 1.0, 7.5]), min_size=m, max_size=m))
    return sp.csr_array(np.array(dense).reshape(m, n)), np.array(y)


@given(matrices(), st.integers(1, 5), st.data())
def test_round_trip(tmp_path_factory, matrix, step, data):
    X, y = matrix
    path = tmp_path_factory.mktemp("round") / "x.store"
    with tb.StoreWriter(path) as writer:
        for start in range(0, len(y), step):
            writer.append(X[start : start + step], y[start : start + step])
    store = tb.open_store(path, verify=True)
    assert (store.shape, store.nnz) == (X.shape, X.nnz)
    assert store.n_values == np.count_nonzero(X.data != 1)
    assert_same(store.to_csr(), X)
    assert store.to_csr().has_canonical_format
    np.testing.assert_array_equal(store.y, y)
    assert dict(store.labels) == dict(zip(*np.unique(y, return_counts=True), strict=True))
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(y))] * 2)))
    assert_same(store.rows(start, stop), X[start:stop])
    parts = store.parts()
    assert_same(sum((part.to_scipy() for part in parts[1:]), start=parts[0].to_scipy()), X)
    for part in parts:
        assert (part.indptr.dtype, part.indices.dtype) == (np.int64, np.int32)
        assert not part.indices.flags.writeable


@given(matrices(), st.randoms())
def test_unsorted_duplicate_and_zero_entries_are_put_right(tmp_path_factory, matrix, random):
    X, y = matrix
    rows, columns = (np.repeat(array, 2) for array in X.nonzero())
    halves = np.repeat(X.data / 2, 2)
    order = list(range(len(rows)))
    random.shuffle(order)
    order.sort(key=lambda k: rows[k])
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(y)))])
    messy = sp.csr_array((halves[order], columns[order], indptr), shape=X.shape)
    path = tmp_path_factory.mktemp("messy") / "x.store"
    assert_same(tb.open_store(write(path, messy, y), verify=True).to_csr(), X)


def test_all_ones_have_no_values(tmp_path):
    X, y = tb.make_w8a_like(50)
    store = tb.open_store(write(tmp_path / "ones", X, y))
    assert store.n_values == 0
    (part,) = store.parts()
    assert part.data is None


def test_only_other_values_are_not_copied(tmp_path):
    X = sp.csr_array(np.array([[0.5, 0.0], [0.0, 0.25]]))
    store = tb.open_store(write(tmp_path / "real", X, [0, 1]))
    (part,) = store.parts()
    np.testing.assert_array_equal(part.data, [0.5, 0.25])
    assert np.shares_memory(store.to_csr().data, part.data)


def test_no_entries_at_all(tmp_path):
    store = tb.open_store(write(tmp_path / "none", sp.csr_array((3, 2)), [1, 2, 1]), verify=True)
    assert store.nnz == 0
    assert_same(store.to_csr(), sp.csr_array((3, 2)))
    assert len(store.parts()) == 1


@pytest.mark.parametrize("X", [small()[0].tocsc(), small()[0].toarray(), small()[0].astype("f4")])
def test_append_takes_what_problem_takes(tmp_path, X):
    write(tmp_path / "s", X, small()[1])
    assert_same(tb.open_store(tmp_path / "s").to_csr(), sp.csr_array(X, dtype=np.float64))


def test_files_are_ordinary_npy_files(store):
    for name in ARRAY_NAMES:
        array = np.load(store / f"{name}.npy", mmap_mode="r")
        np.testing.assert_array_equal(array, tb.open_store(store)._arrays[name])


def test_header_for_people(store):
    header = json.loads((store / "store.json").read_text())
    assert header["format"] == "tauboost-store"
    assert header["shape"] == [5, 4]
    assert header["labels"] == [[-1.0, 3], [1.0, 2]]
    assert header["source"] == {"tauboost": version("tauboost")}


def test_many_labels_are_not_listed(tmp_path):
    y = np.arange(150.0)
    store = tb.open_store(write(tmp_path / "s", np.ones((150, 1)), y))
    assert store.labels is None
    np.testing.assert_array_equal(store.y, y)


def test_width(tmp_path):
    X, y = small()
    assert tb.open_store(write(tmp_path / "a", X, y, n_features=9)).shape == (5, 9)
    with tb.StoreWriter(tmp_path / "b") as writer:
        writer.append(X, y)
        writer.append(np.ones((1, 7)), [1])
    assert tb.open_store(tmp_path / "b").shape == (6, 7)
    with pytest.raises(ValueError, match="has 4 features, more than n_features=3"):
        write(tmp_path / "c", X, y, n_features=3)


def test_rows_beyond_the_end_and_from_the_end(store):
    X, _ = small()
    opened = tb.open_store(store)
    assert_same(opened.rows(3, 100), X[3:])
    assert_same(opened.rows(-2, 5), X[-2:])
    assert opened.rows(4, 2).shape == (0, 4)


def test_pickle_and_repr(store):
    opened = pickle.loads(pickle.dumps(tb.open_store(store)))
    assert_same(opened.to_csr(), small()[0])
    assert "5 samples, 4 features, 9 nonzeros" in repr(opened)


def test_memory_can_be_released(store):
    opened = tb.open_store(store)
    y = opened.y.copy()
    opened.release_memory()
    np.testing.assert_array_equal(opened.y, y)


def test_a_problem_from_a_store_is_that_of_the_matrix(tmp_path):
    X, y = tb.make_url_like(300)
    store = tb.open_store(write(tmp_path / "url", X, y))
    lam = np.random.default_rng(0).normal(size=X.shape[1])
    assert tb.Problem(store.to_csr(), store.y).value(lam) == tb.Problem(X, y).value(lam)


# Damage


def refusal(path, **options):
    with pytest.raises(ValueError, match="store") as caught:
        tb.open_store(path, **options)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert "\n" not in text
    return text


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", ["last byte", "header only", "empty", "longer", "missing"])
def test_a_file_of_the_wrong_size(store, name, damage):
    path = store / name
    size = path.stat().st_size
    if damage == "missing":
        path.unlink()
    elif damage == "longer":
        with path.open("ab") as file:
            file.write(b"x")
    else:
        if damage == "header only" and name == "store.json":
            pytest.skip("has no such thing")
        os.truncate(path, {"last byte": size - 1, "header only": 128, "empty": 0}[damage])
    if (name, damage) == ("store.json", "last byte"):
        tb.open_store(store)  # it was the final newline
        os.truncate(path, size - 2)
    assert name in refusal(store)


@pytest.mark.parametrize("name", ARRAY_NAMES)
def test_altered_bytes_are_found_by_verify(store, name):
    path = store / f"{name}.npy"
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)
    with contextlib.suppress(ValueError):
        tb.open_store(store)  # sees the ends of the pointers only
    assert name in refusal(store, verify=True)


@pytest.mark.parametrize("name", ARRAY_NAMES)
@pytest.mark.parametrize("place", [0, 7, 30, 127])
def test_altered_npy_header(store, name, place):
    path = store / f"{name}.npy"
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    assert f"{name}.npy" in refusal(store)


def test_every_changed_byte_of_the_header_is_noticed(store):
    path = store / "store.json"
    content = path.read_bytes()
    for place in range(len(content) - 1):
        path.write_bytes(content[:place] + b"7" + content[place + 1 :])
        if content[place : place + 1] in b"7 \n":  # another space or none is the same header
            continue
        refusal(store)


def test_newer_version(store):
    forge(store, lambda header: header.update(version=2))
    assert "newer tauboost: the store has version 2" in refusal(store)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"format": "tauboost-store", "version": ' + b"1" * 5000 + b"}",
        b'{"format": "tauboost-store", "version": "1"}',
        b'{"format": "tauboost-store", "version": 1, "source": ' + b"[" * 5000 + b"]" * 5000 + b"}",
        b" " * (2**20) + b"{}",
    ],
)
def test_strange_headers(store, text):
    (store / "store.json").write_bytes(text)
    assert "store.json" in refusal(store)


def set_length(name, length):
    return lambda header: header["arrays"][name].update(length=length)


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.update(shape=[2**59, 4]),
        lambda header: header.update(shape=[2**70, 4]),
        lambda header: header.update(shape=[-1, 4]),
        lambda header: header.update(shape=[5, 0]),
        lambda header: header.update(shape=[5, 2**31]),
        lambda header: header.update(shape=[5.0, 4]),
        lambda header: header.update(shape=[True, 4]),
        lambda header: header.update(shape=[5]),
        lambda header: header.update(shape="54"),
        lambda header: header.update(nnz=11),
        lambda header: header.update(labels=[1.0, 2.0]),
        lambda header: header.update(labels=[["../../etc", 1]]),
        lambda header: header.update(arrays=[]),
        lambda header: header["arrays"].pop("y"),
        lambda header: header["arrays"].update({"../../etc/passwd": header["arrays"]["y"]}),
        lambda header: header["arrays"]["y"].update(dtype="|O"),
        lambda header: header["arrays"]["y"].update(dtype="<f4"),
        set_length("y", 6),
        set_length("ones_indices", 2**50),
        set_length("values_data", -3),
        set_length("ones_indptr", "6"),
        lambda header: header.pop("source"),
    ],
)
def test_hostile_headers_with_a_fitting_checksum(store, change):
    forge(store, change)
    refusal(store)


def test_sizes_in_the_header_are_never_allocated(store):
    def enlarge(header):
        header.update(shape=[2**50, 4])
        for name in ("y", "ones_indptr", "values_indptr"):
            header["arrays"][name]["length"] = 2**50 + (name != "y")

    forge(store, enlarge)
    assert "y.npy has 168 bytes, but should have" in refusal(store)


@pytest.mark.parametrize("name", FILES)
def test_links_are_not_followed(store, tmp_path, name):
    (store / name).rename(tmp_path / "elsewhere")
    (store / name).symlink_to(tmp_path / "elsewhere")
    assert f"{name} is a symbolic link" in refusal(store)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_pipes_and_folders_in_place_of_files(store, name, make):
    (store / name).unlink()
    make(store / name)
    assert f"{name} is not a regular file" in refusal(store)


def forge_array(store, name, position, value):
    """Change an item and make the checksums fit again."""
    array = np.load(store / f"{name}.npy")
    array[position] = value
    path = store / f"{name}.npy"
    path.write_bytes(path.read_bytes()[:128] + array.tobytes())
    checksum = store_format.zlib.crc32(array.tobytes())
    forge(store, lambda header: header["arrays"][name].update(crc32=f"{checksum:08x}"))


@pytest.mark.parametrize(
    ("name", "position", "value"),
    [
        ("ones_indices", 0, 4),
        ("ones_indices", -1, -1),
        ("values_indices", 0, 2**31 - 1),
        ("ones_indptr", 2, 10**15),
        ("ones_indptr", 2, -5),
        ("values_indptr", 1, 4),
        ("values_data", 0, np.nan),
        ("values_data", -1, np.inf),
        # small(): row 3 has ones in column 2 and values in 0 and 3, row 4 ones in 0 and 2.
        ("ones_indices", -1, 0),
        ("ones_indices", -2, 3),
        ("values_indices", -1, 0),
        ("values_indices", -1, 2),
    ],
)
def test_what_would_crash_compiled_code_is_refused(store, name, position, value):
    forge_array(store, name, position, value)
    opened = tb.open_store(store)
    for read in (opened.parts, opened.to_csr, opened.verify):
        with pytest.raises(ValueError, match="not a sound store"):
            read()


@pytest.mark.parametrize(("name", "position"), [("ones_indptr", 0), ("values_indptr", -1)])
def test_the_ends_of_the_pointers_are_checked_on_opening(store, name, position):
    forge_array(store, name, position, 3)
    assert "does not run from 0" in refusal(store)


def test_bad_labels_are_found_by_verify(store):
    forge_array(store, "y", 0, np.nan)
    assert "y.npy" in refusal(store, verify=True)


def test_no_store(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent"):
        tb.open_store(tmp_path / "absent")
    (tmp_path / "file").write_text("x")
    assert "a store is a directory" in refusal(tmp_path / "file")
    (tmp_path / "folder").mkdir()
    assert "holds no store.json" in refusal(tmp_path / "folder")


# Memory


def test_pages_are_given_back_while_they_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr("tauboost.io.store.SECONDS_BETWEEN_RELEASES", 0.001)
    opened = tb.open_store(write(tmp_path / "s"))
    n_released = 0

    def count():
        nonlocal n_released
        n_released += 1

    monkeypatch.setattr(opened, "release_memory", count)
    with opened.reading():
        time.sleep(0.1)
    assert n_released > 1
    time.sleep(0.02)  # nobody waits for the last time
    before = n_released
    time.sleep(0.02)
    assert n_released == before
    with pytest.raises(KeyError), opened.reading():
        raise KeyError
    assert n_released > before


def test_nobody_waits_for_a_thread_that_dies_before_its_first_step(tmp_path, monkeypatch):
    def hangs(*_):
        raise TimeoutError

    opened = tb.open_store(write(tmp_path / "s"))
    before = signal.signal(signal.SIGALRM, hangs)
    for module, name in ((_thread, "start_new_thread"), (threading, "_start_new_thread")):
        monkeypatch.setattr(module, name, lambda *_: 1, raising=False)
    signal.alarm(5)
    try:
        with opened.reading():
            pass
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def test_without_a_thread_the_pages_are_given_back_in_the_end(tmp_path, monkeypatch):
    def refuse(*_):
        raise RuntimeError("can't start new thread")

    opened, released = tb.open_store(write(tmp_path / "s")), []
    monkeypatch.setattr(_thread, "start_new_thread", refuse)
    monkeypatch.setattr(opened, "release_memory", lambda: released.append(1))
    with opened.reading():
        pass
    assert released == [1]


def test_selected_rows_of_a_store(tmp_path):
    X, y = tb.make_url_like(300, random_state=0)
    arrays = as_csr(tb.open_store(write(tmp_path / "s", X, y)))
    keep = np.random.default_rng(0).random(300) < 0.4
    assert_same(arrays.select(keep).to_scipy(), X[keep])
