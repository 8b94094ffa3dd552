"""A candidate of a table's race: how strong psi is, of the columns and of the pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .table_lanes import TermPsi

__all__ = ["Strength", "between", "psi_of"]

RIDGE = 0.05  # how much pairs shrink towards 0, next to their smoothness
# How much the many categories of a wide column shrink: each by its number of rows, where l1 would
# keep the few that have the most of them (docs/decisions/0035).
WIDE = 0.3


@dataclass(frozen=True)
class Strength:
    """One candidate."""

    alpha: float
    l1_ratio: float
    smoothness: float = math.inf  # of pairs; infinite: there are none


def psi_of(
    strengths: list[Strength], n_columns: int, n_pairs: int, wide: Sequence[int] = ()
) -> TermPsi:
    """Return psi of all terms, a lane for each strength; ``wide`` columns have squares only."""
    alphas = np.array([s.alpha for s in strengths])
    ratios = np.array([s.l1_ratio for s in strengths])
    columns = TermPsi.elastic_net(n_columns, alphas, ratios)
    columns.l1[list(wide)], columns.l2[list(wide)] = 0.0, WIDE * alphas
    if n_pairs == 0:
        return columns
    # Where there are to be no pairs, those of the table stay at 0, and cost nothing.
    smooth = np.array([s.smoothness if s.smoothness < math.inf else 0.0 for s in strengths])
    return TermPsi(
        np.vstack([columns.l1, np.tile(RIDGE * smooth, (n_pairs, 1))]),
        np.vstack([columns.l2, np.tile(smooth, (n_pairs, 1))]),
    )


def between(losses: dict[Strength, float], best: Strength) -> Strength:
    """Return the strength where a parabola through the best and its neighbours is least.

    To three digits, so that it does not depend on the rounding of a race.
    """
    line = sorted((s for s in losses if s.l1_ratio == best.l1_ratio), key=lambda s: s.alpha)
    k = line.index(best)
    if not 0 < k < len(line) - 1:
        return best
    low, middle, high = (losses[line[i]] for i in (k - 1, k, k + 1))
    bend = low - 2 * middle + high
    shift = 0.5 * (low - high) / bend if 0 < bend < math.inf else 0.0
    step = math.log(line[k + 1].alpha / best.alpha)
    alpha = best.alpha * math.exp(min(max(shift, -0.5), 0.5) * step)
    return replace(best, alpha=float(f"{alpha:.3g}"))
