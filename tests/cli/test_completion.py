"""Shell completion: commands, options and values, without loading what takes long."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tauboost.cli.app import SUMMARIES
from tauboost.cli.compare import _complete

COMMAND = "from tauboost.cli import main; main()"
SHOW = """
import atexit, sys
atexit.register(lambda: print("numpy" in sys.modules, "pydantic" in sys.modules, file=sys.stderr))
"""


def completed(line):
    """Return what bash would offer for the last word of a line, and whether NumPy was loaded."""
    words = line.split(" ")
    environment = os.environ | {
        "_TAUBOOST_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", f"{SHOW}\n{COMMAND}"],
        capture_output=True, text=True, timeout=60, check=False, env=environment,
    )  # fmt: skip
    return set(done.stdout.split()), done.stderr.split()


@pytest.mark.parametrize(
    ("line", "offered", "not_offered"),
    [
        ("tauboost ", set(SUMMARIES), set()),
        ("tauboost pre", {"predict"}, {"fit"}),
        ("tauboost fit --", {"--text", "--label", "--out", "--json"}, {"--proba"}),
        ("tauboost fit reviews.jsonl --te", {"--text", "--test"}, {"--out"}),
        ("tauboost fit --loss ", {"logistic", "exponential"}, set()),
        ("tauboost fit a.csv --format ", {"jsonl", "csv", "fasttext"}, set()),
        ("tauboost predict m a.jsonl --ex", {"--explain"}, set()),
    ],
)
def test_commands_options_and_values(line, offered, not_offered):
    found, loaded = completed(line)
    assert offered <= found
    assert not (found & not_offered)
    assert loaded == ["False", "False"]


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_command_has_its_options(name):
    found, _ = completed(f"tauboost {name} --")
    assert {"--help"} <= found
    assert "--json" in found or name == "demo"  # a tour is for people


def test_methods_with_commas_between():
    assert _complete("gre") == ["greedy"]
    assert _complete("pcdm,gre") == ["pcdm,greedy"]
    assert "exact" in _complete("")
    found, _ = completed("tauboost compare --methods greedy,lb")
    assert found == {"greedy,lbfgs"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_what_a_shell_is_told(shell):
    environment = os.environ | {"_TAUBOOST_COMPLETE": f"source_{shell}"}
    done = subprocess.run(
        [sys.executable, "-c", COMMAND],
        capture_output=True, text=True, timeout=60, check=False, env=environment,
    )  # fmt: skip
    assert "tauboost" in done.stdout
    assert "complete" in done.stdout or "compdef" in done.stdout
