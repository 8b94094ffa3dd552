"""What a model of texts counts, and the terms that speak most for each class."""

from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from ..design.text_options import TextOptions
from ..tuning.text_model import TextModel
from ..tuning.top_terms import top_terms

__all__ = ["text_facts", "text_terms_table", "top_rows"]

MOST_TERMS = 20  # of a class, in a document
TERMS_IN_A_TABLE = 10
TERMS_IN_A_LINE = 6
MOST_CLASSES = 10
MOST_SIDE_BY_SIDE = 3  # classes: the columns of more are a letter wide


def text_facts(model: TextModel) -> dict[str, Any]:
    """Return what is counted, and for each class the terms that speak most for it."""
    features, classes = model.features, model.classes.tolist()
    return {
        "n_features": features.n_features,
        "counted": _counted(features.options, features.n_features),
        "terms": [
            {"class": label, "terms": [term._asdict() for term in terms]}
            for label, terms in zip(classes, top_terms(model, MOST_TERMS), strict=True)
        ],
    }


def _counted(options: TextOptions, n_features: int) -> str:
    """Say in a line what is counted."""
    least, most = options.ngram_range
    runs = f"{least} to {most}" if least < most else str(most)
    what = "words" if options.analyzer == "word" else "characters"
    what = f"runs of {runs} {what}" if most > 1 else what
    if options.n_features is not None:
        what = f"{what}, hashed to {options.n_features:,}"
    return f"{n_features:,} features: {what}"


def top_rows(facts: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return the terms for people, a line for each class."""
    rows = []
    for fact in facts[:MOST_CLASSES]:
        terms = [term["term"] for term in fact["terms"][:TERMS_IN_A_LINE]]
        rows.append((f"for {fact['class']}", ", ".join(terms) or "nothing"))
    more = len(facts) - len(rows)
    return [*rows, ("", f"and {more:,} more classes")] if more > 0 else rows


def text_terms_table(facts: list[dict[str, Any]]) -> Table:
    """Return the terms for people: a column for each class, or a line for each of many."""
    if len(facts) > MOST_SIDE_BY_SIDE:
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        for row in top_rows(facts):
            table.add_row(*row)
        return table
    table = Table(box=SIMPLE_HEAD)
    for fact in facts:
        table.add_column(f"for {fact['class']}", overflow="fold")
        table.add_column("weight", justify="right")
    for k in range(TERMS_IN_A_TABLE):
        cells = []
        for fact in facts:
            term = fact["terms"][k] if k < len(fact["terms"]) else None
            cells += ["", ""] if term is None else [term["term"], f"{term['weight']:.3f}"]
        if any(cells):
            table.add_row(*cells)
    return table
