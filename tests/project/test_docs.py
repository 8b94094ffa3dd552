"""The examples of README and guides run as they stand, from top to bottom."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import cli_runs
import tauboost as tb

ROOT = Path(__file__).parents[2]
NAMES = "guide theory classifier paths-and-explanations model-files stores dask"
PAGES = ["README.md", *(f"docs/{name}.md" for name in NAMES.split())]
ALL_PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/**/*.md", "examples/*.md")
    for path in ROOT.glob(pattern)
)


def python_blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL)


@pytest.mark.filterwarnings("ignore:Port 8787 is already in use")  # by another's dashboard
@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = python_blocks(page)
    assert blocks
    names: dict[str, Any] = {"__name__": "__main__"}
    try:
        for block in blocks:
            exec(compile(block, page, "exec"), names)
    finally:
        if "client" in names:
            names["client"].shutdown()
    assert capsys.readouterr().out


def test_commands_run(tmp_path, monkeypatch):
    """The page on the command line is a session that works, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs/command-line.md").read_text()
    blocks = re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL)
    commands = [line.split()[1:] for block in blocks for line in block.splitlines()]
    assert {words[0] for words in commands} == {
        *("generate", "inspect", "convert", "fit", "predict", "compare")
    }
    for words in commands:
        result = cli_runs.run(*words)
        assert result.exit_code == 0, (words, result.output)


@pytest.mark.parametrize("page", ALL_PAGES)
def test_links_lead_somewhere(page):
    folder = (ROOT / page).parent
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", (ROOT / page).read_text()):
        if "://" not in target:
            assert (folder / target).exists(), f"{page}: {target}"


def test_every_method_is_documented():
    readme, guide = ((ROOT / page).read_text() for page in PAGES[:2])
    for method in tb.METHODS:
        assert f"`{method}`" in readme
        assert f"`{method}`" in guide
