"""The verdict, first of all: one sentence that can be read without the rest, and a few numbers."""

from __future__ import annotations

import math
import re
from html import unescape
from typing import Any

import numpy as np

from .bands import Estimate
from .elements import banded, percent
from .markup import Markup, given, join, tag
from .quality import Quality
from .rows import Data
from .subject import Subject
from .trained_rows import are_trained_on, how_many

__all__ = ["plain_verdict", "summary", "verdict"]

# From which area under the curve on a word is deserved.
WORDS = ((0.95, "very well"), (0.85, "well"), (0.7, "fairly well"), (0.0, "a little"))


def verdict(subject: Subject, data: Data | None, quality: Quality | None) -> list[Any]:
    """Return the sentence, as words and names."""
    if data is None or quality is None:
        return _without_labels(subject)
    if data.trained is not None and are_trained_on(data.trained):
        return _of_training_rows(subject, data, data.trained, quality)
    where = [f"On {quality.n:,} {subject.row_word}s of ", given(data.name), ", "]
    most = given(subject.labels[int(np.argmax(quality.counts))], 30)
    guess = ["always saying ", most, f" would be right for {percent(quality.guess_accuracy)}."]
    if quality.is_binary:
        right = f" It is right for {percent(quality.accuracy.value)} of them; "
        return [*where, *_binary(subject, quality), right, *guess]
    return [*where, *_several(quality), *guess, *_alike(quality)]


def _of_training_rows(
    subject: Subject, data: Data, trained: Estimate, quality: Quality
) -> list[Any]:
    """Say what was measured, and no word on how good that is: it is of rows that it has seen."""
    most = given(subject.labels[int(np.argmax(quality.counts))], 30)
    auc = quality.classes[0].auc if quality.is_binary else None
    return [
        f"The model was trained on {how_many(trained)}these {quality.n:,} {subject.row_word}s of ",
        given(data.name),
        f", so these are figures of training {subject.row_word}s, and say little of others: ",
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


def _binary(subject: Subject, quality: Quality) -> list[Any]:
    auc = quality.classes[0].auc
    if auc is None:
        return ["only one class occurs, so nothing can be told apart."]
    names = _names(subject)
    if auc.low <= 0.5:
        return ["the model is not shown to tell ", *names, f" (AUC {auc.value:.3f})."]
    word = next(word for least, word in WORDS if auc.value >= least)
    return ["the model tells ", *names, f" {word} (AUC {auc.value:.3f})."]


def _names(subject: Subject) -> list[Any]:
    positive, other = (given(label, 30) for label in subject.sides)
    return [positive, " from ", other]


def _without_labels(subject: Subject) -> list[Any]:
    fit, record = subject.fit, subject.record
    said: list[Any] = [f"This model tells {len(subject.labels):,} classes apart"]
    if subject.is_binary:
        said = ["This model tells ", *_names(subject)]
    said.append(f", learned from {record.n_samples:,} {subject.row_word}s. " if record else ". ")
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


def plain_verdict(said: list[Any]) -> str:
    """Return the sentence as plain text, for a terminal."""
    return unescape(re.sub(r"</?bdi>", "", join(said)))


def summary(
    subject: Subject, said: list[Any], quality: Quality | None, cautions: list[str], title: str
) -> Markup:
    """Return the head of the page."""
    parts = [
        tag("p", f"tauboost · {subject.kind}", class_="kind"),
        tag("h1", given(title, 120)),
        tag("p", *said, class_="verdict"),
    ]
    if cautions:
        text = [tag("strong", "Caution. "), cautions[0]]
        if len(cautions) > 1:
            text += [" ", tag("a", f"All {len(cautions)} warnings", href="#warnings")]
        parts.append(tag("p", *text, class_="caution"))
    parts.append(tag("dl", *[_tile(*one) for one in _tiles(subject, quality)], class_="tiles"))
    return tag("header", *parts)


def _tile(word: str, value: Any) -> Markup:
    return tag("div", tag("dt", word), tag("dd", value))


def _tiles(subject: Subject, quality: Quality | None) -> list[tuple[str, Any]]:
    record = subject.record
    found: list[tuple[str, Any]] = []
    if quality is not None:
        if quality.is_binary and quality.classes[0].auc is not None:
            found.append(("AUC", banded(quality.classes[0].auc)))
        found.append(("accuracy", banded(quality.accuracy, is_percent=True)))
        if not quality.is_binary and not quality.is_even:
            found.append(("balanced accuracy", banded(quality.balanced, is_percent=True)))
        found.append(("log-loss", banded(quality.log_loss)))
    elif not math.isnan(subject.fit.held_out_loss):
        found.append(("held-out log-loss", f"{subject.fit.held_out_loss:.3f}"))
    if record is not None:
        found.append((f"{subject.row_word}s of the fit", f"{record.n_samples:,}"))
    word = "terms" if subject.row_word == "text" else "columns"
    found.append((word, f"{subject.n_columns:,}"))
    return found
