"""From decision values to probabilities: a link fitted on held-out samples.

Two classes, a sigmoid (Platt 1999):

    p = 1 / (1 + exp(-(slope H + offset)))

Minimised by Newton's method on the log-loss of the held-out samples, whose targets are pulled a
little towards one half, as Platt does, so that separable samples have an optimum too.

Several classes, one slope for all and no offset (a temperature). A sigmoid for each, which looks at
one class against the rest, knows nothing of the scaling to sum 1 that comes after it, and has two
numbers to learn from the few samples of one class: both made small sets worse than they were. The
logarithm of the slope has a normal prior around that of the natural link, worth a few samples.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.sigmoid import expit, softplus
from ..losses import Loss

__all__ = ["fit_link"]

# Of the logarithm of the slope of several classes.
PRIOR_DEVIATION, WIDEST = 0.25, 3.0
GOLDEN = (5**0.5 - 1) / 2


def fit_link(
    decisions: Vector, codes: NDArray[np.intp], copies: Vector, loss: Loss
) -> tuple[float, float]:
    """Return the slope and the offset of all columns of decisions.

    ``copies`` is how many samples each of these stands for.
    """
    if decisions.shape[1] == 1:
        return fit_sigmoid(decisions[:, 0], codes == 1, copies, loss.link_slope)
    return loss.link_slope * fit_scale(decisions, codes, copies, loss), 0.0


def fit_scale(decisions: Vector, codes: NDArray[np.intp], copies: Vector, loss: Loss) -> float:
    """Return what several classes' decision values are to be multiplied by."""

    def cost(t: float) -> float:
        prior = 0.5 * (t / PRIOR_DEVIATION) ** 2
        return loss.log_loss(np.exp(t) * decisions, codes, copies) + prior

    # Golden section, to four digits.
    low, high = -WIDEST, WIDEST
    while high - low > 1e-4:
        step = GOLDEN * (high - low)
        low, high = (
            (low, low + step) if cost(high - step) < cost(low + step) else (high - step, high)
        )
    return float(np.exp(0.5 * (low + high)))


def fit_sigmoid(
    H: Vector, is_positive: NDArray[np.bool_], copies: Vector, natural: float
) -> tuple[float, float]:
    """Return slope and offset; the natural link where nothing better is found."""
    n_pos, n_neg = float(copies[is_positive].sum()), float(copies[~is_positive].sum())
    target = np.where(is_positive, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))
    c = copies / copies.sum()
    point = np.array([natural, 0.0])

    def loss(at: Vector) -> float:
        z = at[0] * H + at[1]
        return float(c @ (softplus(z) - target * z))

    value = loss(point)
    for _ in range(100):
        p = expit(point[0] * H + point[1])
        g = c * (p - target)
        gradient = np.array([g @ H, g.sum()])
        h = c * p * (1.0 - p)
        cross = h @ H
        hessian = np.array([[h @ (H * H), cross], [cross, h.sum()]])
        hessian += 1e-12 * np.trace(hessian) * np.eye(2) + 1e-300 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        length = 1.0
        while length > 1e-6 and not loss(point - length * step) <= value:
            length /= 2
        if length <= 1e-6:
            break
        point = point - length * step
        before, value = value, loss(point)
        if before - value < 1e-10:
            break
    slope, offset = float(point[0]), float(point[1])
    # A falling link would turn predictions around: better the plain one.
    return (slope, offset) if slope > 0 else (natural, 0.0)
