"""Apply each mutant to a copy of the sources, and see whether a test finds it: `make mutants`.

    python -m mutants.run                 # all, with tests on the path
    python -m mutants.run --only chain    # those whose name has the word
    python -m mutants.run --check         # only that every text stands where it is said to

A mutant is found if a test that it names fails, or if it does not compile. The copy, its build and
the faulty package are in build/mutants; nothing else is touched.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from .kernels import KERNELS, Mutant

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutants"
TREE, PACKAGE = WORK / "tree", WORK / "package"
COPIED = (
    "cpp",
    "fuzz",
    "src",
    "tests",
    "Makefile",
    "CMakeLists.txt",
    "pyproject.toml",
    "README.md",
    "LICENSE",
)
LONGEST = 600  # seconds; a test that takes longer has found that something hangs


def place(mutant: Mutant, root: Path) -> str:
    """Return the text of its file, which must have the right text once."""
    text = (root / mutant.file).read_text()
    if text.count(mutant.right) != 1:
        raise SystemExit(
            f"{mutant.what}: {mutant.file} has the text {text.count(mutant.right)} times"
        )
    return text


def copy() -> None:
    """Copy the sources; a file that is the same keeps its time, so little is compiled again."""
    for name in COPIED:
        for source in [ROOT / name, *(ROOT / name).rglob("*")]:
            target = TREE / source.relative_to(ROOT)
            if not source.is_file() or "__pycache__" in source.parts:
                continue
            if not target.exists() or target.read_bytes() != source.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)


def passes(command: list[str], environment: dict[str, str] | None = None) -> bool:
    """Run a command in the copy; return True if it succeeds in time."""
    try:
        done = subprocess.run(
            command,
            cwd=TREE,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def build() -> bool:
    """Build the package of the copy."""
    shutil.rmtree(PACKAGE, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    options = ["--no-build-isolation", "--no-deps", "-C", f"build-dir={WORK / 'cmake'}"]
    return passes([*pip, *options, "--target", str(PACKAGE), "."])


def finder(mutant: Mutant) -> str:
    """Return the test that fails, or "" if none does."""
    others = [test for test in mutant.tests if test != "cpp"]
    if "cpp" in mutant.tests and not passes(["make", "test-cpp"]):
        return "cpp/tests"
    if others and not build():
        return "the compiler"
    path = [TREE / "tests/attack/sanitized_site", PACKAGE, TREE / "tests", TREE / "tests/helpers"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path))}
    pytest = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    return next((test for test in others if not passes([*pytest, test], environment)), "")


def run(mutants: list[Mutant]) -> int:
    """Try each; return how many survive."""
    survivors = 0
    for mutant in mutants:
        copy()
        text, start = place(mutant, TREE), time.monotonic()
        (TREE / mutant.file).write_text(text.replace(mutant.right, mutant.wrong))
        found = finder(mutant)
        (TREE / mutant.file).write_text(text)
        survivors += not found
        took = time.monotonic() - start
        print(
            f"{'found by ' + found if found else 'SURVIVED':40} {took:4.0f} s  {mutant.what}",
            flush=True,
        )
    print(f"{len(mutants) - survivors} of {len(mutants)} found")
    return survivors


def main() -> int:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="mutants whose name has this")
    parser.add_argument("--check", action="store_true", help="only look for their texts")
    given = parser.parse_args()
    chosen = [mutant for mutant in KERNELS if given.only in mutant.what]
    for mutant in chosen:
        place(mutant, ROOT)
    return 0 if given.check else run(chosen)


if __name__ == "__main__":
    sys.exit(main())
