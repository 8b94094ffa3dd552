"""The kernels alone: what `make test-cpp` builds and runs (cpp/tests)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_kernels_alone():
    done = subprocess.run(
        ["make", "test-cpp"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(": passed") == 7
