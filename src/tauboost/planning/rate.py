"""How many sweeps are still to go, where the time allowed ended before the accuracy was reached.

The objective approaches its minimum about geometrically, and the largest edge goes with the root of
the gap: the last looks tell the ratio, the edge there tells the rest.
"""

from __future__ import annotations

import math

import numpy as np

from ..problem import Problem
from ..solvers.result import Result, Status

__all__ = ["sweeps_to"]

DONE = (Status.CONVERGED, Status.SEPARABLE)
LOOKS = 8  # whose decreases are compared
SLOWEST = 0.999  # a ratio beyond this would be noise


def sweeps_to(problem: Problem, result: Result, l2: float, accuracy: float) -> float:
    """Return the epochs to an edge of this size, those of the result included."""
    if result.status in DONE:
        return result.n_epochs
    gradient = problem.gradient(result.lam, result.intercept)[: problem.n_features]
    scale = np.sqrt(problem.lipschitz)
    there = scale > 0
    edge = np.max(np.abs(gradient + l2 * result.lam)[there] / scale[there], initial=0.0)
    if edge <= accuracy or result.n_epochs == 0:
        return result.n_epochs
    falls = -np.diff(result.trace.objective[-LOOKS - 1 :])
    epochs = float(result.trace.epoch[-1] - result.trace.epoch[-len(falls) - 1])
    half = len(falls) // 2
    before, after = falls[:half].sum(), falls[half:].sum()
    ratio = SLOWEST
    if before > 0 and after > 0:
        ratio = min(float(after / before) ** (2.0 / max(epochs, 1e-9)), SLOWEST)
    return result.n_epochs + 2.0 * math.log(edge / accuracy) / -math.log(ratio)
