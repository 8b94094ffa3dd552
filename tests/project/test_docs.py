"""The examples of README and guides run as they stand, and print what is shown below them."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import cli_runs
import shown_output
import tauboost as tb
from tauboost.cli.app import SUMMARIES

ROOT = Path(__file__).parents[2]
NAMES = ["guide", "theory", "classifier", "texts", "tables", "paths-and-explanations"]
NAMES += ["model-files", "stores", "dask", "command-line", "planning", "reports"]
NAMES += ["reference", "gallery", "migration"]
PAGES = ["README.md", *(f"docs/{name}.md" for name in NAMES)]
# Pages whose commands find their files.
SESSIONS = {"docs/guide.md", "docs/command-line.md", "docs/reports.md", "docs/migration.md"}
NEEDS = {
    "docs/classifier.md": "pandas",
    "docs/command-line.md": "matplotlib",
    "docs/dask.md": "distributed",
    "docs/gallery.md": "matplotlib",
    "docs/guide.md": "matplotlib",
    "docs/model-files.md": "onnxruntime",
    "docs/paths-and-explanations.md": "matplotlib",
    "docs/reports.md": "pandas",
    "docs/tables.md": "onnxruntime",
    "docs/texts.md": "pandas",
}
ALL_PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/**/*.md", "examples/*.md")
    for path in ROOT.glob(pattern)
)

WRITTEN = {"benchmarks/results"}  # by a run
MAPS = sorted({*ALL_PAGES, "cpp/README.md"} - {"CHANGELOG.md"})  # which tells of former files
PATH = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|pyi|cpp|hpp|inc|pml|cjs))`")
FOLDER = re.compile(r"`((?:src|cpp|tests|benchmarks|fuzz)/[\w/]*)`")


def run_block(block: shown_output.Block, page: str, names: dict[str, Any]) -> None:
    """Run a block of Python, or the commands of a shell block, and print what they print."""
    if block.kind == "python":
        exec(compile(block.code, page, "exec"), names)
    elif block.kind == "sh" and page in SESSIONS:
        for line in block.code.splitlines():
            command, *words = line.split()
            if command == "tauboost":
                result = cli_runs.run(*words)
                assert result.exit_code == 0, (words, result.output)
                sys.stdout.write(result.output)


@pytest.fixture
def quick_workers(page):
    """Have the workers of the page on Dask start at once."""
    if page != "docs/dask.md":
        yield
        return
    pytest.importorskip("distributed")
    from clusters import forked_workers  # noqa: PLC0415

    with forked_workers():
        yield


@pytest.mark.usefixtures("quick_workers")
@pytest.mark.filterwarnings("ignore:Port 8787 is already in use")  # by another's dashboard
@pytest.mark.parametrize("page", PAGES)
def test_examples_print_what_is_shown(page, tmp_path, monkeypatch, capsys):
    for module in NEEDS.get(page, "").split():
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = []
    try:
        for block in shown_output.blocks((ROOT / page).read_text()):
            run_block(block, page, names)
            printed.append(capsys.readouterr().out)
            if block.shown is not None:
                stale = shown_output.difference(
                    block.shown, printed[-1], any_figures=block.any_figures
                )
                assert stale is None, f"{page}, below\n{block.code}\n{stale}"
    finally:
        if "client" in names:
            names["client"].shutdown()
    assert any(printed)


def test_every_command_is_documented():
    text = (ROOT / "docs/command-line.md").read_text()
    assert set(re.findall(r"^ *tauboost (\w+)", text, flags=re.MULTILINE)) == SUMMARIES.keys()


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("objective -2.635 after 1,000 epochs", "objective -2.636 after  1,005\nepochs"),
        ("fitted in 0.1 s, 3 sweeps.", "fitted in 7.5 s, 3 sweeps."),
        ("edge 9.32e-06", "edge 9.33e-06"),
        ("──── 1.09%", "── 1.10%"),
        ("seconds  reading 0.1, solving 2.0", "seconds  reading 0.2, solving 5.0"),
    ],
)
def test_rounding_times_and_layout_are_free(shown, printed):
    assert shown_output.difference(shown, printed) is None


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("objective -2.635", "objective -2.675"),
        ("objective -2.635", "objective 2.635"),
        ("converged in 12", "stalled in 12"),
        ("alpha=1e-4,", "tol=1e-4,"),
        ("one", "one two"),
        ("one two", "one"),
        ("edge 9.32e-06", "edge 9.32e-07"),
        ("1", "2"),
        ("l1 0.010", "l2 0.010"),
    ],
)
def test_changed_output_is_found(shown, printed):
    assert shown_output.difference(shown, printed)


def test_figures_of_the_clock_are_free_but_not_the_words_between():
    assert shown_output.difference("exact 0.1 -", "exact 0.5 2.0", any_figures=True) is None
    assert shown_output.difference("exact 0.1", "greedy 0.1", any_figures=True)


def test_an_output_stands_right_below_its_code():
    page = "```python\na\n```\n\n```text times\n1\n```\nwords\n```text\n2\n```\n```sh\nb\n```\n"
    assert shown_output.blocks(page) == [("python", "a\n", "1\n", True), ("sh", "b\n", None, False)]


@pytest.mark.parametrize("page", ALL_PAGES)
def test_links_lead_somewhere(page):
    for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", (ROOT / page).read_text()):
        if "://" not in target:
            path = (ROOT / page).parent / target if target else ROOT / page
            assert path.exists(), f"{page}: {target}"
            assert not anchor or anchor in anchors(path.read_text()), f"{page}: {target}#{anchor}"


@pytest.mark.parametrize("page", MAPS)
def test_paths_are_there(page):
    """Every file and folder of the repository that a page names, in whole or by its end."""
    text = (ROOT / page).read_text()
    named = set(PATH.findall(text)) | set(FOLDER.findall(text)) - WRITTEN
    missing = sorted(name for name in named if f"/{name.rstrip('/')}" not in ends())
    assert not missing, f"{page}: {missing}"


@cache
def ends() -> set[str]:
    """Return all that a path of a file or folder can end in, such as /solvers/exact.py."""
    folders = ("src", "cpp", "tests", "benchmarks", "fuzz", "docs", "examples")
    paths = [
        p for name in folders for p in (ROOT / name).rglob("*") if "__pycache__" not in p.parts
    ]
    parts = [(ROOT / name).relative_to(ROOT).parts for name in folders]
    parts += [path.relative_to(ROOT).parts for path in paths]
    return {"/" + "/".join(p[first:]) for p in parts for first in range(len(p))}


def anchors(text: str) -> set[str]:
    """Return the names by which headings can be linked to."""
    headings = re.findall(r"^#+ (.*)", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_every_method_is_documented():
    readme, guide = ((ROOT / page).read_text() for page in PAGES[:2])
    for method in tb.METHODS:
        assert f"`{method}`" in readme
        assert f"`{method}`" in guide
