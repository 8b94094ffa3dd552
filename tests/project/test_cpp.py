"""The kernels alone: what `make test-cpp` builds and runs (cpp/tests)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from mutants.kernels import KERNELS
from mutants.run import place

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_kernels_alone():
    done = subprocess.run(
        ["make", "test-cpp"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(": passed") == 7


@pytest.mark.parametrize("mutant", KERNELS, ids=[mutant.what for mutant in KERNELS])
def test_a_mutant_has_its_place(mutant):
    assert place(mutant, ROOT).count(mutant.right) == 1
    assert mutant.right != mutant.wrong
