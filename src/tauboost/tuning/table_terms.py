"""From levels in the core to the terms of a model: pairs pure, all of them centred."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from ..base.arrays import Vector
from ..design.sparse import flipped
from .table_model import TermData
from .table_pairs import Pair, purified
from .table_samples import TableSamples

__all__ = ["terms_of"]


def terms_of(
    samples: TableSamples, pairs: list[Pair], levels: Vector, intercepts: Vector
) -> tuple[Vector, tuple[TermData, ...]]:
    """Return intercepts and terms of some fits, (fits, levels): pairs pure, all centred."""
    scores, intercept = flipped(levels.T), flipped(intercepts)
    starts = samples.starts.tolist()
    own = [scores[a:b].copy() for a, b in pairwise(starts)]
    found = []
    for pair in pairs:
        start, size = pair.first_level, math.prod(pair.shape)
        weights = _pair_weights(samples, pair)
        pure, alone = purified(scores[start : start + size].reshape(*pair.shape, -1), weights)
        for column, cells, part in zip(pair.columns, pair.maps, alone, strict=True):
            own[column] += part[cells]
        found.append(TermData(pair.columns, pair.maps, pure, weights))
    columns = []
    for k, (a, b) in enumerate(pairwise(starts)):
        share = samples.level_weights[a:b]
        mean = share @ own[k]
        intercept = intercept + mean
        centred = np.where(share[:, None] > 0, own[k] - mean, 0.0)
        codes = np.arange(b - a, dtype=np.uint8)
        columns.append(TermData((k,), (codes,), centred, share))
    return intercept, (*columns, *found)


def _pair_weights(samples: TableSamples, pair: Pair) -> Vector:
    """Return the weight of the rows in each cell of a pair."""
    first, second = (
        cells.astype(np.intp)[samples.codes[k]]
        for k, cells in zip(pair.columns, pair.maps, strict=True)
    )
    shape = pair.shape
    found = np.bincount(first * shape[1] + second, samples.weights, math.prod(shape))
    return found.reshape(shape).astype(np.float64)
