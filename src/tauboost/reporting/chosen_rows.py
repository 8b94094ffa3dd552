"""Which rows are worth a look: the most surprising, the hardest, and those that contradict."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector

__all__ = ["Contradictions", "contradictions", "hardest", "most_surprising"]


def most_surprising(
    probabilities: Vector, codes: NDArray[np.intp], prints: NDArray[np.uint64], most: int
) -> list[int]:
    """Return rows that are said to be of another class, those of the least probability first."""
    own = probabilities[np.arange(len(codes)), codes]
    wrong = np.flatnonzero(probabilities.argmax(axis=1) != codes)
    return _different(wrong[np.argsort(own[wrong], kind="stable")], prints, most)


def hardest(probabilities: Vector, prints: NDArray[np.uint64], most: int) -> list[int]:
    """Return the rows of which the two likeliest classes are closest."""
    best = np.partition(probabilities, -2, axis=1)[:, -2:]
    return _different(np.argsort(best[:, 1] - best[:, 0], kind="stable"), prints, most)


def _different(rows: NDArray[np.intp], prints: NDArray[np.uint64], most: int) -> list[int]:
    """Return the first rows, of equal ones one."""
    found: dict[int, int] = {}
    for row in rows.tolist():
        if len(found) == most:
            break
        found.setdefault(int(prints[row]), row)
    return list(found.values())


class Contradictions(NamedTuple):
    """Rows that are the same to the model and have different labels."""

    n_rows: int  # that have such a twin
    n_errors: int  # that any model of these columns must make
    groups: list[list[int]]  # some of them, the largest first


def contradictions(
    prints: NDArray[np.uint64], codes: NDArray[np.intp], most: int = 5
) -> Contradictions:
    """Find rows that no model which sees no more of them can all get right."""
    _, kind, sizes = np.unique(prints, return_inverse=True, return_counts=True)
    kind = kind.ravel()
    n_classes = int(codes.max()) + 1
    cells, counts = np.unique(kind * n_classes + codes, return_counts=True)
    largest = np.zeros(len(sizes), dtype=np.intp)
    np.maximum.at(largest, cells // n_classes, counts)
    mixed = np.flatnonzero(largest < sizes)
    order = mixed[np.argsort(-sizes[mixed], kind="stable")][:most]
    groups = [np.flatnonzero(kind == k).tolist() for k in order]
    return Contradictions(int(sizes[mixed].sum()), int((sizes - largest)[mixed].sum()), groups)
