"""Labels as the numbers of their classes, and the weights that classes have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from ..base.arrays import Vector
from ..base.messages import shown
from ..validation import check_real
from ..validation.labels import scaled_weights

__all__ = ["encode_labels", "with_class_weights"]


def encode_labels(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the classes in order, and the number of each sample's class."""
    try:
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError:
        raise TypeError("y must hold labels of one type that can be ordered") from None
    if len(classes) < 2:
        only = shown(classes[0])
        raise ValueError(f"y has one class only, {only}: at least two classes are needed")
    return classes, codes


def with_class_weights(
    given: Any, classes: NDArray[Any], codes: NDArray[np.intp], weights: Vector
) -> Vector:
    """Return the weights of the samples times those of their classes."""
    if given is None:
        return weights
    per_class = _class_weights(given, classes, codes, weights)
    if not per_class.any():
        raise ValueError("class_weight is zero for every class: at least one must be positive")
    product = weights * scaled_weights(per_class, "class_weight")[codes]
    if not product.any():
        return product  # what that means, callers say
    return scaled_weights(product, "sample_weight times class_weight")


def _class_weights(
    given: Any, classes: NDArray[Any], codes: NDArray[np.intp], weights: Vector
) -> Vector:
    """Return the weight of each class."""
    if isinstance(given, str):
        if given != "balanced":
            raise ValueError(f"class_weight must be a dict, 'balanced' or None, got {shown(given)}")
        totals = np.bincount(codes, weights, len(classes))
        return np.asarray(totals.sum() / (len(classes) * np.maximum(totals, 1e-300)))
    if not isinstance(given, dict):
        raise TypeError(f"class_weight must be a dict, 'balanced' or None, got {shown(given)}")
    unknown = sorted(set(given) - set(classes.tolist()), key=str)
    if unknown:
        raise ValueError(f"class_weight names classes that are not in y: {shown(unknown)}")
    most = float(np.finfo(np.float64).max)
    weights_of = [given.get(label, 1.0) for label in classes.tolist()]
    return np.array([check_real(w, "class_weight", least=0.0, most=most) for w in weights_of])
