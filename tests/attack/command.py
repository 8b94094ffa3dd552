"""Run an attack as a process of its own, as its command does, and give what it prints."""

from __future__ import annotations

import os
import subprocess
import sys

__all__ = ["run_attack"]


def run_attack(name: str, *arguments: str, seconds: float) -> str:
    """Run a module of this folder; what it found wrong fails the test that called."""
    command = [sys.executable, "-m", f"attack.{name}", *arguments]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=seconds, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    return done.stdout
