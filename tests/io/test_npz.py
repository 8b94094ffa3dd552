"""From SciPy's .npz files to a store: every format, any shape, damaged ones."""

from __future__ import annotations

import io
import re
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import tauboost as tb
from sparse_data import random_csr
from stores import assert_same, refusal, small
from tauboost.io import svmlight as blocks


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
        patch.setattr("tauboost.io.arrow.MOST_ROWS", 2 * most)
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
        ("indices", np.array([0, 2, 2, 3, 0, 2, 3, 0, 9]), "indices must be < 4"),
        ("indices", np.array([0, 2, 2, 3, 0, 2, 3, 0, -1]), "indices must be >= 0"),
        ("indices", np.array([0, 2]), "do not fit each other: indptr does not go from 0"),
        ("indptr", np.array([0, 2, 1, 4, 7, 9]), "indptr must not decrease"),
        ("indptr", np.array([0, 2, 2, 4, 7, 10**12]), "indptr does not go from 0 to at most 9"),
        ("indptr", np.array([1, 2, 2, 4, 7, 9]), "indptr does not go from 0 to at most 9"),
        ("indptr", np.array([0, 5, 0, 0, 0, 0]), "indptr must not decrease"),
        ("indptr", np.array([0, 2**31 - 1, -(2**31), 0, 0, 0]), "indptr must not decrease"),
        ("indptr", np.array([0] * 5 + [2**63 + 9], dtype=np.uint64), "indptr does not go from 0"),
        ("indptr", np.zeros(0, dtype=int), "indptr does not go from 0"),
        ("data", np.ones(8), "indices and data should have the same size"),
        ("indptr", np.zeros((2, 3)), "indptr must be a vector"),
        ("data", np.ones(9, dtype=complex), "data is not an array of numbers"),
        ("data", np.array([object()] * 9), "data is not an array of numbers"),
        ("indices", np.zeros(9), "indices must be a vector of integers"),
        ("indices", np.full(9, 2**64 - 1, dtype=np.uint64), "indices must be >= 0"),
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
    assert "its arrays do not fit each other: " in message


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("is_short", [False, True])
def test_npz_of_every_format(tmp_path, kind, is_short, monkeypatch):
    if is_short:
        monkeypatch.setattr("tauboost.io.arrow.MOST_ROWS", 3)
    X = random_csr((20, 12), 0.3, np.random.default_rng(0))
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


@pytest.mark.parametrize("name", ["data", "indices", "y", "shape", "_is_array"])
def test_a_header_that_claims_more_than_there_is(tmp_path, name):
    """NumPy takes memory for what a header claims before it reads."""
    path = tmp_path / "x.npz"
    save_npz(path, small()[0], y=small()[1])
    with zipfile.ZipFile(path) as archive:
        contents = {entry: archive.read(entry) for entry in archive.namelist()}
    buffer = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": (2**40,)}
    np.lib.format.write_array_header_1_0(buffer, header)
    contents[f"{name}.npy"] = buffer.getvalue() + bytes(64)
    with zipfile.ZipFile(path, "w") as archive:
        for entry, content in contents.items():
            archive.writestr(entry, content)
    assert f"{name} holds 64 bytes, and its header claims {2**43}" in refusal(tmp_path, path)


@pytest.mark.parametrize("kind", ["coo", "csc", "dia"])
def test_memory_does_not_go_by_the_rows_that_are_claimed(tmp_path, kind):
    path = tmp_path / "x.npz"
    sp.save_npz(path, sp.eye_array(3, format=kind))
    rewrite(path, "shape", np.array([2**61, 3]))
    message = refusal(tmp_path, path, labels=np.ones(3))
    assert "labels has 3 entries, but there are more rows" in message


def test_blocks_that_do_not_fit(tmp_path):
    path = tmp_path / "x.npz"
    save_npz(path, sp.bsr_array(np.ones((4, 4)), blocksize=(2, 2)), y=np.ones(5))
    rewrite(path, "shape", np.array([5, 4]))
    assert "no multiple of that of a block" in refusal(tmp_path, path)
    rewrite(path, "data", np.ones((4, 0, 0)))
    assert "its arrays do not fit each other" in refusal(tmp_path, path)


def test_an_archive_that_claims_more_than_deflate_can_do(tmp_path):
    path = tmp_path / "x.npz"
    save_npz(path, small()[0], y=small()[1])
    content = path.read_bytes()
    at = content.index(b"PK\x01\x02") + 24  # the first entry of the directory: its full size
    path.write_bytes(content[:at] + (2**31).to_bytes(4, "little") + content[at + 4 :])
    assert "truncated, damaged or locked" in refusal(tmp_path, path)


def test_what_numpy_would_take_for_an_array_is_none(tmp_path):
    """It prefers a member called data to data.npy."""
    path = tmp_path / "x.npz"
    save_npz(path, small()[0], y=small()[1])
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("data", b"anything")
    assert "holds 'data', which is not an array" in refusal(tmp_path, path)


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
