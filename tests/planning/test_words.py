"""Numbers in words: no more digits than a prediction deserves."""

from __future__ import annotations

import math

import pytest

from tauboost.planning.words import in_bytes, in_seconds, rounded


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.01234, "0.012"), (1.26, "1.3"), (0.999, "1.0"), (12.4, "12"), (1234, "1,200"), (0, "0")],
)
def test_two_digits(value, text):
    assert rounded(value) == text


def test_what_nobody_knows():
    assert rounded(math.inf) == "unknown"


@pytest.mark.parametrize(
    ("value", "text"),
    [(2e-6, "2.0 µs"), (0.0123, "12 ms"), (1.23, "1.2 s"), (600, "10 min"), (36000, "10 h")],
)
def test_times(value, text):
    assert in_seconds(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0 bytes"), (999, "1,000 bytes"), (1000, "1.0 kB"), (23.4e9, "23 GB")]
)
def test_sizes(value, text):
    assert in_bytes(value) == text
