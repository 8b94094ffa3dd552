"""What ``tauboost fit`` says in the end: a document for machines, a short table for people."""

import math
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..tuning.metrics import in_words
from ..tuning.model import Model
from .data import Data

__all__ = ["document_of", "show"]


def document_of(model: Model, name: str, train: Data, seconds: dict[str, float]) -> dict[str, Any]:
    """Return what machines and people are told, but for the test and the files."""
    held_out_loss = model.held_out_loss
    return {
        "name": name,
        "n_samples": train.shape[0],
        "n_features": train.shape[1],
        "nnz": train.nnz,
        "classes": model.classes.tolist(),
        "loss": model.loss,
        "alpha": model.alpha,
        "l1_ratio": model.l1_ratio,
        "sweeps": model.n_iter,
        "objective": model.objective.tolist(),
        "held_out_loss": held_out_loss if math.isfinite(held_out_loss) else None,
        "nonzero_weights": int(np.count_nonzero(model.coef)),
        "weights": int(model.coef.size),
        "message": model.message,
        "seconds": seconds,
    }


def show(document: dict[str, Any]) -> None:
    """Print it for people."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_row(
        "data",
        f"{document['n_samples']:,} samples, {document['n_features']:,} features, "
        f"{document['nnz']:,} nonzeros, {len(document['classes'])} classes",
    )
    table.add_row("ended", escape(document["message"]))
    table.add_row(
        "model",
        f"{document['loss']} loss, alpha {document['alpha']:.4g}, "
        f"l1 ratio {document['l1_ratio']:g}, {document['sweeps']} sweeps",
    )
    values = document["objective"]
    table.add_row("objective", ", ".join(f"{value:.8g}" for value in values[:5]))
    if document["held_out_loss"] is not None:
        table.add_row(
            "held-out log-loss", f"{document['held_out_loss']:.5f}, by which the model was chosen"
        )
    table.add_row("nonzero weights", f"{document['nonzero_weights']:,} of {document['weights']:,}")
    if document["test"] is not None:
        table.add_row("test", in_words(document["test"]))
    spent = (f"{stage} {seconds:.2f}" for stage, seconds in document["seconds"].items())
    table.add_row("seconds", ", ".join(spent))
    console = Console()
    console.print(f"{document['name']}", markup=False, highlight=False)
    console.print(table)
    plain: dict[str, Any] = {"markup": False, "highlight": False, "soft_wrap": True}
    if document["resumed"]:
        console.print("resumed from the checkpoint", **plain)
    for kind, path in document["files"].items():
        console.print(f"{'kept' if kind == 'checkpoint' else 'wrote'} {path}", **plain)
    if "model" not in document["files"]:
        console.print("no model was written: give --out MODEL to keep it", **plain)
