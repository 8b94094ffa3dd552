"""What a newcomer does first: the README runs with nothing else, and says what the package is."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import tauboost
from cli_runs import run

ROOT = Path(__file__).parents[2]


def test_all_of_the_readme_runs_without_extras_and_offline():
    """In a fresh environment and on more data: `make readme`."""
    done = subprocess.run(
        [sys.executable, ROOT / "tests/packing/readme.py", "--quick"],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    readme = (ROOT / "README.md").read_text()
    commands = re.findall(r"^tauboost (\w+)", readme, flags=re.MULTILINE)
    assert re.findall(r"ran tauboost (\w+)", done.stdout) == commands
    assert done.stdout.count("ran a snippet") == readme.count("```python")


def test_one_sentence_says_what_it_is_everywhere():
    sentence = (tauboost.__doc__ or "").partition("\n\n")[0]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["description"] == sentence.removesuffix(".")
    assert f'"tauboost: {sentence.removesuffix(".")}"' in (ROOT / "CITATION.cff").read_text()
    assert (ROOT / "README.md").read_text().split("\n\n")[1] == sentence
    assert sentence in " ".join(run("--help").output.split())
