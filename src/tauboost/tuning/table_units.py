"""The unit of the penalty for each column: how much its bins say for themselves.

AdaBoost's first step on a column alone moves bin b by d_b = g_b / h_b, gradient over curvature with
all rows at the shares of the classes. It gains sum_b g_b^2 / 2 h_b, of which rows without a pattern
would gain noise / 2 in each bin. The unit of a column is

    (number of its bins / (that gain - noise))^(1/4),

the root of one over the typical step of a bin: the penalty is lighter where bins say much, and
heavier where many of them say little. As everywhere (design/units of sparse columns), only the root
of the step counts, and only rows that are learned from are looked at.
"""

from __future__ import annotations

import numpy as np

from ..base.arrays import Vector
from ..design.planes import wide_planes
from .binned_rows import BinnedRows

__all__ = ["column_units"]

POWER = 0.25
LEAST = 1e-4  # of the largest gain: a column without a pattern of its own may still come in


def column_units(samples: BinnedRows, task: int, held: int | None) -> Vector:
    """Return the unit of each column for a task, of geometric mean 1; of wide columns it is 1."""
    starts, sums = samples.starts, samples.class_sums(held)
    up = sums[samples.positive(task)]
    weights = sums.sum(axis=0)
    total = weights[: starts[1]].sum()
    share = up[: starts[1]].sum() / total
    units = np.ones(len(samples.columns))
    if not 0.0 < share < 1.0:
        return units
    g, h = (up - share * weights) / total, share * (1.0 - share) * weights / total
    occurs = weights > 0.0
    gains = np.divide(g * g, h, out=np.zeros_like(g), where=occurs) - occurs * samples.noise(held)
    of_column = np.add.reduceat(gains, starts[:-1])
    bins = np.add.reduceat(occurs.astype(np.float64), starts[:-1])
    has_one = bins > 1
    has_one[list(wide_planes(samples.columns))] = False
    most = float(of_column[has_one].max(initial=0.0))
    if most <= 0.0:
        return units
    own = (bins / np.maximum(of_column, LEAST * most))[has_one] ** POWER
    units[has_one] = own / np.exp(np.log(own).mean())
    return units
