"""What the process has used."""

from __future__ import annotations

from tauboost.base.process import peak_bytes


def test_the_peak_is_that_of_a_process_with_numpy():
    peak = peak_bytes()
    assert peak is None or 10e6 < peak < 1e12
