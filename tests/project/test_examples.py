"""The examples run as they stand, without a warning and without a download."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"
EXAMPLES = sorted(path.name for path in FOLDER.glob("*.py"))
LONG = {"grid_search.py", "from_adaboost.py"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in EXAMPLES],
)
def test_example_runs(name, tmp_path):
    # A proxy that refuses: who tries to download something fails.
    offline = dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(FOLDER / name)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=tmp_path,
        env=os.environ | offline,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert not list(tmp_path.iterdir())


def test_readme_names_every_example():
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"({name})" in readme for name in EXAMPLES)
