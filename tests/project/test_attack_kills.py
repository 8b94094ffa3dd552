"""Commands that are killed, or interrupted, at random moments: attack/kills.py."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from attack.command import run_attack


def strike(strikes: int, rows: int, signal: str) -> dict[str, Mapping[str, int]]:
    options = ("--strikes", str(strikes), "--rows", str(rows), "--signal", signal)
    seen: dict[str, Mapping[str, int]] = json.loads(run_attack("kills", *options, seconds=3600))
    assert sum(counts["strikes"] for counts in seen.values()) == strikes
    return seen


@pytest.mark.parametrize("signal", ["KILL", "INT"])
def test_a_few_moments(signal):
    seen = strike(10, 300, signal)
    assert sum(counts.get("states", 0) for counts in seen.values()) > 0


@pytest.mark.attack
@pytest.mark.parametrize("signal", ["KILL", "INT"])
def test_three_hundred_moments(signal):
    assert strike(300, 4000, signal)["fit"]["resumed"] > 20
