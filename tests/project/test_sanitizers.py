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


def compiled(source: Path, program: Path, *options: str, headers: Path = ROOT / "cpp") -> bool:
    always = ["-std=c++20", f"-I{headers}", "-g1", "-O1", "-pthread"]
    command = ["g++", *always, *options, source, "-o", program]
    return subprocess.run(command, check=False).returncode == 0


def run(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*without_random_addresses(), program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def check_clean(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@pytest.mark.skipif(BUILD is not None, reason="is a sanitizer build")
@pytest.mark.parametrize("sanitizer", REPORTS)
def test_the_team_of_threads_under_a_sanitizer(sanitizer, tmp_path):
    """The short form of `make tsan` and `make asan`: programs that are compiled in seconds."""
    reader, phases, empty = tmp_path / "reader", tmp_path / "phases", tmp_path / "empty.cpp"
    empty.write_text("int main() {}")
    watched = f"-fsanitize={sanitizer}"
    if shutil.which("g++") is None or not compiled(empty, reader, watched):
        pytest.skip(f"needs g++ with {watched}")
    assert compiled(ROOT / "fuzz" / "svmlight_threads.cpp", reader, watched)
    check_clean(run(reader, "10"))
    fault, words = REPORTS[sanitizer]
    assert words in run(reader, fault).stderr
    assert compiled(ROOT / "fuzz" / "phases.cpp", phases, watched)
    check_clean(run(phases, "5000"))


@pytest.mark.skipif(BUILD is not None, reason="is a sanitizer build")
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_phases_of_all_sizes(tmp_path):
    assert compiled(ROOT / "fuzz" / "phases.cpp", tmp_path / "phases")
    done = run(tmp_path / "phases", "100000")
    check_clean(done)
    assert "100000 phases" in done.stdout
    assert " 0 of them by helpers" not in done.stdout


POOL_FAULTS = {
    "claims in any phase": ("word >> 32 == phase ?", "phase == phase ?"),
    "does not wait": ("wait_for(static_cast<std::uint32_t>(phase.n_tasks - own));", "(void)own;"),
}


@pytest.mark.skipif(BUILD is not None, reason="is a sanitizer build")
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
@pytest.mark.parametrize(("right", "wrong"), POOL_FAULTS.values(), ids=POOL_FAULTS)
def test_phases_of_a_faulty_pool_fail(right, wrong, tmp_path):
    shutil.copytree(ROOT / "cpp" / "threads", tmp_path / "threads")
    pool = tmp_path / "threads" / "thread_pool.hpp"
    text = pool.read_text()
    assert text.count(right) == 1
    pool.write_text(text.replace(right, wrong))
    assert compiled(ROOT / "fuzz" / "phases.cpp", tmp_path / "phases", headers=tmp_path)
    assert run(tmp_path / "phases", "100000").returncode != 0


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
