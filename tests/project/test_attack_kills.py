"""Fits and conversions that are killed at random moments: attack/kills.py."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from attack.command import run_attack


def strike(kills: int, rows: int) -> dict[str, Mapping[str, int]]:
    printed = run_attack("kills", "--kills", str(kills), "--rows", str(rows), seconds=3600)
    seen: dict[str, Mapping[str, int]] = json.loads(printed)
    assert sum(counts["kills"] for counts in seen.values()) == kills
    return seen


def test_a_few_kills():
    seen = strike(10, 600)
    assert sum(counts.get("states", 0) for counts in seen.values()) > 0


@pytest.mark.attack
def test_two_hundred_kills():
    assert strike(200, 4000)["fit"]["resumed"] > 20
