"""From decision values to probabilities: a sigmoid fitted on held-out samples (Platt 1999).

    p = 1 / (1 + exp(-(slope H + offset)))

Minimised by Newton's method on the log-loss of the held-out samples, whose targets are pulled a
little towards one half, as Platt does, so that separable samples have an optimum too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.sigmoid import expit, softplus

__all__ = ["fit_sigmoids"]


def fit_sigmoids(
    decisions: Vector, codes: NDArray[np.intp], weights: Vector, natural: float
) -> tuple[Vector, Vector]:
    """Return slope and offset of each column of decisions: one for two classes, else one each."""
    n_tasks = decisions.shape[1]
    pairs = [
        fit_sigmoid(decisions[:, t], codes == (1 if n_tasks == 1 else t), weights, natural)
        for t in range(n_tasks)
    ]
    return np.array([slope for slope, _ in pairs]), np.array([offset for _, offset in pairs])


def fit_sigmoid(
    H: Vector, is_positive: NDArray[np.bool_], weights: Vector, natural: float
) -> tuple[float, float]:
    """Return slope and offset; the natural link where nothing better is found."""
    n_pos, n_neg = int(is_positive.sum()), int((~is_positive).sum())
    target = np.where(is_positive, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))
    c = weights / weights.sum()
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
