"""What figures were measured with: machine, compiler, versions, commit; and its processes."""

from __future__ import annotations

import ctypes
import os
import platform
import shlex
import signal
import subprocess
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

__all__ = ["adopt", "commit", "describe", "processor", "reap"]

ROOT = Path(__file__).resolve().parents[1]
MEASURED = ("src", "cpp", "benchmarks", "CMakeLists.txt", "pyproject.toml")
PACKAGES = (
    "tauboost", "numpy", "scipy", "scikit-learn", "pandas", "liblinear-multicore", "snapml",
    "xgboost", "lightgbm", "interpret-core", "fasttext-wheel", "vowpalwabbit",
)  # fmt: skip
SET_CHILD_SUBREAPER = 36  # of Linux's prctl
PATIENCE = 2.0  # seconds


def describe() -> dict[str, Any]:
    """Return what a reader has to know of the machine, without its name or its folders."""
    return {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(_memory() / 1e9, 1),
        "system": _system(),
        "python": platform.python_version(),
        "compiler": _compiler(),
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
        "commit": commit(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def processor() -> str:
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()


def commit() -> str:
    """Return the last commit that changed what is measured, with a word if files differ from it."""
    try:
        found = _printed("git", "log", "-1", "--format=%h", "--", *MEASURED)
        return found + ("+dirty" if _printed("git", "status", "-s", "--", *MEASURED) else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _printed(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _memory() -> float:
    return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")


def _system() -> str:
    kernel = f"{platform.system()} {platform.release().partition('-')[0]}"
    try:
        return f"{kernel}, {platform.freedesktop_os_release()['PRETTY_NAME']}"
    except (OSError, KeyError):
        return kernel


def _compiler() -> str:
    try:
        words = shlex.split(os.environ.get("CXX", "c++"))
        return _printed(*words, "--version").splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def _version(package: str) -> str:
    if package == "tauboost" and package in sys.modules:
        return str(sys.modules[package].__version__)
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


# Processes that those we started have left behind.


def adopt() -> None:
    """Become, on Linux, the parent of all descendants that lose theirs.

    What they have used then counts as ours, not as that of others.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def reap() -> None:
    """Wait for what was adopted; end what goes on."""
    began = time.monotonic()
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        if time.monotonic() - began > PATIENCE:
            for pid in _children():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def _children() -> list[int]:
    lists = Path("/proc/self/task").glob("*/children")
    return [int(pid) for path in lists for pid in path.read_text(encoding="ascii").split()]
