"""``tauboost inspect`` of a table: what its columns are to a fit, and what they hold."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.table import Table

from ..base.messages import shown_label
from ..io.table_files import read_table
from ..tables.binning import bin_column
from ..tables.columns import Codes, Column, NumericColumn
from ..validation.frames import Frame
from .data import name_of
from .terminal import Console

__all__ = ["columns_table", "facts_of_columns", "inspect_table"]

MOST_SHOWN = 3  # categories of a column
MOST_CLASSES = 10
WIDEST = 24  # letters of a category


def inspect_table(path: Path, label: str | None, as_json: bool) -> None:
    """Show the columns of a table, and the classes of its label."""
    frame, labels = read_table(path, label)
    facts = facts_of_columns(frame)
    classes = [] if labels is None else _classes(labels)
    if as_json:
        document = {
            "name": name_of(path),
            "n_samples": frame.n_rows,
            "n_columns": frame.n_columns,
            "label": label,
            "classes": classes,
            "columns": facts,
        }
        typer.echo(json.dumps(document, indent=2, allow_nan=False))
        return
    console = Console()
    console.print(f"{name_of(path)}: {frame.n_rows:,} rows, {frame.n_columns:,} columns")
    for entry in classes[:MOST_CLASSES]:
        share = entry["count"] / frame.n_rows
        console.print(f"{label} {shown_label(entry['label'])}: {entry['count']:,} ({share:.2%})")
    if len(classes) > MOST_CLASSES:
        console.print(f"and {len(classes) - MOST_CLASSES:,} more classes")
    console.print(columns_table(facts))


def _classes(labels: NDArray[Any]) -> list[dict[str, Any]]:
    found, counts = np.unique(labels, return_counts=True)
    pairs = zip(found.tolist(), counts.tolist(), strict=True)
    return [{"label": label, "count": count} for label, count in pairs]


def facts_of_columns(frame: Frame) -> list[dict[str, Any]]:
    """Return what each column is; one that cannot be used says why, and stops nobody."""
    return [_facts(frame, k) for k in range(frame.n_columns)]


def _facts(frame: Frame, k: int) -> dict[str, Any]:
    facts: dict[str, Any] = {"name": frame.names[k]}
    try:
        column, codes = bin_column(frame, k)
    except (TypeError, ValueError) as error:
        return facts | {"kind": "refused", "why": str(error)}
    return (
        facts
        | {"kind": "numbers" if column.is_ordered else "categories"}
        | {"missing": float(np.mean(codes == column.missing))}
        | _content(frame, k, column, codes)
    )


def _content(frame: Frame, k: int, column: Column, codes: Codes) -> dict[str, Any]:
    if not isinstance(column, NumericColumn):
        counts = np.bincount(codes, minlength=column.n_bins)
        most = column.categories[:MOST_SHOWN].tolist()
        known = {"n_bins": len(column.categories), "most_frequent": most}
        return known | {"other": int(counts[column.other])}
    numbers = np.asarray(frame.column(k))
    there = numbers[~np.isnan(numbers)]
    if len(there) == 0:
        return {"n_bins": 0, "least": None, "most": None}
    ends = {"least": float(there.min()), "most": float(there.max())}
    return {"n_bins": column.n_ordered} | ends


def columns_table(facts: list[dict[str, Any]]) -> Table:
    """Return the columns as a table for people."""
    table = Table(box=SIMPLE_HEAD)
    for header, justify in (("column", "left"), ("kind", "left"), ("bins", "right")):
        table.add_column(header, justify=justify)  # type: ignore[arg-type]
    table.add_column("missing", justify="right")
    table.add_column("holds", overflow="fold")
    for fact in facts:
        bins = "" if fact["kind"] == "refused" else f"{fact['n_bins']:,}"
        missing = f"{fact['missing']:.1%}" if fact.get("missing") else ""
        table.add_row(fact["name"], fact["kind"], bins, missing, _holds(fact))
    return table


def _holds(fact: dict[str, Any]) -> str:
    if fact["kind"] == "refused":
        # The column stands beside it.
        return str(fact["why"]).removeprefix(f"column {fact['name']!r} ")
    if fact["kind"] == "numbers":
        return "nothing" if fact["least"] is None else f"{fact['least']:g} to {fact['most']:g}"
    shown = [name if len(name) <= WIDEST else f"{name[:WIDEST]}…" for name in fact["most_frequent"]]
    n_more = fact["n_bins"] - len(shown)
    more = f" and {n_more:,} more" if n_more > 0 else ""
    rest = f", {fact['other']:,} rows of rare ones" if fact["other"] else ""
    return f"{', '.join(shown)}{more}{rest}" or "nothing"
