"""What the process has used, and what it may still use."""

from __future__ import annotations

from tauboost.base import process
from tauboost.base.process import available_bytes, peak_bytes


def test_the_peak_is_that_of_a_process_with_numpy():
    peak = peak_bytes()
    assert peak is None or 10e6 < peak < 1e12


def test_what_is_free(monkeypatch, tmp_path):
    free = available_bytes()
    assert free is None or free > 0
    (tmp_path / "memory.max").write_text("5000\n")
    (tmp_path / "memory.current").write_text("2000\n")
    monkeypatch.setattr(process, "CGROUP", tmp_path)
    assert available_bytes() == 3000
    (tmp_path / "memory.max").write_text("max\n")
    assert available_bytes() != 3000
