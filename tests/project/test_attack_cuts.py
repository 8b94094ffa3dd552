"""Files that are cut and overwritten while they are read: attack/cuts.py."""

from __future__ import annotations

import json

import pytest

from attack.command import run_attack

pytest.importorskip("pyarrow")


@pytest.mark.attack
def test_two_hundred_cuts():
    seen = json.loads(run_attack("cuts", "--cuts", "200", seconds=3600))
    counts = [sum(found.get(end, 0) for found in seen.values()) for end in ("result", "one line")]
    assert sum(counts) == 200
    assert min(counts) > 20
