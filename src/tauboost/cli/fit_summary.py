"""What ``tauboost fit`` says in the end: a document for machines, a short table for people."""

import math
from typing import Any

from rich.table import Table

from ..design.wide import nonzeros_of
from ..tables.model import TableModel
from ..tuning.metrics import in_words
from ..tuning.model import Model
from .data import Data
from .terminal import Console

__all__ = ["document_of", "fact_rows", "facts_of", "show", "show_rows"]


def document_of(model: Model, name: str, train: Data, seconds: dict[str, float]) -> dict[str, Any]:
    """Return what machines and people are told, but for the test and the files."""
    n_tasks, n_features = model.coef.shape
    return {
        "name": name,
        "n_samples": train.shape[0],
        "n_features": train.shape[1],
        "nnz": train.nnz,
        **facts_of(model),
        "nonzero_weights": sum(len(nonzeros_of(model.coef, k)[0]) for k in range(n_tasks)),
        "weights": n_tasks * n_features,
        "message": model.message,
        "seconds": seconds,
    }


def facts_of(model: Model | TableModel) -> dict[str, Any]:
    """Return what is said of a model of any kind."""
    return {
        "classes": model.classes.tolist(),
        "loss": model.loss,
        "alpha": model.alpha,
        "l1_ratio": model.l1_ratio,
        "sweeps": model.n_iter,
        "objective": [_finite(value) for value in model.objective.tolist()],
        "held_out_loss": _finite(model.held_out_loss),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def fact_rows(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Return them for people."""
    sweeps = "1 sweep" if document["sweeps"] == 1 else f"{document['sweeps']} sweeps"
    model = (
        f"{document['loss']} loss, alpha {document['alpha']:.4g}, "
        f"l1 ratio {document['l1_ratio']:g}, {sweeps}"
    )
    rows = [("model", model)]
    values = [value for value in document["objective"] if value is not None]
    if values:
        rows.append(("objective", ", ".join(f"{value:.8g}" for value in values[:5])))
    if document["held_out_loss"] is not None:
        loss = f"{document['held_out_loss']:.5f}, by which the model was chosen"
        rows.append(("held-out log-loss", loss))
    return rows


def show(document: dict[str, Any]) -> None:
    """Print it for people."""
    data = (
        f"{document['n_samples']:,} samples, {document['n_features']:,} features, "
        f"{document['nnz']:,} nonzeros, {len(document['classes'])} classes"
    )
    found = f"{document['nonzero_weights']:,} of {document['weights']:,}"
    Console().print(document["name"])
    show_rows(document, data, [("nonzero weights", found)])


def show_rows(document: dict[str, Any], data: str, found: list[tuple[str, str]]) -> None:
    """Print what models of all kinds have, with a line on the data and some on what was found."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    rows = [("data", data), ("ended", document["message"]), *fact_rows(document), *found]
    if document["test"] is not None:
        rows.append(("test", in_words(document["test"])))
    spent = (f"{stage} {seconds:.2f}" for stage, seconds in document["seconds"].items())
    for what, text in (*rows, ("seconds", ", ".join(spent))):
        table.add_row(what, text)
    console = Console()
    console.print(table)
    for warning in document["warnings"]:
        console.print(f"warning: {warning}", soft_wrap=True)
    if document.get("resumed"):
        console.print("resumed from the checkpoint", soft_wrap=True)
    for kind, path in document["files"].items():
        console.print(f"{'kept' if kind == 'checkpoint' else 'wrote'} {path}", soft_wrap=True)
    if "model" not in document["files"]:
        console.print("no model was written: give --out MODEL to keep it", soft_wrap=True)
