"""Run the README from top to bottom, as somebody would who pastes it: does all of it work?

    python tests/packing/readme.py [--quick]

It runs in an empty folder, with the Python that runs this, which has to have tauboost. What only
the extras bring cannot be imported, whether it is there or not, and no other machine can be reached
(nothing_else/sitecustomize.py). What the snippets print must be what is shown below them. Commands
of pip and make are left out, as somebody did them before. A quick run makes less data.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.append(str(ROOT / "tests/helpers"))

import shown_output

QUICK = {"demo": ["--scale", "0.02"]}


def main(*, is_quick: bool) -> None:
    """Run every snippet and every command; the first that fails ends it."""
    if os.environ.get("PYTHONPATH") != str(HERE / "nothing_else"):
        environment = os.environ | {"PYTHONPATH": str(HERE / "nothing_else")}
        done = subprocess.run([sys.executable, *sys.argv], env=environment, check=False)
        raise SystemExit(done.returncode)
    names: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for block in shown_output.blocks((ROOT / "README.md").read_text()):
            if block.kind == "python":
                snippet(block, names)
            elif block.kind == "sh":
                for line in block.code.splitlines():
                    command(shlex.split(line, comments=True), is_quick=is_quick)
        os.chdir(ROOT)


def snippet(block: shown_output.Block, names: dict[str, Any]) -> None:
    """Run a block of Python, and compare what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.code, "README.md", "exec"), names)
    stale = block.shown and shown_output.difference(block.shown, printed.getvalue())
    if stale:
        raise SystemExit(f"README.md, below\n{block.code}\n{stale}")
    print("ran a snippet that prints", printed.getvalue().splitlines()[:1])


def command(words: list[str], *, is_quick: bool) -> None:
    """Run a line of a block for the shell."""
    if words[:1] == ["cd"]:
        os.chdir(words[1])
    if words[:1] != ["tauboost"]:
        return
    words = [*words[1:], *(QUICK.get(words[1], []) if is_quick else [])]
    done = subprocess.run(
        [sys.executable, "-m", "tauboost", *words], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"tauboost {' '.join(words)}\n{done.stdout}{done.stderr}")
    print("ran tauboost", *words)


if __name__ == "__main__":
    main(is_quick="--quick" in sys.argv[1:])
