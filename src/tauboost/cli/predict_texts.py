"""``tauboost predict`` of texts: in parts, or line by line from a pipe, and why."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.printable import printable
from ..estimators.text_explanation import TextExplanation, explain_text
from ..io.model import ModelFile
from ..io.text_labels import labels_like
from ..tuning.text_model import TextModel
from .texts import TextSource

__all__ = ["explain_texts", "source_for", "text_parts"]

WIDEST = 60  # characters of a text above its explanation


def source_for(
    saved: ModelFile,
    paths: Sequence[Path],
    text: str | None,
    label: str | None,
    kind: str | None,
    errors: str | None = None,
) -> TextSource:
    """Return what to read: by the names that are given, or else by those of the fit."""
    known = {word: saved.fitted.get(word) for word in ("text", "label")}
    names = [
        given if given is not None else name if isinstance(name := known[word], str) else None
        for word, given in (("text", text), ("label", label))
    ]
    return TextSource(tuple(paths), names[0], names[1], kind, text is None, errors)


def text_parts(
    model: TextModel, source: TextSource, n_threads: int, *, with_labels: bool
) -> Iterator[tuple[Vector, NDArray[Any] | None]]:
    """Yield decision values, and labels where they are asked for, a part of the texts at a time."""
    for block in source.blocks("predicting", with_labels=with_labels, is_eager=source.is_pipe):
        labels = None if block.labels is None else labels_like(block.labels, model.classes)
        yield model.decisions(block.texts, n_threads), labels


def explain_texts(
    model: TextModel, source: TextSource, file: BinaryIO | None, n_threads: int
) -> tuple[int, list[dict[str, Any]]]:
    """Say of every text what its words add: in a file, or, without one, as data.

    Return the number of texts, and the data.
    """
    n_texts, found = 0, []
    for block in source.blocks("explaining", with_labels=False, is_eager=source.is_pipe):
        for text in block.texts:
            n_texts += 1
            explanation = explain_text(model, text, n_threads=n_threads)
            if file is None:
                found.append(_facts(explanation))
                continue
            start = printable(text if len(text) <= WIDEST else f"{text[:WIDEST]}…")
            file.write(f"{n_texts:,}: {start}\n{explanation!r}\n\n".encode())
            file.flush()
    return n_texts, found


def _facts(explanation: TextExplanation) -> dict[str, Any]:
    """Return what speaks for one class, the second of two or the likeliest."""
    place = explanation.classes.tolist().index(explanation.class_)
    return {
        "class": np.asarray(explanation.class_).item(),
        "probability": float(explanation.probabilities[place]),
        "decision": float(explanation.decisions[place]),
        "intercept": float(explanation.intercepts[place]),
        "terms": [
            {"term": term, "contribution": contribution, "spans": spans}
            for term, contribution, spans in explanation
        ],
    }
