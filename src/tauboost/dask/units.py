"""Tasks that find the units of columns over all parts, and put the rows of a part in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from distributed import get_worker
from numpy.typing import NDArray

from ..design.units import Moments, Ranges, Units
from ..validation import as_csr
from .loading import LoadedPart

__all__ = ["all_ranges", "all_units", "in_units", "moments_of", "ranges_of"]


def ranges_of(part: LoadedPart) -> tuple[NDArray[np.intp], Ranges]:
    """Look at the columns that a part has entries in."""
    ranges = Ranges.of(as_csr(part.present), get_worker().state.nthreads)
    columns = np.flatnonzero(ranges.counts)
    return columns, ranges.select(columns)


def all_ranges(parts: Sequence[tuple[NDArray[np.intp], Ranges]], n_features: int) -> Ranges | None:
    """Return the ranges over all parts; None: every entry is 1."""
    ranges = Ranges.merged(n_features, parts)
    return None if ranges.are_ones else ranges


def moments_of(part: LoadedPart, ranges: Ranges | None) -> Moments | None:
    """Look at those columns of a part that may be far from 0."""
    if ranges is None:
        return None
    weights = np.ones(len(part.y)) if part.sample_weight is None else part.sample_weight
    X = part.widened(len(ranges.counts))[weights > 0]
    n_threads = get_worker().state.nthreads
    return Moments.of(as_csr(X), weights[weights > 0], ranges, n_threads)


def all_units(
    ranges: Ranges | None,
    moments: Sequence[Moments],
    shares: Sequence[float],
    fit_intercept: bool,
) -> Units | None:
    """Return the units of all parts; None: columns stay as they are."""
    if ranges is None:
        return None
    return Units.found(ranges, Moments.merged(moments, shares), fit_intercept)


def in_units(X: Any, units: Units | None) -> Any:
    """Return rows with their columns in these units."""
    if units is None or X.shape[0] == 0:
        return X
    return units.applied(as_csr(X)).to_scipy()
