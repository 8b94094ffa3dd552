"""Every test believes in some number of cores, and can again: helpers/believed_cores.py."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from believed_cores import CORES, WORTH, cores_of, worth_of

TESTS = Path(__file__).parents[1]
BESIDE = ("-n", "2", "--dist", "loadfile")
# One number for what the file does as it is imported, and one for all of a test.
FILE = """
import os, subprocess
import pytest
from tauboost.base.threads import NONZEROS_WORTH_A_THREAD

def cores():
    return os.environ["TAUBOOST_CORES"]

imported = cores()

@pytest.fixture(scope="module", params="ab")
def made(request):
    return cores()

@pytest.mark.parametrize("k", range(12))
def test_it(made, k):
    child = subprocess.check_output("echo $TAUBOOST_CORES", shell=True, text=True).strip()
    print("seen:", k, NONZEROS_WORTH_A_THREAD["pass"], made, imported, cores(), child)

def test_of_failure(monkeypatch):
    monkeypatch.setenv("TAUBOOST_CORES", "5")
    raise AssertionError

@pytest.fixture
def broken():
    raise AssertionError

def test_of_a_broken_fixture(broken):
    pass
"""


def run(folder: Path, *options: str, **variables: str) -> str:
    """Run the file; return what pytest printed, of tests that passed as well."""
    (folder / "test_file.py").write_text(FILE)
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("TAUBOOST_CORES")}
    path = os.pathsep.join([str(TESTS / "helpers"), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "pytest", "-p", "believed_cores", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "-rP", "--rootdir", str(folder), *options, str(folder)],
        env=inherited | {"PYTHONPATH": path} | variables,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr  # two tests fail
    return done.stdout


def seen(printed: str) -> list[str]:
    return sorted(re.findall(r"^seen: .*", printed, re.MULTILINE))


def test_the_seed_that_is_printed_gives_the_same_numbers(tmp_path):
    printed = run(tmp_path, *BESIDE)
    [seed] = set(re.findall(r"--cores-seed (\d+)", printed))  # the workers agree
    assert printed.count("believed cores: ") == 1
    assert printed.count(f"--cores-seed {seed}") == 3  # above the tests, and where they failed
    assert seen(run(tmp_path, "--cores-seed", seed)) == seen(printed)
    assert seen(run(tmp_path, TAUBOOST_CORES_SEED=seed)) == seen(printed)
    assert seen(run(tmp_path, "--cores-seed", f"{seed}1")) != seen(printed)


def test_fixtures_children_and_imports_believe_as_well(tmp_path):
    lines = seen(run(tmp_path, "--cores-seed", "1"))
    words = [line.split() for line in lines]
    assert len(words) == 24
    assert {worth for _, _, worth, *_ in words} == {str(2**17), "1", "64"}
    for _, k, _, made, imported, cores, child in words:
        assert cores in {str(cores_of(1, f"test_file.py::test_it[{p}-{k}]")) for p in "ab"}
        assert made in {str(cores_of(1, f"test_file.py::test_it[{p}-0]")) for p in "ab"}
        assert imported == str(cores_of(1, "test_file.py"))
        assert child == cores


@pytest.mark.parametrize("seed", ["one", "1.5"])
def test_a_seed_is_a_number(tmp_path, seed):
    with pytest.raises(AssertionError, match="must be an integer"):
        run(tmp_path, TAUBOOST_CORES_SEED=seed)


def test_a_number_that_is_given_holds_for_all(tmp_path):
    printed = run(tmp_path, TAUBOOST_CORES="6")
    assert {tuple(line.split()[3:]) for line in seen(printed)} == {("6", "6", "6", "6")}
    assert "believed cores: 6" in printed
    assert printed.count("\n6; ") == 2


def test_every_number_has_its_share_of_the_suite():
    first = [cores_of(0, f"tests/test_a.py::test_{k}") for k in range(6)]
    assert first == [64, 3, 8, 2, 8, 3]  # on any machine, in any version of Python
    names = [
        f"{path.relative_to(TESTS.parent)}::{name}"
        for path in TESTS.rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)
    ]
    assert len(names) > 1000
    for seed in range(5):
        counts = Counter(cores_of(seed, name) for name in names)
        assert set(counts) == set(CORES)
        assert min(counts.values()) > len(names) / 8
        pairs = {(cores_of(seed, name), worth_of(seed, name)) for name in names}
        assert len(pairs) == len(CORES) * len(WORTH)
