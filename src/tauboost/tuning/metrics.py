"""How good predictions are: AUC, accuracy and log-loss on samples with known labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.messages import shown
from ..losses import LOSSES
from .model import Model

__all__ = ["in_words", "metrics"]


def metrics(model: Model, decisions: Vector, y: NDArray[Any]) -> dict[str, float | int | None]:
    """Compare the decision values of a model with the true labels.

    AUC is for two classes, and None where only one of them occurs.
    """
    codes = _codes(model.classes, y)
    columns = decisions.reshape(len(y), -1)
    is_binary = columns.shape[1] == 1
    predicted = columns[:, 0] > 0 if is_binary else columns.argmax(axis=1)
    weights = np.full(len(y), 1.0 / len(y))
    return {
        "n_samples": len(y),
        "auc": area_under_curve(columns[:, 0], codes == 1) if is_binary else None,
        "accuracy": float(np.mean(predicted == codes)),
        "log_loss": LOSSES[model.loss].log_loss(columns, codes, weights),
    }


def in_words(scores: dict[str, Any]) -> str:
    """Say how good predictions are."""
    auc = "" if scores["auc"] is None else f"AUC {scores['auc']:.5f}, "
    return (
        f"{auc}accuracy {scores['accuracy']:.3%}, log-loss {scores['log_loss']:.5f} "
        f"({scores['n_samples']:,} samples)"
    )


def area_under_curve(decisions: Vector, is_positive: NDArray[np.bool_]) -> float | None:
    """Probability that a positive sample has a larger value than a negative one; ties are half."""
    n_pos = int(np.count_nonzero(is_positive))
    n_neg = len(is_positive) - n_pos
    if n_pos == 0 or n_neg == 0:
        return None
    _, places, counts = np.unique(decisions, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]  # equal ones share their mean rank
    return float((ranks[is_positive].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg))


def _codes(classes: NDArray[Any], y: NDArray[Any]) -> NDArray[np.intp]:
    if classes.dtype.kind not in "biuf":
        raise ValueError(f"the labels of the model, such as {shown(classes[0])}, are not numbers")
    codes = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    unknown = y[classes[codes] != y]
    if len(unknown):
        known = ", ".join(f"{label:g}" for label in classes[:10])
        raise ValueError(f"the label {unknown[0]:g} is none of the model's: {known}")
    return codes
