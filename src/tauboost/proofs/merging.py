"""Equal rows count once: what is proved of one is proved of all.

Rows of equal features and equal labels are one row of A. Rows of equal features and different
labels are a row and its negative: whatever separates one has the other wrong, so both belong to the
hard core, with nothing to compute.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Mask
from ..search.duplicates import equal_rows, fingerprints
from ..validation import CsrArrays
from .signed_rows import SignedRows

__all__ = ["Merged", "merge"]


@dataclass(frozen=True, eq=False)
class Merged:
    """The kinds of rows: by features and label."""

    rows: NDArray[np.intp]  # the first row of each kind
    kind: NDArray[np.intp]  # the kind of each row
    group: NDArray[np.intp]  # the first row that has the features of each row
    is_contradicted: Mask  # which rows have a row of equal features and another label


def merge(samples: SignedRows, n_threads: int) -> Merged:
    """Find the rows that are equal."""
    M = samples.M
    arrays = CsrArrays(M.indptr, M.indices, M.data, M.shape)
    group = np.arange(M.shape[0])
    later, first = equal_rows(arrays, group, fingerprints(arrays, 0, n_threads))
    group[later] = first
    sides = np.bincount(2 * group + samples.positive, minlength=2 * len(group)).reshape(-1, 2)
    _, rows, kind = np.unique(2 * group + samples.positive, return_index=True, return_inverse=True)
    return Merged(rows, kind.reshape(-1), group, np.all(sides > 0, axis=1)[group])
