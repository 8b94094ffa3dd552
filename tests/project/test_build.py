"""No C++ file is left out: each is compiled, and each is seen by what decides when to compile."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CPP = ROOT / "cpp"
NAMED = re.compile(r'^#(?:include|define TAUBOOST_PART) "([^"]+)"', re.MULTILINE)


def reached_from(files: set[Path]) -> set[Path]:
    """Return the files and all that they include, directly or not."""
    found, new = set(files), set(files)
    while new:
        named = {CPP / name for path in new for name in NAMED.findall(path.read_text())}
        new = named - found
        found |= new
    return found


def all_files() -> set[Path]:
    return {path for path in CPP.rglob("*") if path.suffix in {".cpp", ".hpp", ".inc"}}


def test_every_file_is_compiled():
    """CMake compiles every .cpp (it globs); everything else is included by one of them."""
    compiled = {path for path in all_files() if path.suffix == ".cpp"}
    assert (
        "GLOB_RECURSE sources CONFIGURE_DEPENDS cpp/*.cpp" in (ROOT / "CMakeLists.txt").read_text()
    )
    assert reached_from(compiled) == all_files()


def test_make_compiles_again_after_an_edit_of_any_file():
    if shutil.which("make") is None:
        pytest.skip("needs make")
    database = subprocess.run(
        ["make", "-pnq", "lint"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    for name in ("COMPILED", "CPP_FILES"):
        line = next(line for line in database.splitlines() if line.startswith(f"{name} := "))
        assert {path.relative_to(ROOT).as_posix() for path in all_files()} <= set(line.split())


def test_what_make_installs_to_build_keeps_its_minimum_versions():
    """A `>` that is not quoted would be the shell's, and make a file of the version."""
    if shutil.which("make") is None:
        pytest.skip("needs make")
    said = subprocess.run(
        ["make", "-n", "-W", "pyproject.toml", ".venv/build.done"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "'nanobind>=" in said


@pytest.mark.slow
def test_numbers_are_read_alike_without_from_chars(tmp_path):
    """What Apple's C++ library lacks is replaced; here both can be had, and are compared."""
    if shutil.which("g++") is None:
        pytest.skip("needs g++")
    program = tmp_path / "decimals"
    flags = ["-std=c++20", "-O1", f"-I{CPP}", "-DTAUBOOST_STRTOD"]
    subprocess.run(["g++", *flags, ROOT / "fuzz/decimals.cpp", "-o", program], check=True)
    subprocess.run([program], check=True)
