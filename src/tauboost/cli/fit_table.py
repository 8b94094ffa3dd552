"""``tauboost fit`` of a table: the types of its columns, a glass-box model, what matters in it."""

import json
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich.table import Table

from ..base.messages import shown
from ..base.threads import resolve_threads
from ..design.binning import encode
from ..io.model import TableData as ModelFile
from ..io.text_labels import labels_like
from ..parameters import TableParameters
from ..tuning.metrics import metrics
from ..tuning.table_fitting import fit_table as fit_model
from ..tuning.table_model import TableModel, are_used
from ..validation.frames import Frame
from ..validation.values import Words
from .answers import check_lines
from .data import is_table, name_of, naming
from .fit_stages import Outputs, Stages
from .fit_summary import facts_of, show_rows
from .held_out import check_test_labels, fraction_of
from .inspect_model import term_facts
from .tables import TableData, open_table, open_training_table, split_table
from .terminal import Console

__all__ = ["fit_table", "terms_used"]

MOST_TERMS = 5  # in a line
SIGNS = {"1": 1, "+1": 1, "-1": -1}


def fit_table(
    path: Path,
    wishes: dict[str, Any],
    given: dict[str, Any],
    test: str | None,
    outputs: Outputs,
    *,
    as_json: bool,
) -> None:
    """Fit a model to a table, write it, and tell what there is to tell."""
    label, categorical = wishes["--label"], _names(wishes["--categorical"])
    parameters = TableParameters(**given, **_of_tables(wishes, categorical))
    n_threads = resolve_threads(None if parameters.n_jobs == -1 else parameters.n_jobs)
    fraction = None if test is None else fraction_of(test)
    stages, name = Stages(), name_of(path)
    tested: TableData | None = None
    with naming(path), stages.timed("reading"):
        train = open_training_table(path, label, _names(wishes["--drop"]), categorical)
        kinds = _kinds(train.frame, categorical)
        if fraction is not None:
            train, tested = split_table(train, fraction, parameters.random_state, n_threads)
        elif test is not None:
            tested = _open_test(Path(test), label, train, kinds)
    assert train.y is not None
    check_lines(train.y)
    if not as_json:
        _show_kinds(name, kinds)
    with naming(path), stages.fitting(name) as report:
        model = fit_model(train.frame, train.y, parameters, n_threads=n_threads, report=report)
    document = {
        "name": name,
        "n_samples": train.frame.n_rows,
        "n_columns": train.frame.n_columns,
        "label": label,
        "columns": kinds,
        **facts_of(model),
        "terms": term_facts(model),
        "message": model.message,
        "seconds": stages.seconds,
        "warnings": stages.warnings,
        "test": None if tested is None else _scores(model, tested, n_threads),
    }
    document["files"] = outputs.write(_file(model, parameters, label), stages.events, name)
    typer.echo(json.dumps(document, indent=2, allow_nan=False)) if as_json else _show(document)


def _open_test(path: Path, label: str, train: TableData, kinds: dict[str, str]) -> TableData:
    """Open another table; what is a name in the first one is not read as a number."""
    if not is_table(path):
        raise ValueError(f"--test: {path} must be a table, as in new.csv, or a number below 1")
    assert train.y is not None
    as_text = [name for name, kind in kinds.items() if kind == "categories"]
    if train.y.dtype.kind not in "biuf":
        as_text.append(label)
    tested = open_table(path, label, as_text)
    assert tested.y is not None
    y = labels_like(tested.y.tolist(), np.unique(train.y))
    check_test_labels(train.y, y)
    return replace(tested, y=y)


def _scores(model: TableModel, tested: TableData, n_threads: int) -> dict[str, Any]:
    assert tested.y is not None
    return metrics(model, model.decisions(encode(model.columns, tested.frame, n_threads)), tested.y)


def _file(model: TableModel, parameters: TableParameters, label: str) -> ModelFile:
    """Return what a file holds, with the name of the label: ``predict --metrics`` asks for it."""
    data = model.to_data(vars(parameters))
    data.fitted["label"] = label
    return data


def _of_tables(wishes: dict[str, Any], categorical: list[str]) -> dict[str, Any]:
    """Return the parameters that the options of tables stand for."""
    found: dict[str, Any] = {"categorical_features": categorical} if categorical else {}
    if wishes["--max-bins"] is not None:
        found["max_bins"] = wishes["--max-bins"]
    if wishes["--monotone"] is not None:
        found["monotonic_cst"] = dict(_sign(text) for text in _names(wishes["--monotone"]))
    if wishes["--interactions"] is not None:
        found["interactions"] = _pairs(wishes["--interactions"])
    return found


def _names(text: str | None) -> list[str]:
    return [] if text is None else [name.strip() for name in text.split(",") if name.strip()]


def _sign(text: str) -> tuple[str, int]:
    name, _, sign = text.rpartition("=")
    if not name or sign.strip() not in SIGNS:
        raise ValueError(f"--monotone must be as in age=1,debt=-1, got {shown(text)}")
    return name.strip(), SIGNS[sign.strip()]


def _pairs(text: str) -> Any:
    if text == "auto":
        return text
    if text.strip().lstrip("-").isdecimal():
        return int(text)
    pairs = [tuple(name.strip() for name in pair.split(":")) for pair in _names(text)]
    if not pairs or any(len(pair) != 2 for pair in pairs):
        raise ValueError(
            f"--interactions must be a number, auto or pairs as in age:hours, got {shown(text)}"
        )
    return pairs


def _kinds(frame: Frame, categorical: list[str]) -> dict[str, str]:
    """Return for each column whether it holds numbers or categories; one row tells."""
    found = {}
    for k, name in enumerate(frame.names):
        is_words = name in categorical or isinstance(frame.column(k, np.zeros(1, np.int64)), Words)
        found[name] = "categories" if is_words else "numbers"
    return found


def _show_kinds(name: str, kinds: dict[str, str]) -> None:
    console = Console()
    console.print(name)
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for kind in ("numbers", "categories"):
        names = [column for column, found in kinds.items() if found == kind]
        if names:
            table.add_row(f"{kind:17}", ", ".join(names))
    console.print(table)


def terms_used(terms: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return for people how many terms are used, and the most important ones."""
    used = list(compress(terms, are_used([term["importance"] for term in terms])))
    n_pairs = sum(len(term["columns"]) == 2 for term in used)
    most = ", ".join(f"{term['name']} {term['importance']:.3g}" for term in used[:MOST_TERMS])
    found = [("terms", f"{len(used) - n_pairs:,} columns, {n_pairs:,} pairs of columns")]
    return [*found, ("importance", most)] if used else found


def _show(document: dict[str, Any]) -> None:
    data = (
        f"{document['n_samples']:,} rows, {document['n_columns']:,} columns, "
        f"{len(document['classes'])} classes"
    )
    show_rows(document, data, terms_used(document["terms"]))
