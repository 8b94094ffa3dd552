"""Labels as the numbers of their classes, and the weights that classes have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.messages import shown
from .labels import scaled_weights
from .numbers import check_real

__all__ = ["class_weights", "encode_labels", "with_class_weights"]

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
