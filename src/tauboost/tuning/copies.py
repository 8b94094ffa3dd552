"""Equal samples: found by their fingerprints, then compared, so that others are never merged.

A fingerprint is 64 bits that anybody can compute: data can be made up in which different samples
share one. What counts is the comparison.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Mask, Vector
from ..validation import CsrArrays

__all__ = ["equal_rows", "with_all_the_weight"]

ENTRIES_AT_ONCE = 2**20


def with_all_the_weight(
    arrays: CsrArrays,
    codes: NDArray[np.intp],
    fingerprints: NDArray[np.uint64],
    weights: Vector,
) -> tuple[Mask, Vector]:
    """Tell which samples are the first of their content, and give these the weight of the others.

    Equal features with another label are another sample.
    """
    keep = np.ones(len(codes), dtype=bool)
    summed = weights
    for code in np.flatnonzero(np.bincount(codes)):
        later, first = equal_rows(arrays, np.flatnonzero(codes == code), fingerprints)
        if len(later) > 0:
            keep[later] = False
            summed = summed + np.bincount(first, weights[later], len(weights))
    return keep, summed


def equal_rows(
    arrays: CsrArrays, rows: NDArray[np.intp], fingerprints: NDArray[np.uint64]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return which of some rows equal one before them, and the first row that they equal."""
    later, first = _repeated(fingerprints[rows])
    later, first = rows[later], rows[first]
    is_equal = np.ones(len(later), dtype=bool)
    with arrays.reading():
        for part in arrays.parts if len(later) else ():
            is_equal &= _are_equal(part, later, first)
    return later[is_equal], first[is_equal]


def _repeated(numbers: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return where a number stands that seems to have stood before, and where it stood first.

    The last bits of a number make room for its place: sorting values is several times as fast as
    sorting places by values. The entries are compared anyway.
    """
    bits = np.uint64(max(1, (len(numbers) - 1).bit_length()))
    last_bits = np.uint64((1 << int(bits)) - 1)
    ordered = np.sort((numbers & ~last_bits) | np.arange(len(numbers), dtype=np.uint64))
    order = (ordered & last_bits).astype(np.intp)
    is_new = _is_new(ordered >> bits)
    first = order[is_new][np.cumsum(is_new) - 1]
    return order[~is_new], first[~is_new]


def _are_equal(part: CsrArrays, a: NDArray[np.intp], b: NDArray[np.intp]) -> Mask:
    """Tell which rows ``a`` have the entries of rows ``b``, in the same order."""
    lengths = part.indptr[a + 1] - part.indptr[a]
    is_equal: Mask = lengths == part.indptr[b + 1] - part.indptr[b]
    pairs = np.flatnonzero(is_equal & (lengths > 0))
    blocks = np.cumsum(lengths[pairs]) // ENTRIES_AT_ONCE
    for chosen in np.split(pairs, np.flatnonzero(np.diff(blocks)) + 1):
        if len(chosen):
            is_equal[chosen] = _have_equal_entries(part, a[chosen], b[chosen], lengths[chosen])
    return is_equal


def _have_equal_entries(
    part: CsrArrays, a: NDArray[np.intp], b: NDArray[np.intp], lengths: NDArray[Any]
) -> Mask:
    starts = np.cumsum(lengths) - lengths
    within = np.arange(int(lengths.sum())) - np.repeat(starts, lengths)
    here = within + np.repeat(part.indptr[a], lengths)
    there = within + np.repeat(part.indptr[b], lengths)
    agrees = part.indices[here] == part.indices[there]
    if part.data is not None:
        agrees &= part.data[here] == part.data[there]
    return np.logical_and.reduceat(agrees, starts)


def _is_new(ordered: NDArray[np.uint64]) -> Mask:
    """Tell which of some numbers in order differ from the one before."""
    is_new = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    return is_new
