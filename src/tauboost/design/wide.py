"""Matrices with far more features than entries: the features that no row has are left out.

What is computed then has the size of the entries, not of the width; only what is handed to the user
has an entry for every feature.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..validation import CsrArrays

__all__ = ["expanded", "is_wide", "without_unused_features"]

# So few columns cost nothing, whether they are used or not.
FEW_FEATURES = 2**16

# Beyond this many features for each entry, sorting the entries is cheaper than a pass over all
# features.
FAR_MORE_FEATURES = 8


def is_wide(n_features: int, nnz: int) -> bool:
    """Tell whether a problem of this size leaves unused features out, in one part or in several."""
    return n_features > max(FEW_FEATURES, FAR_MORE_FEATURES * nnz)


def without_unused_features(
    arrays: CsrArrays, ratio: int = FAR_MORE_FEATURES
) -> tuple[CsrArrays, NDArray[np.intp] | None]:
    """Renumber the features that occur, where there are more than ``ratio`` for each entry.

    Returns the arrays and the features that are kept, in order; None: all are.
    """
    n, nnz = arrays.shape[1], arrays.nnz
    if arrays.more is not None:
        ratio = FAR_MORE_FEATURES
    if n <= ratio * nnz:
        return arrays, None
    parts = arrays.parts
    indices = np.concatenate([part.indices for part in parts]) if arrays.more else arrays.indices
    used, numbers = _renumbered(indices, n, by_sorting=n > FAR_MORE_FEATURES * nnz)
    ends = np.cumsum([len(part.indices) for part in parts])[:-1]
    kept = (arrays.shape[0], len(used))
    renumbered = [
        replace(
            part,
            indices=number,
            shape=kept,
            more=None,
            scale=None if part.scale is None else part.scale[used],
        )
        for part, number in zip(parts, np.split(numbers, ends), strict=True)
    ]
    more = renumbered[1] if len(parts) > 1 else None
    return replace(renumbered[0], more=more, store=arrays.store), used


def _renumbered(
    indices: NDArray[Any], n: int, by_sorting: bool
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return the different indices, in order, and for each index which of these it is."""
    if len(indices) == 0:  # a matrix has one column at least
        return np.zeros(1, dtype=np.intp), indices
    if by_sorting:
        found, inverse = np.unique(indices, return_inverse=True)
        return found.astype(np.intp), inverse.reshape(-1).astype(indices.dtype)
    occurs = np.zeros(n, dtype=bool)
    occurs[indices] = True
    used = np.flatnonzero(occurs)
    number = np.zeros(n, dtype=indices.dtype)
    number[used] = np.arange(len(used), dtype=number.dtype)
    renumbered: NDArray[Any] = number[indices]
    return used, renumbered


def expanded(
    values: Vector, used: NDArray[np.intp] | None, n_features: int, rest: Vector | None = None
) -> Vector:
    """Return values of all features from those of the kept ones; the others are 0, or in ``rest``.

    Values may have several rows. Memory that only holds zeros is not touched.
    """
    if used is None:
        return values
    full = np.zeros((*values.shape[:-1], n_features)) if rest is None else rest.copy()
    full[..., used] = values
    return full
