"""Which samples are held out: chosen by their content, not by their position.

Equal samples stay together, so copies of a sample can never be on both sides, and the order of
samples does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Mask, Vector
from ..validation import CsrArrays
from .copies import different

__all__ = ["code_fingerprints", "fingerprints", "held_out_parts", "text_fingerprints"]

# With fewer different samples than this of any class, a held-out part says nothing.
FEWEST_OF_A_CLASS = 10
# How many parts are held out in turn, by the minimum number of different samples.
PARTS = {8_000: 1, 0: 2}
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


def held_out_parts(
    prints: NDArray[np.uint64],
    codes: NDArray[np.intp],
    n_classes: int,
    fraction: float,
    most: int | None = None,
) -> list[Mask]:
    """Choose parts of about this fraction of each class.

    One part where samples are many, several that do not overlap where they are few; none where a
    class has too few different samples to spare any.
    """
    n_different = len(different(prints))
    wanted = next(parts for fewest, parts in PARTS.items() if n_different >= fewest)
    n_parts = min(wanted, int(1 / fraction), wanted if most is None else most)
    parts = [np.zeros(len(codes), dtype=bool) for _ in range(n_parts)]
    for code in range(n_classes):
        of_class = np.flatnonzero(codes == code)
        ordered = different(prints[of_class])
        size = round(fraction * len(ordered))
        if len(ordered) < FEWEST_OF_A_CLASS or not 0 < size < len(ordered):
            return []
        of_these = prints[of_class]
        for k, part in enumerate(parts):
            is_held = of_these >= ordered[k * size]
            if (k + 1) * size < len(ordered):
                is_held &= of_these < ordered[(k + 1) * size]
            part[of_class[is_held]] = True
    return parts
