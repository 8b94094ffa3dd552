"""What rows contribute to a step in the span of a few directions (exact.py), and to a bound.

A direction has an entry for each row: by how much its residual moves. They are the steps that a
fit took last, which rows know from their weights, and the intercept.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Vector, expit, log, softplus, softplus_and_expit

__all__ = ["N_DIRECTIONS", "N_OLDER", "N_SUMS", "Directions", "conjugate_sum", "exact_weights"]


N_OLDER = 2  # steps that are remembered beside the last one
N_DIRECTIONS = N_OLDER + 2
N_SUMS = 1 + N_DIRECTIONS + N_DIRECTIONS * (N_DIRECTIONS + 1) // 2
# Smaller or larger E have lost digits, and with them their residuals.
LEAST, MOST_RESIDUAL = 1e-290, 1e290


class Directions:
    """The last step of some rows, those before it, and the intercept: (directions, rows)."""

    def __init__(self, E: Vector, y: Vector) -> None:
        self.is_known = _are_numbers(E)
        self.now = self.point = log(E)  # where the rows are, and where the last step began
        self.along = np.zeros((N_DIRECTIONS, len(y)))
        self.along[-1] = y

    def update(self, E: Vector) -> None:
        """Record where the rows are now, after a sweep."""
        self.is_known = self.is_known and _are_numbers(E)
        if not self.is_known:
            return
        self.now = log(E)
        np.subtract(self.now, self.point, out=self.along[0])

    def sums(self, steps: Vector, c: Vector | None, n_threads: int) -> Vector:
        """Sum F, its gradient and the lower half of its Hessian, after steps along the directions.

        Without ``c`` the loss is the exponential one: sums of E, not yet divided by their total.
        They are no numbers where directions are none.
        """
        found = np.full(N_SUMS, np.nan)
        if not self.is_known:
            return found
        _core.span_sums(self.now, self.along.reshape(-1), c, steps, found, n_threads)
        return found

    def take(self, steps: Vector, n_threads: int) -> Vector:
        """Go on from there; returns by what E is to be multiplied."""
        r, along = np.empty_like(self.now), self.along
        _core.span_go(self.now, along.reshape(-1), steps, r, n_threads)
        along[2:-1] = along[1:-2]
        np.subtract(r, self.point, out=along[1])
        self.point, growth = r, r - self.now
        return np.asarray(np.exp(growth, out=growth))


def _are_numbers(E: Vector) -> bool:
    return len(E) == 0 or bool(E.min() > LEAST and E.max() < MOST_RESIDUAL)


def exact_weights(
    r: Vector, c: Vector, is_up: NDArray[np.bool_], has_odds: bool
) -> tuple[Vector, Vector]:
    """Return row weights, and the sums that a bound is made of: five for either loss.

    Logistic: F, the weight of both classes, and F* of the weights of each class by itself.
    Exponential: 0, the weight of both classes, and the sum of r by weight in each.
    """
    if has_odds:
        losses, p = softplus_and_expit(r)
        u = c * p
        first, value = c * (r * p - losses), (c * losses).sum()
    else:
        u = c * np.exp(np.clip(r, -700.0, 700.0))
        first, value = u * r, 0.0
    sums = [value, u[is_up].sum(), u[~is_up].sum(), first[is_up].sum(), first[~is_up].sum()]
    return u, np.array(sums)


def conjugate_sum(r: Vector, c: Vector, scale: Vector) -> float:
    """Return F* of the logistic loss at the weights of these residuals, times ``scale`` <= 1.

    With q = scale expit(r) it is the sum of c (q log q + (1 - q) log(1 - q)).
    """
    q, rest = scale * expit(r), (1.0 - scale) + scale * expit(-r)
    log_q = np.log(scale) - softplus(-r)
    with np.errstate(divide="ignore", invalid="ignore"):
        other = np.where(rest > 0.0, rest * np.log(rest), 0.0)
    return float((c * (q * log_q + other)).sum())
