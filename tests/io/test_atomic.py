"""Names that several processes write at once."""

from __future__ import annotations

import fcntl

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
