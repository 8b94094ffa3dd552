"""Running a benchmark in its quick form, and reading the rows it wrote."""

from __future__ import annotations

import csv
import subprocess
import sys
import time
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
ORIGIN = {"machine", "cores", "commit", "seed", "version", "date"}


def run(script: str, out: Path, *options: str) -> str:
    """What the script printed; it must have ended well."""
    command = [sys.executable, str(BENCHMARKS / script), "--quick", "--out", str(out), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


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
