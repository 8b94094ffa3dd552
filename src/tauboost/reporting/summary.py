"""The head and the foot of a report: one sentence and a few numbers, and the model card."""

from __future__ import annotations

import math
import re
from html import unescape
from typing import Any

import numpy as np

from ..kinds.rows import NamedModel
from .fit_section import data_hash
from .html import Markup, Section, banded, facts, given, how_many, join, percent, tag
from .intervals import Estimate
from .quality import Quality, ReportData, are_trained_on

__all__ = ["card_section", "headline", "plain_headline", "summary"]


# From which area under the curve on a word is deserved.
WORDS = ((0.95, "very well"), (0.85, "well"), (0.7, "fairly well"), (0.0, "a little"))


def headline(model: NamedModel, data: ReportData | None, quality: Quality | None) -> list[Any]:
    """Return the sentence, as words and names."""
    if data is None or quality is None:
        return _without_labels(model)
    if data.trained is not None and are_trained_on(data.trained):
        return _headline_of_training_rows(model, data, data.trained, quality)
    where = [f"On {quality.n:,} {model.row_word}s of ", given(data.name), ", "]
    most = given(model.labels[int(np.argmax(quality.counts))], 30)
    guess = ["always saying ", most, f" would be right for {percent(quality.guess_accuracy)}."]
    if quality.is_binary:
        right = f" It is right for {percent(quality.accuracy.value)} of them; "
        return [*where, *_binary(model, quality), right, *guess]
    return [*where, *_several(quality), *guess, *_alike(quality)]


def _headline_of_training_rows(
    model: NamedModel, data: ReportData, trained: Estimate, quality: Quality
) -> list[Any]:
    """Report what was measured, without a judgement: the model has seen these rows."""
    most = given(model.labels[int(np.argmax(quality.counts))], 30)
    auc = quality.classes[0].auc if quality.is_binary else None
    return [
        f"The model was trained on {how_many(trained)}these {quality.n:,} {model.row_word}s of ",
        given(data.name),
        f", so these are figures of training {model.row_word}s, and say little of others: ",
        "" if auc is None else f"AUC {auc.value:.3f}, ",
        f"right for {percent(quality.accuracy.value)} of them; always saying ",
        most,
        f" would be right for {percent(quality.guess_accuracy)}.",
    ]


def _several(quality: Quality) -> list[Any]:
    """Say how often the model is right, and first whether one answer for all would do as well."""
    right = f"right for {_between(quality.accuracy, ' of them')}; "
    n_present = int(np.count_nonzero(quality.counts))
    if n_present == 1:
        return [f"only one class occurs, so nothing can be told apart. The model is {right}"]
    if quality.accuracy.low > quality.guess_accuracy:
        return [f"the model tells {n_present:,} classes apart: it is {right}"]
    start = "the model is not shown to be right more often than one answer for all"
    return [f"{start}: it is {right}"]


def _alike(quality: Quality) -> list[Any]:
    """Say how good it is with every class counted alike, where one is much larger than another."""
    if quality.is_even:
        return []
    alone = percent(1 / np.count_nonzero(quality.counts))
    return [
        f" With every class counted alike it is right for {_between(quality.balanced)}, ",
        f"and one answer for all would be for {alone}.",
    ]


def _between(found: Estimate, of: str = "") -> str:
    return f"{percent(found.value)}{of} ({percent(found.low)} to {percent(found.high)})"


def _binary(model: NamedModel, quality: Quality) -> list[Any]:
    auc = quality.classes[0].auc
    if auc is None:
        return ["only one class occurs, so nothing can be told apart."]
    names = _both_classes(model)
    if auc.low <= 0.5:
        return ["the model is not shown to tell ", *names, f" (AUC {auc.value:.3f})."]
    word = next(word for least, word in WORDS if auc.value >= least)
    return ["the model tells ", *names, f" {word} (AUC {auc.value:.3f})."]


def _both_classes(model: NamedModel) -> list[Any]:
    positive, other = (given(label, 30) for label in model.sides)
    return [positive, " from ", other]


