"""The unit of the penalty: how far AdaBoost's first step would go on each column alone.

psi acts on lam_i / s_i with s_i = |d_i|^p, columns in units in which their largest |value| is 1.
d_i is AdaBoost's step at lam = 0 where both classes weigh the same,

    d_i = log((agree + e) / (disagree + e)),    e = (1/m+ + 1/m-) / 2,

with agree and disagree the sums of |x_ji| over the rows where x_ji has the sign of the label and
where it has not, each row by 1 over the number of rows of its class; e is one row on each side. For
a column of 0 and 1 and classes of one size d_i is the log-count ratio of naive Bayes (Wang and
Manning, 2012). So a column that tells the classes apart by itself is penalised less. Only rows that
a fit learns from have a say. s is at least a hundredth of its median: a column without an effect of
its own can still come in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..base.arrays import Vector
from ..base.messages import shown
from ..penalty import Factors, check_factors
from .training import Samples

__all__ = ["Sums", "checked_factors", "class_sums", "factors_of", "scales"]


POWER = 0.5  # p; 0: all columns alike; 1: naive Bayes (docs/decisions/0037)
LEAST = 0.01  # of the median
ROUNDING = 1e-9  # a step below this is none: its root would be an effect

# Of each class: the sums of |x| over its entries below and above 0, and its rows.
Sums = tuple[Vector, Vector, Vector]


def checked_factors(given: Any, n_features: int) -> Vector | str | None:
    """Check the penalty factors of a classifier."""
    if isinstance(given, str):
        if given != "auto":
            raise ValueError(
                "penalty_factors must be 'auto', None or a number for each feature, "
                f"got {shown(given)}"
            )
        return given
    found = check_factors(given, n_features)
    return None if found is None else found[0]


def factors_of(samples: Samples, held: Vector | None = None) -> list[Factors | None]:
    """Return the factors of l1 and l2 for each task, in the core's order.

    ``held`` is the share of each sample that a fit does not learn from; None: it learns from all.
    """
    given, n_tasks = samples.penalty_factors, samples.n_tasks
    if given is None:
        return [None] * n_tasks
    design = samples.design
    if not isinstance(given, str):
        kept = given if samples.used is None else given[samples.used]
        placed = np.empty(design.n_penalised)
        placed[design.place] = kept
        return [(placed, placed)] * n_tasks
    if held is not None:
        return _measured(samples, samples.copies * (1.0 - held))
    if not samples.known_factors:
        samples.known_factors.extend(_measured(samples, samples.copies))
    return list(samples.known_factors)


def _measured(samples: Samples, copies: Vector) -> list[Factors | None]:
    found = scales(class_sums(samples, copies), samples.is_binary)
    return [(1.0 / s, 1.0 / np.square(s)) for s in found]


def class_sums(samples: Samples, copies: Vector) -> Sums:
    """Return what a matrix has in its columns, class by class."""
    matrix, n = samples.matrix, samples.design.n_penalised
    columns, order = np.arange(n, dtype=np.int32), samples.order
    neg, pos = (np.empty((samples.n_classes, n)) for _ in range(2))
    rows = np.bincount(samples.codes, copies, samples.n_classes).astype(np.float64)
    for k in range(samples.n_classes):
        w = np.where(samples.codes == k, copies, 0.0)[order]
        _core.gather_columns(matrix, w, columns, neg[k], pos[k], samples.n_threads)
    size = np.where(matrix.scale[:n] > 0, matrix.scale[:n], 1.0)
    if samples.is_binary:  # the signs of the matrix are those of the labels
        neg[0], pos[0] = pos[0].copy(), neg[0].copy()
    return neg / size, pos / size, rows


def scales(sums: Sums, is_binary: bool) -> Vector:
    """Return s of each column for each task, (tasks, columns)."""
    neg, pos, rows = sums
    tasks = [1] if is_binary else range(len(rows))
    return np.stack([_scale(neg, pos, rows, k) for k in tasks])


def _scale(neg: Vector, pos: Vector, rows: Vector, k: int) -> Vector:
    """Return s for class k against the rest."""
    m_pos, m_neg = rows[k], rows.sum() - rows[k]
    one = 0.5 * (1.0 / m_pos + 1.0 / m_neg)
    rest_neg, rest_pos = (x.sum(axis=0) - x[k] for x in (neg, pos))
    agree = pos[k] / m_pos + rest_neg / m_neg
    disagree = neg[k] / m_pos + rest_pos / m_neg
    d = np.abs(np.log((agree + one) / (disagree + one)))
    s = np.where(d > ROUNDING, d, 0.0) ** POWER
    is_used = (neg.sum(axis=0) + pos.sum(axis=0)) > 0
    if not is_used.any():
        return np.ones(len(s))
    usual = float(np.median(s[is_used])) or float(s.max()) or 1.0
    return np.where(is_used, np.maximum(s, LEAST * usual), usual)
