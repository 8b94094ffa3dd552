"""The strength of an l1 penalty from which on every coefficient is 0."""

from __future__ import annotations

import numpy as np

from .. import _core
from ..design.sparse import decisions
from ..losses import LOSSES
from .samples import Samples

__all__ = ["best_intercept", "largest_gradient"]


def largest_gradient(samples: Samples, loss: str) -> float:
    """Return the largest gradient of a feature at 0, the intercept at its best.

    An l1 penalty from there on leaves every coefficient 0.
    """
    order = samples.order
    c = samples.weights[order] / samples.weights.sum()
    codes = samples.codes[order]
    columns = np.arange(samples.arrays.shape[1], dtype=np.int32)
    neg, pos = np.empty(len(columns)), np.empty(len(columns))
    largest = 0.0
    for task in range(samples.n_tasks):
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
        largest = max(largest, float(np.abs(pos - neg).max()))
    return largest


def best_intercept(loss: str, share: float) -> float:
    """Return the intercept that is best by itself where this share of the weight is positive."""
    return float(np.log(share / (1.0 - share)) / LOSSES[loss].link_slope)