def _without_labels(model: NamedModel) -> list[Any]:
    fit, record = model.fit, model.record
    said: list[Any] = [f"This model tells {len(model.labels):,} classes apart"]
    if model.is_binary:
        said = ["This model tells ", *_both_classes(model)]
    said.append(f", learned from {record.n_samples:,} {model.row_word}s. " if record else ". ")
    if not math.isnan(fit.held_out_loss):
        said.append(
            f"On rows held out while it was fitted its log-loss was {fit.held_out_loss:.3f}"
        )
        said.append(
            f", and {_entropy(record.counts):.3f} without any feature. " if record else ". "
        )
    return [*said, "How good it is on other data, this page can say when it is given some."]


def _entropy(counts: tuple[int, ...]) -> float:
    shares = np.array([n for n in counts if n > 0], dtype=float)
    shares /= shares.sum()
    return -float(np.sum(shares * np.log(shares)))


def plain_headline(said: list[Any]) -> str:
    """Return the sentence as plain text, for a terminal."""
    return unescape(re.sub(r"</?bdi>", "", join(said)))


def summary(
    model: NamedModel, said: list[Any], quality: Quality | None, warned: list[str], title: str
) -> Markup:
    """Return the head of the page."""
    parts = [
        tag("p", f"tauboost · {model.estimator}", class_="kind"),
        tag("h1", given(title, 120)),
        tag("p", *said, class_="verdict"),
    ]
    if warned:
        text = [tag("strong", "Caution. "), warned[0]]
        if len(warned) > 1:
            text += [" ", tag("a", f"All {len(warned)} warnings", href="#warnings")]
        parts.append(tag("p", *text, class_="caution"))
    parts.append(tag("dl", *[_tile(*one) for one in _tiles(model, quality)], class_="tiles"))
    return tag("header", *parts)


def _tile(word: str, value: Any) -> Markup:
    return tag("div", tag("dt", word), tag("dd", value))


def _tiles(model: NamedModel, quality: Quality | None) -> list[tuple[str, Any]]:
    record = model.record
    found: list[tuple[str, Any]] = []
    if quality is not None:
        if quality.is_binary and quality.classes[0].auc is not None:
            found.append(("AUC", banded(quality.classes[0].auc)))
        found.append(("accuracy", banded(quality.accuracy, is_percent=True)))
        if not quality.is_binary and not quality.is_even:
            found.append(("balanced accuracy", banded(quality.balanced, is_percent=True)))
        found.append(("log-loss", banded(quality.log_loss)))
    elif not math.isnan(model.fit.held_out_loss):
        found.append(("held-out log-loss", f"{model.fit.held_out_loss:.3f}"))
    if record is not None:
        found.append((f"{model.row_word}s of the fit", f"{record.n_samples:,}"))
    found.append((model.kind.columns_word, f"{model.n_columns:,}"))
    return found


LONGEST_NOTES = 20_000  # characters of the notes


def card_section(
    model: NamedModel,
    data: ReportData | None,
    quality: Quality | None,
    notes: str | None,
    warned: list[str],
) -> Section:
    """Return the card."""
    rows: list[tuple[Any, Any]] = [
        ("model", join([given(model.name), f", {model.estimator}, {len(model.labels)} classes"])),
        ("intended use", _notes(notes)),
        ("data of the fit", _fitted_on(model)),
        ("data of this report", _measured_on(model, data)),
        ("metrics", _metrics(model, quality)),
        ("limits", _limits(model)),
        ("warnings", join(_sentences(warned)) if warned else "none"),
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
    parts = [part for part in notes[:LONGEST_NOTES].split("\n\n") if part.strip()]
    return join([tag("p", given(" ".join(part.split()), LONGEST_NOTES)) for part in parts])


def _fitted_on(model: NamedModel) -> Markup | str:
    record = model.record
    if record is None:
        return "not known to the model"
    return join([f"{record.n_samples:,} {model.row_word}s, hash ", data_hash(record)])


def _measured_on(model: NamedModel, data: ReportData | None) -> Markup | str:
    if data is None:
        return "none"
    said = [given(data.name), f", {data.rows.n:,} {model.row_word}s"]
    if data.trained is not None and are_trained_on(data.trained):
        said.append(f"; the model was trained on {how_many(data.trained)}them")
    return join(said)


def _metrics(model: NamedModel, quality: Quality | None) -> Markup | str:
    if quality is None:
        loss = model.fit.held_out_loss
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


def _limits(model: NamedModel) -> str:
    return (
        f"{model.kind.limits(model)} It knows no other classes than these, and little of what is "
        "rare in the data of the fit."
    )
