"""What all benchmarks share: options, data, fair timing, and results that say where they come from.

Candidates are timed in turns, one call of each per repeat, so that a busy spell of the machine hits
all of them alike; the median over the repeats is what counts. Result rows carry the machine,
commit, seed, version and date.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from scipy import sparse

import tauboost as tb
from machine import commit, processor
from tauboost.base.arrays import Vector
from tauboost.base.threads import resolve_threads
from tauboost.datasets import find_data
from tauboost.io import load_svmlight
from tauboost.paper.comparison import Comparison, thinned

__all__ = [
    "Candidate",
    "Data",
    "Facts",
    "Neighbours",
    "Timings",
    "add_long",
    "chosen_sets",
    "clock",
    "parser",
    "print_table",
    "provenance",
    "remark_on",
    "time_in_turns",
    "trace_rows",
    "url_like",
    "w8a",
    "write_csv",
]

HERE = Path(__file__).resolve().parent
URL_NONZEROS_A_ROW = 115
TOLERABLE_CORES = 0.1
TRACE_ROWS = 1000
State = TypeVar("State")
Loaded = TypeVar("Loaded")


def parser(description: str | None) -> argparse.ArgumentParser:
    """Make a parser with the options that every benchmark has."""
    options = argparse.ArgumentParser(
        description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    options.add_argument("--quick", action="store_true", help="tiny data, seconds: a smoke run")
    options.add_argument(
        "--out", type=Path, default=HERE / "results", help="folder for CSV and PNG files"
    )
    options.add_argument("--seed", type=int, default=0, help="seed of data and samplings")
    options.add_argument(
        "--threads", type=int, default=resolve_threads(None), help="the most threads to use"
    )
    return options


def add_long(options: argparse.ArgumentParser, seconds: float) -> None:
    """Add the option that keeps a run short where some candidates take long."""
    options.add_argument(
        "--long", type=float, default=seconds, help="seconds; what takes longer is not repeated"
    )


# Data.


def chosen_sets(
    chosen: argparse.Namespace,
    names: Iterable[str],
    load: Callable[[str], Loaded],
    quick: Callable[[int], Iterable[Loaded]],
) -> Iterator[Loaded]:
    """Yield the data sets; a public one that is not there is skipped, unless it was asked for."""
    if chosen.quick and not chosen.data:
        yield from quick(chosen.seed)
        return
    for name in chosen.data or names:
        try:
            yield load(name)
        except (FileNotFoundError, ValueError) as why:
            if chosen.data:
                raise SystemExit(f"error: {why}") from None
            print(f"skipped: {name} ({why})")


@dataclass(frozen=True)
class Data:
    """A data set under the name it has in tables, files and figures."""

    name: str
    X: sparse.csr_array
    y: Vector


def w8a(seed: int, quick: bool = False) -> Data:
    """Return w8a itself where TAUBOOST_DATA has it, else a set like it; a small one if quick."""
    if quick:
        return Data("w8a-like, small", *tb.make_w8a_like(2000, random_state=seed))
    try:
        path = find_data("w8a")
    except FileNotFoundError:
        return Data("w8a-like", *tb.make_w8a_like(random_state=seed))
    return Data("w8a", *load_svmlight(path, n_features=300))


def url_like(nonzeros: float, seed: int) -> Data:
    """Return a set like URL reputation, cut to about so many nonzeros."""
    rows = max(2, round(nonzeros / URL_NONZEROS_A_ROW))
    return Data("url-like", *tb.make_url_like(rows, random_state=seed))


# Timing.


@dataclass(frozen=True)
class Candidate(Generic[State]):
    """Something to be timed: ``run`` is measured, ``prepare`` makes its input and is not."""

    prepare: Callable[[], State]
    run: Callable[[State], object]


@dataclass(frozen=True)
class Timings:
    """The median seconds of each candidate, and how many cores others kept busy meanwhile."""

    medians: tuple[float, ...]
    other_cores: float


class Neighbours:
    """Measures, as a context, how many cores other processes kept busy meanwhile.

    On a machine that others use, a second thread can gain nothing whatever the kernel does; a
    result has to say so. Not a number where the system does not tell. With ``children``, processes
    that this one has started and seen end are no others.
    """

    cores = float("nan")

    def __init__(self, *, children: bool = False) -> None:
        self._children = children

    def __enter__(self) -> Self:
        self._began = self._sample()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        wall, busy, own = (b - a for a, b in zip(self._began, self._sample(), strict=True))
        self.cores = max(busy - own, 0.0) / wall

    def _sample(self) -> tuple[float, float, float]:
        own = time.process_time()
        if self._children:
            spent = os.times()
            own += spent.children_user + spent.children_system
        try:
            total = Path("/proc/stat").read_text(encoding="utf-8").split(maxsplit=8)
            ticks = sum(map(int, [*total[1:4], *total[6:8]]))  # without idle and waiting for disks
            busy = ticks / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError):
            busy = float("nan")
        return time.perf_counter(), busy, own


def time_in_turns(
    candidates: Sequence[Candidate[Any]], repeats: int, long: float = math.inf
) -> Timings:
    """Time every candidate ``repeats`` times, in turns; one that takes long is run only once."""
    times: list[list[float]] = [[] for _ in candidates]
    with Neighbours() as others:
        for _ in range(repeats):
            for candidate, mine in zip(candidates, times, strict=True):
                if not mine or mine[0] <= long:
                    mine.append(_seconds(candidate, long))
    return Timings(tuple(map(median, times)), others.cores)


def _seconds(candidate: Candidate[Any], long: float) -> float:
    # Once for nothing, so that no candidate pays for what the one before it left in the caches.
    seconds = _once(candidate)
    return seconds if seconds > long else _once(candidate)


def _once(candidate: Candidate[Any]) -> float:
    state = candidate.prepare()
    start = time.perf_counter()
    candidate.run(state)
    return time.perf_counter() - start


# Results.


def provenance(seed: int) -> dict[str, object]:
    """Return what a row needs so that it can be judged, and produced again, later."""
    return {
        "machine": processor(),
        "cores": resolve_threads(None),
        "commit": commit(),
        "seed": seed,
        "version": tb.__version__,
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def write_csv(
    path: Path, rows: Iterable[Mapping[str, object]], origin: Mapping[str, object]
) -> None:
    """Write rows that have the same keys, each with its provenance behind it."""
    complete = [dict(row) | dict(origin) for row in rows]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(complete[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(complete)
    Console(stderr=True).print(f"written: {path.name}", highlight=False)


def trace_rows(comparison: Comparison, about: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the traces in long form, thinned to what a picture can show."""
    for run in comparison.runs:
        trace = run.result.trace
        named = {"label": run.setting.label, "method": run.setting.method}
        for k in thinned(len(trace.epoch), TRACE_ROWS):
            yield {**about} | named | {column: trace[column][k] for column in trace}


