"""Decision stumps as weak hypotheses, and classical AdaBoost over all of them at once.

A stump says +1 where a feature lies above a threshold and -1 elsewhere, or the other way round.
With b the indicator of "above", h = 2 b - 1, so the edges of all stumps follow from one product
with a sparse 0/1 matrix of indicators (for thresholds below 0, those of "below").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..problem import Problem

__all__ = ["Stumps", "boost", "stump_values"]

# An edge of 1 would ask for an infinite weight.
LARGEST_EDGE = 1.0 - 1e-9
# Edges as near to each other are equal but for rounding: the first is taken.
TIE = 1e-10


@dataclass(frozen=True)
class Stumps:
    """Weak hypotheses with their weights: sign * (1 if x[feature] > threshold else -1).

    ``feature`` -1 is the constant ``sign``.
    """

    feature: NDArray[np.int64]
    threshold: Vector
    sign: Vector
    weight: Vector

    def by_weight(self) -> Stumps:
        """Return them with the largest weight first."""
        order = np.argsort(-self.weight, kind="stable")
        return Stumps(
            self.feature[order], self.threshold[order], self.sign[order], self.weight[order]
        )

    def __len__(self) -> int:
        return len(self.weight)


def stump_values(columns: Any, stumps: Stumps, t: int) -> Vector:
    """Return what the t-th stump says of the rows of a CSC matrix."""
    i, threshold, sign = int(stumps.feature[t]), stumps.threshold[t], stumps.sign[t]
    if i < 0:
        return np.full(columns.shape[0], sign)
    said = np.full(columns.shape[0], sign if threshold < 0 else -sign)
    entries = slice(columns.indptr[i], columns.indptr[i + 1])
    above = columns.data[entries] > threshold
    said[columns.indices[entries]] = np.where(above, sign, -sign)
    return said


def boost(
    X: Any,
    y: NDArray[Any],
    sample_weight: Vector | None,
    *,
    classes: NDArray[Any],
    n_rounds: int,
    n_thresholds: int,
    n_threads: int | None = None,
) -> Stumps:
    """Run AdaBoost for ``n_rounds`` rounds: each takes the stump of the largest edge."""
    feature, threshold, indicators = _candidates(sp.csc_array(X), n_thresholds)
    problem = Problem.of_part(
        indicators, y, sample_weight, classes=classes, fit_intercept=True, n_threads=n_threads
    )
    place = np.append(problem.design.place, problem.n_features)  # the constant comes last
    side = np.append(np.where(threshold < 0, -1.0, 1.0), 1.0)
    present = np.arange(len(y)) if sample_weight is None else np.flatnonzero(sample_weight > 0)
    label = np.where(y[present][problem.matrix.row_order] == classes[1], 1.0, -1.0)
    feature, threshold = np.append(feature, -1), np.append(threshold, 0.0)
    rows = problem.rows()
    w, said, chosen = problem.c.copy(), np.empty(len(label)), []
    for _ in range(n_rounds):
        neg, pos = rows.signed_sums(w)
        edges = (side * (2.0 * (pos - neg)[place] - w @ label)) / w.sum()
        sizes = np.abs(edges)
        best = int(np.argmax(sizes >= (1.0 - TIE) * sizes.max()))
        edge = float(np.clip(edges[best], -LARGEST_EDGE, LARGEST_EDGE))
        weight = 0.5 * np.log((1.0 + edge) / (1.0 - edge))
        if weight == 0.0:
            break
        chosen.append((feature[best], threshold[best], np.sign(edge), abs(weight)))
        if abs(edges[best]) >= LARGEST_EDGE:
            break  # a stump that is always right
        d = np.zeros(problem.n_coordinates)
        d[place[best]] = 2.0
        said[:] = 0.0
        rows.add_columns(d, said)
        w *= np.exp(-weight * side[best] * (said - label))
        w /= w.sum()
    columns = np.array(chosen, dtype=np.float64).reshape(-1, 4).T
    return Stumps(columns[0].astype(np.int64), *columns[1:])


def _candidates(columns: Any, n_thresholds: int) -> tuple[NDArray[np.int64], Vector, Any]:
    """Return features and thresholds of all stumps, and their indicators as a CSR matrix.

    Thresholds lie halfway between neighbouring values of a feature, a limited number of them.
    """
    columns.sum_duplicates()
    features, thresholds, rows = [], [], []
    for i in range(columns.shape[1]):
        entries = slice(columns.indptr[i], columns.indptr[i + 1])
        values, where = columns.data[entries], columns.indices[entries]
        for threshold in _thresholds(values, len(values) < columns.shape[0], n_thresholds):
            features.append(i)
            thresholds.append(threshold)
            is_in = values > threshold if threshold >= 0 else values <= threshold
            rows.append(where[is_in])
    counts = [len(part) for part in rows]
    indices = np.concatenate([*rows, np.empty(0, dtype=np.int32)]).astype(np.int32)
    indptr = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    shape = (columns.shape[0], max(len(rows), 1))
    if not rows:
        return np.array([-1]), np.array([0.0]), sp.csr_array(shape)
    indicators = sp.csc_array((np.ones(len(indices)), indices, indptr), shape=shape)
    return np.array(features), np.array(thresholds), indicators.tocsr()


def _thresholds(values: Vector, has_zeros: bool, most: int) -> Vector:
    different = np.unique(np.append(values, 0.0) if has_zeros else values)
    if len(different) > most + 1:
        levels = np.linspace(0, 1, most + 2)[1:-1]
        different = np.unique(np.quantile(different, levels, method="nearest"))
        return np.asarray(different[:-1] + np.diff(different) / 2)
    return np.asarray(different[:-1] + np.diff(different) / 2)
