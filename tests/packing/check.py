"""Check a wheel, or an sdist: does it run in an empty environment, and as the local build does?

    python tests/packing/check.py dist/tauboost-0.3.0-cp311-*.whl
    python tests/packing/check.py dist/*-abi3-*.whl --python python3.12 --python python3.13
    python tests/packing/check.py dist/*.whl --beside torch==2.13.0
    python tests/packing/check.py dist/tauboost-0.3.0.tar.gz

A fresh virtual environment gets the file and its dependencies, in the versions of the environment
that runs this. For a wheel no program can be found there, compilers included. Then
bits.py runs alone, beside scikit-learn (and whatever else is named) loaded first and loaded last,
and in forked children; each time it must print the bits of the local build.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BITS = Path(__file__).with_name("bits.py")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--python", action="append", help="to test with; the default is this one")
    parser.add_argument("--beside", action="append", default=[], help="a package to load beside it")
    options = parser.parse_args()
    expected = run(sys.executable, [], dict(os.environ))
    print(f"local build    {json.dumps(expected)}")
    differences = 0
    for python in options.python or [sys.executable]:
        with tempfile.TemporaryDirectory() as folder:
            environment = Clean(Path(folder), python)
            environment.install(options.file.resolve(), options.beside)
            print(f"{environment.version}: {options.file.name}")
            for arguments in scenarios(options.beside):
                same = environment.run(arguments) == expected
                differences += not same
                print(f"  {'same bits' if same else 'DIFFERENT':14s} {' '.join(arguments)}")
    return 1 if differences else 0


def scenarios(beside: list[str]) -> list[list[str]]:
    """Return the arguments of every run: alone and in both orders, here and in a child."""
    others = ",".join(["sklearn", *(re.split(r"\W", name)[0] for name in beside)])
    orders = [[], ["--first", others], ["--then", others]]
    return [[*order, *forked] for order in orders for forked in ([], ["--forked"])]


class Clean:
    """A virtual environment in a folder, in which only Python itself can be found."""

    def __init__(self, folder: Path, python: str) -> None:
        self.folder = folder
        subprocess.run([python, "-m", "venv", folder / "venv"], check=True)
        self.python = folder / "venv/bin/python"
        self.version = self.output(["--version"])
        # What pip is told by the environment (an index, certificates) stays; programs do not.
        # joblib calls programs to count cores, unless it is told.
        cores = str(os.cpu_count())
        self.empty = {"PATH": str(folder / "no"), "HOME": str(folder), "LOKY_MAX_CPU_COUNT": cores}
        self.empty |= {name: text for name, text in os.environ.items() if name.startswith("PIP_")}

    def install(self, file: Path, beside: list[str]) -> None:
        """Install the file as it would be from the index, and the dependencies as they are here."""
        constraints = self.folder / "constraints.txt"
        constraints.write_text("\n".join(pinned("tauboost")))
        pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        is_wheel = file.suffix == ".whl"
        limits = ["--constraint", str(constraints), *(["--only-binary", ":all:"] * is_wheel)]
        self.output([*pip, *limits, str(file), *beside], self.empty if is_wheel else None)

    def run(self, arguments: list[str]) -> dict[str, str]:
        return run(str(self.python), arguments, self.empty, self.folder)

    def output(self, arguments: list[str], environment: dict[str, str] | None = None) -> str:
        command = [str(self.python), *arguments]
        return subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, env=environment, cwd=self.folder
        ).stdout.strip()


def run(
    python: str, arguments: list[str], environment: dict[str, str], folder: Path | None = None
) -> dict[str, str]:
    """Return what bits.py prints."""
    printed = subprocess.run(
        [python, BITS, *arguments],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=folder,
    ).stdout
    found: dict[str, str] = json.loads(printed)
    return found


def pinned(name: str) -> list[str]:
    """Return the dependencies of an installed package, as constraints with their versions."""
    required = importlib.metadata.requires(name) or []
    names = [re.split(r"[^\w.-]", line)[0] for line in required if "extra ==" not in line]
    return [f"{each}=={importlib.metadata.version(each)}" for each in names]


if __name__ == "__main__":
    sys.exit(main())
