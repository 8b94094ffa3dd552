"""The logistic function and its relatives, of arrays: many numbers at a time, in the core.

NumPy calls a function for each of them, and SciPy's take a quarter of a second to import. Within
four units in the last place of the true values, and the same bits on all machines.
"""

from __future__ import annotations

import numpy as np

from .. import _core
from .arrays import Vector

__all__ = ["expit", "log", "log_expit", "softmax", "softplus", "softplus_and_expit"]


def softplus_and_expit(z: Vector) -> tuple[Vector, Vector]:
    """Return log(1 + exp(z)) and its derivative, expit(z), for little more than one of them."""
    flat = np.ravel(z)
    values, slopes = np.empty(flat.size), np.empty(flat.size)
    _core.logistic(flat, values, slopes)
    return values.reshape(np.shape(z)), slopes.reshape(np.shape(z))


def softplus(z: Vector) -> Vector:
    """Return log(1 + exp(z))."""
    flat = np.ravel(z)
    values = np.empty(flat.size)
    _core.logistic(flat, values, None)
    return values.reshape(np.shape(z))


def expit(z: Vector) -> Vector:
    """Return 1 / (1 + exp(-z))."""
    flat = np.ravel(z)
    slopes = np.empty(flat.size)
    _core.logistic(flat, None, slopes)
    return slopes.reshape(np.shape(z))


def log_expit(z: Vector) -> Vector:
    """Return log(expit(z)), also where expit(z) is too small to be a number."""
    return -softplus(-z)


def log(x: Vector) -> Vector:
    """Return log(x)."""
    flat = np.ravel(x)
    logs = np.empty(flat.size)
    _core.logarithms(flat, logs)
    return logs.reshape(np.shape(x))


def softmax(z: Vector, axis: int) -> Vector:
    """Return exp(z), scaled to sum 1 along an axis."""
    p = np.exp(z - z.max(axis=axis, keepdims=True))
    return np.asarray(p / p.sum(axis=axis, keepdims=True))
