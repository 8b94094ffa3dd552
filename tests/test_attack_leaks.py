"""Memory stays flat over many fits, local and on a cluster: attack/leaks.py."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


def attack(*arguments: str) -> None:
    command = [sys.executable, "-m", "attack.leaks", *arguments]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=7200, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-1000:]


@pytest.mark.attack
def test_a_thousand_local_fits():
    attack("--fits", "1000")


@pytest.mark.attack
def test_two_hundred_fits_on_a_cluster():
    attack("--fits", "200", "--dask")
