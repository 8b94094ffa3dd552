"""Matrices with far more features than entries: the features that no row has are left out.

What is computed then has the size of the entries, not of the width. What is handed to the user has
an entry for every feature, up to a size at which coefficients are kept as CSR.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.kinds import is_sparse
from ..validation import CsrArrays

__all__ = [
    "all_coefficients",
    "are_sparse",
    "coefficients_of",
    "expanded",
    "is_wide",
    "nonzeros_of",
    "note_of_width",
    "only_features",
    "without_unused_features",
]

# So few columns cost nothing, whether they are used or not.
FEW_FEATURES = 2**16

# Beyond this many features for each entry, sorting the entries is cheaper than a pass over all
# features.
FAR_MORE_FEATURES = 8

# More coefficients than this (128 MB), nearly all of them 0, are kept as CSR.
MOST_DENSE = 2**24


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


def are_sparse(n_tasks: int, n_features: int, n_used: int) -> bool:
    """Tell whether coefficients, all but those of the features used being 0, are kept as CSR."""
    return n_tasks * n_features > MOST_DENSE and n_features > FAR_MORE_FEATURES * n_used


def all_coefficients(coef: Vector, used: NDArray[np.intp] | None, n_features: int) -> Any:
    """Return the coefficients of all features, (tasks, features), from those of the kept ones.

    Where that would be a large array of nearly nothing but zeros, it is CSR.
    """
    n_tasks = len(coef)
    if used is None or not are_sparse(n_tasks, n_features, len(used)):
        return expanded(coef, used, n_features)
    import scipy.sparse as sp  # noqa: PLC0415

    tasks, places = np.nonzero(coef)
    ends = np.append(0, np.cumsum(np.bincount(tasks, minlength=n_tasks)))
    return sp.csr_array((coef[tasks, places], used[places], ends), shape=(n_tasks, n_features))


def coefficients_of(coef: Any, features: NDArray[Any]) -> Vector:
    """Return the coefficients of some features, (tasks, features), from an array or CSR."""
    if not is_sparse(coef):
        return np.asarray(coef[:, features])
    order = np.argsort(features, kind="stable")
    ascending = features[order]
    found = np.zeros((coef.shape[0], len(features)))
    for task, (begin, end) in enumerate(zip(coef.indptr[:-1], coef.indptr[1:], strict=True)):
        columns, values = coef.indices[begin:end], coef.data[begin:end]
        if len(columns):
            places = np.minimum(np.searchsorted(columns, ascending), len(columns) - 1)
            found[task, order] = np.where(columns[places] == ascending, values[places], 0.0)
    return found


def nonzeros_of(coef: Any, task: int) -> tuple[NDArray[np.intp], Vector]:
    """Return the features of which the coefficients of a task are not 0, and these."""
    if is_sparse(coef):
        here = slice(coef.indptr[task], coef.indptr[task + 1])
        features, values = coef.indices[here], coef.data[here]
        return features[values != 0].astype(np.intp), values[values != 0]
    features = np.flatnonzero(coef[task])
    return features, coef[task][features]


def only_features(arrays: CsrArrays, features: NDArray[Any]) -> CsrArrays:
    """Renumber some features, in ascending order, as 0, 1, ...; the last one stands for others."""
    last = len(features)

    def renumbered(part: CsrArrays) -> CsrArrays:
        places = np.searchsorted(features, part.indices)
        is_known = np.append(features, -1)[places] == part.indices
        return replace(
            part,
            indices=np.where(is_known, places, last).astype(part.indices.dtype),
            shape=(part.shape[0], last + 1),
            more=None,
            scale=None if part.scale is None else np.append(part.scale[features], 0.0),
        )

    first, *more = map(renumbered, arrays.parts)
    return replace(first, more=more[0] if more else None)


def note_of_width(used: NDArray[np.intp] | None, n_features: int) -> str:
    """Say that an index may be wrong, where one gap without any entry is most of the width."""
    if used is None or n_features <= FEW_FEATURES or len(used) < 2:
        return ""
    if 2 * int(np.diff(used).max()) <= n_features:
        return ""
    return f"of {n_features:,} columns, {len(used):,} are used: is an index wrong?"
