"""The bar while a file is read: for those who ask, on a terminal, and only if it takes long."""

from __future__ import annotations

import pytest

from svmlight_texts import COMPRESS, long_text
from tauboost.base import progress
from tauboost.io import load_svmlight, source, svmlight


@pytest.fixture
def path(write, monkeypatch):
    monkeypatch.setattr(source, "COMPRESSED_BYTES", 1000)
    monkeypatch.setattr(source, "LONGEST_TEXT", 10_000)
    return write(COMPRESS["xz"]("\n".join(long_text(n_rows=2000)).encode()))


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")


def test_a_long_read_shows_name_rate_and_time_left(path, terminal, monkeypatch, capsys):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    load_svmlight(path, progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    for words in ("reading", "data.svm", "MB", "MB/s", "0:00:00"):
        assert words in shown.err


@pytest.mark.parametrize("asked", [False, True])
def test_a_short_read_shows_nothing(path, terminal, capsys, asked):
    load_svmlight(path, progress=asked)
    assert capsys.readouterr().err == ""


def test_no_bar_in_a_log_file(path, monkeypatch, capsys):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    load_svmlight(path, progress=True)
    assert capsys.readouterr().err == ""


def test_an_error_takes_the_bar_away(write, terminal, monkeypatch, capsys):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(svmlight, "PART_BYTES", 1 << 16)
    text = b"1 1:1\n" * 100_000
    with pytest.raises(ValueError, match="line 100001, column 3"):
        load_svmlight(write(text + b"1 x"), progress=True)
    assert "reading" in capsys.readouterr().err
    load_svmlight(write(text), progress=True)  # there is room for another bar
