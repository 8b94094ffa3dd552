"""What was fitted on what: rows, columns, classes, a hash, versions, time and memory."""

from __future__ import annotations

from typing import Any

from ..base.messages import shown
from ..tuning.record import Record
from .elements import Cell, Section, facts, note, paragraph, percent, table
from .markup import Markup, given, join, tag
from .rows import Data
from .scales import number
from .subject import Subject
from .trained_rows import are_trained_on, how_many

__all__ = ["data_hash", "fit_section"]

MOST_CLASSES = 30
# Parameters that say nothing of the model.
QUIET = frozenset({"n_jobs", "verbose", "warm_start"})
KINDS = {
    "TauBoostClassifier": "a linear model of sparse or dense columns",
    "TauBoostClassifierCV": "a linear model, its strength chosen by cross-validation",
    "TableClassifier": "a sum of step functions of columns, and of pairs of them",
    "TextClassifier": "a linear model of words and runs of words",
}


def fit_section(subject: Subject, data: Data | None) -> Section:
    """Return what the model is, what it was fitted on, and by what."""
    fit, record = subject.fit, subject.record
    rows: list[tuple[Any, Any]] = [("kind", f"{subject.kind}: {KINDS.get(subject.kind, '')}")]
    rows.append((_columns_word(subject), f"{subject.n_columns:,}"))
    if record is not None:
        rows.insert(1, ("fitted on", f"{record.n_samples:,} {subject.row_word}s"))
        rows.append(("hash of the data", data_hash(record)))
    rows.append(("loss", f"{fit.loss}, alpha {number(fit.alpha)}, l1 ratio {fit.l1_ratio:g}"))
    rows.append(("sweeps", f"{fit.n_iter:,}"))
    rows += _of_the_machine(subject)
    parts = [facts(rows)]
    if record is None:
        parts.append(
            note("The model does not say what it was fitted on: an older version wrote it.")
        )
    if data is not None:
        parts.append(_of_data(subject, data))
    parts += [tag("h3", "Classes"), _classes(subject), _parameters(subject)]
    return Section("fit", "What was fitted", join(parts))


def data_hash(record: Record) -> Markup:
    """Write the hash of the data of a fit, or why there is none."""
    if record.data_hash:
        return tag("code", record.data_hash)
    return join(["not taken: the rows stayed in parts on a cluster"])


def _columns_word(subject: Subject) -> str:
    return "terms" if subject.row_word == "text" else "columns"


def _of_the_machine(subject: Subject) -> list[tuple[Any, Any]]:
    record = subject.record
    if record is None:
        return []
    rows: list[tuple[Any, Any]] = []
    if record.seconds is not None:
        rows.append(("time of the fit", f"{record.seconds:.2f} s"))
    if record.peak_bytes is not None:
        rows.append(("memory", f"{record.peak_bytes / 1e6:,.0f} MB at most, of the whole process"))
    if record.seconds is None:
        rows.append(("time and memory", "not kept in files: the same fit gives the same file"))
    words = ", ".join(f"{name} {version}" for name, version in record.versions.items())
    rows.append(("versions", given(words, 200)))
    return rows


def _of_data(subject: Subject, data: Data) -> Markup:
    """Say what the report measures on."""
    record = subject.record
    text = [f"This report looks at {data.rows.n:,} {subject.row_word}s of ", given(data.name)]
    text += [", hash ", tag("code", data.hash)] if data.hash else [", without labels"]
    if record is not None and record.is_of(data.hash):
        text.append(": the very data of the fit")
    elif data.trained is not None and are_trained_on(data.trained):
        text.append(f": the model was trained on {how_many(data.trained)}them")
    elif record is not None and record.data_hash and data.hash:
        text.append(": other data than those of the fit")
    return paragraph(*text, ".")


def _classes(subject: Subject) -> Markup:
    labels, record = subject.labels, subject.record
    total = sum(record.counts) if record is not None else 0
    rows = []
    for k, label in enumerate(labels[:MOST_CLASSES]):
        n = record.counts[k] if record is not None else 0
        known = (Cell(f"{n:,}", n), percent(n / max(total, 1))) if record is not None else ("", "")
        rows.append((given(label), *known))
    heads = ["class", f"{subject.row_word}s of the fit", "share"]
    box = table("Classes", heads, rows, aligns="<>>", is_sorted=len(rows) > 2)
    more = len(labels) - MOST_CLASSES
    return join([box, note(f"And {more:,} more classes.") if more > 0 else None])


def _parameters(subject: Subject) -> Markup:
    rows = [
        (tag("code", name), given(shown(value), 120))
        for name, value in sorted(subject.params.items())
        if name not in QUIET
    ]
    inner = table("Parameters of the fit", ["parameter", "value"], rows, aligns="<<")
    return tag("details", tag("summary", "Parameters of the fit"), inner)
