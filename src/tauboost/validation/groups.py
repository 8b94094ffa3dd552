"""Check of the groups of samples that folds keep together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.messages import shown

__all__ = ["check_groups"]


def check_groups(groups: ArrayLike | None, n_samples: int) -> NDArray[np.intp] | None:
    """Return the number of each sample's group; None: no groups are given."""
    if groups is None:
        return None
    found: NDArray[Any] = np.asarray(groups)
    if found.ndim != 1 or len(found) != n_samples:
        raise ValueError(
            f"groups must be a vector with an entry for each of the {n_samples} samples, "
            f"got shape {found.shape}"
        )
    try:
        different, numbers = np.unique(found, return_inverse=True)
    except TypeError:
        raise TypeError("groups must be of one type that can be ordered") from None
    if different.dtype.kind == "f" and np.isnan(different).any():
        raise ValueError("groups has missing values: give every sample a group")
    if len(different) < 2:
        raise ValueError(f"groups has one group only, {shown(found[0])}: at least two are needed")
    return np.asarray(numbers)
