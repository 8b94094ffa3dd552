"""``tauboost inspect`` of a model file: what was fitted, and what matters most in it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from ..base.kinds import is_sparse
from ..base.messages import shown_label
from ..io import is_store
from ..io.model import ModelFile
from ..io.tensors import is_tensor_file
from ..models import model_of, read_model
from ..tuning.model import Model
from ..tuning.table_model import TableModel
from ..tuning.text_model import TextModel
from .fit_summary import fact_rows, facts_of
from .terminal import Console
from .text_terms import text_facts, text_terms_table

__all__ = ["check_model", "inspect_model", "label_of", "term_facts"]

MOST_TERMS = 20
MOST_WEIGHTS = 10
MOST_CLASSES = 10


def inspect_model(path: Path, as_json: bool) -> None:
    """Show a model: its classes, how it was fitted, and its terms or weights by importance."""
    data = read_model(path)
    model = model_of(data, path)
    of_fit = model.model if isinstance(model, TextModel) else model
    document: dict[str, Any] = {"name": path.name, "kind": data.kind, **facts_of(of_fit)}
    document |= {"message": of_fit.message, "label": label_of(data)}
    if isinstance(model, TableModel):
        document |= {"n_columns": len(model.columns), "terms": term_facts(model)}
        table = _terms_table(document["terms"])
    elif isinstance(model, TextModel):
        document |= {"text": data.fitted.get("text"), **text_facts(model)}
        document["nonzero_weights"] = int(np.count_nonzero(_entries(model.model)))
        table = text_terms_table(document["terms"])
    else:
        document |= {"n_features": model.coef.shape[1], "weights": _largest(model, data)}
        document["nonzero_weights"] = int(np.count_nonzero(_entries(model)))
        table = _weights_table(document["weights"])
    if as_json:
        typer.echo(json.dumps(document, indent=2, allow_nan=False))
        return
    console = Console()
    console.print(_facts_table(document))
    console.print(table)


def check_model(path: Path) -> None:
    """Refuse what is no model, such as data given in its place."""
    if path.is_dir():
        what = "a store" if is_store(path) else "a folder"
        raise ValueError(f"MODEL: {path} is {what}, and a model is a file that fit wrote")
    if path.is_file() and not is_tensor_file(path):
        raise ValueError(f"MODEL: {path} is none: give a file that fit wrote, and DATA after it")


def label_of(data: ModelFile) -> str | None:
    """Return the name of the column that held the labels, if the file says."""
    label = data.fitted.get("label")
    return label if isinstance(label, str) else None


def term_facts(model: TableModel) -> list[dict[str, Any]]:
    """Return name, columns, kind, bins and importance of each term, the most important first."""
    facts = []
    for term in model.terms:
        columns = [model.columns[k] for k in term.columns]
        kind = "numbers" if columns[0].is_ordered else "categories"
        facts.append(
            {
                "name": model.term_name(term),
                "columns": [column.name for column in columns],
                "kind": kind if len(columns) == 1 else "pair",
                "cells": int(np.count_nonzero(term.weights)),
                "least": float(term.scores.min()),
                "most": float(term.scores.max()),
                "importance": float(term.importance().mean()),
            }
        )
    return sorted(facts, key=lambda fact: -fact["importance"])


def _entries(model: Model) -> Any:
    return model.coef.data if is_sparse(model.coef) else model.coef


def _largest(model: Model, data: ModelFile) -> list[dict[str, Any]]:
    """Return the largest weights of a linear model, with their features and classes."""
    if is_sparse(model.coef):
        coef = model.coef.tocoo()
        tasks, features, values = coef.row, coef.col, coef.data
    else:
        tasks, features = np.nonzero(model.coef)
        values = model.coef[tasks, features]
    classes = model.classes.tolist()
    found = []
    for k in np.argsort(-np.abs(values), kind="stable")[:MOST_WEIGHTS].tolist():
        names = data.feature_names
        name = f"x{features[k]}" if names is None else names[features[k]]
        towards = classes[1 if len(classes) == 2 else tasks[k]]
        found.append({"feature": name, "weight": float(values[k]), "class": towards})
    return found


def _facts_table(document: dict[str, Any]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), title=document["name"])
    table.title_justify = "left"
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
    for what, text in rows:
        table.add_row(what, text)
    return table


def _terms_table(terms: list[dict[str, Any]]) -> Table:
    table = Table(box=SIMPLE_HEAD)
    table.add_column("term", overflow="fold")
    table.add_column("kind")
    for header in ("cells", "scores", "importance"):
        table.add_column(header, justify="right")
    for term in terms[:MOST_TERMS]:
        scores = f"{term['least']:+.3g} to {term['most']:+.3g}"
        importance = f"{term['importance']:.4g}"
        table.add_row(term["name"], term["kind"], f"{term['cells']:,}", scores, importance)
    if len(terms) > MOST_TERMS:
        table.caption = f"and {len(terms) - MOST_TERMS:,} more terms"
        table.caption_justify = "left"
    return table


def _weights_table(weights: list[dict[str, Any]]) -> Table:
    table = Table(box=SIMPLE_HEAD)
    table.add_column("feature", overflow="fold")
    table.add_column("weight", justify="right")
    table.add_column("above 0 speaks for")
    for entry in weights:
        table.add_row(entry["feature"], f"{entry['weight']:+.4g}", shown_label(entry["class"]))
    return table
