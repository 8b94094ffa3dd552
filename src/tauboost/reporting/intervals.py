"""Confidence intervals of 95 % of what a report measures.

Shares have Wilson's interval, the area under the ROC curve DeLong's (on the scale of log-odds, so
that it stays within 0 and 1), means that of their standard error, and curves a Poisson bootstrap
whose seed is fixed. All of them are the same for the same rows, in any order.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Mask, Vector

__all__ = ["Curves", "Estimate", "area", "curves", "mean_of", "mean_share", "share", "wilson"]


LEVEL = 0.95
REACH = 1.959963984540054  # standard deviations to either side of a normal variable
MOST_CUTS = 500  # thresholds along a curve
DRAWS = 400
POINTS = np.linspace(0.0, 1.0, 101)  # where the confidence intervals of curves are


class Estimate(NamedTuple):
    """A number and its band."""

    value: float
    low: float
    high: float


def wilson(hits: Vector, of: Vector) -> tuple[Vector, Vector]:
    """Return Wilson's interval of shares; of nothing it is from 0 to 1."""
    n = np.asarray(of, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.asarray(hits, dtype=np.float64) / n
        middle = (p + REACH**2 / (2 * n)) / (1 + REACH**2 / n)
        half = REACH * np.sqrt(p * (1 - p) / n + REACH**2 / (4 * n * n)) / (1 + REACH**2 / n)
    # At the ends exactly, where rounding would stop short; of nothing, both.
    low = np.where(hits <= 0.0 * n, 0.0, np.clip(middle - half, 0.0, 1.0))
    return low, np.where(hits >= n, 1.0, np.clip(middle + half, 0.0, 1.0))


def share(hits: float, of: float) -> Estimate:
    """Return a share with its band; NaN where it is of nothing."""
    low, high = wilson(np.array([hits]), np.array([of]))
    value = hits / of if of else math.nan
    return Estimate(value, float(low[0]), float(high[0]))


def mean_share(hits: Vector, of: Vector) -> Estimate:
    """Return the mean of shares of other rows each; its band is made of theirs (Zou and Donner)."""
    shares = np.asarray(hits) / of
    low, high = wilson(hits, of)
    mean, n = float(shares.mean()), len(shares)
    below, above = float(np.linalg.norm(shares - low)), float(np.linalg.norm(high - shares))
    return Estimate(mean, max(mean - below / n, 0.0), min(mean + above / n, 1.0))


def mean_of(values: Vector) -> Estimate:
    """Return a mean with its band."""
    mean = float(values.mean())
    half = REACH * float(values.std()) / math.sqrt(max(len(values) - 1, 1))
    return Estimate(mean, mean - half, mean + half)


def area(decisions: Vector, is_positive: Mask) -> Estimate | None:
    """Return the area under the ROC curve with DeLong's band; None where one class is absent."""
    positive, negative = decisions[is_positive], decisions[~is_positive]
    n_pos, n_neg = len(positive), len(negative)
    if n_pos == 0 or n_neg == 0:
        return None
    ranks = _midranks(decisions)
    above = (ranks[is_positive] - _midranks(positive)) / n_neg  # of each positive: the share below
    below = 1.0 - (ranks[~is_positive] - _midranks(negative)) / n_pos
    value = float(above.mean())
    variance = above.var() / max(n_pos - 1, 1) + below.var() / max(n_neg - 1, 1)
    if not 0.0 < value < 1.0 or not variance > 0:
        # All pairs are in order, or none: as sure as this number of single rows makes it.
        few = min(n_pos, n_neg)
        return Estimate(value, *share(round(value * few), few)[1:])
    half = REACH * math.sqrt(variance) / (value * (1.0 - value))
    odds = math.log(value / (1.0 - value))
    return Estimate(value, _expit(odds - half), _expit(odds + half))


def _expit(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x > -700 else 0.0


def _midranks(values: Vector) -> Vector:
    """Return ranks from 1 on; equal values share their mean."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[places])


class Curves(NamedTuple):
    """ROC and precision-recall from the strictest threshold on, and intervals at POINTS."""

    false_rate: Vector
    true_rate: Vector
    precision: Vector  # at the true_rate, which is the recall
    roc_low: Vector
    roc_high: Vector
    precision_low: Vector
    precision_high: Vector
    average_precision: Estimate


def curves(decisions: Vector, is_positive: Mask) -> Curves:
    """Return both curves of rows of which some, and not all, are positive."""
    hits, misses = _counted(decisions, is_positive)
    true, false = np.cumsum(hits), np.cumsum(misses)
    found = _average_precision(hits[None], misses[None])[0]
    # Each row is drawn a Poisson number of times: of c rows, that is Poisson(c) in all.
    random = np.random.default_rng(0)
    drawn = random.poisson(np.broadcast_to(hits, (DRAWS, len(hits)))).astype(np.float64)
    other = random.poisson(np.broadcast_to(misses, (DRAWS, len(hits)))).astype(np.float64)
    usable = (drawn.sum(axis=1) > 0) & (other.sum(axis=1) > 0)
    drawn, other = drawn[usable], other[usable]
    roc, precision = _at_points(drawn, other)
    ends = (
        _quantiles(_average_precision(drawn, other)[:, None])[:, 0] if len(drawn) else [found] * 2
    )
    exact = _average_precision(*(a[None] for a in _counted(decisions, is_positive, None)))[0]
    shift = exact - found  # the curve has fewer thresholds than rows
    low, high = np.clip(np.array(ends) + shift, 0.0, 1.0)
    (roc_low, roc_high), (precision_low, precision_high) = _quantiles(roc), _quantiles(precision)
    return Curves(
        np.concatenate([[0.0], false / false[-1]]),
        np.concatenate([[0.0], true / true[-1]]),
        np.concatenate([[true[0] / max(true[0] + false[0], 1)], true / (true + false)]),
        roc_low,
        roc_high,
        precision_low,
        precision_high,
        Estimate(float(exact), float(min(low, exact)), float(max(high, exact))),
    )


def _counted(
    decisions: Vector, is_positive: Mask, most: int | None = MOST_CUTS
) -> tuple[Vector, Vector]:
    """Return how many positive and negative rows are between thresholds, the highest first."""
    order = np.argsort(-decisions, kind="stable")
    values, positive = decisions[order], is_positive[order]
    ends = np.flatnonzero(np.append(values[1:] != values[:-1], True)) + 1
    if most is not None and len(ends) > most:
        ends = ends[np.unique(np.linspace(0, len(ends) - 1, most).astype(np.intp))]
    hits = np.diff(np.concatenate([[0], np.cumsum(positive)])[np.append(0, ends)])
    return hits.astype(np.float64), (np.diff(np.append(0, ends)) - hits).astype(np.float64)


def _average_precision(hits: Vector, misses: Vector) -> Vector:
    true, false = np.cumsum(hits, axis=1), np.cumsum(misses, axis=1)
    with np.errstate(invalid="ignore"):
        precision = np.where(true + false > 0, true / (true + false), 0.0)
    return np.asarray((hits * precision).sum(axis=1) / true[:, -1])


def _at_points(hits: Vector, misses: Vector) -> tuple[Vector, Vector]:
    """Return the true rate at false rates, and the precision at recalls, of each draw."""
    roc, precision = np.empty((2, len(hits), len(POINTS)))
    for k, (true, false) in enumerate(zip(np.cumsum(hits, 1), np.cumsum(misses, 1), strict=True)):
        rate = np.append(0.0, true / true[-1])
        roc[k] = np.interp(POINTS, np.append(0.0, false / false[-1]), rate)
        total = np.maximum(true + false, 1)
        precision[k] = np.interp(POINTS, rate[1:], true / total)
    return roc, precision


def _quantiles(values: Vector) -> NDArray[np.float64]:
    if not len(values):
        return np.zeros((2, values.shape[1]))
    tail = (1.0 - LEVEL) / 2
    return np.asarray(np.quantile(values, [tail, 1.0 - tail], axis=0))
