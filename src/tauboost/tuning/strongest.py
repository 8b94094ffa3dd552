"""The scales of alpha: that of an l2 penalty, and from where on an l1 penalty leaves nothing."""

from __future__ import annotations

import numpy as np

from .. import _core
from ..base.arrays import Vector
from ..design.sparse import decisions, flipped
from ..losses import LOSSES
from ..penalty import Factors
from .samples import Samples

__all__ = ["best_intercept", "intercepts_at_best", "largest_gradient", "unit_of_l2"]


def unit_of_l2(samples: Samples, factors: list[Factors | None]) -> float:
    """Return the mean squared length of a sample over their number, columns by their factors."""
    of_tasks = [None if own is None else own[1] for own in factors]
    if all(own is None for own in of_tasks):
        return samples.unit_of_l2
    squares = samples.squares()
    return float(np.mean([over(squares, own).sum() for own in of_tasks]) / samples.copies.sum())


def over(values: Vector, factors: Vector | None) -> Vector:
    """Return values over factors, and 0 for columns that have no penalty."""
    if factors is None:
        return values
    return np.divide(values, factors, out=np.zeros_like(values), where=factors > 0)


def largest_gradient(samples: Samples, loss: str, factors: list[Factors | None]) -> float:
    """Return the largest gradient of a feature at 0 over its factor, the intercept at its best.

    An l1 penalty from there on leaves every coefficient 0.
    """
    order = samples.order
    c = samples.weights[order] / samples.weights.sum()
    codes = samples.codes[order]
    columns = np.arange(samples.design.n_penalised, dtype=np.int32)
    neg, pos = np.empty(len(columns)), np.empty(len(columns))
    largest = 0.0
    for task, own in enumerate(factors):
        is_positive = samples.is_positive(task, codes)
        r = np.zeros(samples.n)
        if samples.fit_intercept:
            intercept = best_intercept(loss, float(c @ is_positive))
            r = decisions(np.full(samples.n, intercept), is_positive)
        weights = LOSSES[loss].weigh(r, c, 1.0)
        w = weights.w / weights.total
        if not samples.is_binary:
            w = np.where(is_positive, w, -w)
        _core.gather_columns(samples.matrix, w, columns, neg, pos, samples.n_threads)
        slopes = over(np.abs(pos - neg), None if own is None else own[0])
        largest = max(largest, float(slopes.max(initial=0.0)))
    return largest


def intercepts_at_best(samples: Samples, loss: str, shares: list[float]) -> Vector | None:
    """Return a point for each of some fits, (n, fits); None: 0, as there is no intercept.

    Coefficients are 0, and the intercepts are best where these shares of the weight are positive:
    where psi is strong, nothing else moves.
    """
    if not samples.fit_intercept:
        return None
    start = np.zeros((samples.matrix.n, len(shares)))
    start[-1] = flipped(np.array([best_intercept(loss, share) for share in shares]))
    return start


def best_intercept(loss: str, share: float) -> float:
    """Return the intercept that is best by itself where this share of the weight is positive."""
    return float(np.log(share / (1.0 - share)) / LOSSES[loss].link_slope)
