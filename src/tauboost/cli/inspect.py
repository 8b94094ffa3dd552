"""``tauboost inspect``: what a data set looks like to the solvers.

Its shape, what could be odd about it, the constants of the paper's Theorem 1, and how much faster
than one processor tau of them can be expected to be.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from ..base.progress import progress_bar
from ..comparing import describe
from ..eso import beta
from ..io import Store, is_store, load_svmlight, open_store
from ..io.tensors import is_tensor_file
from ..validation import as_csr
from .arguments import AsJson, Threads
from .data import is_table, name_of, naming, rows_in
from .terminal import Console

__all__ = ["EXAMPLES", "inspect"]

EXAMPLES = """Examples:

tauboost inspect w8a.xz

tauboost inspect w8a.xz --json > w8a.json

tauboost inspect url.store --verify

tauboost inspect w8a.xz --verdict --plot w8a.png

tauboost inspect w8a.xz --plan

tauboost inspect adult.csv --label income

tauboost inspect adult.tauboost"""

Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="svmlight file (plain, gz, bz2, xz or zst), a store, a table (CSV, TSV, Parquet, "
        "Arrow), a model that fit wrote, or - for standard input.",
    ),
]
Label = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="The column of a table that holds the labels."),
]
Verify = Annotated[
    bool, typer.Option("--verify", help="Read all of a store and compare its checksums.")
]
Judge = Annotated[
    bool,
    typer.Option("--verdict", help="Say which rows contradict each other, with the proof."),
]
Plot = Annotated[
    Path | None, typer.Option(metavar="FILE.png", help="Draw the verdict into this file.")
]
Plan = Annotated[
    bool,
    typer.Option(
        "--plan",
        help="Measure for a moment and predict instead: time to read, build and fit, memory, "
        "threads worth using.",
    ),
]

MOST_SHOWN = 10  # classes


@dataclass(frozen=True)
class TauRow:
    """Theorem 1 for one tau, with c_l as in the theorem, and with c_l = 1 as printed."""

    tau: int
    beta: float
    speedup: float
    beta_printed: float
    speedup_printed: float


def inspect(
    data: Data,
    label: Label = None,
    threads: Threads = None,
    verify: Verify = False,
    verdict: Judge = False,
    plot: Plot = None,
    plan: Plan = False,
    as_json: AsJson = False,
) -> None:
    """Show the shape, the constants and the expected speed-up of a data set.

    omega is the largest number of nonzeros in a row, L_i the largest square in column i. With tau
    coordinates moving together, steps must be beta times shorter: tau / beta is the speed-up that
    Theorem 1 promises over moving one.

    Of a table, the columns are shown: which are numbers and which are categories, what they hold,
    and which of them a fit would refuse. Of a model: how it was fitted, and what matters most.

    With --plan: what reading the data and a default fit of them will cost. With --verdict: whether
    the optimum without a penalty is attained, whether the data are separable, and which rows
    contradict each other, those with equal features and different labels first. Rows are counted
    from 1.
    """
    given = {"--label": label is not None, "--verify": verify, "--plan": plan}
    _check(data, given | {"--verdict": verdict, "--plot": plot is not None})
    if is_tensor_file(data):
        from .inspect_model import inspect_model  # noqa: PLC0415

        inspect_model(data, as_json)
    elif plan:
        from .inspect_plan import inspect_plan  # noqa: PLC0415

        inspect_plan(data, threads, as_json)
    elif verdict:
        from .inspect_verdict import inspect_verdict  # noqa: PLC0415

        inspect_verdict(data, label, plot, threads, as_json)
    elif is_table(data):
        from .inspect_table import inspect_table  # noqa: PLC0415

        inspect_table(data, label, as_json)
    else:
        _inspect_rows(data, threads, verify, as_json)


def _check(data: Path, given: dict[str, bool]) -> None:
    """Refuse options that the data, or the other options, have no use for."""
    if is_tensor_file(data):
        for option, is_given in given.items():
            if is_given:
                raise ValueError(f"{option}: {name_of(data)} is a model, and has no use for it")
    if given["--plot"] and not given["--verdict"]:
        raise ValueError("--plot draws a verdict: give --verdict too")
    if given["--label"] and not is_table(data):
        raise ValueError(f"--label names a column of a table, and {data} is not one")
    if given["--verify"] and not _is_kept_in_a_store(data):
        raise ValueError(f"--verify compares the checksums of a store, and {data} is not one")
    questions = [option for option in ("--verify", "--plan", "--verdict") if given[option]]
    if len(questions) > 1:
        raise ValueError(f"{questions[0]} and {questions[1]} are two questions: ask one at a time")


def _is_kept_in_a_store(data: Path) -> bool:
    return is_store(data) or data.is_dir()


def _inspect_rows(data: Path, threads: int | None, verify: bool, as_json: bool) -> None:
    with naming(data):
        if _is_kept_in_a_store(data):
            facts = _store_facts(open_store(data), verify)
        else:
            facts = _file_facts(data, threads)
    rows = tau_table(facts["n_features"], facts["omega"], facts["n_samples"])
    if as_json:
        document = {"name": name_of(data), **facts, "tau_table": [asdict(row) for row in rows]}
        typer.echo(json.dumps(document, indent=2, allow_nan=False))
        return
    console = Console()
    console.print(_facts_table(name_of(data), facts))
    console.print(_tau_table(rows))
    if facts["warning"]:
        console.print(f"warning: {facts['warning']}", soft_wrap=True)


def _file_facts(data: Path, threads: int | None) -> dict[str, Any]:
    X, y = load_svmlight(rows_in(data), n_threads=threads, progress=True)
    with Console(stderr=True).status(f"preparing {name_of(data)}"):
        X.eliminate_zeros()
        return describe([as_csr(X)], y)


def _store_facts(store: Store, verify: bool) -> dict[str, Any]:
    if verify:
        with progress_bar("verifying", store.nbytes, "MB", visible=True, scale=1e6) as show:
            store.verify(show)
    with progress_bar("reading", store.nnz, "million nonzeros", visible=True, scale=1e6) as show:

        def seen(n_entries: int) -> None:
            show(n_entries)
            store.release_memory()  # else the whole store would come to count as memory in use

        facts = describe(store.parts(), store.y, seen)
    return facts | {"store_bytes": store.nbytes, "source": store.source, "verified": verify}


def tau_table(n: int, omega: int, m: int) -> list[TauRow]:
    """Evaluate Theorem 1 at tau = 1, 2, 4, ... 1024, then every fourth power, and n."""
    rows = []
    for tau in _taus(n):
        theorem = beta(n, max(omega, 1), tau, m)
        printed = beta(n, max(omega, 1), tau, m, overlap_weights=False)
        rows.append(TauRow(tau, theorem, tau / theorem, printed, tau / printed))
    return rows


def _taus(n: int) -> list[int]:
    taus, tau = [], 1
    while tau < n:
        taus.append(tau)
        tau *= 2 if tau < 1024 else 4
    return [*taus, n]


def _facts_table(name: str, facts: dict[str, Any]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), title=name)
    table.title_justify = "left"
    L = facts["lipschitz"]
    total = facts["n_samples"]
    table.add_row("samples × features", f"{total:,} × {facts['n_features']:,}")
    table.add_row("nonzeros", f"{facts['nnz']:,} (density {facts['density']:.3g})")
    table.add_row("omega (longest row)", f"{facts['omega']:,}")
    if L["smallest"] is not None:
        table.add_row("L (largest squares)", f"{L['smallest']:.6g} to {L['largest']:.6g}")
    classes = facts["classes"]
    roles = ("negative class", "positive class") if len(classes) == 2 else ("class",) * MOST_SHOWN
    for role, entry in zip(roles, classes, strict=False):
        share = entry["count"] / total
        table.add_row(role, f"{entry['label']:g}: {entry['count']:,} ({share:.2%})")
    if len(classes) > MOST_SHOWN:
        table.add_row("", f"and {len(classes) - MOST_SHOWN:,} more classes")
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
    if "store_bytes" in facts:
        verified = ", checksums right" if facts["verified"] else ""
        table.add_row("store on disk", f"{facts['store_bytes'] / 2**20:,.1f} MiB{verified}")
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
