"""The terms of a text model that speak most for each class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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
        task, sign = (code, 1.0) if model.n_tasks > 1 else (0, 1.0 if code == 1 else -1.0)
        weights = sign * model.model.coef[task]
        best = [int(i) for i in np.argsort(-weights, kind="stable")[:k] if weights[i] > 0]
        found.append([TopTerm(_name(model, i), float(weights[i]), i) for i in best])
    return found


def _name(model: TextModel, column: int) -> str:
    features = model.features
    if features.terms is not None:
        return features.terms[column]
    return f"hash {column if features.kept is None else features.kept[column]}"
