"""Faults put into the sanitizer builds on purpose: a sanitizer that is silent proves nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from attack.sanitized import ROOT, environment, findings, without_random_addresses
from tauboost import _core

BUILD = os.environ.get("TAUBOOST_SANITIZED")
FAULTS = {
    "asan": {
        "overflow": "heap-buffer-overflow",
        "undefined": "negation of -9223372036854775808",
        "leak": "leak of 8000 byte",
    },
    "tsan": {"race": "data race"},
}


@pytest.mark.skipif(BUILD is None, reason="needs a sanitizer build: make asan, make tsan")
@pytest.mark.parametrize(("fault", "words"), FAULTS.get(BUILD or "", {"none": ""}).items())
def test_an_injected_fault_is_reported(fault, words, tmp_path):
    code = f"from tauboost import _core; _core.inject_{fault}()"
    child = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(BUILD, tmp_path),
        check=False,
        capture_output=True,
        text=True,
    )
    logs = [child.stderr, *(log.read_text() for log in tmp_path.iterdir())]
    reports = [report for log in logs for report in findings(log)]
    assert len(reports) == 1
    assert words in reports[0]
    assert fault in reports[0]  # the name of the function: the stack can be read


@pytest.mark.skipif(BUILD is not None, reason="is a sanitizer build")
def test_the_module_that_is_shipped_holds_no_faults():
    assert not [name for name in dir(_core) if name.startswith("inject")]


REPORTS = {"thread": ("race", "data race"), "address": ("overflow", "heap-buffer-overflow")}


@pytest.mark.skipif(BUILD is not None, reason="is a sanitizer build")
@pytest.mark.parametrize("sanitizer", REPORTS)
def test_the_team_of_threads_under_a_sanitizer(sanitizer, tmp_path):
    """The short form of `make tsan` and `make asan`: the reader, compiled in seconds."""
    program, empty = tmp_path / "threads", tmp_path / "empty.cpp"
    empty.write_text("int main() {}")

    def compiled(source: Path) -> bool:
        options = [
            "-std=c++20",
            f"-I{ROOT / 'cpp'}",
            "-g1",
            "-O1",
            "-pthread",
            f"-fsanitize={sanitizer}",
        ]
        command = ["g++", *options, source, "-o", program]
        return subprocess.run(command, check=False).returncode == 0

    if shutil.which("g++") is None or not compiled(empty):
        pytest.skip(f"needs g++ with -fsanitize={sanitizer}")
    assert compiled(ROOT / "fuzz" / "svmlight_threads.cpp")

    def run(argument: str) -> subprocess.CompletedProcess[str]:
        command = [*without_random_addresses(), program, argument]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)

    clean = run("10")
    assert clean.returncode == 0, clean.stderr
    assert clean.stderr == ""
    fault, words = REPORTS[sanitizer]
    assert words in run(fault).stderr


LOG = """
=================================================================
==12==ERROR: LeakSanitizer: detected memory leaks

Direct leak of 80 byte(s) in 1 object(s) allocated from:
    #0 0x7f in operator new[](unsigned long)
    #1 0x7e in tauboost::build /home/me/cpp/build.hpp:12

Indirect leak of 32 byte(s) in 1 object(s) allocated from:
    #0 0x7f in __interceptor_malloc
    #1 0x7e in PyObject_Malloc (/usr/bin/python3.11+0x1234)

Direct leak of 80 byte(s) in 1 object(s) allocated from:
    #0 0x7f in __interceptor_realloc
    #1 0x7e  (/venv/pydantic_core/_pydantic_core.cpython-311-x86_64-linux-gnu.so+0x144818)

SUMMARY: AddressSanitizer: 112 byte(s) leaked in 2 allocation(s).
"""


def test_leaks_count_where_the_module_is_in_the_stack():
    [report] = findings(LOG)
    assert "80 byte(s)" in report
    race = "WARNING: ThreadSanitizer: data race (pid=1)\n  Write of size 8"
    assert (
        len(findings(f"x.cpp:1: runtime error: null\n==1==ERROR: AddressSanitizer: x\n{race}")) == 3
    )
