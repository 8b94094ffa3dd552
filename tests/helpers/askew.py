"""Arrays whose numbers do not lie at multiples of their size, as pieces of files may."""

from __future__ import annotations

import numpy as np

__all__ = ["copy_of"]


def copy_of(array: np.ndarray) -> np.ndarray:
    """Return a copy that begins one byte too late."""
    room = np.zeros(array.nbytes + 1, dtype=np.uint8)
    found = room[1:].view(array.dtype).reshape(array.shape)
    found[...] = array
    assert not found.flags.aligned
    return found
