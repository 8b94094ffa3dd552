"""The array types that signatures speak of, and arrays as kernels can read them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = ["Mask", "Vector", "readable"]

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]


def readable(values: ArrayLike, dtype: DTypeLike | None = None) -> NDArray[Any]:
    """Return an array that is contiguous, and whose numbers lie at multiples of their size.

    What was cut from a file or a message need not be: then it is copied.
    """
    return np.require(values, dtype, ["C_CONTIGUOUS", "ALIGNED"])
