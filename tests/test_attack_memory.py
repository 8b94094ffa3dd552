"""Little memory ends in MemoryError, and the process goes on: attack/memory.py."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(
    "TAUBOOST_SANITIZED" in os.environ, reason="sanitizers reserve terabytes of addresses"
)


def attack(*arguments: str, seconds: float) -> None:
    command = [sys.executable, "-m", "attack.memory", *arguments]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=seconds, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


def test_little_memory():
    jobs = ("build", "solve-exact-exponential", "fit-lanes", "load-svmlight", "open-store")
    attack("--steps", "12", *jobs, seconds=300)


@pytest.mark.attack
def test_every_job_with_memory_in_200_steps():
    attack("--steps", "200", seconds=7200)
