"""The model card: what people who use a model should know before they do."""

from __future__ import annotations

import math
from typing import Any

from .elements import Section, banded, facts, percent
from .fit_section import data_hash
from .markup import Markup, given, join, tag
from .quality import Quality
from .rows import Data
from .scales import number
from .subject import Subject
from .trained_rows import are_trained_on, how_many

__all__ = ["card_section"]

LONGEST = 20_000  # characters of the notes


def card_section(
    subject: Subject,
    data: Data | None,
    quality: Quality | None,
    notes: str | None,
    cautions: list[str],
) -> Section:
    """Return the card."""
    rows: list[tuple[Any, Any]] = [
        ("model", join([given(subject.name), f", {subject.kind}, {len(subject.labels)} classes"])),
        ("intended use", _notes(notes)),
        ("data of the fit", _fitted_on(subject)),
        ("data of this report", _measured_on(subject, data)),
        ("metrics", _metrics(subject, quality)),
        ("limits", _limits(subject)),
        ("warnings", join(_sentences(cautions)) if cautions else "none"),
        ("method", "AdaBoost and logistic regression as one convex problem; Fercoq 2013."),
    ]
    return Section("card", "Model card", facts(rows))


def _sentences(texts: list[str]) -> list[Markup]:
    return [tag("p", text) for text in texts]


def _notes(notes: str | None) -> Markup | str:
    if notes is None or not notes.strip():
        return join(
            [
                "Not written yet: ",
                tag("code", "notes=..."),
                " or ",
                tag("code", "--notes FILE"),
                " puts the author's words here: who should use the model for what, and who not.",
            ]
        )
    parts = [part for part in notes[:LONGEST].split("\n\n") if part.strip()]
    return join([tag("p", given(" ".join(part.split()), LONGEST)) for part in parts])


def _fitted_on(subject: Subject) -> Markup | str:
    record = subject.record
    if record is None:
        return "not known to the model"
    return join([f"{record.n_samples:,} {subject.row_word}s, hash ", data_hash(record)])


def _measured_on(subject: Subject, data: Data | None) -> Markup | str:
    if data is None:
        return "none"
    said = [given(data.name), f", {data.rows.n:,} {subject.row_word}s"]
    if data.trained is not None and are_trained_on(data.trained):
        said.append(f"; the model was trained on {how_many(data.trained)}them")
    return join(said)


def _metrics(subject: Subject, quality: Quality | None) -> Markup | str:
    if quality is None:
        loss = subject.fit.held_out_loss
        if math.isnan(loss):
            return "not measured"
        return f"log-loss {loss:.4f} on rows held out in the fit"
    parts: list[Any] = ["accuracy ", banded(quality.accuracy, is_percent=True)]
    if quality.is_binary and quality.classes[0].auc is not None:
        parts += [", AUC ", banded(quality.classes[0].auc)]
    if not quality.is_binary:
        parts += [", balanced accuracy ", banded(quality.balanced, is_percent=True)]
    parts += [", log-loss ", banded(quality.log_loss)]
    parts += [f"; always the most frequent class: {percent(quality.guess_accuracy)}"]
    return join(parts)


def _limits(subject: Subject) -> str:
    shared = (
        "It knows no other classes than these, and little of what is rare in the data of the fit."
    )
    if subject.terms is not None:
        pairs = sum(term.kind == "pair" for term in subject.terms)
        return (
            f"A sum of {len(subject.terms):,} terms, {pairs:,} of them pairs of columns: nothing "
            "that takes three columns together. Numbers beyond those of the fit score as the "
            f"outermost bin; categories that it has not seen score as all others. {shared}"
        )
    if subject.row_word == "text":
        return (
            "It counts words and runs of words: not who says them, nor in which order beyond a "
            f"run. Words that the fit has not seen count for nothing. {shared}"
        )
    return (
        f"A weighted sum of columns (strength alpha {number(subject.fit.alpha)}): nothing that "
        f"takes two columns together, unless a column holds it. {shared}"
    )
