"""The Newton step's system of equations, by a Cholesky factorisation on one thread.

In a file of its own, imported at the first such step: few fits need one, and SciPy's linear algebra
takes longer to load than most fits.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from threadpoolctl import ThreadpoolController

from ..base.arrays import Vector

__all__ = ["one_thread", "solve_scaled"]

_BLAS = ThreadpoolController().select(user_api="blas")


def one_thread() -> AbstractContextManager[Any]:
    """Hold BLAS to one thread: what a threaded one gives may depend on how many it has."""
    limited: AbstractContextManager[Any] = _BLAS.limit(limits=1)
    return limited


def solve_scaled(H: Vector, b: Vector) -> Vector | None:
    """Solve H d = b for the lower triangle of a nearly singular H, scaled to a unit diagonal."""
    diagonal = np.sqrt(np.maximum(np.diagonal(H), 1e-300))
    scaled = H / np.outer(diagonal, diagonal)
    with one_thread():
        for ridge in (1e-12, 1e-9, 1e-6):
            scaled[np.diag_indices_from(scaled)] = 1.0 + ridge
            try:
                factor = cho_factor(scaled, lower=True, check_finite=False)
            except LinAlgError:
                continue
            d = cho_solve(factor, b / diagonal, check_finite=False) / diagonal
            return np.asarray(d) if np.all(np.isfinite(d)) else None
    return None
