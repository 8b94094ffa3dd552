"""Names that several processes write at once, and the owner and mode of what is replaced."""

from __future__ import annotations

import fcntl
import os
import stat

import numpy as np
import pytest

import tauboost as tb
from stores import assert_nothing_left, assert_same, small, write
from tauboost.io import atomic
from tauboost.io.atomic import new_file
from tauboost.io.store_format import Header


def save(path, content=b"new"):
    with new_file(path, overwrite=True) as file:
        file.write(content)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


# --- Several processes -----------------------------------------------------------------------


@pytest.mark.parametrize("make", [save, write])
def test_another_process_that_is_faster_than_the_lock(tmp_path, monkeypatch, make):
    lock, removed = fcntl.flock, []

    def too_late(file, operation):
        if not removed:
            [partial] = tmp_path.glob(".*.partial")
            atomic._remove(partial)
            removed.append(partial)
        lock(file, operation)

    monkeypatch.setattr(fcntl, "flock", too_late)
    make(tmp_path / "x")
    assert removed
    assert_nothing_left(tmp_path, "x")


@pytest.mark.parametrize("error", [FileNotFoundError, NotADirectoryError])
def test_errors_of_other_files_keep_their_names(tmp_path, error):
    def read_another(path):
        with new_file(tmp_path / "x") as file:
            file.write(path.read_bytes())

    (tmp_path / "file").touch()
    path = tmp_path / ("missing" if error is FileNotFoundError else "file/x")
    with pytest.raises(error) as caught:
        read_another(path)
    assert caught.value.filename == str(path)
    assert_nothing_left(tmp_path, "file")


def test_a_store_that_is_replaced_while_it_is_opened(tmp_path, monkeypatch):
    path = write(tmp_path / "s")
    from_json, n_read = Header.from_json, []

    def while_another_writes(text):
        n_read.append(1)
        if len(n_read) == 1:
            write(path, np.eye(3), [1, 2, 3], overwrite=True)
        return from_json(text)

    monkeypatch.setattr(Header, "from_json", while_another_writes)
    assert_same(tb.open_store(path, verify=True).to_csr(), np.eye(3))
    assert len(n_read) > 2


def test_verifying_a_store_that_has_been_replaced(tmp_path):
    before = tb.open_store(write(tmp_path / "s"))
    write(tmp_path / "s", np.eye(3), [1, 2, 3], overwrite=True)
    with pytest.raises(ValueError, match="s: replaced since it was opened: open it again"):
        before.verify()


def test_where_names_cannot_be_exchanged(tmp_path, monkeypatch):
    monkeypatch.setattr(atomic, "_exchange", lambda *_: False)
    write(tmp_path / "s")
    write(tmp_path / "s", np.eye(3), [1, 2, 3], overwrite=True)
    assert_same(tb.open_store(tmp_path / "s").to_csr(), np.eye(3))
    assert_nothing_left(tmp_path, "s")

    rename = type(tmp_path).rename

    def interrupted(path, target):
        if path.name.endswith(".partial") and not target.exists():
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(type(tmp_path), "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "s", overwrite=True)
    assert_same(tb.open_store(tmp_path / "s").to_csr(), np.eye(3))
    assert_nothing_left(tmp_path, "s")


def test_what_appears_meanwhile_is_not_replaced(tmp_path):
    write(tmp_path / "s")

    def while_somebody_adds_to_it():
        with tb.StoreWriter(tmp_path / "s", overwrite=True) as writer:
            writer.append(*small())
            (tmp_path / "s" / "thesis.tex").write_text("years of work")

    with pytest.raises(FileExistsError, match="not of the kind"):
        while_somebody_adds_to_it()
    assert (tmp_path / "s" / "thesis.tex").read_text() == "years of work"
    assert_nothing_left(tmp_path, "s")


# --- Owner and mode --------------------------------------------------------------------------


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o664, 0o444])
def test_the_mode_of_a_file_stays(tmp_path, kept):
    path = tmp_path / "model"
    path.touch()
    path.chmod(kept)
    with new_file(path, overwrite=True):
        [partial] = tmp_path.glob(".*.partial")
        assert mode(partial) == kept  # also while it is being written
    assert mode(path) == kept


def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path):
    before = os.umask(0o027)
    try:
        save(tmp_path / "model")
        write(tmp_path / "s")
    finally:
        os.umask(before)
    assert mode(tmp_path / "model") == 0o640
    assert mode(tmp_path / "s") == 0o750
    assert {mode(path) for path in (tmp_path / "s").iterdir()} == {0o640}


def test_the_modes_of_a_store_stay(tmp_path):
    path = write(tmp_path / "s")
    path.chmod(0o750)
    for file in path.iterdir():
        file.chmod(0o600)
    with tb.StoreWriter(path, overwrite=True) as writer:
        writer.append(*small())
        [partial] = tmp_path.glob(".*.partial")
        assert mode(partial) == 0o700  # nobody else sees what has not got its mode yet
    assert mode(path) == 0o750
    assert {mode(file) for file in path.iterdir()} == {0o600}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_stays(tmp_path):
    path = tmp_path / "model"
    path.touch()
    os.chown(path, 4321, 4322)
    save(path)
    assert (path.stat().st_uid, path.stat().st_gid) == (4321, 4322)


def test_a_group_that_cannot_be_kept_gets_no_rights(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError

    path = tmp_path / "model"
    path.touch()
    path.chmod(0o664)
    was = path.stat()
    monkeypatch.setattr(os, "chown", refuse)
    other = os.stat_result((*was[:5], was.st_gid + 1, *was[6:]))
    monkeypatch.setattr(atomic, "permissions", lambda _: {"": other})
    save(path)
    assert mode(path) == 0o644
