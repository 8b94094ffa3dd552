"""Classical AdaBoost: greedy coordinate descent, the search for the coordinate in parallel.

The coordinate with the largest |grad_i F| moves (ties: the lowest index), by

    exact:      d = log((W- + eps) / (W+ + eps)) / (2 a_i),   eps = 1e-12 W
    lipschitz:  d = -grad_i F / L_i

With entries in {-a, 0, a} the exact step minimises F along the coordinate; with other values it
minimises the bound of Schapire and Singer. Both are monotone. One epoch is one iteration: every
coordinate is evaluated, and one is used.
"""

from __future__ import annotations

import numpy as np

from ..base.arrays import Vector
from ..solvers.weights import Start
from .full_gradient import FullGradient

__all__ = ["Greedy"]


# Weighted correlations as near as this are equal: their sums have other orders.
ROUNDING = 1e-13


class Greedy(FullGradient):
    """A point that one coordinate at a time moves."""

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        self.is_exact = start.step == "exact"

    def advance(self, epochs_left: float) -> None:  # noqa: ARG002 - always one iteration
        gradient = self.gradient()
        best = self._largest(np.abs(gradient))
        scale = float(self.problem.design.scale[best])
        d = np.zeros_like(gradient)
        if scale > 0:
            d[best] = self._log_ratio(best) / scale if self.is_exact else -gradient[best] / scale**2
        self.move(d, 1)

    def _largest(self, size: Vector) -> int:
        """Return the coordinate of the largest entry; of equals, the first in the order of X."""
        place = self.problem.design.place
        n, ordered = len(place), size[place]
        is_largest = ordered >= ordered.max(initial=0.0) - ROUNDING
        first = int(place[np.argmax(is_largest)]) if n > 0 else 0
        return n if len(size) > n and (n == 0 or size[n] > size[first] + ROUNDING) else first

    def _log_ratio(self, i: int) -> float:
        # neg and pos hold w |A|: over a_i they are the W- and W+ of entries in {-a, 0, a}
        scale = self.problem.design.scale[i]
        smoothing = 1e-12 * self.total
        return 0.5 * float(
            np.log(self.neg[i] / scale + smoothing) - np.log(self.pos[i] / scale + smoothing)
        )
