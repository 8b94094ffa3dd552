"""The compiled module ends the process where a buffer is overrun, and has read-only addresses."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tauboost import _core


def readelf(*options: str) -> str:
    """Return what readelf says of the module."""
    if shutil.which("readelf") is None:
        pytest.skip("needs readelf")
    command = ["readelf", "-W", *options, _core.__file__]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(autouse=True)
def usual_build():
    """Skip builds with sanitizers, which watch more."""
    if hasattr(_core, "inject_overflow"):
        pytest.skip("a build with sanitizers")


def test_addresses_are_bound_when_it_is_loaded_and_read_only():
    assert "GNU_RELRO" in readelf("--program-headers")
    assert "BIND_NOW" in readelf("--dynamic")


def test_buffers_on_the_stack_are_watched():
    symbols = readelf("--dyn-syms")
    assert "__stack_chk_fail" in symbols
    assert "_chk@" in symbols.replace("__stack_chk_fail@", "")  # of _FORTIFY_SOURCE
