"""The two losses, as functions of the residuals r = A lam: value, and row weights.

The gradient of either is A^T w / total. Exponential (AdaBoost): F = log sum_j c_j exp(r_j), with
w_j = c_j exp(r_j - shift) and total their sum. Logistic: F = sum_j c_j log(1 + exp(r_j)), with
w_j = c_j / (1 + exp(-r_j)) and total 1. Nothing here can overflow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .base.arrays import Vector
from .base.sigmoid import expit

__all__ = ["LOSSES", "Weights"]


@dataclass(frozen=True)
class Weights:
    """The loss at some residuals: its value, and the row weights its gradient is made of."""

    value: float
    w: Vector
    total: float


def exponential(r: Vector, c: Vector, c_total: float) -> Weights:
    """Evaluate log sum_j c_j exp(r_j): the one log-sum-exp of the package.

    ``c_total`` is c.sum(), 1 but for rounding: dividing by it makes F(0) exactly 0.
    """
    shift = float(r.max())
    w = np.subtract(r, shift)
    np.exp(w, out=w)
    w *= c
    total = float(w.sum())
    return Weights(shift + math.log(total / c_total), w, total)


def logistic(r: Vector, c: Vector, c_total: float) -> Weights:  # noqa: ARG001
    """Evaluate sum_j c_j log(1 + exp(r_j))."""
    value = float(np.sum(c * np.logaddexp(0.0, r)))
    return Weights(value, np.asarray(c * expit(r)), 1.0)


LOSSES: dict[str, Callable[[Vector, Vector, float], Weights]] = {
    "exponential": exponential,
    "logistic": logistic,
}
