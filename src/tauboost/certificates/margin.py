"""The largest margin of separable rows, as an interval that two vectors prove.

    max over |lam|_1 <= 1 of min_j -(A lam)_j   =   min over w of max_i |A_i^T w|,

w on the simplex. Any lam bounds it from below, any w from above. An intercept is free and no part
of |lam|_1: for that w must weigh both labels the same, and the intercept's column does not count on
the right. The solver comes near, with an l1 penalty as strong as the margin. Then linear programs
over few rows and columns give both vectors; the rows that lam has most wrong, and the columns that
w has most wrong, come in, until the ends meet, programs grow too large or time is up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..methods import solve
from ..problem import Problem
from ..solvers.result import Status
from ..tables.problem import TableProblem
from .rows import Clock, Merged, Products

__all__ = ["Bracket", "largest_margin", "narrowed"]


MOST_PENALTIES, MOST_EPOCHS, NEAR = 16, 60, 0.25  # the solver's part; a relative width
MOST_ROUNDS = 20  # programs
# The work for an interval is counted, not timed: the same data have the same answer anywhere.
MOST_NONZEROS = 1_000_000_000  # that the solver may read
MOST_CELLS, LARGEST = 10_000_000, 1_300_000  # rows times columns, of all programs and of one
AT_FIRST, AT_ONCE = 500, 200  # rows, and columns, of a program
NARROW = 1e-6  # relative width that is enough

Numbers = NDArray[np.intp]


class Bracket:
    """The interval, and the best vectors so far; ``lam`` are coordinates, with |lam|_1 = 1."""

    def __init__(self, products: Products, lam: Vector, w: Vector) -> None:
        self.products = products
        self.lower, self.upper = -np.inf, np.inf
        self.lam, self.w = lam, w
        self.try_lam(lam)
        self.try_w(w)

    @property
    def ends(self) -> tuple[float, float]:
        """The interval; where both ends are the same but for rounding, in order."""
        return min(self.lower, self.upper), max(self.lower, self.upper)

    @property
    def is_narrow(self) -> bool:
        """Whether the ends have met."""
        return self.upper - self.lower <= NARROW * abs(self.upper)

    def try_lam(self, lam: Vector) -> Vector:
        """Take lam if it is better; return A lam."""
        size = float(np.abs(self.products.features(lam)).sum())
        lam = lam / size if size > 0 else lam
        r = self.products.times(lam)
        if -r.max() > self.lower:
            self.lower, self.lam = -float(r.max()), lam
        return r

    def try_w(self, w: Vector) -> Vector:
        """Take w, made to fit the simplex, if it is better; return A^T w of the features."""
        scaled = self._on_the_simplex(w)
        neg, pos = self.products.transposed(scaled)
        slope = self.products.features(pos - neg)
        largest = float(np.abs(slope).max(initial=0.0))
        if largest < self.upper:
            self.upper, self.w = largest, scaled
        return slope

    def _on_the_simplex(self, w: Vector) -> Vector:
        """Scale w to sum 1; with an intercept, each label to 1/2."""
        positive = self.products.positive
        if not self.products.has_intercept:
            return np.asarray(w / w.sum())
        up, down = float(w[positive].sum()), float(w[~positive].sum())
        if up == 0.0 or down == 0.0:  # no answer: any w will do
            w, up, down = np.ones(len(w)), float(positive.sum()), float((~positive).sum())
        return np.where(positive, w / (2.0 * up), w / (2.0 * down))


def narrowed(products: Products, lam: Vector, w: Vector, clock: Clock) -> Bracket:
    """Find the interval from a lam that separates all rows, and any w >= 0 that is not 0."""
    best = Bracket(products, lam, w)
    if products.n_features > 2 * AT_FIRST:  # else programs alone are faster
        _along_penalties(best, clock)
    _by_programs(best, clock)
    return best


def _along_penalties(best: Bracket, clock: Clock) -> None:
    """Come near by the solver: F + alpha |lam|_1 has a minimum if alpha is above the margin.

    Its row weights have |A_i^T w| <= alpha. With alpha below the margin it falls without end, along
    a lam whose margin is larger than alpha.
    """
    problem, width, start, left = best.products.problem, np.inf, None, MOST_NONZEROS
    for k in range(MOST_PENALTIES):
        is_far = best.lower < best.upper / 4
        alpha = best.upper / 2 if is_far else float(np.sqrt(best.lower * best.upper))
        alpha = 0.0 if k == 0 else alpha
        is_near = best.upper - best.lower <= NEAR * best.upper
        if is_near or left < 0 or clock.left == 0.0:
            break
        limits: dict[str, Any] = {"max_epochs": MOST_EPOCHS, "time_limit": clock.left}
        tol = 0.01 * alpha if alpha > 0 else None
        found = solve(problem, alpha=alpha, tol=tol, lam0=start, random_state=0, **limits)
        point = best.products.rows.point(problem.design.coordinates(found.lam, found.intercept))
        best.try_lam(point.lam)
        best.try_w(point.w)
        left -= int(found.n_epochs * problem.nnz)
        if found.status is not Status.SEPARABLE:
            start = np.append(found.lam, [found.intercept] * problem.fit_intercept)
        before, width = width, best.upper - best.lower
        if width > 0.9 * before:
            break


def _by_programs(best: Bracket, clock: Clock) -> None:
    """Let the ends meet by linear programs, as long as these are small."""
    products = best.products
    r, slope = products.times(best.lam), best.try_w(best.w)
    rows = np.union1d(_largest(r, AT_FIRST), _largest(best.w, AT_FIRST))
    sizes = np.abs(products.features(best.lam)), np.abs(slope)
    columns = np.union1d(*(_largest(size, AT_FIRST) for size in sizes))
    left = MOST_CELLS
    for _ in range(MOST_ROUNDS):
        size = len(rows) * len(columns)
        left -= size
        is_over = best.is_narrow or size > LARGEST or left < 0 or clock.left == 0.0
        found = None if is_over else _program(products, rows, columns, clock.left)
        if found is None:
            break
        r, slope = best.try_lam(found[0]), best.try_w(found[1])
        before = len(rows) + len(columns)
        rows = np.union1d(rows, _largest(r, AT_ONCE))
        columns = np.union1d(columns, _largest(np.abs(slope), AT_ONCE))
        if len(rows) + len(columns) == before:
            break


def _largest(values: Vector, most: int) -> Numbers:
    if len(values) <= most:
        return np.arange(len(values))
    return np.argpartition(-values, most)[:most]


def _program(
    products: Products, rows: Numbers, columns: Numbers, seconds: float
) -> tuple[Vector, Vector] | None:
    """Find the largest margin of some rows with some columns: lam, and w of all rows.

    Columns of the program: lam above 0, lam below 0, the margin, the intercept where there is one.
    """
    import scipy.sparse as sp  # noqa: PLC0415
    from scipy.optimize import linprog  # noqa: PLC0415

    entries = products.entries(rows).tocsc()
    n, k = products.n_features, len(columns)
    blocks = [entries[:, columns], -entries[:, columns], np.ones((len(rows), 1)), entries[:, n:]]
    size = np.concatenate([np.ones(2 * k), np.zeros(1 + entries.shape[1] - n)])
    cost = np.zeros(len(size))
    cost[2 * k] = -1.0
    found = linprog(
        cost,
        A_ub=sp.vstack([sp.hstack(blocks), size[None, :]]).tocsr(),
        b_ub=np.append(np.zeros(len(rows)), 1.0),
        bounds=[(0, None)] * (2 * k) + [(None, None)] * (len(size) - 2 * k),
        method="highs",
        options={"time_limit": seconds},
    )
    if found.status != 0:
        return None
    lam, w = np.zeros(products.n_coordinates), np.zeros(products.m)
    lam[columns] = found.x[:k] - found.x[k : 2 * k]
    lam[n:] = found.x[2 * k + 1 :]
    w[rows] = np.maximum(-found.ineqlin.marginals[:-1], 0.0)
    return (lam, w) if w.any() else None


# The largest margin of all rows, from a problem of different rows and of columns that occur.


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
