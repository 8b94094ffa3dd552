"""The codes of a table as bytes: planes, each with a byte for every row.

Plane k has the codes of column k. A wide column, of more codes than a byte can tell apart, has two
planes more, behind those of all columns: the low and the high byte of its codes; plane k is then a
coarse view of it, the heaviest categories by themselves. So all that moves, compares or hashes rows
sees bytes, and a table without wide columns has no other planes than its columns.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .columns import Column

__all__ = [
    "BYTE",
    "Codes",
    "Planes",
    "coarse_codes",
    "is_wide",
    "join_planes",
    "n_planes",
    "split_planes",
    "wide_planes",
]

BYTE = 256
COARSE_REST = BYTE - 2  # the coarse code of all categories beyond the heaviest

Codes = NDArray[np.uint8] | NDArray[np.uint16]  # of one column
Planes = NDArray[np.uint8]  # (planes, rows)


def is_wide(column: Column) -> bool:
    """Return whether a byte cannot tell the codes of a column apart."""
    return column.n_bins > BYTE


def wide_planes(columns: Sequence[Column]) -> dict[int, tuple[int, int]]:
    """Return the planes of the low and the high byte of each wide column."""
    wide = [k for k, column in enumerate(columns) if is_wide(column)]
    first = len(columns)
    return {k: (first + 2 * i, first + 2 * i + 1) for i, k in enumerate(wide)}


def n_planes(columns: Sequence[Column]) -> int:
    """Return how many planes a table of these columns has."""
    return len(columns) + 2 * sum(map(is_wide, columns))


def coarse_codes(column: Column) -> NDArray[np.uint8]:
    """Return for each code of a column its byte in the column's plane."""
    codes = np.arange(column.n_bins)
    if is_wide(column):
        codes = np.minimum(codes, COARSE_REST)
        codes[column.missing] = BYTE - 1
    return codes.astype(np.uint8)


def join_planes(columns: Sequence[Column], planes: Planes, wide: dict[int, Codes]) -> Planes:
    """Return all planes: of the columns, where wide ones are still to be filled, and behind."""
    if not wide:
        return planes
    more = []
    for k in sorted(wide):
        planes[k] = coarse_codes(columns[k])[wide[k]]
        more += [(wide[k] % BYTE).astype(np.uint8), (wide[k] // BYTE).astype(np.uint8)]
    return np.concatenate([planes, np.stack(more)])


def split_planes(columns: Sequence[Column], planes: Planes) -> list[Codes]:
    """Return the codes of each column."""
    codes: list[Codes] = list(planes[: len(columns)])
    for k, (low, high) in wide_planes(columns).items():
        codes[k] = planes[low] + planes[high].astype(np.uint16) * np.uint16(BYTE)
    return codes
