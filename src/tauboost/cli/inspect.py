"""``tauboost inspect``: what a data set means for the solvers, and what a model holds.

Of rows: their shape, what could be odd about them, the constants of the paper's Theorem 1, and how
much faster than one processor tau of them can be expected to be. Of a table: its columns.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from ..base.messages import shown_label
from ..io.tensors import is_tensor_file
from ..kinds import Kind, Source, kind_of, open_model
from ..kinds.kind import fact_rows, facts_of, label_of
from ..kinds.source import is_in_a_store, is_table, naming
from . import options
from .terminal import Console, table_of

__all__ = ["EXAMPLES", "inspect"]


EXAMPLES = {
    "inspect": """Examples:

tauboost inspect w8a.xz

tauboost inspect w8a.xz --json > w8a.json

tauboost inspect url.store --verify

tauboost inspect w8a.xz --verdict --plot w8a.png

tauboost inspect w8a.xz --plan

tauboost inspect adult.csv --label income

tauboost inspect adult.tauboost"""
}

MOST_CLASSES = 10


Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="svmlight file (plain, gz, bz2, xz or zst), a store, a table (CSV, TSV, Parquet, "
        "Arrow), a model that fit wrote, or - for standard input.",
    ),
]
Label = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column of a table that holds the labels.")
]
Verify = Annotated[
    bool, typer.Option("--verify", help="Read all of a store and compare its checksums.")
]
Contradictions = Annotated[
    bool,
    typer.Option(
        options.CONTRADICTIONS, help="Show which rows contradict each other, with the proof."
    ),
]
Plot = Annotated[
    Path | None, typer.Option(metavar="FILE.png", help="Draw the diagnosis into this file.")
]
Plan = Annotated[
    bool,
    typer.Option(
        "--plan",
        help="Measure for a moment and predict instead: time to read, build and fit, memory, "
        "threads worth using.",
    ),
]


def inspect(
    data: Data,
    label: Label = None,
    threads: options.Threads = None,
    verify: Verify = False,
    contradictions: Contradictions = False,
    plot: Plot = None,
    plan: Plan = False,
    as_json: options.AsJson = False,
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
    source = Source((data,), label=label, threads=threads)
    given = {"--label": label is not None, "--verify": verify, "--plan": plan}
    _check(source, given | {options.CONTRADICTIONS: contradictions, "--plot": plot is not None})
    if is_tensor_file(data):
        _inspect_model(data, as_json)
        return
    kind = kind_of(source, may_hold_texts=False)
    if plan:
        _inspect_plan(kind, source, as_json)
    elif contradictions:
        from .hard_core import inspect_hard_core

        inspect_hard_core(kind, source, plot, as_json)
    else:
        document = kind.inspect(source, Console(stderr=True).status, verify=verify)
        if as_json:
            typer.echo(json.dumps(document, indent=2, allow_nan=False))
            return
        for part in kind.inspection(document):
            if isinstance(part, str):
                Console().print(part, soft_wrap=True)
            else:
                Console().print(table_of(*part))


def _check(source: Source, given: dict[str, bool]) -> None:
    """Refuse options that the data, or the other options, have no use for."""
    data = source.path
    if is_tensor_file(data):
        for option, is_given in given.items():
            if is_given:
                raise ValueError(f"{option}: {source.name} is a model, and has no use for it")
    if given["--plot"] and not given[options.CONTRADICTIONS]:
        raise ValueError(f"--plot draws a diagnosis: give {options.CONTRADICTIONS} too")
    if given["--label"] and not is_table(data):
        raise ValueError(f"--label names a column of a table, and {data} is not one")
    if given["--verify"] and not is_in_a_store(data):
        raise ValueError(f"--verify compares the checksums of a store, and {data} is not one")
    questions = [
        option for option in ("--verify", "--plan", options.CONTRADICTIONS) if given[option]
    ]
    if len(questions) > 1:
        raise ValueError(f"{questions[0]} and {questions[1]} are two questions: ask one at a time")


def _inspect_plan(kind: Kind, source: Source, as_json: bool) -> None:
    """Measure for a moment, and show what reading and a default fit will cost."""
    from ..planning import plan

    if str(source.path) == "-":
        raise ValueError("--plan reads data twice: it needs a file or a store, not standard input")
    if not kind.can_plan:
        raise ValueError(
            f"--plan is for svmlight files and stores, and {source.name} is a table: time tauboost "
            "fit on some of its rows"
        )
    with naming(source.path):
        found = plan(source.path, n_threads=source.threads, progress=True)
    typer.echo(json.dumps(found.to_dict(), indent=2, allow_nan=False) if as_json else str(found))


def _inspect_model(path: Path, as_json: bool) -> None:
    """Show a model: its classes, how it was fitted, and its terms or weights by importance."""
    saved, model, kind = open_model(path)
    of_fit = kind.of_fit(model)
    document: dict[str, Any] = {"name": path.name, "kind": saved.kind, **facts_of(of_fit)}
    document |= {"message": of_fit.message, "label": label_of(saved)}
    document |= kind.facts(saved, model)
    if as_json:
        typer.echo(json.dumps(document, indent=2, allow_nan=False))
        return
    console = Console()
    console.print(table_of((), _model_rows(document), document["name"]))
    console.print(table_of(*kind.facts_table(document)))


def _model_rows(document: dict[str, Any]) -> list[tuple[str, str]]:
    classes = document["classes"]
    words = [
        shown_label(label) if isinstance(label, str) else f"{label:g}"
        for label in classes[:MOST_CLASSES]
    ]
    more = f" and {len(classes) - MOST_CLASSES:,} more" if len(classes) > MOST_CLASSES else ""
    rows = [("kind", document["kind"]), ("classes", f"{', '.join(words)}{more}")]
    rows += [(word, document[word]) for word in ("text", "label") if document.get(word) is not None]
    if "counted" in document:
        rows.append(("counted", document["counted"]))
    rows += [("ended", document["message"]), *fact_rows(document)]
    if "nonzero_weights" in document:
        n_weights = f"{document['nonzero_weights']:,} of {document['n_features']:,} features"
        rows.append(("nonzero weights", n_weights))
    return rows
