"""The results of one run of `make benchmarks`, as `page.py` reads them, and how it writes figures.

Only files that the run's own record names are read. Results of several commits, of parts that
failed, or that are not there are refused in one sentence that says what to do.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from parts import PARTS

__all__ = ["RefusalError", "Results", "Row", "figure", "seconds", "table", "times"]

RECORD = "machine.json"
Row = dict[str, Any]


class RefusalError(Exception):
    """No page can be made of these results; the message says why, and what to do."""


class Results:
    """The folder of a run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            self.record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise RefusalError(
                f"{folder.name} has no {RECORD} that can be read: run `make benchmarks` first."
            ) from None
        self.parts: dict[str, Row] = self.record["parts"]
        commits = {self.parts[part.name]["commit"] for part in PARTS if part.name in self.parts}
        commits |= {row["commit"] for part in self.parts for row in self._rows_of(part)}
        if len(commits) > 1:
            raise RefusalError(
                f"the results are of several commits ({', '.join(sorted(map(str, commits)))}): "
                "run `make benchmarks` again on one."
            )

    @property
    def machine(self) -> Row:
        """What the run was made on."""
        return dict(self.record["machine"])

    @property
    def is_quick(self) -> bool:
        """Whether the data were tiny."""
        return bool(self.record.get("quick"))

    def files(self, part: str, pattern: str) -> list[Path]:
        """Return the CSV files of a part with such names; there is at least one."""
        repeat = f"make it with `python benchmarks/run.py --only {part}`."
        done = self.parts.get(part)
        if done is None or done["code"] != 0:
            state = "has not run" if done is None else "failed"
            raise RefusalError(f"{pattern} is missing, as the part {part} {state}: {repeat}")
        found = [self.folder / name for name in done["files"] if Path(name).match(pattern)]
        gone = [path.name for path in found if not path.is_file()]
        if gone or not found:
            raise RefusalError(f"{gone[0] if gone else pattern} is missing: {repeat}")
        return found

    def rows(self, part: str, pattern: str) -> list[Row]:
        """Return the rows of the files of a part with such names."""
        return [row for path in self.files(part, pattern) for row in self._read(path)]

    def facts(self, part: str, pattern: str) -> dict[str, float]:
        """Return the single figures of a part by their names."""
        return {row["what"]: row["value"] for row in self.rows(part, pattern)}

    def picture(self, *patterns: str) -> Path:
        """Return the first picture with such a name."""
        for pattern in patterns:
            for path in sorted(self.folder.glob(pattern)):
                return path
        raise RefusalError(f"{patterns[0]} is missing: run `make benchmarks RUN=--again`.")

    def _rows_of(self, part: str) -> list[Row]:
        paths = [self.folder / name for name in self.parts[part]["files"]]
        return [row for path in paths if path.is_file() for row in self._read(path)]

    @cached_property
    def _cache(self) -> dict[Path, list[Row]]:
        return {}

    def _read(self, path: Path) -> list[Row]:
        if path not in self._cache:
            with path.open(newline="", encoding="utf-8") as file:
                self._cache[path] = [
                    {name: _value(name, cell) for name, cell in row.items()}
                    for row in csv.DictReader(file)
                ]
        return self._cache[path]


def _value(name: str, cell: str) -> Any:
    if name == "commit":  # may read as a number
        return cell
    try:
        return float(cell)
    except ValueError:
        return cell


# How figures are written.


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of Markdown."""
    head, *body = ["| " + " | ".join(line) + " |" for line in (heads, *rows)]
    lines = [head, "|---" * len(heads) + "|", *body]
    return "\n".join(" ".join(line.split()) for line in lines)


def figure(value: float, unit: str) -> str:
    """Write a figure with its unit: shares with two decimals, others with three digits."""
    is_share = unit in {"%", "points"}
    return f"{value:.2f} {unit}" if is_share else f"{seconds(value)} {unit}".strip()


def seconds(value: float) -> str:
    """Write seconds with the three digits that count; nothing where there are none."""
    if not math.isfinite(value):
        return "-"
    if value >= 100 or value == 0:
        return f"{value:,.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def times(ratio: float) -> str:
    """Write how many times as much or as fast."""
    if not math.isfinite(ratio):
        return "-"
    return f"{ratio:,.0f}" if ratio >= 20 else f"{ratio:.{1 if ratio >= 1 else 2}f}"
