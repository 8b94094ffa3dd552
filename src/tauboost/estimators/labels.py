"""Labels as the numbers of their classes, and the weights that classes have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from ..arrays import Vector
from ..validation import check_real

__all__ = ["class_weights", "encode_labels"]


def encode_labels(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the classes in order, and the number of each sample's class."""
    try:
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError:
        raise TypeError("y must hold labels of one type that can be ordered") from None
    if len(classes) < 2:
        raise ValueError(f"y has one class only, {classes[0]!r}: at least two classes are needed")
    return classes, codes


def class_weights(
    given: Any, classes: NDArray[Any], codes: NDArray[np.intp], weights: Vector
) -> Vector:
    """Return the weight that each sample has from its class."""
    if given is None:
        return np.ones(len(codes))
    if isinstance(given, str):
        if given != "balanced":
            raise ValueError(f"class_weight must be a dict, 'balanced' or None, got {given!r}")
        totals = np.bincount(codes, weights, len(classes))
        per_class = totals.sum() / (len(classes) * np.maximum(totals, 1e-300))
    elif isinstance(given, dict):
        unknown = set(given) - set(classes.tolist())
        if unknown:
            raise ValueError(f"class_weight names classes that are not in y: {sorted(unknown)}")
        per_class = np.array(
            [check_real(given.get(c, 1.0), "class_weight", least=0.0) for c in classes.tolist()]
        )
    else:
        raise TypeError(f"class_weight must be a dict, 'balanced' or None, got {given!r}")
    return np.asarray(per_class[codes])
