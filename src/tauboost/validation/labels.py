"""Checks of what comes with each sample: its label and its weight."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.arrays import Mask, Vector, is_masked
from ..base.messages import shown
from .numbers import check_real, check_vector, refuse_dask

__all__ = [
    "check_groups",
    "check_labels",
    "check_weights",
    "class_weights",
    "encode_labels",
    "is_missing",
    "labels_of",
    "refuse_missing_labels",
    "scaled_weights",
    "with_class_weights",
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


# Labels as the numbers of their classes, and the weights that classes have.


MANY = 1000  # labels, a few of which tell the classes of all


def encode_labels(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the classes in order, and the number of each sample's class."""
    _refuse_no_classes(y)
    try:
        classes, codes = _guessed(y) or np.unique(y, return_inverse=True)
    except TypeError:
        raise TypeError("y must hold labels of one type that can be ordered") from None
    if len(classes) < 2:
        only = shown(classes[0])
        raise ValueError(f"y has one class only, {only}: at least two classes are needed")
    return classes, codes


def _guessed(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]] | None:
    """Do as np.unique does, without sorting: some of the numbers tell which there are."""
    if y.dtype.kind not in "biuf" or len(y) < MANY:
        return None
    classes = np.unique(y[:: len(y) // MANY])
    codes = np.searchsorted(classes[1:], y, side="right")
    return (classes, codes) if np.array_equal(classes[codes], y) else None


def _refuse_no_classes(y: NDArray[Any]) -> None:
    """Refuse what a regression would be fitted to, and objects of unknown kind."""
    wrong = y[:0]
    if y.dtype.kind == "f":
        wrong = y[(y != np.trunc(y)) | (np.abs(y) >= 2.0**63)]
    elif y.dtype.kind == "O" and len(y) and not isinstance(y[0], str):
        wrong = y[:1]
    if len(wrong):
        raise ValueError(
            f"Unknown label type: y holds {shown(wrong[0])}, and classes are whole numbers, "
            "booleans or strings"
        )


def with_class_weights(
    given: Any, classes: NDArray[Any], codes: NDArray[np.intp], weights: Vector
) -> Vector:
    """Return the weights of the samples times those of their classes."""
    if given is None:
        return weights
    totals = np.bincount(codes, weights, len(classes)).astype(np.float64)
    product = np.asarray(weights * class_weights(given, classes, totals)[codes])
    if not product.any():
        return product  # what that means, callers say
    return scaled_weights(product, "sample_weight times class_weight")


def class_weights(given: Any, classes: NDArray[Any], totals: Vector) -> Vector:
    """Return the weight of each class; ``totals`` are the sums of weights of their samples."""
    per_class = _class_weights(given, classes, totals)
    if not per_class.any():
        raise ValueError("class_weight is zero for every class: at least one must be positive")
    return scaled_weights(per_class, "class_weight")


def _class_weights(given: Any, classes: NDArray[Any], totals: Vector) -> Vector:
    if isinstance(given, str):
        if given != "balanced":
            raise ValueError(f"class_weight must be a dict, 'balanced' or None, got {shown(given)}")
        return np.asarray(totals.sum() / (len(classes) * np.maximum(totals, 1e-300)))
    if not isinstance(given, dict):
        raise TypeError(f"class_weight must be a dict, 'balanced' or None, got {shown(given)}")
    unknown = sorted(set(given) - set(classes.tolist()), key=str)
    if unknown:
        raise ValueError(f"class_weight names classes that are not in y: {shown(unknown)}")
    most = float(np.finfo(np.float64).max)
    weights_of = [given.get(label, 1.0) for label in classes.tolist()]
    return np.array([check_real(w, "class_weight", least=0.0, most=most) for w in weights_of])


# Check of the groups of samples that folds keep together.


def check_groups(groups: ArrayLike | None, n_samples: int) -> NDArray[np.intp] | None:
    """Return the number of each sample's group; None: no groups are given."""
    if groups is None:
        return None
    found: NDArray[Any] = np.asarray(groups)
    if found.ndim != 1 or len(found) != n_samples:
        raise ValueError(
            f"groups must be a vector with an entry for each of the {n_samples} samples, "
            f"got shape {found.shape}"
        )
    try:
        different, numbers = np.unique(found, return_inverse=True)
    except TypeError:
        raise TypeError("groups must be of one type that can be ordered") from None
    if different.dtype.kind == "f" and np.isnan(different).any():
        raise ValueError("groups has missing values: give every sample a group")
    if len(different) < 2:
        raise ValueError(f"groups has one group only, {shown(found[0])}: at least two are needed")
    return np.asarray(numbers)
