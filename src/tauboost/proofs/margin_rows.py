"""The largest margin of all rows, from a problem of different rows and of columns that occur."""

from __future__ import annotations

import numpy as np

from ..base.arrays import Vector
from ..problem import Problem
from ..tables.problem import TableProblem
from .clock import Clock
from .margin import Bracket, narrowed
from .merging import Merged
from .products import Products

__all__ = ["largest_margin"]


def largest_margin(
    products: Products, merged: Merged, lam: Vector, clock: Clock
) -> tuple[Bracket, Vector, Vector]:
    """Return the interval, and the coordinates and weights of all rows that prove it."""
    samples = products.samples
    if isinstance(products.problem, TableProblem):
        best = narrowed(products, lam, samples.c, clock)
        return best, best.lam, best.w
    M, n = samples.M[merged.rows], products.n_features
    used = np.unique(M.indices[M.indices < n])
    weights = np.asarray(np.bincount(merged.kind, samples.c), dtype=np.float64)
    fewer = Products(
        Problem(
            M[:, used],
            samples.positive[merged.rows],
            weights,
            fit_intercept=products.has_intercept,
            n_threads=products.rows.n_threads,
        )
    )
    design, numbers = fewer.problem.design, fewer.samples.numbers
    start = design.coordinates(lam[used], float(lam[n]) if products.has_intercept else 0.0)
    best = narrowed(fewer, start, fewer.samples.c, clock)
    point, share = np.zeros(len(lam)), np.zeros(len(weights))
    point[used], intercept = design.split(best.lam)
    point[n:] = intercept
    share[numbers] = best.w / weights[numbers]
    return best, point, share[merged.kind] * samples.c
