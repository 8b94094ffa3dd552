"""Tasks that find the unit of the penalty over all parts: AdaBoost's first step on each column.

Each part sums its columns up, class by class; sums are added in the order of parts
(tuning/first_step.py has what follows from them).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import scipy.sparse as sp
from distributed import get_worker
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..design.units import Ranges, Units
from ..search.folds import MOST_COPIES, are_whole
from ..tuning.first_step import scales
from ..validation import as_csr
from .loading import LoadedPart
from .units import in_units

__all__ = ["PartSums", "all_scales", "class_sums_of", "unit_of_weights"]


@dataclass(frozen=True)
class PartSums:
    """Sums over the rows of a part that weigh anything, by their weights."""

    below: Any  # of |x| over entries below 0: sparse, (classes, features)
    above: Any
    rows: Vector  # of each class
    n_present: int
    are_whole: bool  # whether weights can be counts
    columns: NDArray[np.intp]  # those with entries
    ranges: Ranges  # of these


def unit_of_weights(largest: float) -> float:
    """Return what weights are divided by before they are summed: 1 if they may be counts."""
    return 1.0 if 1.0 <= largest <= MOST_COPIES else largest


def class_sums_of(
    part: LoadedPart, codes: NDArray[np.intp], n: tuple[int, int], units: Units | None, unit: float
) -> PartSums:
    """Sum up a part; ``n`` are the numbers of classes and features, ``codes`` those of its rows."""
    n_classes, n_features = n
    weights = np.ones(len(codes)) if part.sample_weight is None else part.sample_weight / unit
    present = np.flatnonzero(weights > 0)
    X = in_units(part.widened(n_features)[present], units)
    weights, codes = weights[present], codes[present]
    ranges = Ranges.of(as_csr(X), get_worker().state.nthreads)
    columns = np.flatnonzero(ranges.counts)
    of_classes = [codes == k for k in range(n_classes)]
    below, above = zip(*(_sums(X[rows], weights[rows]) for rows in of_classes), strict=True)
    return PartSums(
        sp.vstack(below, format="csr"),
        sp.vstack(above, format="csr"),
        np.bincount(codes, weights, n_classes).astype(np.float64),
        len(present),
        are_whole(weights),
        columns,
        ranges.select(columns),
    )


def _sums(X: Any, weights: Vector) -> tuple[Any, Any]:
    """Sum up the columns of some rows, below and above 0; sparse, as sums travel."""
    entries = X.data * np.repeat(weights, np.diff(X.indptr))
    found = []
    for sign in (-1.0, 1.0):
        sizes = np.maximum(sign * entries, 0.0)
        found.append(sp.csr_array(np.bincount(X.indices, sizes, X.shape[1])[None, :]))
    return found[0], found[1]


def all_scales(parts: Sequence[PartSums], n_features: int) -> Vector:
    """Return s of each feature for each two-class problem, (problems, features)."""
    ranges = Ranges.merged(n_features, [(part.columns, part.ranges) for part in parts])
    used = np.flatnonzero(ranges.counts)
    size = np.maximum(-ranges.least, ranges.most)[used]
    below, above, rows = (
        reduce(add, [getattr(part, name) for part in parts]) for name in ("below", "above", "rows")
    )
    copies = 1.0
    if not all(part.are_whole for part in parts):  # relative: as many copies as rows
        copies = sum(part.n_present for part in parts) / rows.sum()
    neg, pos = (copies * of_all[:, used].toarray() / size for of_all in (below, above))
    found = scales((neg, pos, copies * rows), is_binary=len(rows) == 2)
    s = np.ones((len(found), n_features))
    s[:, used] = found
    return s
