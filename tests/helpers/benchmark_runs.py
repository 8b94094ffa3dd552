"""Running a benchmark in its quick form, and reading the rows it wrote."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
ORIGIN = {"machine", "cores", "commit", "seed", "version", "date"}


def run(script: str, out: Path, *options: str) -> str:
    """What the script printed; it must have ended well."""
    command = [sys.executable, str(BENCHMARKS / script), "--quick", "--out", str(out), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def quick_run(script: str, *options: str) -> Any:
    """Return a fixture: the folder of one run for all tests of a file, and what it printed."""

    @pytest.fixture(scope="module")
    def quick(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
        out = tmp_path_factory.mktemp("quick")
        return out, run(script, out, *options)

    return quick


# One script several times in one process: to import what it needs takes longer than to complain.
IN_TURN = """
import contextlib, io, json, runpy, sys
script, cases = json.loads(sys.argv[1])
sys.path[0] = script.rpartition("/")[0]
found = []
for case in cases:
    sys.argv = [script, *case]
    said = io.StringIO()
    code = 0
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            runpy.run_path(script, run_name="__main__")
        except SystemExit as end:
            code = end.code
    if isinstance(code, str):  # as the interpreter does at its end
        said.write(code)
    found.append([0 if code in (0, None) else 1, said.getvalue()])
json.dump(found, sys.stdout)
"""


def complaints(script: str, out: Path, *cases: Sequence[str]) -> list[str]:
    """What the script said on stderr for each list of options, none of which it takes."""
    job = [str(BENCHMARKS / script), [[*case, "--out", str(out)] for case in cases]]
    command = [sys.executable, "-c", IN_TURN, json.dumps(job)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr  # a traceback
    found = json.loads(done.stdout)
    assert [code for code, _ in found] == [1] * len(cases)
    assert all("error: " in said for _, said in found), found
    return [said for _, said in found]


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file, each of which says where it comes from."""
    text = path.read_text(encoding="utf-8")
    assert str(path.parent) not in text
    rows = list(csv.DictReader(text.splitlines()))
    assert rows
    for row in rows:
        assert row.keys() >= ORIGIN
        assert all(row[column] for column in ORIGIN)
    return rows


def is_gone(pid: int) -> bool:
    """Whether a process ends within a few seconds; one that nobody has waited for has ended."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False
