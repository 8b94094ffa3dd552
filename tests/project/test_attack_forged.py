"""Small files that claim much take little time and memory: attack/forged.py."""

from __future__ import annotations

import os

import pytest

from attack.command import run_attack

pytestmark = pytest.mark.skipif(
    "TAUBOOST_SANITIZED" in os.environ, reason="sanitizers need more memory of their own"
)


@pytest.mark.parametrize(
    ("cases", "seconds"), [(60, 300), pytest.param(2000, 7200, marks=pytest.mark.attack)]
)
def test_small_files_cost_little(cases, seconds):
    run_attack("forged", "--cases", str(cases), seconds=seconds)
