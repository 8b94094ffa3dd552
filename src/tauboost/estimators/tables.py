"""What the explanations of a classifier return: a few columns that print as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.messages import shown_label
from ..base.printable import printable

__all__ = ["HardestExamples", "TopFeatures", "as_table"]

WIDEST = 40  # longer names are cut in print


@dataclass(frozen=True, repr=False, eq=False)
class TopFeatures:
    """Features with large weights; iterating gives pairs (name, weight).

    Attributes
    ----------
    names : ndarray of str
    weights : ndarray of float
        Above 0 the feature speaks for the class, below 0 against it.
    classes : ndarray
        The class that each weight speaks for.
    indices : ndarray of int
        The columns of X.
    two_classes : ndarray or None
        Both classes where there are two: what speaks against one speaks for the other.
    """

    names: NDArray[Any]
    weights: Vector
    classes: NDArray[Any]
    indices: NDArray[np.intp]
    two_classes: NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self.weights)

    def __iter__(self) -> Iterator[tuple[str, float]]:
        return iter(zip(self.names.tolist(), self.weights.tolist(), strict=True))

    def towards(self) -> list[str]:
        """Say for each weight which class it speaks for."""
        return [self._side(w, c) for w, c in zip(self.weights, self.classes.tolist(), strict=True)]

    def _side(self, weight: float, class_: Any) -> str:
        if weight > 0:
            return shown_label(class_)
        if self.two_classes is None:
            return f"not {shown_label(class_)}"
        first, second = self.two_classes.tolist()
        return shown_label(first if class_ == second else second)

    def __repr__(self) -> str:
        rows = zip(self.names, [f"{w:+.4g}" for w in self.weights], self.towards(), strict=True)
        return as_table(("feature", "weight", "for class"), "<><", list(rows))


@dataclass(frozen=True, repr=False, eq=False)
class HardestExamples:
    """Samples with large boosting weights; iterating gives pairs (index, p).

    Attributes
    ----------
    indices : ndarray of int
        The rows of X.
    labels, predicted : ndarray
        Their classes as given, and as predicted.
    margins : ndarray of float
    p : ndarray of float
        Their share of the boosting weight of all samples.
    """

    indices: NDArray[np.intp]
    labels: NDArray[Any]
    predicted: NDArray[Any]
    margins: Vector
    p: Vector

    def __len__(self) -> int:
        return len(self.p)

    def __iter__(self) -> Iterator[tuple[int, float]]:
        return iter(zip(self.indices.tolist(), self.p.tolist(), strict=True))

    def __repr__(self) -> str:
        columns = (self.indices, self.labels, self.predicted, self.margins, self.p)
        rows = [
            (str(j), shown_label(label), shown_label(predicted), f"{margin:+.4g}", f"{p:.2%}")
            for j, label, predicted, margin, p in zip(*columns, strict=True)
        ]
        return as_table(("sample", "label", "predicted", "margin", "p"), "><<>>", rows)


def as_table(headers: Sequence[str], aligns: str, rows: Sequence[Sequence[Any]]) -> str:
    """Set rows in columns, each aligned to the left (<) or right (>)."""
    cells = [headers, *([cut(str(cell)) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(f"{c:{a}{w}}" for c, a, w in zip(row, aligns, widths, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join([lines[0], "  ".join("-" * w for w in widths), *lines[1:]])


def cut(text: str) -> str:
    """Shorten what would make a table too wide, and show what would steer a terminal."""
    text = printable(text)
    if text != text.strip():  # spaces at the edges would not show
        text = f"'{text}'"
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
