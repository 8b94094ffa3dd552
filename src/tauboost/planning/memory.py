"""Memory: what a fit takes beyond the data it is given, and what there is.

The matrix in the core is scaled up from a part of it. All else is counted: arrays with a number for
each row, column or entry, as the code makes them.
"""

from __future__ import annotations

import os
from pathlib import Path

from ..design.wide import is_wide
from ..tuning.lanes import LANES
from ..tuning.selection import STRENGTHS
from .cut import Cut
from .look import Look

__all__ = ["available_bytes", "fit_bytes", "matrix_bytes"]

NUMBER = 8
# Numbers for each row beside the weights of the lanes: labels, sample weights and their normalised
# copy, fingerprints, the order of rows, lengths, the weights of the final fit.
PER_ROW = 8
# The same for each column: counts, order and gains, the point of the winner, coefficients.
PER_COLUMN = 5
HELD_OUT = 0.2  # of the rows; twice, as residuals and as decisions
CGROUP = Path("/sys/fs/cgroup")
LIMITS = {
    "memory.max": "memory.current",
    "memory/memory.limit_in_bytes": "memory/memory.usage_in_bytes",
}


def matrix_bytes(look: Look, cut: Cut) -> int:
    """Return the size of the matrix in the core, from that of a part of it."""
    part, samples = cut.matrix, cut.samples
    rows = NUMBER * samples.n
    n = look.n_used if is_wide(look.n_features, look.nnz) else look.n_features
    columns = n / part.n * (NUMBER + (NUMBER + 4) * part.n_shards) * part.n
    entries = max(part.nbytes - rows - columns * part.n / n, 0) / max(part.nnz, 1)
    intercept = 4 * look.n_samples
    return round(NUMBER * look.n_samples + columns + entries * look.nnz + intercept)


def fit_bytes(look: Look, matrix: int, n_parts: int) -> int:
    """Return the peak of a default fit beyond its data: the matrix, and a race in lanes."""
    n_tasks = 1 if look.n_classes == 2 else look.n_classes
    n_lanes = n_parts * n_tasks * min(len(STRENGTHS), LANES[-1])
    m, n = look.n_samples, min(look.n_features, 2 * look.nnz)
    rows = NUMBER * m * (PER_ROW + n_lanes * (2 + 2 * HELD_OUT))
    columns = NUMBER * n * (PER_COLUMN + n_lanes)
    return round(matrix + rows + columns)


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
