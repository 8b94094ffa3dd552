"""What is packed, and what the hosted builds call; `make wheel` and `make sdist` try it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

from packing import version

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
ACTIONS = sorted((ROOT / ".github/actions").glob("*/action.yml"))


@pytest.mark.slow
def test_a_forked_child_has_the_same_bits_beside_others():
    command = [sys.executable, ROOT / "tests/packing/bits.py", "--forked", "--first", "sklearn"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert json.loads(printed).keys() >= {"sparse", "table", "texts", "errors"}


@pytest.mark.slow
def test_the_sdist_has_what_is_tracked_and_nothing_else(tmp_path, monkeypatch):
    build = pytest.importorskip("scikit_build_core.build")
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("needs git and a clone")
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    monkeypatch.chdir(ROOT)
    name = build.build_sdist(str(tmp_path))
    with tarfile.open(tmp_path / name) as archive:
        packed = {
            member.name.split("/", 1)[1]: member.size for member in archive if member.isfile()
        }
    wanted = {path for path in tracked if not path.startswith((".ci/", ".github/"))}
    assert packed.keys() - {"PKG-INFO"} == {path for path in wanted if (ROOT / path).exists()}
    assert sum(packed.values()) < 10_000_000


def test_a_release_has_one_version():
    named = version.named_versions(ROOT)
    assert len(set(named.values())) == 1, named


def test_a_tag_that_is_another_version_is_refused(capsys):
    with pytest.raises(SystemExit, match=r"the tag is v9.9.9, but src/.*version.py says"):
        version.main("v9.9.9")
    version.main("v" + version.named_versions(ROOT)["CITATION.cff"])
    printed = capsys.readouterr().out
    assert printed.strip()
    assert not re.search(r"^## ", printed, flags=re.MULTILINE)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_call_what_there_is(path):
    text = path.read_text()
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    for line in re.findall(r"run: make (.+)", text):
        assert set(line.split()) <= set(targets), line
    for script in re.findall(r"python3? (tests/\S+\.py)", text):
        assert (ROOT / script).exists()
    assert "permissions:\n  contents: read" in text  # and more only where a job says so
    assert "concurrency:" in text


@pytest.mark.parametrize("path", [*WORKFLOWS, *ACTIONS], ids=lambda path: path.stem)
def test_actions_of_others_are_pinned(path):
    """A tag or a branch can be moved to other code by whoever owns it."""
    for action in re.findall(r"uses: (.+)", path.read_text()):
        is_pinned = re.fullmatch(r"[\w-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action)
        assert is_pinned or (ROOT / action).exists(), action


def test_nothing_that_is_published_comes_out_of_a_cache():
    for name in ("wheels", "release"):
        text = (ROOT / f".github/workflows/{name}.yml").read_text()
        assert "cache" not in re.sub("#.*", "", text)


def test_what_builds_a_release_has_bounds():
    """A new major version of it is tried before it makes what others install."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    tools = pyproject["build-system"]["requires"]
    for tool in [*tools, *pyproject["project"]["optional-dependencies"]["release"]]:
        assert ",<" in tool, tool
    for run in re.findall(r"pipx run (.+)", "".join(path.read_text() for path in WORKFLOWS)):
        assert re.search(r"==[\d.]+\d", run), run


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actionlint_accepts_the_workflows(path):
    actionlint = shutil.which("actionlint")
    if actionlint is None:
        pytest.skip("needs actionlint")
    subprocess.run([actionlint, path], check=True)
