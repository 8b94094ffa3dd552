"""``tauboost inspect --verdict``: which rows of a data set contradict each other, and the proof."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from ..base.messages import printable
from ..certificates.hard_core import HardCore, Verification, hard_core
from ..io.atomic import new_file
from ..kinds import Kind, Source
from ..kinds.rows import label_text
from ..kinds.source import naming
from ..plots.plots import require_matplotlib
from .outputs import check_outputs
from .terminal import Console, table_of

__all__ = ["inspect_hard_core"]


MOST_GROUPS, MOST_OF_A_GROUP, MOST_ROWS = 10, 5, 10
MOST_IN_A_DOCUMENT = 1000  # rows, or groups


def inspect_hard_core(kind: Kind, source: Source, plot: Path | None, as_json: bool) -> None:
    """Show the diagnosis, the check of its proof, and the rows to inspect first."""
    check_outputs([("--plot", plot)], list(source.paths))
    if plot is not None:
        require_matplotlib()
    with naming(source.path):
        problem = kind.problem(kind.read(source), source.threads)
        with Console(stderr=True).status("building") as status:
            found = hard_core(problem, n_threads=source.threads, report=status.update)
            checked = found.verify()
    if as_json:
        document = _document(source.name, found, checked)
        typer.echo(json.dumps(document, indent=2, allow_nan=False))
    else:
        _show(source.name, found, checked)
    if plot is not None:  # last: if it cannot be written, the diagnosis was worth the time
        figure = found.plot(count_from=1)
        figure.suptitle(printable(source.name), parse_math=False)
        with new_file(plot, overwrite=True) as file:
            figure.savefig(file, format="png", dpi=150)


def _label(found: HardCore, row: int) -> Any:
    return found.problem.classes.tolist()[int(found.positive[row])]


def _sides(found: HardCore, group: NDArray[np.intp]) -> list[tuple[Any, list[int]]]:
    """Return the labels of a group, the rarer first, with their rows, counted from 1."""
    labels = found.positive[group]
    parts = (group[labels == labels[0]], group[labels != labels[0]])
    return [(_label(found, int(part[0])), (part + 1).tolist()) for part in parts]


def _others(found: HardCore) -> NDArray[np.intp]:
    """Return the rows of the core without a duplicate of another label, the heaviest first."""
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
    rows = [("verdict", found.message), ("proof", str(checked))]
    rows += [("hard core", _counts(found, found.core))]
    rows += [("separated", _counts(found, found.separated))]
    console.print(table_of((), rows, name))
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
        heads = (("row", "right"), ("weight", "right"), ("label", "left"))
        heaviest = [
            (str(row + 1), f"{found.w[row]:.3g}", label_text(_label(found, row)))
            for row in others[:MOST_ROWS].tolist()
        ]
        console.print(table_of(heads, heaviest))
    if found.core.any():
        console.print("Rows are counted from 1.")


def _counts(found: HardCore, rows: NDArray[np.bool_]) -> str:
    classes = found.problem.classes.tolist()
    parts = [np.count_nonzero(rows & (found.positive == bool(k))) for k in (0, 1)]
    labels = ", ".join(f"{n:,} of label {label_text(classes[k])}" for k, n in enumerate(parts) if n)
    return f"{sum(parts):,} rows" + (f" ({labels})" if labels else "")


def _duplicates_table(found: HardCore) -> Any:
    rows = []
    for group in found.duplicates[:MOST_GROUPS]:
        cells = [(_numbers(rows), label_text(label)) for label, rows in _sides(found, group)]
        rows.append((*cells[0], *cells[1]))
    n_more = len(found.duplicates) - MOST_GROUPS
    caption = f"and {n_more:,} more groups" if n_more > 0 else None
    heads = [(head, "fold") for head in ("rows", "label", "against rows", "label")]
    return table_of(heads, rows, None, caption)


def _numbers(rows: list[int]) -> str:
    shown = ", ".join(str(row) for row in rows[:MOST_OF_A_GROUP])
    n_more = len(rows) - MOST_OF_A_GROUP
    return f"{shown} and {n_more:,} more" if n_more > 0 else shown
