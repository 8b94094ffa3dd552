"""Which share of the rows of a report the model was trained on: such rows say little of others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..tuning.record import Record
from .bands import Estimate, wilson
from .elements import percent

__all__ = ["are_trained_on", "how_many", "share_trained_on"]

FEW = 0.02  # of the rows: fewer hardly change what is measured
MOST_BY_CHANCE = 0.9  # where more new rows than this equal training rows, nothing can be told


def share_trained_on(
    record: Record | None, prints: NDArray[np.uint64], data_hash: str
) -> Estimate | None:
    """Return the share of rows that the model was trained on; None: it cannot be told.

    Rows that are equal to others by chance are taken off, as many as among the training rows. Both
    shares are of as many as are different: equal rows are in a sketch, or out of it, together.
    """
    if record is None:
        return None
    if record.is_of(data_hash):
        return Estimate(1.0, 1.0, 1.0)
    if record.sketch is None:
        return None
    seen = record.sketch.among(prints)
    if seen.judged == 0:
        return None
    share = seen.known / seen.judged
    of = np.array([seen.different, seen.of])
    lows, highs = wilson(np.array([share, seen.by_chance]) * of, of)
    if highs[1] > MOST_BY_CHANCE:
        return None
    return Estimate(
        _beyond(share, seen.by_chance), _beyond(lows[0], highs[1]), _beyond(highs[0], lows[1])
    )


def _beyond(share: float, by_chance: float) -> float:
    return float(np.clip((share - by_chance) / (1.0 - by_chance), 0.0, 1.0))


def are_trained_on(found: Estimate | None) -> bool:
    """Whether so many rows were trained on that what is measured is that of training rows."""
    return found is not None and found.low > FEW


def how_many(found: Estimate) -> str:
    """Say how many of the rows, as in "about 80% (78% to 82%) of "; of all, nothing."""
    if found.low == 1.0:
        return ""
    value, low, high = (percent(share, 0) for share in found)
    return f"about {value} ({low} to {high}) of "
