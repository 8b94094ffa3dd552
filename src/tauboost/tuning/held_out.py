"""Fingerprints of rows, by which they are dealt to folds (split.py), merged and recognised.

They follow from the content of a row alone: its place, and the number of threads, do not matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Vector
from ..validation import CsrArrays

__all__ = ["code_fingerprints", "fingerprints", "text_fingerprints"]

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
