"""The array types that signatures speak of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Mask", "Vector"]

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]
