"""The order in which people look at rows that contradict each other.

Rows of equal features and different labels come first: they are wrong for certain, whatever the
model. Then the rest of the hard core, by weight: those that a model has hardest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Mask, Vector
from .merging import Merged
from .signed_rows import SignedRows

__all__ = ["duplicate_groups", "in_order"]

Numbers = NDArray[np.intp]


def duplicate_groups(samples: SignedRows, merged: Merged) -> tuple[Numbers, ...]:
    """Return the groups of samples with equal features and different labels, as the caller counts.

    Groups are in the order of their first sample; in each, the rarer label comes first.
    """
    rows = np.flatnonzero(merged.is_contradicted)
    order = rows[np.lexsort((samples.numbers[rows], merged.group[rows]))]
    if len(order) == 0:
        return ()
    cuts = np.flatnonzero(np.diff(merged.group[order])) + 1
    groups = [_rarer_first(samples, group) for group in np.split(order, cuts)]
    return tuple(sorted(groups, key=lambda group: int(group.min())))


def _rarer_first(samples: SignedRows, group: Numbers) -> Numbers:
    is_positive = samples.positive[group]
    is_rare = is_positive if 2 * np.count_nonzero(is_positive) <= len(group) else ~is_positive
    numbers = samples.numbers[group]
    return np.concatenate([numbers[is_rare], numbers[~is_rare]])


def in_order(core: Mask, w: Vector, groups: tuple[Numbers, ...]) -> Numbers:
    """Return the samples of the core: those of the groups, then the others, the heaviest first."""
    is_left = core.copy()
    first = np.concatenate(groups) if groups else np.empty(0, dtype=np.intp)
    is_left[first] = False
    rest = np.flatnonzero(is_left)
    return np.concatenate([first, rest[np.argsort(-w[rest], kind="stable")]])