def remark_on(other_cores: float) -> None:
    """Say so where other processes were in the way of several threads."""
    if other_cores > TOLERABLE_CORES:
        print(f"note: other processes kept {other_cores:.1f} cores busy; times are too long\n")


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], n_words: int = 1
) -> None:
    """Print a table whose first ``n_words`` columns hold words and whose others hold numbers."""
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for k, column in enumerate(columns):
        table.add_column(column, justify="left" if k < n_words else "right")
    for row in rows:
        table.add_row(*row)
    console = Console()
    # A pipe or a file has no width: never wrap there.
    Console(width=None if console.is_terminal else 120).print(table)


class Facts:
    """Single figures: printed and written in the end, each with what it ought to be.

    Parameters
    ----------
    about : what all rows say of the data
    title : of the table; names in braces are those of ``about``
    """

    def __init__(self, about: Mapping[str, object], title: str) -> None:
        self.about, self.title = dict(about), title
        self.rows: list[dict[str, Any]] = []

    def add(self, what: str, value: float, unit: str, goal: str = "") -> None:
        """Note one of them."""
        self.rows.append(self.about | {"what": what, "value": value, "unit": unit, "goal": goal})

    def show(self) -> None:
        """Print them all."""
        print_table(
            self.title.format(**self.about),
            ("what", "unit", "goal", "value"),
            [(r["what"], r["unit"], r["goal"], f"{r['value']:,.4g}") for r in self.rows],
            n_words=3,
        )


def clock(seconds: float | None) -> str:
    """Format seconds for a table; there may be none."""
    return "-" if seconds is None else f"{seconds:.3f}"
