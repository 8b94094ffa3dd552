"""Memory: what a fit takes beyond the data it is given, and what there is.

The matrix in the core is scaled up from a part of it. All else is counted: arrays with a number for
each row, column or entry, as the code makes them.
"""

from __future__ import annotations

import os
from pathlib import Path

from ..design.wide import are_sparse
from ..validation import ROWS_AT_ONCE
from .cut import Cut
from .rows import Rows, Size

__all__ = ["available_bytes", "fit_bytes", "matrix_bytes"]

NUMBER = 8
# Numbers for each row beside the weights of the lanes: labels, sample weights and their normalised
# copy, fingerprints, the order of rows, lengths, the weights of the final fit.
PER_ROW = 8
# The same for each column: counts, order and gains, the point of the winner, coefficients, the sums
# behind the unit of the penalty.
PER_COLUMN = 11
# Of each fit along the path, for each row: weight and odds, sample weight (twice), the point and
# two steps of the subspace; for each column: the point (twice), two steps, the factors.
LANE_PER_ROW, LANE_PER_COLUMN = 7, 6
HELD_OUT = 0.2  # of the rows; twice, as residuals and as decisions
CGROUP = Path("/sys/fs/cgroup")
LIMITS = {
    "memory.max": "memory.current",
    "memory/memory.limit_in_bytes": "memory/memory.usage_in_bytes",
}


def matrix_bytes(size: Size, cut: Cut) -> int:
    """Return the size of the matrix in the core, from that of a part of it."""
    part = cut.matrix
    per_column = NUMBER + (NUMBER + 4) * part.n_shards
    rest = part.nbytes - NUMBER * part.m - per_column * part.n
    entries = max(rest, 0) / max(part.nnz, 1) * size.nnz
    intercept = 4 * size.m
    return round(NUMBER * size.m + per_column * size.n + entries + intercept)


def fit_bytes(
    size: Size, rows: Rows, matrix: int, n_parts: int, *, n_features: int, is_copied: bool
) -> int:
    """Return the peak of a default fit beyond its data: the matrix, and fits in lanes.

    ``rows`` are those at hand, as they are fitted; ``is_copied`` says whether they are a copy,
    without equal ones or unused features; the coefficients are those of all ``n_features``.
    """
    n_tasks = 1 if rows.n_classes == 2 else rows.n_classes
    n_lanes = n_parts * n_tasks
    n_kept = size.n_used if are_sparse(n_tasks, n_features, size.n_used) else n_features
    vectors = PER_ROW * size.m + PER_COLUMN * size.n + n_tasks * n_kept
    lanes = n_lanes * ((LANE_PER_ROW + 2 * HELD_OUT) * size.m + LANE_PER_COLUMN * size.n)
    share = size.nnz / max(rows.arrays.nnz, 1)
    indices = share * sum(part.indices.nbytes for part in rows.arrays.parts)
    values = share * sum(part.data.nbytes for part in rows.arrays.parts if part.data is not None)
    # Before the search begins, values are squared, two blocks of rows at a time.
    squares = values * min(1.0, 2 * ROWS_AT_ONCE / max(size.m, 1))
    copied = indices + values if is_copied else 0.0
    return round(matrix + copied + NUMBER * vectors + max(NUMBER * lanes, squares))


def available_bytes() -> int | None:
    """Return how much memory this process may still take; None where nobody says."""
    limits = [free for free in (_of_the_machine(), _of_the_group()) if free is not None]
    return min(limits) if limits else None


def _of_the_machine() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        known = dict(line.split(":") for line in lines)
        return int(known["MemAvailable"].split()[0]) * 1024
    except (OSError, ValueError, KeyError):
        pass
    try:
        return int(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (OSError, ValueError, AttributeError):
        return None


def _of_the_group() -> int | None:
    """Return what the cgroup leaves."""
    for most, used in LIMITS.items():
        try:
            limit, now = (int((CGROUP / name).read_text()) for name in (most, used))
        except (OSError, ValueError):  # "max" is no number
            continue
        return max(0, limit - now)
    return None
