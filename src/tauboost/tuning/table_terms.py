"""From levels in the core to the terms of a model: pairs pure, all of them centred."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from ..base.arrays import Vector
from ..design.planes import coarse_codes
from ..design.sparse import flipped
from .binned_rows import BinnedRows
from .table_model import TermData
from .table_pairs import Pair, purified

__all__ = ["terms_of"]

ROUNDING = 1e-14  # what it makes of the scores of a column that says nothing


def terms_of(
    samples: BinnedRows, pairs: list[Pair], levels: Vector, intercepts: Vector
) -> tuple[Vector, tuple[TermData, ...]]:
    """Return intercepts and terms of some fits, (fits, levels): pairs pure, all centred."""
    scores, intercept = flipped(levels.T), flipped(intercepts)
    starts = samples.starts.tolist()
    own = [scores[a:b].copy() for a, b in pairwise(starts)]
    found = []
    for pair in pairs:
        start, size = pair.first_level, math.prod(pair.shape)
        weights = samples.pair_weights(pair)
        pure, alone = purified(scores[start : start + size].reshape(*pair.shape, -1), weights)
        # The core has cells of bytes, a model those of codes.
        maps = tuple(
            cells[coarse_codes(samples.columns[k])]
            for k, cells in zip(pair.columns, pair.maps, strict=True)
        )
        for column, cells, part in zip(pair.columns, maps, alone, strict=True):
            own[column] += part[cells]
        found.append(TermData(pair.columns, (maps[0], maps[1]), pure, weights))
    columns = []
    for k, (a, b) in enumerate(pairwise(starts)):
        share = samples.level_weights[a:b]
        mean = share @ own[k]
        intercept = intercept + mean
        centred = np.where(share[:, None] > 0, own[k] - mean, 0.0)
        centred[np.abs(centred) <= ROUNDING] = 0.0
        codes = np.arange(b - a, dtype=np.min_scalar_type(b - a - 1))
        columns.append(TermData((k,), (codes,), centred, share))
    return intercept, (*columns, *found)
