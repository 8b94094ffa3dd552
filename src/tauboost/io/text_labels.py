"""Labels out of files: all strings, all numbers, or all true and false.

Formats with types (JSON, Parquet, Arrow) say what a label is. In CSV all is text, and labels are
read as they stand: numbers if every one of them is written as one, and strings otherwise. 7 is a
number, and 007, NA and true are names; an empty cell alone is no label. Tables and texts share
this rule, whatever reads their cells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..base.messages import shown
from .strings import object_array
from .text_wanted import TextBlock

__all__ = ["AlikeLabels", "LabelList", "label_array", "labels_like"]

KINDS: Final = {str: "strings", bool: "true or false", int: "numbers", float: "numbers"}
NUMBER: Final = re.compile(r"\s*-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?\s*", re.ASCII)
TRUTHS: Final = {"true": True, "false": False}
LARGEST: Final = 2**63


class AlikeLabels:
    """Sees to it that the labels of all blocks of all files are of one kind."""

    def __init__(self) -> None:
        self.kind: str | None = None

    def check(self, block: TextBlock) -> None:
        """Take the labels of a block."""
        labels = block.labels
        if not labels:
            return
        self.kind = self.kind or KINDS[type(labels[0])]
        if {KINDS[kind] for kind in set(map(type, labels))} != {self.kind}:
            k = next(k for k, label in enumerate(labels) if KINDS[type(label)] != self.kind)
            raise ValueError(
                f"{block.place(k)}: the label {shown(labels[k])} is unlike those before, which "
                f"are {self.kind}: write all of them alike"
            )
        if self.kind == "numbers":
            for k, label in enumerate(labels):
                if not -LARGEST <= label < LARGEST:  # or it is not a number
                    raise ValueError(f"{block.place(k)}: a label cannot be {shown(label)}")


class LabelList:
    """The labels of some blocks, one after another."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.is_text = False  # whether a file has no types

    def add(self, block: TextBlock) -> None:
        """Take those of a block."""
        self.values += block.labels or []
        self.is_text |= not block.is_typed

    def array(self, classes: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return all of them; with ``classes``, to be compared with these."""
        if classes is not None:
            return labels_like(self.values, classes)
        return label_array(self.values, is_text=self.is_text)


def label_array(labels: Sequence[Any], *, is_text: bool) -> NDArray[Any]:
    """Return labels that are alike as an array; of a text file, as numbers where all are some."""
    if not labels or not isinstance(labels[0], str):
        return np.array(labels)
    if is_text:
        different = set(labels)
        if all(map(NUMBER.fullmatch, different)):
            return _numbers(labels, different)
    return object_array(labels)


def _numbers(labels: Sequence[str], different: set[str]) -> NDArray[Any]:
    read = int if all(text.strip().lstrip("-").isdecimal() for text in different) else float
    values = {text: read(text) for text in different}
    if not all(-LARGEST <= value < LARGEST for value in values.values()):
        return object_array(labels)
    return np.array([values[label] for label in labels])


def labels_like(labels: Sequence[Any], classes: NDArray[Any]) -> NDArray[Any]:
    """Return labels to compare with those of a model: text is read as what the model has."""
    if classes.dtype.kind == "b" and all(str(label).lower() in TRUTHS for label in labels):
        return np.array([TRUTHS[str(label).lower()] for label in labels])
    return label_array(labels, is_text=classes.dtype.kind in "biuf")
