"""``tauboost compare``: the paper's Figures 1 and 2 on any data.

Runs the methods one after the other for the same time, then shows how long each took to come near
the best objective found, and writes the traces, what they are traces of, and the figure.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Self

import typer
from rich.box import SIMPLE_HEAD
from rich.progress import BarColumn, TaskID, TextColumn
from rich.table import Table
from rich.text import Text

from .. import paper
from ..base.messages import printable
from ..base.progress import Bars
from ..datasets.generators import make_w8a_like
from ..kinds.source import name_of, naming, open_data, used_columns
from ..methods import METHODS
from ..paper.comparison import Comparison, MethodSetting
from ..problem import Problem
from ..solvers.monitor import Snapshot
from ..solvers.result import Status
from .options import AsJson, Threads
from .outputs import check_apart
from .terminal import Console

__all__ = ["EXAMPLES", "compare"]


EXAMPLES = {
    "compare": """Examples:

tauboost compare

tauboost compare w8a.xz --time-limit 20 --tau 8

tauboost compare w8a.xz --methods pcdm-async:tau=1,pcdm-async:tau=16,greedy:lipschitz"""
}

# Our own method, the paper's four, then the synchronous version and the outside baseline.
DEFAULT_METHODS = "exact,pcdm-async,fully-parallel,accelerated,greedy,pcdm,lbfgs"
W8A_SAMPLES = 49_749

NARROWEST = 60  # the table is never squeezed into less

STEPS = "; ".join(f"{' or '.join(m.steps)} of {name}" for name, m in METHODS.items() if m.steps)

Spec = tuple[str, dict[str, Any]]

Data = Annotated[
    Path | None,
    typer.Argument(
        metavar="DATA",
        help="svmlight file (plain, gz, bz2, xz or zst), a store, or - for standard input. Without "
        "it, a set like w8a is generated.",
        show_default=False,
    ),
]


def _complete(incomplete: str) -> list[str]:
    """Complete the last name of a list with commas between."""
    before, comma, start = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in METHODS if name.startswith(start)]


Methods = Annotated[
    str,
    typer.Option(
        metavar="LIST",
        show_default=False,
        autocompletion=_complete,
        help="Methods with commas between, each as NAME, NAME:STEP or NAME:tau=N. "
        f"Names: {', '.join(METHODS)}. Steps: {STEPS}. "
        f"If not given: {DEFAULT_METHODS.replace(',', ', ')}.",
    ),
]
TimeLimit = Annotated[float, typer.Option(metavar="SECONDS", min=0.0, help="Time for each method.")]
MaxEpochs = Annotated[
    float | None,
    typer.Option(metavar="N", min=0.0, help="Epochs for each method; no limit if not given."),
]
Tau = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Coordinates that move together, where the method has a tau; "
        "16 for the paper's methods if not given.",
    ),
]
Seed = Annotated[
    int, typer.Option(metavar="N", min=0, help="Seed of the samplings and of generated data.")
]
Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder for trace.csv, .json and .png.")]
Samples = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=2, help=f"Samples of the generated set; {W8A_SAMPLES:,} if not given."
    ),
]


def compare(
    data: Data = None,
    methods: Methods = DEFAULT_METHODS,
    time_limit: TimeLimit = 5.0,
    max_epochs: MaxEpochs = None,
    tau: Tau = None,
    threads: Threads = None,
    seed: Seed = 0,
    out: Out = Path("compare_out"),
    n_samples: Samples = None,
    as_json: AsJson = False,
) -> None:
    """Compare the methods on one data set, as in the paper's Figures 1 and 2.

    Every method starts at zero and runs for the same time. The table says after how many seconds
    each came within a given gap of the best objective found; the folder gets the whole traces and
    a figure.
    """
    specs = [parse_method(text) for text in methods.split(",")]
    if tau is not None and not any(METHODS[name].takes_tau for name, _ in specs):
        raise ValueError("--tau: none of the methods chosen has a tau")
    files = {kind: out / f"trace.{kind}" for kind in ("csv", "json", "png")}
    check_apart([("--out", path) for path in files.values()], [data])
    name, problem, n_features = _problem(data, n_samples, seed, threads)
    prepare_folder(out)
    settings = [make_setting(*spec, tau, problem.n_coordinates) for spec in specs]
    with _Bars(len(settings), time_limit, max_epochs) as bars:
        comparison = paper.compare(
            problem,
            settings,
            name=name,
            time_limit=time_limit,
            max_epochs=max_epochs,
            n_threads=threads,
            random_state=seed,
            callback=bars.update if bars.visible else None,
        )
    comparison = replace(comparison, n_features=n_features)
    write_files(comparison, files)
    if as_json:
        written = {kind: str(path) for kind, path in files.items()}
        document = comparison.metadata() | {"files": written}
        typer.echo(json.dumps(document, indent=2, allow_nan=False))
    else:
        _show(comparison, files)


def parse_method(text: str) -> Spec:
    """Read NAME, NAME:STEP, NAME:tau=N or several of these options with colons between."""
    name, *options = text.strip().split(":")
    if name not in METHODS:
        raise ValueError(f"--methods: unknown method {name!r}; known are {', '.join(METHODS)}")
    method, chosen = METHODS[name], dict[str, Any]()
    for option in options:
        key, _, value = option.rpartition("=")
        if key in {"", "step"} and value in method.steps:
            chosen["step"] = value
        elif key == "tau" and method.takes_tau and value.isdecimal():
            chosen["tau"] = int(value)
        else:
            accepted = [*method.steps, *(["tau=N"] if method.takes_tau else [])]
            takes = f"it takes {' or '.join(accepted)}" if accepted else "it takes none"
            raise ValueError(f"--methods: {name} has no option {option!r}; {takes}")
    return name, chosen


def make_setting(
    name: str, options: dict[str, Any], tau: int | None, n_coordinates: int
) -> MethodSetting:
    """Fill in tau, and make a label that distinguishes the setting from others."""
    options = dict(options)
    method = METHODS[name]
    if method.takes_tau and "tau" not in options:
        default = method.default_tau
        if tau is not None:
            options["tau"] = tau
        elif default is not None:
            options["tau"] = min(default, n_coordinates)
    words = [name]
    if "step" in options and options["step"] != method.steps[0]:
        words.append(options["step"])
    if "tau" in options:
        words.append(f"tau={options['tau']}")
    return MethodSetting(" ".join(words), name, options)


def prepare_folder(folder: Path) -> None:
    """Make the folder before the runs: after minutes of work is too late to find it cannot be."""
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"--out: {folder} is a file, not a folder")
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"{folder}: not allowed to write into this folder")


def _problem(
    data: Path | None, n_samples: int | None, seed: int, threads: int | None
) -> tuple[str, Problem, int]:
    """Return the name, the problem of the columns that count, and how many columns there are."""
    if data is not None and n_samples is not None:
        raise ValueError("--n-samples is for generated data: leave it out, or leave DATA out")
    name = "w8a-like" if data is None else name_of(data)
    if data is not None:
        rows = open_data(data, threads, zero_based=None)
    with Console(stderr=True).status(f"preparing {name}"):
        if data is None:
            X, y = make_w8a_like(n_samples or W8A_SAMPLES, random_state=seed)
            return name, Problem(X, y, n_threads=threads), X.shape[1]
        with naming(data):
            return name, Problem(used_columns(rows), rows.y, n_threads=threads), rows.shape[1]


def write_files(comparison: Comparison, files: dict[str, Path]) -> None:
    """Write traces, metadata and figure; say so where there can be no figure."""
    comparison.write_csv(files["csv"])
    comparison.write_json(files["json"])
    try:
        paper.plot_comparison(comparison, files["png"])
    except ImportError as error:
        typer.echo(f"no figure: {printable(str(error))}", err=True)
        del files["png"]


class _Bars:
    """A progress bar for each method on stderr, where stderr is a terminal."""

    def __init__(self, n_methods: int, time_limit: float, max_epochs: float | None) -> None:
        console = Console(stderr=True)
        self.visible = console.is_terminal
        self.n_methods = n_methods
        self.limits = (time_limit, math.inf if max_epochs is None else max_epochs)
        self.tasks: dict[str, TaskID] = {}
        self.shown_at = 0.0
        # Few refreshes: they share the processors with what is being timed.
        self.progress = Bars(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.fields[objective]}"),
            console=console,
            disable=not self.visible,
            refresh_per_second=4,
            expand=True,
        )

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.progress.stop()

    def update(self, setting: MethodSetting, seen: Snapshot) -> None:
        limit_seconds, limit_epochs = self.limits
        done = max(_share(seen.seconds, limit_seconds), _share(seen.epoch, limit_epochs))
        if setting.label not in self.tasks:
            title = f"{len(self.tasks) + 1}/{self.n_methods} {setting.label}"
            self.tasks[setting.label] = self.progress.add_task(title, total=1.0, objective="")
        elif done < 1.0 and seen.seconds < self.shown_at + 0.2:
            return
        self.shown_at = seen.seconds
        task = self.tasks[setting.label]
        self.progress.update(task, completed=min(done, 1.0), objective=f"{seen.objective:.6f}")


def _share(done: float, limit: float) -> float:
    return done / limit if limit > 0 else 1.0


def _show(comparison: Comparison, files: dict[str, Path]) -> None:
    console = Console()
    console.width = max(console.width, NARROWEST)
    console.print(
        f"{comparison.name}: {comparison.n_samples:,} samples, {comparison.n_features:,} features, "
        f"{comparison.nnz:,} nonzeros, omega {comparison.omega:,}, {comparison.n_threads} threads"
    )
    console.print(_table(comparison))
    console.print(
        f"gap 0.01: seconds to cover 99 % of the way from the start, {comparison.start:g}, to the "
        f"best found, {_number(comparison.best, 6)}."
    )
    if comparison.is_separable:
        console.print(
            "These data are separable: the objective falls without end, so gaps mean little here."
        )
    for run in comparison.runs:
        if run.result.status is Status.STALLED:
            console.print(f"{run.setting.label}: {run.result.message}")
    for path in files.values():
        console.print(f"wrote {path}", soft_wrap=True)


def _table(comparison: Comparison) -> Table:
    rows, levels = comparison.table(), comparison.levels()
    table = Table(box=SIMPLE_HEAD, padding=0, show_edge=False)
    table.add_column("method", overflow="fold")
    for header in (*(f"gap\n{level.gap:g}" for level in levels), "final\nvalue", "epochs", "time"):
        table.add_column(Text(header), justify="right", no_wrap=True)
    columns = zip(*(row.seconds_to for row in rows), strict=True)
    fastest = [min((t for t in times if t is not None), default=None) for times in columns]
    for row in rows:
        times = (_time(t, t == best) for t, best in zip(row.seconds_to, fastest, strict=True))
        ending = (_number(row.objective, 5), f"{row.epochs:,.0f}", f"{row.seconds:.2f}")
        table.add_row(row.label, *times, *ending)
    return table


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if abs(value) < 1000 else f"{value:.6g}"


def _time(seconds: float | None, is_best: bool) -> Text:
    if seconds is None:
        return Text("-")
    text = f"{seconds:.3f}" if seconds < 10 else f"{seconds:.1f}"
    return Text(text, style="bold" if is_best else "")
