"""The logistic function and its logarithm, in NumPy: SciPy's take a quarter of a second to import.

Their bits are SciPy's wherever NumPy and SciPy share one exponential function.
"""

from __future__ import annotations

import numpy as np

from .arrays import Vector

__all__ = ["expit", "log_expit", "softmax"]


def expit(z: Vector) -> Vector:
    """Return 1 / (1 + exp(-z))."""
    with np.errstate(over="ignore"):  # exp(800) is infinite, and its inverse 0, as it should be
        return np.asarray(1.0 / (1.0 + np.exp(-z)))


def log_expit(z: Vector) -> Vector:
    """Return log(expit(z)), also where expit(z) is too small to be a number."""
    return np.asarray(-np.logaddexp(0.0, -z))


def softmax(z: Vector, axis: int) -> Vector:
    """Return exp(z), scaled to sum 1 along an axis."""
    p = np.exp(z - z.max(axis=axis, keepdims=True))
    return np.asarray(p / p.sum(axis=axis, keepdims=True))
