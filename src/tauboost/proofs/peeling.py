"""Columns that have one sign: they separate every row that they touch, and leave the rest as it is.

If A_ji >= 0 in all rows left, a large negative lam_i makes (A lam)_j as negative as one likes where
A_ji > 0 and changes no other row. Those rows are taken away, and columns that had two signs may now
have one. On texts, where most words are rare, few rows are left after some rounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Mask, Vector

__all__ = ["Peeled", "peel"]

# Each round asks for larger weights than the next: after more, numbers would be too far apart.
MOST_ROUNDS = 40


@dataclass(frozen=True, eq=False)
class Peeled:
    """What is left, and what was taken away in each round: columns, their steps, rows."""

    A: Any  # scipy CSR
    is_left: Mask
    rounds: list[tuple[Vector, NDArray[np.intp]]]

    def extended(self, lam: Vector) -> Vector:
        """Return a lam that also separates the rows taken away; on those left it does the same."""
        lam = lam.copy()
        for direction, rows in reversed(self.rounds):
            part = self.A[rows]
            reach = -(part @ direction)
            wanted = 2.0 * np.maximum(part @ lam, 0.0) + 1.0
            lam += float(np.max(wanted / reach)) * direction
        return lam


def peel(A: Any) -> Peeled:
    """Take away the rows that columns of one sign separate, round by round."""
    is_left = np.ones(A.shape[0], dtype=bool)
    up, down = _signs(A)
    rounds: list[tuple[Vector, NDArray[np.intp]]] = []
    columns = A.tocsc()
    while len(rounds) < MOST_ROUNDS:
        direction = (down > 0).astype(np.float64) * (up == 0) - (up > 0) * (down == 0)
        chosen = np.flatnonzero(direction)
        touched = np.zeros(A.shape[0], dtype=bool)
        touched[columns[:, chosen].indices] = True
        rows = np.flatnonzero(touched & is_left)
        if len(rows) == 0:
            break
        is_left[rows] = False
        more_up, more_down = _signs(A[rows])
        up, down = up - more_up, down - more_down
        rounds.append((direction, rows))
    return Peeled(A, is_left, rounds)


def _signs(A: Any) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Count the entries above and below 0 of each column."""
    n = A.shape[1]
    return (
        np.bincount(A.indices[A.data > 0], minlength=n),
        np.bincount(A.indices[A.data < 0], minlength=n),
    )
