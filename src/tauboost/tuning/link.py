"""What decision values mean: the probabilities of the classes, and the log-loss of those."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.sigmoid import expit, log_expit, softmax

__all__ = ["LINK_SLOPES", "log_loss", "probabilities"]

# p = 1 / (1 + exp(-slope H)): what each loss's minimiser means.
LINK_SLOPES = {"logistic": 1.0, "exponential": 2.0}


def probabilities(decisions: Vector, slope: float) -> Vector:
    """Return the probability of each class, (samples, classes), from decision values.

    One column of decisions means two classes; else every class has its own, and the probabilities
    are scaled to sum 1.
    """
    z = slope * decisions
    if z.shape[1] == 1:
        return np.hstack([expit(-z), expit(z)])
    # p / p.sum(), in logarithms: where every p is tiny, 0/0 would be left.
    return np.asarray(softmax(log_expit(z), axis=1))


def log_loss(decisions: Vector, codes: NDArray[np.intp], weights: Vector, slope: float) -> float:
    """Mean of -log(probability of the true class), by weight."""
    if decisions.shape[1] == 1:
        margin = np.where(codes == 1, decisions[:, 0], -decisions[:, 0])
        return float(np.sum(weights * np.logaddexp(0.0, -slope * margin)))
    p = probabilities(decisions, slope)
    true = p[np.arange(len(codes)), codes]
    return -float(np.sum(weights * np.log(np.maximum(true, 1e-300))))
