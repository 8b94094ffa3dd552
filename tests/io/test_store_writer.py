"""Writing stores: half-made ones are never seen, whatever happens, and blocks are checked."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import tauboost as tb
from stores import assert_nothing_left, assert_same, small, write
from tauboost.io.store_format import ARRAY_NAMES


@pytest.fixture
def store(tmp_path):
    return write(tmp_path / "small.store")


def test_an_existing_path_is_refused(store, tmp_path):
    with pytest.raises(FileExistsError, match=r"small\.store: exists already"):
        write(store)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileExistsError):
        write(tmp_path / "empty")
    assert_same(tb.open_store(store).to_csr(), small()[0])


def test_overwrite(store, tmp_path):
    before = tb.open_store(store)
    write(store, np.eye(3), [1, 2, 3], overwrite=True)
    assert tb.open_store(store, verify=True).shape == (3, 3)
    assert_same(before.to_csr(), small()[0])  # what is open stays as it was
    assert_nothing_left(tmp_path, "small.store")


def test_overwrite_that_fails_leaves_the_old_store(store, tmp_path):
    with pytest.raises(ValueError, match="one label a row"):
        write(store, np.eye(3), [1, 2], overwrite=True)
    assert_same(tb.open_store(store).to_csr(), small()[0])
    assert_nothing_left(tmp_path, "small.store")


def test_overwrite_replaces_nothing_but_stores(store, tmp_path):
    (store / "thesis.tex").write_text("years of work")
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    for name in ("small.store", "file", "folder"):
        with pytest.raises(FileExistsError, match="not of the kind"):
            write(tmp_path / name, overwrite=True)
    assert (store / "thesis.tex").read_text() == "years of work"
    assert_nothing_left(tmp_path, "file", "folder", "small.store")


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, MemoryError, SystemExit])
def test_an_error_leaves_nothing(tmp_path, error):
    def fail():
        with tb.StoreWriter(tmp_path / "s") as writer:
            writer.append(*small())
            assert not (tmp_path / "s").exists()
            raise error

    with pytest.raises(error):
        fail()
    assert_nothing_left(tmp_path)


def test_no_rows_are_no_store(tmp_path):
    with pytest.raises(ValueError, match="at least one sample"), tb.StoreWriter(tmp_path / "s"):
        pass
    assert_nothing_left(tmp_path)


def test_no_such_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        write(tmp_path / "a" / "b")


def test_not_allowed(tmp_path, monkeypatch):
    def refuse(self, *args, **kwargs):
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(PermissionError) as caught:
        write(tmp_path / "s")
    assert caught.value.filename == str(tmp_path / "s")


@pytest.mark.parametrize(
    ("X", "y", "error", "words"),
    [
        (np.eye(2), [1], ValueError, "one label a row, 2 in all"),
        (np.eye(2), [[1, 2]], ValueError, "one label a row"),
        (np.eye(2), ["a", "b"], TypeError, "numbers as labels"),
        (np.eye(2), [1, np.nan], ValueError, "y contains NaN"),
        ([[np.inf]], [1], ValueError, "X contains NaN or infinity"),
        ([[1e-300]], [1], ValueError, "X has nonzero values outside"),
        (sp.csr_array((1, 2**31)), [1], ValueError, "2,147,483,648 features; at most"),
        ("text", [1], ValueError, "two dimensions"),
    ],
)
def test_bad_blocks(tmp_path, X, y, error, words):
    with pytest.raises(error, match=words):
        write(tmp_path / "s", X, y)
    assert_nothing_left(tmp_path)


@pytest.mark.parametrize(
    ("n_features", "error"), [(0, ValueError), (-1, ValueError), (2**31, ValueError),
                              (2.5, TypeError), (True, TypeError), ("9", TypeError)],
)  # fmt: skip
def test_bad_width(tmp_path, n_features, error):
    with pytest.raises(error, match="n_features must be"):
        tb.StoreWriter(tmp_path / "s", n_features=n_features)


def test_a_block_written_in_part_is_no_store(tmp_path, monkeypatch):
    def go_on_after_an_error():
        with tb.StoreWriter(tmp_path / "s") as writer:
            writer.append(*small())
            with monkeypatch.context() as patch, contextlib.suppress(KeyError):
                patch.delitem(writer._files, "values_data")
                writer.append(*small())

    with pytest.raises(RuntimeError, match="written in part"):
        go_on_after_an_error()
    assert_nothing_left(tmp_path)


def test_shift_indices(tmp_path, monkeypatch):
    monkeypatch.setattr("tauboost.io.store_writer.CHUNK_BYTES", 8)
    X, y = small()
    with tb.StoreWriter(tmp_path / "s") as writer:
        writer.append(X, y)
        writer.shift_indices(2)
        writer.append(X, y)
    store = tb.open_store(tmp_path / "s", verify=True)
    shifted = sp.hstack([sp.csr_array((5, 2)), X])
    assert_same(store.to_csr(), sp.vstack([shifted, sp.hstack([X, sp.csr_array((5, 2))])]))


# Disks that are full, processes that were killed


@pytest.mark.parametrize("n_rows", [100, 5_000])
def test_full_disk(tiny_disk, n_rows):
    X, y = tb.make_w8a_like(n_rows)

    def fill():
        with tb.StoreWriter(tiny_disk / "s") as writer:
            for _ in range(500_000 // n_rows):
                writer.append(X, y)

    with pytest.raises(OSError, match="No space left") as caught:
        fill()
    assert caught.value.errno == errno.ENOSPC
    assert caught.value.filename == str(tiny_disk / "s")
    assert_nothing_left(tiny_disk)


@pytest.mark.parametrize("name", [*ARRAY_NAMES, "store.json"])
def test_disk_full_at_any_file(tmp_path, monkeypatch, name):
    """The last write is when the buffers are emptied: fail there, for each of the files."""
    real = os.fsync

    def fsync(descriptor):
        if Path(f"/proc/self/fd/{descriptor}").readlink().stem == Path(name).stem:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(OSError, match="No space left") as caught:
        write(tmp_path / "s")
    assert caught.value.filename == str(tmp_path / "s")
    assert_nothing_left(tmp_path)


def test_leftovers_of_killed_processes_are_removed(tmp_path):
    left = tmp_path / ".s.0123abcd.partial"
    left.mkdir()
    (left / "y.npy").write_text("half")
    other = tmp_path / ".other.0123abcd.partial"
    other.mkdir()
    write(tmp_path / "s")
    assert_nothing_left(tmp_path, "s", other.name)


def test_a_store_on_its_way_out_is_kept_while_its_place_is_empty(tmp_path):
    store = write(tmp_path / "s").rename(tmp_path / ".s.0123abcd.replaced")
    write(tmp_path / "s")
    assert_same(tb.open_store(store).to_csr(), small()[0])
    write(tmp_path / "s", overwrite=True)
    assert_nothing_left(tmp_path, "s")


def test_what_another_process_works_on_is_left_alone(tmp_path):
    busy = tmp_path / ".s.0123abcd.partial"
    busy.mkdir()
    descriptor = os.open(busy, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        write(tmp_path / "s")
        assert busy.is_dir()
    finally:
        os.close(descriptor)


def test_two_writers_of_one_name(tmp_path):
    def write_while_another_does():
        with tb.StoreWriter(tmp_path / "s") as second:
            second.append(np.eye(2), [1, 2])
            write(tmp_path / "s")

    with pytest.raises(OSError, match="not empty") as caught:
        write_while_another_does()
    assert caught.value.filename == str(tmp_path / "s")
    assert_same(tb.open_store(tmp_path / "s", verify=True).to_csr(), small()[0])
    assert_nothing_left(tmp_path, "s")


def test_a_link_to_a_place_elsewhere(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "s").symlink_to(tmp_path / "disk" / "real")
    write(tmp_path / "s")
    assert_nothing_left(tmp_path / "disk", "real")
    assert_same(tb.open_store(tmp_path / "s").to_csr(), small()[0])
