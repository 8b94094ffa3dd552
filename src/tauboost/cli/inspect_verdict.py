"""``tauboost inspect --verdict``: which rows of a data set contradict each other, and the proof."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.table import Table

from ..base.messages import shown_label
from ..base.printable import printable
from ..io.atomic import new_file
from ..plots.fit import require_matplotlib
from ..problem import Problem
from ..proofs import HardCore, Verification, hard_core
from ..tables.problem import TableProblem
from .data import is_table, name_of, naming, open_data, used_columns
from .outputs import check_outputs
from .tables import open_training_table
from .terminal import Console

__all__ = ["inspect_verdict"]

MOST_GROUPS, MOST_OF_A_GROUP, MOST_ROWS = 10, 5, 10
MOST_IN_A_DOCUMENT = 1000  # rows, or groups


def inspect_verdict(
    path: Path, label: str | None, plot: Path | None, threads: int | None, as_json: bool
) -> None:
    """Show the verdict, the check of its proof, and the rows to look at first."""
    check_outputs([("--plot", plot)], [path])
    if plot is not None:
        require_matplotlib()
    with naming(path):
        problem = _problem(path, label, threads)
        with Console(stderr=True).status("building") as status:
            found = hard_core(problem, n_threads=threads, report=status.update)
            checked = found.verify()
    if as_json:
        document = _document(name_of(path), found, checked)
        typer.echo(json.dumps(document, indent=2, allow_nan=False))
    else:
        _show(name_of(path), found, checked)
    if plot is not None:  # last: if it cannot be written, the verdict was worth the time
        figure = found.plot(count_from=1)
        figure.suptitle(printable(name_of(path)), parse_math=False)
        with new_file(plot, overwrite=True) as file:
            figure.savefig(file, format="png", dpi=150)


def _problem(path: Path, label: str | None, threads: int | None) -> Problem | TableProblem:
    """Build the problem that a fit would have: with an intercept."""
    if is_table(path):
        table = open_training_table(path, label)
        assert table.y is not None
        return TableProblem(table.frame, table.y, n_threads=threads)
    data = open_data(path, threads, None)
    return Problem(used_columns(data), data.y, fit_intercept=True, n_threads=threads)


def _label(found: HardCore, row: int) -> Any:
    return found.problem.classes.tolist()[int(found.positive[row])]


def _sides(found: HardCore, group: NDArray[np.intp]) -> list[tuple[Any, list[int]]]:
    """Return the labels of a group, the rarer first, with their rows, counted from 1."""
    labels = found.positive[group]
    parts = (group[labels == labels[0]], group[labels != labels[0]])
    return [(_label(found, int(part[0])), (part + 1).tolist()) for part in parts]


def _others(found: HardCore) -> NDArray[np.intp]:
    """Return the rows of the core without a copy of another label, the heaviest first."""
    return found.contradictions[sum(map(len, found.duplicates)) :]


def _document(name: str, found: HardCore, checked: Verification) -> dict[str, Any]:
    groups = [
        [{"label": label, "rows": rows} for label, rows in _sides(found, group)]
        for group in found.duplicates[:MOST_IN_A_DOCUMENT]
    ]
    heaviest = [
        {"row": int(row) + 1, "label": _label(found, row), "weight": float(found.w[row])}
        for row in _others(found)[:MOST_IN_A_DOCUMENT]
    ]
    return {
        "name": name,
        "verdict": found.verdict.value,
        "message": found.message,
        "n_samples": found.problem.n_samples,
        "core_rows": int(np.count_nonzero(found.core)),
        "separated_rows": int(np.count_nonzero(found.separated)),
        "margin": found.margin,
        "proof": {
            "holds": checked.holds,
            "imbalance": checked.imbalance,
            "lightest": checked.lightest,
            "residue": checked.residue,
            "least_margin": checked.least_margin,
            "tol": checked.tol,
        },
        "rows_counted_from": 1,
        "duplicate_groups": len(found.duplicates),
        "duplicates": groups,
        "heaviest": heaviest,
        "seconds": found.seconds,
    }


def _show(name: str, found: HardCore, checked: Verification) -> None:
    console = Console()
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), title=name)
    table.title_justify = "left"
    table.add_row("verdict", found.message)
    table.add_row("proof", str(checked))
    for what, rows in (("hard core", found.core), ("separated", found.separated)):
        table.add_row(what, _counts(found, rows))
    console.print(table)
    # Titles stand apart: a table would fold them to its own width.
    if found.duplicates:
        n_rows = sum(map(len, found.duplicates))
        console.print(f"{n_rows:,} rows have equal features and different labels:")
        console.print(_duplicates_table(found))
    others = _others(found)
    if len(others):
        of_what = "Other rows of" if found.duplicates else "Rows of"
        shown = min(len(others), MOST_ROWS)
        console.print(f"{of_what} the hard core, {shown:,} of {len(others):,}, the heaviest first:")
        console.print(_heaviest_table(found, others))
    if found.core.any():
        console.print("Rows are counted from 1.")


def _counts(found: HardCore, rows: NDArray[np.bool_]) -> str:
    classes = found.problem.classes.tolist()
    parts = [np.count_nonzero(rows & (found.positive == bool(k))) for k in (0, 1)]
    labels = ", ".join(f"{n:,} of label {_text(classes[k])}" for k, n in enumerate(parts) if n)
    return f"{sum(parts):,} rows" + (f" ({labels})" if labels else "")


def _text(label: Any) -> str:
    return f"{label:g}" if isinstance(label, float) else shown_label(label)


def _duplicates_table(found: HardCore) -> Table:
    table = Table(box=SIMPLE_HEAD)
    for header in ("rows", "label", "against rows", "label"):
        table.add_column(header, overflow="fold")
    for group in found.duplicates[:MOST_GROUPS]:
        cells = [(_numbers(rows), _text(label)) for label, rows in _sides(found, group)]
        table.add_row(*cells[0], *cells[1])
    if len(found.duplicates) > MOST_GROUPS:
        table.caption = f"and {len(found.duplicates) - MOST_GROUPS:,} more groups"
        table.caption_justify = "left"
    return table


def _numbers(rows: list[int]) -> str:
    shown = ", ".join(str(row) for row in rows[:MOST_OF_A_GROUP])
    n_more = len(rows) - MOST_OF_A_GROUP
    return f"{shown} and {n_more:,} more" if n_more > 0 else shown


def _heaviest_table(found: HardCore, rows: NDArray[np.intp]) -> Table:
    table = Table(box=SIMPLE_HEAD)
    for header in ("row", "weight", "label"):
        table.add_column(header, justify="left" if header == "label" else "right")
    for row in rows[:MOST_ROWS].tolist():
        table.add_row(str(row + 1), f"{found.w[row]:.3g}", _text(_label(found, row)))
    return table
