"""Sparse columns in the core: the matrix, the places of its columns, the cuts between shards."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Mask
from ..validation import CsrArrays
from .units import Units

__all__ = ["NONZEROS_A_SHARD", "build_matrix", "random_places", "shard_cuts"]

# With fewer, a shard is not worth a thread.
NONZEROS_A_SHARD = 2**18


def build_matrix(
    arrays: CsrArrays,
    positive: Mask,
    place: NDArray[np.int32],
    fit_intercept: bool,
    n_threads: int,
    nonzeros_a_shard: int = NONZEROS_A_SHARD,
    units: Units | None = None,
) -> _core.Matrix:
    """Lay A out in the core: the rows of X, with the sign of their label, in columns.

    With ``units``, columns have their centers subtracted and are divided by their sizes.
    """
    more = arrays.more
    none = np.empty(0)
    columns, centers = (none, none) if units is None else (units.columns, units.centers)
    with arrays.reading():
        matrix = _core.build_matrix(
            indptr=arrays.indptr,
            indices=arrays.indices,
            data=arrays.data,
            more_indptr=None if more is None else more.indptr,
            more_indices=None if more is None else more.indices,
            more_data=None if more is None else more.data,
            positive=positive.view(np.uint8),
            place=place,
            centered=columns.astype(np.int64, copy=False),
            centers=centers,
            intercept=fit_intercept,
            cuts=shard_cuts(arrays.row_ends(), arrays.shape[1], nonzeros_a_shard),
            n_threads=n_threads,
        )
    if not matrix.is_sound:
        raise RuntimeError("X was changed by another thread while it was read: give X a copy")
    if arrays.scale is not None:
        factors = np.ones(matrix.n)
        factors[place] = arrays.scale
        matrix.rescale(factors)
    if units is not None:
        sizes = np.ones(matrix.n)
        sizes[place] = units.size
        matrix.divide(sizes, n_threads)
    return matrix


def random_places(n_features: int) -> NDArray[np.int32]:
    """Where each feature goes in the core: at random, but the same for the same number.

    Sweeps run over neighbouring columns of the core, which is fast; that these are a random choice
    of features is what makes their steps nearly independent.
    """
    generator = np.random.Generator(np.random.Philox(key=n_features))
    return generator.permutation(n_features).astype(np.int32)


def shard_count(
    n_rows: int, n_features: int, nnz: int, nonzeros_a_shard: int = NONZEROS_A_SHARD
) -> int:
    """How many shards the rows are cut into: a power of two up to 16.

    It depends on the data only, never on threads, so that results do not either: there are enough
    nonzeros per shard to be worth a thread, and enough per column of it to be worth its pointers.
    """
    wanted = min(16, nnz // nonzeros_a_shard, nnz // (16 * n_features), n_rows)
    return 2 ** max(0, wanted.bit_length() - 1) if wanted > 0 else 1


def shard_cuts(
    indptr: NDArray[Any], n_features: int, nonzeros_a_shard: int = NONZEROS_A_SHARD
) -> NDArray[np.int64]:
    """Where to cut the rows into shards of about equal work."""
    n_rows, nnz = len(indptr) - 1, int(indptr[-1])
    n_shards = shard_count(n_rows, n_features, nnz, nonzeros_a_shard)
    goals = nnz * np.arange(1, n_shards) // n_shards
    inner = np.searchsorted(indptr, goals).astype(np.int64)
    # Not np.unique, which would import numpy.ma.
    return np.array(sorted({0, *inner.tolist(), n_rows}), dtype=np.int64)
