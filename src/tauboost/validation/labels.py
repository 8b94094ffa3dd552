"""Checks of what comes with each sample: its label and its weight."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.arrays import Mask, Vector
from ..base.kinds import is_masked
from ..base.messages import shown
from .dask_data import refuse_dask
from .numbers import check_vector

__all__ = [
    "check_labels",
    "check_weights",
    "is_missing",
    "labels_of",
    "refuse_missing_labels",
    "scaled_weights",
]

# Weights in this range can be multiplied and summed without a thought. Others are scaled first.
SAFE_WEIGHTS = (1e-100, 1e100)
# A weight that is a smaller share of the largest would be lost, or its logarithm, on the way.
SMALLEST_SHARE = 1e-200


def check_labels(
    y: ArrayLike, n_samples: int, classes: NDArray[Any] | None = None
) -> tuple[Mask, NDArray[Any]]:
    """Return which rows are positive (the larger label), and the two labels in order.

    Where the two classes are known beforehand, one of them may be missing.
    """
    refuse_dask(y, "y")
    labels = labels_of(y)
    if labels.ndim != 1:
        raise ValueError(f"y must have one dimension, got {labels.ndim}")
    if len(labels) != n_samples:
        raise ValueError(f"y has {len(labels)} labels, but X has {n_samples} samples")
    refuse_missing_labels(np.ma.asarray(y) if is_masked(y) else labels)
    if classes is None:
        try:
            classes = _two_extremes(labels)
        except TypeError:
            raise TypeError("y must hold labels of one type that can be ordered") from None
    positive = np.asarray(labels == classes[1])
    if classes[0] == classes[1]:
        raise ValueError(f"y has one class only, {shown(classes[0])}: two are needed")
    if not np.all(positive | (labels == classes[0])):
        count = len(set(labels.tolist()))
        raise ValueError(f"y must have exactly two classes, got {count}")
    return positive, classes


def labels_of(y: Any) -> NDArray[Any]:
    """Return labels as an array; beside strings NumPy makes one of NaN, which is refused."""
    try:
        labels = np.asarray(y)
    except (TypeError, ValueError):
        raise ValueError("y must be a vector of labels, one for each sample") from None
    if labels.dtype.kind in "US" and isinstance(y, list | tuple):
        refuse_missing_labels(np.array(y, dtype=object))
    return labels


def refuse_missing_labels(labels: NDArray[Any]) -> None:
    """Refuse labels that are no labels: NaN, NaT, None, masked ones, and types without an order."""
    kind = labels.dtype.kind
    if kind in "cV":
        raise TypeError(
            f"y must hold labels that can be ordered, got values of type {labels.dtype}"
        )
    if kind == "f" and not np.all(np.isfinite(labels)):
        raise ValueError("y contains NaN or infinity")
    if kind in "mM" and np.isnat(labels).any():
        raise ValueError("y contains NaT: every sample needs a label")
    if kind == "O" and any(is_missing(label) for label in labels.ravel().tolist()):
        raise ValueError("y contains None or NaN: every sample needs a label")
    if is_masked(labels):
        raise ValueError("y is a masked array with missing labels: every sample needs one")


def is_missing(label: Any) -> bool:
    """Tell None, NaN, NaT and pandas' NA, none of which equals itself, from labels."""
    try:
        return label is None or not bool(label == label)  # noqa: PLR0124
    except (TypeError, ValueError):  # NA does not say
        return True


def _two_extremes(labels: NDArray[Any]) -> NDArray[Any]:
    if labels.dtype.kind in "biufmM":
        return np.array([labels.min(), labels.max()])
    ordered = sorted(set(labels.tolist()))
    return np.array([ordered[0], ordered[-1]], dtype=labels.dtype)


def check_weights(sample_weight: ArrayLike | None, n_samples: int) -> Vector:
    """Return the sample weights, as given, or a multiple of them (1 when none are given)."""
    if sample_weight is None:
        return np.ones(n_samples)
    weights = check_vector(sample_weight, n_samples, "sample_weight")
    if np.any(weights < 0):
        raise ValueError(f"sample_weight must not be negative, got {weights.min():g}")
    if not np.any(weights > 0):
        raise ValueError("sample_weight is zero for every sample: at least one must be positive")
    return scaled_weights(weights, "sample_weight")


def scaled_weights(weights: Vector, name: str) -> Vector:
    """Return nonnegative weights in a range in which their sum, and the least share, are numbers.

    Only their ratios count, so huge and tiny ones are scaled, by a power of two: no bit is lost.
    """
    largest = float(weights.max())
    smallest = float(weights.min(where=weights > 0, initial=largest))
    if smallest / largest < SMALLEST_SHARE:
        raise ValueError(
            f"{name} has weights from {smallest:g} to {largest:g}: the smallest must be at least "
            f"{SMALLEST_SHARE:g} of the largest, or 0 to leave a sample out"
        )
    if SAFE_WEIGHTS[0] <= largest <= SAFE_WEIGHTS[1]:
        return weights
    return np.asarray(np.ldexp(weights, -int(np.frexp(largest)[1])))
