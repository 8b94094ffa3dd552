"""The terms of a text model that speak most for each class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.kinds import is_sparse
from .text_model import TextModel

__all__ = ["TopTerm", "top_terms"]


class TopTerm(NamedTuple):
    """A term, or the number of a hash, and how much it speaks for a class."""

    term: str
    weight: float
    column: int


def top_terms(model: TextModel, k: int) -> list[list[TopTerm]]:
    """Return for each class the k terms with the largest weights above 0, the largest first."""
    found = []
    for code in range(len(model.classes)):
        weights = _weights(model, code)
        best = [int(i) for i in _largest(weights, k) if weights[i] > 0]
        found.append([TopTerm(_name(model, i), float(weights[i]), i) for i in best])
    return found


def _largest(values: Vector, k: int) -> NDArray[np.intp]:
    """Return the places of the k largest values, the largest first; the first of equal ones."""
    if k < len(values):
        least = np.partition(values, len(values) - k)[len(values) - k]
        places = np.flatnonzero(values >= least)  # not many more than k: all are never sorted
    else:
        places = np.arange(len(values))
    return places[np.argsort(-values[places], kind="stable")[:k]]


def _weights(model: TextModel, code: int) -> Vector:
    task, sign = (code, 1.0) if model.n_tasks > 1 else (0, 1.0 if code == 1 else -1.0)
    row = model.model.coef[[task]]
    return sign * np.asarray(row.toarray() if is_sparse(row) else row).ravel()


def _name(model: TextModel, column: int) -> str:
    features = model.features
    if features.terms is not None:
        return features.terms[column]
    return f"hash {column if features.kept is None else features.kept[column]}"
