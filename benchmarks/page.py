"""Fill docs/benchmarks.md with the figures of one run of `make benchmarks`.

Every table of the page stands between `<!-- table: NAME -->` and `<!-- end -->`, and is made anew
from the CSV files of the run; so are the paragraph about the machine and the list of what others do
better. Pictures are copied. The words between stay as they are, so they must hold no figures. A
quick run makes a separate page, beside its results.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import page_data
import page_theory
from page_results import RefusalError, Results

__all__ = ["GENERATORS", "PICTURES", "filled", "main", "markers"]

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
PLACE = re.compile(r"<!-- table: ([\w -]+) -->\n.*?<!-- end -->", re.DOTALL)
GENERATORS: dict[str, Callable[[Results], str]] = page_data.GENERATORS | page_theory.GENERATORS
# What the page shows, and the names that it has in the results; the last is that of a quick run.
PICTURES = {
    "peers_imdb_unigram.png": ("peers_imdb_unigram.png", "peers_*.png"),
    "tables_peers.png": ("tables.png",),
    "texts_imdb.png": ("texts_*.png",),
    "figure1.png": ("figure1.png",),
    "figure3.png": ("figure3.png",),
    "solvers_w8a.png": ("solvers_*_exponential.png",),
    "plan.png": ("plan.png",),
}


def markers(text: str) -> list[str]:
    """Return the names of the tables on a page."""
    return PLACE.findall(text)


def filled(text: str, results: Results) -> str:
    """Return the page with every table made anew."""

    def made(match: re.Match[str]) -> str:
        name = match[1]
        if name not in GENERATORS:
            raise RefusalError(
                f"nothing makes the table {name!r}; there are {', '.join(GENERATORS)}."
            )
        return f"<!-- table: {name} -->\n\n{GENERATORS[name](results)}\n\n<!-- end -->"

    return PLACE.sub(made, text)


def main(words: Sequence[str] | None = None) -> int:
    """Write the page and its pictures; the code is 1 if the results do not allow that."""
    options = argparse.ArgumentParser(description=__doc__)
    add = options.add_argument
    add("results", type=Path, nargs="?", default=HERE / "results", help="folder of a run")
    add("--page", type=Path, help="the page to write; by default docs/benchmarks.md")
    chosen = options.parse_args(words)
    try:
        results = Results(chosen.results)
        page = chosen.page or (chosen.results / PAGE.name if results.is_quick else PAGE)
        text = filled(PAGE.read_text(encoding="utf-8"), results)
        pictures = {name: results.picture(*patterns) for name, patterns in PICTURES.items()}
    except RefusalError as why:
        print(f"error: {why}", file=sys.stderr)
        return 1
    figures = page.parent / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    for name, path in pictures.items():
        shutil.copyfile(path, figures / name)
    page.write_text(text, encoding="utf-8")
    print(f"written: {page.name} and {len(pictures)} pictures")
    return 0


if __name__ == "__main__":
    sys.exit(main())
