"""What was fitted on what, and how its strength was chosen: the race as a picture."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .drawing import Picture
from .elements import Cell, Section, facts, figure, note, paragraph, percent, table
from .markup import Markup, given, join, tag
from .rows import Data
from .scales import number
from .subject import Subject

__all__ = ["fit_section", "race_section"]

MOST_CLASSES = 30
SIZE = (460, 290)
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
        rows.append(("hash of the data", tag("code", record.data_hash)))
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
    if not data.hash:
        return paragraph(*text, ", without labels.")
    text += [", hash ", tag("code", data.hash)]
    if record is not None:
        is_same = record.data_hash == data.hash
        text.append(
            ": the very data of the fit." if is_same else ": other data than those of the fit."
        )
    return paragraph(*text)


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
        (tag("code", name), given(repr(value), 120))
        for name, value in sorted(subject.params.items())
        if name not in QUIET
    ]
    inner = table("Parameters of the fit", ["parameter", "value"], rows, aligns="<<")
    return tag("details", tag("summary", "Parameters of the fit"), inner)


def race_section(subject: Subject) -> Section:
    """Return how the strength of the penalty was chosen."""
    fit, title = subject.fit, "How the strength was chosen"
    chosen = paragraph(given(fit.message, 400))
    if not fit.selection:
        how = (
            "No candidates raced: the strength was given, or too few rows were there to hold some "
            "out, or the model is from a file of an older version."
        )
        return Section("race", title, join([chosen, note(how)]))
    lines = _lines(fit.selection)
    words = (
        "Each line is a race: candidates of different strength alpha, fitted to some rows and "
        "judged by their log-loss on others, which they have not seen. Lower is better; the ring "
        "is what was chosen, and then fitted again on all."
    )
    parts = [chosen, figure(_draw(lines, fit.alpha, fit.held_out_loss), words, class_="wide")]
    parts.append(_table(lines))
    return Section("race", title, join(parts))


Lines = dict[str, list[tuple[float, float]]]


def _lines(selection: list[dict[str, float | str]]) -> Lines:
    """Return for each kind of candidate its alphas, ascending, and the least loss of each."""
    least: dict[str, dict[float, float]] = {}
    for row in selection:
        words = [f"l1 ratio {float(row['l1_ratio']):g}"]
        if "loss" in row:
            words.insert(0, f"{row['loss']} loss")
        smoothness = float(row.get("smoothness", math.inf))
        # With pairs, what differs is their smoothness, at one alpha.
        is_pair = math.isfinite(smoothness)
        key = "with pairs, by their smoothness" if is_pair else ", ".join(words)
        at, loss = smoothness if is_pair else float(row["alpha"]), float(row["held_out_loss"])
        known = least.setdefault(key, {})
        known[at] = min(loss, known.get(at, math.inf))
    return {key: sorted(found.items()) for key, found in least.items()}


def _draw(lines: Lines, alpha: float, chosen: float) -> Markup:
    points = [point for line in lines.values() for point in line]
    losses = np.array([loss for _, loss in points if math.isfinite(loss)])
    # What is far worse than the rest would press the rest together.
    worst = losses.min() + 3.0 * max(float(np.median(losses) - losses.min()), 1e-9)
    strengths = [at for at, _ in points if at > 0]
    x = Picture.across([*strengths, alpha], width=SIZE[0], is_log=True)
    y = Picture.upwards(
        [*losses[losses <= worst], *([chosen] if math.isfinite(chosen) else [])], height=SIZE[1]
    )
    picture = Picture("Held-out log-loss against the strength of the penalty", x, y, size=SIZE)
    picture.axes("alpha (logarithmic)", "held-out log-loss")
    for k, (key, line) in enumerate(lines.items()):
        inside = [(at, loss) for at, loss in line if at > 0 and math.isfinite(loss)]
        xs, ys = [at for at, _ in inside], [loss for _, loss in inside]
        class_ = f"line kind{min(k, 3)}"
        picture.line(xs, ys, class_)
        for at, loss in inside:
            picture.dot(at, loss, f"dot kind{min(k, 3)}", 2.5)
        if len(lines) > 1 and inside:
            picture.write(x.end - 4, 24 + 14 * k, key, "end", f"tick kind{min(k, 3)}")
    if math.isfinite(chosen) and alpha > 0:
        picture.dot(alpha, chosen, "ring", 6.0)
    return picture.svg()


def _table(lines: Lines) -> Markup:
    rows = [
        (key, Cell(number(at), at), Cell(f"{loss:.5f}" if math.isfinite(loss) else "none", loss))
        for key, line in lines.items()
        for at, loss in line
    ]
    heads = ["candidates", "alpha or smoothness", "held-out log-loss"]
    inner = table("Candidates of the race", heads, rows, aligns="<>>", is_sorted=True)
    return tag("details", tag("summary", f"The {len(rows)} candidates as a table"), inner)
