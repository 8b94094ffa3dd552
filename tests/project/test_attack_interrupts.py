"""Ctrl-C at random moments of commands: attack/interrupts.py; and at chosen ones."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

from attack.command import run_attack
from tauboost.cli.interrupts import at_once, unwinding


def press(moments: int, seed: int) -> int:
    given = ("--moments", str(moments), "--seed", str(seed))
    seen: dict[str, int] = json.loads(run_attack("interrupts", *given, seconds=3600))
    return seen["interrupted"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="times of Linux")
def test_some_moments():
    assert press(7, seed=1) >= 7


@pytest.mark.attack
def test_hundreds_of_moments():
    assert press(300, seed=0) >= 300


# What is about to be imported when Ctrl-C comes: by the first line of the package, by the command
# line, and by a command. Extension modules abort if an exception comes out of the middle of them.
NAMES = ("typing", "tauboost.cli", "typer", "numpy", "tauboost._core")
# Under another name nobody knows that it is the command before its main function runs.
AT_IMPORTS = [("./tauboost", name) for name in NAMES] + [("anything", name) for name in NAMES[3:]]


@pytest.mark.parametrize(("script", "name"), AT_IMPORTS)
def test_while_modules_are_loaded(tmp_path, script, name):
    (tmp_path / "d.svm").write_text("1 1:1\n-1 2:1\n" * 20)
    code = f"""
import os, signal, sys

class AtImport:
    def find_spec(self, fullname, *_):
        if fullname == {name!r} and "tauboost" in sys.modules:
            os.kill(os.getpid(), signal.SIGINT)

if {name!r} == "typing":  # which may be loaded already
    sys.modules.pop("typing", None)
sys.meta_path.insert(0, AtImport())
sys.argv = [{script!r}, "fit", "d.svm", "--out", "m"]
from tauboost.cli import main
main()
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (130, b"interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["d.svm"]


def test_an_ignored_interrupt_stays_ignored(tmp_path):
    """As in a job in the background of a script."""
    (tmp_path / "d.svm").write_text("1 1:1\n-1 2:1\n" * 20)
    code = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.argv = ["./tauboost", "inspect", "d.svm"]
from tauboost.cli import main
os.kill(os.getpid(), signal.SIGINT)
main()
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_library_leaves_the_handler_alone():
    """Whoever imports it keeps Python's own answer to Ctrl-C."""
    code = "import tauboost; from signal import *; print(getsignal(SIGINT) is default_int_handler)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=True)
    assert done.stdout == b"True\n"


def test_what_waits_for_imports_is_not_lost():
    before = signal.signal(signal.SIGINT, at_once)
    try:
        with pytest.raises(KeyboardInterrupt), unwinding():
            signal.setitimer(signal.ITIMER_REAL, 60.0)  # as if modules were being loaded
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0.0
    finally:
        signal.signal(signal.SIGINT, before)
