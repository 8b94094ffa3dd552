"""``tauboost inspect --plan``: what reading and a default fit of a data set will cost."""

import json
from pathlib import Path

import typer

from ..planning import plan
from .data import is_table, name_of, naming

__all__ = ["inspect_plan"]


def inspect_plan(data: Path, threads: int | None, as_json: bool) -> None:
    """Measure for a moment, and show what is to be expected."""
    if str(data) == "-":
        raise ValueError("--plan reads data twice: it needs a file or a store, not standard input")
    if is_table(data):
        raise ValueError(
            f"--plan is for svmlight files and stores, and {name_of(data)} is a table: time "
            "tauboost fit on some of its rows"
        )
    with naming(data):
        found = plan(data, n_threads=threads, progress=True)
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=2, allow_nan=False))
        return
    typer.echo(str(found))
