"""``tauboost inspect``: what a data set looks like to the solvers.

Its shape, what could be odd about it, the constants of the paper's Theorem 1, and how much faster
than one processor tau of them can be expected to be.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..eso import beta
from ..io import load_svmlight
from ..problem import Problem

__all__ = ["EXAMPLES", "inspect"]

EXAMPLES = """Examples:

tauboost inspect w8a.xz

tauboost inspect w8a.xz --json > w8a.json"""

Data = Annotated[Path, typer.Argument(metavar="DATA", help="svmlight file: plain, gz, bz2 or xz.")]
Threads = Annotated[int | None, typer.Option(metavar="N", help="Threads; all cores if not given.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@dataclass(frozen=True)
class TauRow:
    """Theorem 1 for one tau, with c_l as in the theorem, and with c_l = 1 as printed."""

    tau: int
    beta: float
    speedup: float
    beta_printed: float
    speedup_printed: float


def inspect(data: Data, threads: Threads = None, as_json: AsJson = False) -> None:
    """Show the shape, the constants and the expected speed-up of a data set.

    omega is the largest number of nonzeros in a row, L_i the largest square in column i. With tau
    coordinates moving together, steps must be beta times shorter: tau / beta is the speed-up that
    Theorem 1 promises over moving one.
    """
    X, y = load_svmlight(data, n_threads=threads, progress=True)
    with Console(stderr=True).status(f"preparing {escape(data.name)}"):
        problem = Problem(X, y, n_threads=threads)
        facts = describe(problem, X, y)
    rows = tau_table(problem)
    if as_json:
        document = {"name": data.name, **facts, "tau_table": [asdict(row) for row in rows]}
        typer.echo(json.dumps(document, indent=2, allow_nan=False))
        return
    console = Console()
    console.print(_facts_table(data.name, facts))
    console.print(_tau_table(rows))


def describe(problem: Problem, X: Any, y: Any) -> dict[str, Any]:
    """Collect the facts, ready for JSON."""
    m, n = problem.n_samples, problem.n_features
    negative, positive = problem.classes
    entry_row = np.repeat(np.arange(m), np.diff(X.indptr))[X.data != 0]
    entry_column = X.indices[X.data != 0]
    is_positive = y[entry_row] == positive
    in_positive = np.bincount(entry_column[is_positive], minlength=n)
    in_negative = np.bincount(entry_column[~is_positive], minlength=n)
    L = problem.lipschitz[problem.lipschitz > 0]
    n_valued, n_empty = problem.matrix.n_valued, n - len(L)
    return {
        "n_samples": m,
        "n_features": n,
        "nnz": problem.nnz,
        "density": problem.nnz / (m * n),
        "omega": problem.omega,
        "lipschitz": {
            "smallest": float(L.min(initial=np.inf)) if L.size else None,
            "largest": float(L.max(initial=0.0)) if L.size else None,
        },
        "classes": [
            {"label": float(label), "count": int(np.count_nonzero(y == label))}
            for label in (negative, positive)
        ],
        "empty_rows": m - len(np.unique(entry_row)),
        "empty_columns": n_empty,
        "one_class_columns": int(np.count_nonzero((in_positive > 0) != (in_negative > 0))),
        "valued_columns": n_valued,
        "value_free_columns": n - n_empty - n_valued,
        "matrix_bytes": problem.matrix.nbytes,
        "matrix_shards": problem.matrix.n_shards,
    }


def tau_table(problem: Problem) -> list[TauRow]:
    """Evaluate Theorem 1 at tau = 1, 2, 4, ... 1024, then every fourth power, and n."""
    n, omega, m = problem.n_coordinates, max(problem.omega, 1), problem.n_samples
    rows = []
    for tau in _taus(n):
        theorem = beta(n, omega, tau, m)
        printed = beta(n, omega, tau, m, overlap_weights=False)
        rows.append(TauRow(tau, theorem, tau / theorem, printed, tau / printed))
    return rows


def _taus(n: int) -> list[int]:
    taus, tau = [], 1
    while tau < n:
        taus.append(tau)
        tau *= 2 if tau < 1024 else 4
    return [*taus, n]


def _facts_table(name: str, facts: dict[str, Any]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), title=escape(name))
    table.title_justify = "left"
    L = facts["lipschitz"]
    total = facts["n_samples"]
    table.add_row("samples × features", f"{total:,} × {facts['n_features']:,}")
    table.add_row("nonzeros", f"{facts['nnz']:,} (density {facts['density']:.3g})")
    table.add_row("omega (longest row)", f"{facts['omega']:,}")
    if L["smallest"] is not None:
        table.add_row("L (largest squares)", f"{L['smallest']:.6g} to {L['largest']:.6g}")
    for role, entry in zip(("negative", "positive"), facts["classes"], strict=True):
        share = entry["count"] / total
        table.add_row(f"{role} class", f"{entry['label']:g}: {entry['count']:,} ({share:.2%})")
    table.add_row("empty rows, columns", f"{facts['empty_rows']:,}, {facts['empty_columns']:,}")
    table.add_row("columns in one class only", f"{facts['one_class_columns']:,}")
    table.add_row(
        "columns with, without values",
        f"{facts['valued_columns']:,}, {facts['value_free_columns']:,}",
    )
    shards = facts["matrix_shards"]
    table.add_row(
        "matrix in memory",
        f"{facts['matrix_bytes'] / 2**20:,.1f} MiB in {shards} shard{'s' if shards > 1 else ''}",
    )
    return table


def _tau_table(rows: list[TauRow]) -> Table:
    table = Table(box=SIMPLE_HEAD, title="Speed-up of moving tau coordinates at once")
    table.title_justify = "left"
    for header in ("tau", "beta", "tau / beta", "beta, c_l = 1", "tau / that"):
        table.add_column(header, justify="right")
    for row in rows:
        numbers = (row.beta, row.speedup, row.beta_printed, row.speedup_printed)
        table.add_row(f"{row.tau:,}", *(f"{number:,.3f}" for number in numbers))
    table.caption = "With c_l = 1 one gets the values printed in the paper."
    table.caption_justify = "left"
    return table
