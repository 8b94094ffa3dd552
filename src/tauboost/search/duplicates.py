"""Duplicates: rows of the same content, found by their fingerprints.

A fingerprint follows from the content of a row alone: its place, and the number of threads, do not
matter. By it rows are dealt to folds (folds.py), merged and recognised. It is 64 bits that anybody
can compute: data can be made up in which different rows share one. So rows that are merged are
compared first.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Mask, Vector
from ..validation import CsrArrays

__all__ = [
    "code_fingerprints",
    "equal_rows",
    "fingerprints",
    "text_fingerprints",
    "with_all_the_weight",
]


ENTRIES_AT_ONCE = 2**20
MIX = 0x9E3779B97F4A7C15  # the golden ratio: neighbours end up far apart


def fingerprints(
    arrays: CsrArrays, seed: int, n_threads: int, rulers: tuple[Vector, Vector] | None = None
) -> NDArray[np.uint64]:
    """Return a number for each sample that equal samples share.

    With ``rulers``, a zero and a size for each column, so do samples that differ in the last bits
    of their values.
    """
    zero, size = (None, None) if rulers is None else rulers
    # Not from 0: samples without any feature would always be the smallest.
    start = (seed + 1) * MIX % 2**64
    sums = np.full(arrays.shape[0], start, dtype=np.uint64)
    with arrays.reading():
        for a in arrays.parts:
            data = a.data if a.scale is None else a.values()  # the same samples, however kept
            _core.row_fingerprints(a.indptr, a.indices, data, seed, sums, n_threads, zero, size)
    return sums


def code_fingerprints(codes: NDArray[np.uint8], seed: int) -> NDArray[np.uint64]:
    """Return a number for each row of a binned table that rows with equal codes share."""
    prints = np.full(codes.shape[1], (seed + 1) * MIX % 2**64, dtype=np.uint64)
    for column in codes:
        prints += column
        prints *= np.uint64(MIX)
        prints ^= prints >> np.uint64(29)  # else the low bits would never hear of the high ones
    return prints


def text_fingerprints(texts: Iterable[str], seed: int) -> NDArray[np.uint64]:
    """Return a number for each text that equal texts share."""
    key = seed.to_bytes(16, "little")
    return np.fromiter(
        (
            int.from_bytes(
                blake2b(text.encode(errors="surrogatepass"), digest_size=8, key=key).digest()
            )
            for text in texts
        ),
        dtype=np.uint64,
    )


def with_all_the_weight(
    arrays: CsrArrays,
    codes: NDArray[np.intp],
    fingerprints: NDArray[np.uint64],
    weights: Vector,
) -> tuple[Mask, Vector]:
    """Find the samples that are the first of their content; these get the weight of the others.

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
    """Return which rows ``a`` have the entries of rows ``b``, in the same order."""
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
    """Return which of some numbers in order differ from the one before."""
    is_new = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    return is_new
