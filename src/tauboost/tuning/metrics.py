"""How good predictions are: AUC, accuracy and log-loss on samples with known labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.messages import shown
from ..losses import LOSSES, likeliest
from ..models import FittedModel

__all__ = ["codes_of", "in_words", "metrics"]


def metrics(
    model: FittedModel, decisions: Vector, y: NDArray[Any]
) -> dict[str, float | int | None]:
    """Compare the decision values of a model with the true labels.

    AUC is for two classes, and None where only one of them occurs.
    """
    codes = codes_of(model.classes, y)
    columns = decisions.reshape(len(y), -1)
    is_binary = columns.shape[1] == 1
    weights = np.full(len(y), 1.0 / len(y))
    return {
        "n_samples": len(y),
        "auc": area_under_curve(columns[:, 0], codes == 1) if is_binary else None,
        "accuracy": float(np.mean(likeliest(columns) == codes)),
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


def codes_of(classes: NDArray[Any], y: NDArray[Any]) -> NDArray[np.intp]:
    """Return the number of each label's class."""
    if classes.dtype.kind in "biuf" and y.dtype.kind in "biuf":
        codes = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
        unknown = y[classes[codes] != y]
    else:
        number_of = {label: number for number, label in enumerate(classes.tolist())}
        codes = np.array([number_of.get(label, -1) for label in y.tolist()], dtype=np.intp)
        unknown = y[codes < 0]
    if len(unknown):
        known = ", ".join(_word(label) for label in classes[:10].tolist())
        label = _word(unknown[:1].tolist()[0])
        raise ValueError(f"the label {label} is none of the model's: {known}")
    return codes


def _word(label: Any) -> str:
    return f"{label:g}" if type(label) is float else shown(label)
