"""Little memory ends in MemoryError, and the process goes on: attack/memory.py."""

from __future__ import annotations

import os

import pytest

from attack.command import run_attack

pytestmark = pytest.mark.skipif(
    "TAUBOOST_SANITIZED" in os.environ, reason="sanitizers reserve terabytes of addresses"
)


def test_little_memory():
    """Paths with very little: threads throw for the first time, for which C++ needs memory."""
    jobs = ("build", "solve-exact-exponential", "fit-lanes", "load-svmlight", "open-store")
    run_attack("memory", "--steps", "12", *jobs, "path:16", seconds=300)


@pytest.mark.attack
def test_every_job_with_memory_in_200_steps():
    run_attack("memory", "--steps", "200", seconds=7200)
