"""Fits and conversions that are killed at random moments: see attack_kills.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "attack_kills.py"


def strike(kills, rows):
    """Run the attack in a process of its own, which must not have any threads to fork with."""
    command = [sys.executable, str(SCRIPT), "--kills", str(kills), "--rows", str(rows)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_few_kills():
    seen = strike(10, 600)
    assert sum(counts["kills"] for counts in seen.values()) == 10
    assert sum(counts.get("states", 0) for counts in seen.values()) > 0


@pytest.mark.slow
def test_two_hundred_kills():
    seen = strike(200, 4000)
    assert sum(counts["kills"] for counts in seen.values()) == 200
    assert seen["fit"]["resumed"] > 20
