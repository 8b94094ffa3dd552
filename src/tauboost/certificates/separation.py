"""Which rows contradict each other: face by face.

The minimum of the squared hinge gives w >= 0 with A^T w = 0: rows with w_j > 0 belong to
the hard core, and so does every row in their span, since the span of rows that balance each other
is all of their positive combinations. lam must vanish on that span; within the lam that do, the
rest is looked at in the same way, until it is separated or nothing is left. Each time the span
grows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Mask, Vector
from ..methods import solve
from ..problem import Problem
from ..rows import LocalRows
from ..solvers.newton import MOST_DENSE, solve_scaled
from .rows import Clock, Merged, OutOfTime, SignedRows

__all__ = [
    "Hinge",
    "Partition",
    "Peeled",
    "Split",
    "balanced_weights",
    "column_scale",
    "few_columns",
    "gram",
    "minimise_hinge",
    "partition",
    "peel",
    "problem_of",
    "scaled",
    "split",
]


# The squared hinge, which finds the rows that contradict each other.
#
#     V(lam) = 1/2 sum_j max(0, 1 + (A lam)_j)^2
#
# has a minimum for any A: it is convex, bounded below and quadratic in pieces. At the minimum the
# weights w_j = max(0, 1 + (A lam)_j) satisfy A^T w = 0, w >= 0: their rows contradict each other.
# If w = 0, every (A lam)_j <= -1: the rows are separated. Newton's method with an exact line
# search gets there after finitely many steps: V is quadratic as long as the rows with w_j > 0
# stay the same.


MOST_STEPS = 200
MOST_LENGTHS = 60  # tried in a line search
# The gradient beside the sums of its absolute terms: where it counts as 0, and where it does if V
# falls no more.
BALANCED, NEARLY = 1e-11, 1e-7
# Rows with 1 + (A lam)_j just below 0 count in the Hessian: the step would run into them at once.
AT_THE_EDGE = 1e-9
NO_CURVATURE = 1e-13  # beside the largest of a column: rows and columns have been scaled
ENOUGH = 0.5  # a lam with all (A lam)_j below -ENOUGH separates: no need to continue to -1


@dataclass(frozen=True, eq=False)
class Hinge:
    """The minimum: lam, r = A lam, and whether it was reached."""

    lam: Vector
    r: Vector
    is_found: bool


def gram(rows: LocalRows, p: Vector) -> Vector:
    """Return A^T diag(p) A, of which the lower triangle counts."""
    n = rows.matrix.n
    entries = np.empty(n * n)
    _core.gram(rows.matrix, p, np.arange(n, dtype=np.int32), entries, rows.n_threads)
    return entries.reshape(n, n)


def minimise_hinge(rows: LocalRows, basis: Vector | None, clock: Clock) -> Hinge:
    """Minimise V over all lam, or those that the columns of a basis span."""
    lam, r = np.zeros(rows.matrix.n), np.zeros(rows.matrix.m)
    V = np.inf
    for _ in range(MOST_STEPS):
        clock.check()
        if not np.any(r > -ENOUGH):
            return Hinge(lam, r, True)
        w = np.maximum(1.0 + r, 0.0)
        neg, pos = rows.signed_sums(w)
        slope = pos - neg
        size = _size(slope, basis) / float(np.max(pos + neg))
        before, V = V, float(np.sum(np.square(w)))
        if size <= BALANCED or (size <= NEARLY and (1.0 - 1e-14) * before <= V):
            return Hinge(lam, r, True)
        direction = _newton(gram(rows, (1.0 + r > -AT_THE_EDGE).astype(np.float64)), slope, basis)
        if direction is None:
            break
        lam = lam + _length(r, rows.residuals(direction)) * direction
        r = rows.residuals(lam)
    return Hinge(lam, r, False)


def _size(slope: Vector, basis: Vector | None) -> float:
    return float(np.abs(slope if basis is None else basis.T @ slope).max(initial=0.0))


def _newton(H: Vector, slope: Vector, basis: Vector | None) -> Vector | None:
    if basis is not None:
        full = np.tril(H) + np.tril(H, -1).T
        H, slope = basis.T @ full @ basis, basis.T @ slope
    # Else a direction that no active row has would be as long as rounding makes it.
    H[np.diag_indices_from(H)] += NO_CURVATURE * float(np.max(np.diagonal(H), initial=0.0))
    d = solve_scaled(H, -slope)
    return d if d is None or basis is None else basis @ d


def _length(r: Vector, change: Vector) -> float:
    """Return the length at which V is least: its slope rises in pieces, each of them linear."""
    low, high, length = 0.0, np.inf, 1.0
    for _ in range(MOST_LENGTHS):
        slack = 1.0 + r + length * change
        is_active = slack > 0
        slope = float(np.sum(slack[is_active] * change[is_active]))
        curvature = float(np.sum(np.square(change[is_active])))
        rounding = 1e-13 * float(np.sum(np.abs(slack[is_active] * change[is_active])))
        if abs(slope) <= rounding:
            break
        low, high = (length, high) if slope < 0 else (low, length)
        step = length - slope / curvature if curvature > 0 else np.inf
        if not low < step < high:
            step = 0.5 * (low + high) if np.isfinite(high) else 2.0 * length
        if step == length:
            break
        length = step
    return length


# What is small beside the largest: weights, eigenvalues, and rows outside of a span.
NO_WEIGHT, NO_EIGENVALUE_OF_FACE, NO_LENGTH = 1e-7, 1e-11, 1e-8
DIRECTIONS = 4  # a row outside of a span is orthogonal to none of so many random ones
MOST_FACES = 50


@dataclass(frozen=True, eq=False)
class Split:
    """The rows of each kind, as far as they are known, and lam: 0 on the core, below 0 elsewhere.

    Both masks miss a row that is not decided.
    """

    core: Mask
    separated: Mask
    lam: Vector


def problem_of(A: Any, n_threads: int, weights: Vector | None = None) -> Problem:
    """Lay rows of A, a scipy matrix, out in the core; their signs are in the entries."""
    classes = np.array([-1.0, 1.0])
    return Problem.of_part(A, np.ones(A.shape[0]), weights, classes=classes, n_threads=n_threads)


def split(A: Any, n_threads: int, clock: Clock) -> Split:
    """Split rows into the hard core and those that can be separated."""
    problem = problem_of(A, n_threads)
    rows, basis = problem.rows(), None
    core, lam = np.zeros(A.shape[0], dtype=bool), np.zeros(A.shape[1])
    for _ in range(MOST_FACES):
        rest = np.flatnonzero(~core)
        # Columns lie in the same places of the core for any rows.
        part = problem_of(A[rest], n_threads).rows() if core.any() else rows
        found = minimise_hinge(part, basis, clock)
        if not found.is_found:
            break
        if np.all(found.r < 0):
            lam = problem.design.split(_without(rows, core, found.lam))[0]
            return Split(core, ~core, lam)
        w = np.maximum(1.0 + found.r, 0.0)
        core[rest] = w > NO_WEIGHT * w.max()
        basis = _null_basis(gram(rows, core.astype(np.float64)))
        core |= _is_within(rows, basis)
        if core.all():
            return Split(core, ~core, lam)
    return Split(core, np.zeros_like(core), lam)


def _null_basis(G: Vector) -> Vector:
    """Return an orthonormal basis of the lam that vanish on the rows that G = A^T A is made of."""
    values, vectors = np.linalg.eigh(G, UPLO="L")
    return np.asarray(vectors[:, values <= NO_EIGENVALUE_OF_FACE * max(values[-1], 0.0)])


def _is_within(rows: LocalRows, basis: Vector) -> Mask:
    """Return which rows vanish on all lam of a basis."""
    is_within = np.ones(rows.matrix.m, dtype=bool)
    if basis.shape[1] == 0:
        return is_within
    generator = np.random.default_rng(0)
    for _ in range(DIRECTIONS):
        direction = basis @ generator.normal(size=basis.shape[1])
        is_within &= np.abs(rows.residuals(direction)) <= NO_LENGTH * np.abs(direction).max()
    return is_within


def _without(rows: LocalRows, core: Mask, lam: Vector) -> Vector:
    """Take away what is left of lam on the core: a basis is exact to half the digits only."""
    if not core.any():
        return lam
    p = core.astype(np.float64)
    G = gram(rows, p)
    for _ in range(3):
        neg, pos = rows.signed_sums(p * rows.residuals(lam))
        rest = solve_scaled(G, pos - neg)
        if rest is None:
            break
        lam = lam - rest
    return lam


# Columns that have one sign: they separate every row that they touch, and leave the rest as it
# is.
#
# If A_ji >= 0 in all rows left, a large negative lam_i makes (A lam)_j as negative as one likes
# where A_ji > 0 and changes no other row. Those rows are taken away, and columns that had two
# signs may now have one. On texts, where most words are rare, few rows are left after some
# rounds.


# Each round asks for larger weights than the next: after more, numbers would be too far apart.
MOST_PEELS = 40


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
    while len(rounds) < MOST_PEELS:
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


# From rows to their kinds: what is plain to see, then columns of one sign, then face by face.
#
# Rows and columns are scaled first, which does not change the answer: A -> D A S, lam -> S lam.


# Beside the largest: eigenvalues, and weights of columns that scaling has made alike.
NO_EIGENVALUE, NO_WEIGHTS = 1e-12, (0.0, 1e-14, 1e-12, 1e-10, 1e-8)


@dataclass(frozen=True, eq=False)
class Partition:
    """The kinds of rows in the core and those separated, and lam over the columns of M.

    ``sure`` are those that need no proof but their features: they have none, or another label too.
    """

    core: Mask
    separated: Mask
    lam: Vector
    sure: Mask


def partition(samples: SignedRows, merged: Merged, n_threads: int, clock: Clock) -> Partition:
    """Decide as many kinds of rows as time allows."""
    A = samples.signed(merged.rows)
    scale = column_scale(A)
    A = scaled(A, 1.0 / scale)
    is_empty = np.diff(A.indptr) == 0
    sure = merged.is_contradicted[merged.rows] | is_empty
    is_large = min(A.shape) > MOST_DENSE
    peeled = peel(A) if is_large else Peeled(A, np.ones(A.shape[0], dtype=bool), [])
    left = np.flatnonzero(peeled.is_left & ~is_empty)
    try:
        clock.say("splitting the rows")
        found = _split(A[left], n_threads, clock)
    except OutOfTime:
        none = np.zeros(len(left), dtype=bool)
        found = Split(none, none, np.zeros(A.shape[1]))
    core, separated = sure.copy(), ~peeled.is_left
    core[left] |= found.core
    separated[left] = found.separated
    lam = peeled.extended(_cleaned(A[left], found))
    return Partition(core, separated, lam / scale, sure)


def _split(A: Any, n_threads: int, clock: Clock) -> Split:
    """Split rows over the columns that they have."""
    lam = np.zeros(A.shape[1])
    columns = np.flatnonzero(np.bincount(A.indices, minlength=len(lam)))
    if A.shape[0] == 0:
        return Split(np.zeros(0, dtype=bool), np.zeros(0, dtype=bool), lam)
    A = A[:, columns].copy()
    A.data /= np.repeat(np.maximum.reduceat(np.abs(A.data), A.indptr[:-1]), np.diff(A.indptr))
    if min(A.shape) > MOST_DENSE:
        found = _by_sweeps(A, n_threads, clock)
    elif A.shape[1] > MOST_DENSE:
        found = _of_few_rows(A, n_threads, clock)
    else:
        found = split(A, n_threads, clock)
    lam[columns] = found.lam
    return Split(found.core, found.separated, lam)


def _of_few_rows(A: Any, n_threads: int, clock: Clock) -> Split:
    """Split rows with more columns than rows: lam = A^T u misses nothing."""
    U, lengths = few_columns(A)
    found = split(U * lengths, n_threads, clock)
    return Split(found.core, found.separated, A.T @ (U @ (found.lam / lengths)))


def _cleaned(A: Any, found: Split) -> Vector:
    """Set weights to 0 that are rounding: a row that has no others would seem to move.

    How small they are depends on the data; the limit taken is the one that leaves least of lam on
    the rows that are not separated, beside the absolute terms.
    """
    rest = A[~found.separated]
    if rest.shape[0] == 0:
        return found.lam
    sizes, best = np.abs(found.lam), (np.inf, found.lam)
    for limit in NO_WEIGHTS:
        lam = np.where(sizes > limit * sizes.max(), found.lam, 0.0)
        r, terms = np.abs(rest @ lam), abs(rest) @ np.abs(lam)
        residue = float(np.max(r[terms > 0] / terms[terms > 0], initial=0.0))
        best = min(best, (residue, lam), key=lambda pair: pair[0])
    return best[1]


def few_columns(A: Any) -> tuple[Vector, Vector]:
    """Return U and s where U diag(s) has the span of A, with a column for each row at most."""
    values, U = np.linalg.eigh((A @ A.T).toarray())
    is_any = values > NO_EIGENVALUE * values[-1]
    return U[:, is_any], np.sqrt(values[is_any])


def _by_sweeps(A: Any, n_threads: int, clock: Clock) -> Split:
    """Separate all rows by the solver, which takes any number of columns, or decide none."""
    problem = problem_of(A, n_threads)
    lam = solve(problem, n_threads=n_threads, time_limit=clock.left, random_state=0).lam
    r = problem.rows().residuals(problem.design.coordinates(lam))
    none = np.zeros(A.shape[0], dtype=bool)
    return Split(none, ~none, lam) if r.max() < 0 else Split(none, none, 0.0 * lam)


def column_scale(A: Any) -> Vector:
    """Return the largest absolute value of each column, 1 for those without any."""
    scale = np.zeros(A.shape[1])
    np.maximum.at(scale, A.indices, np.abs(A.data))
    return np.where(scale > 0, scale, 1.0)


def scaled(A: Any, factors: Vector) -> Any:
    """Return a CSR matrix with its columns multiplied by these factors."""
    A = A.copy()
    A.data *= factors[A.indices]
    return A


# The weights that prove the hard core: w > 0 with A^T w = 0.
#
# On the rows of the hard core alone F has a minimum, and its row weights there are such a w: they
# are the limit of AdaBoost's own weights on all of the data, and the heaviest rows are the
# hardest ones. The solver comes near; Newton steps on the weights themselves do the rest: with D
# = diag(w), the smallest relative change that balances the columns is
#
#     w <- w + D A x,      (A^T D A) x = -A^T w .
#
# Rows that the best model has easily right get weights so small that they would vanish in
# rounding and prove nothing of their row. So a hundredth of other balanced weights is mixed in,
# those in the middle of all there are, of which none is smaller than it must be.


NEAR, ENOUGH_BALANCE = 1e-8, 1e-14  # relative imbalance of a column: where Newton begins, and ends
MOST_BALANCE_STEPS = 8
MOST_EPOCHS = 3000
MOST_STEPS_TO_CENTER, MOST_HALVINGS = 100, 40
MIXED_IN = 0.01  # of other balanced weights


def balanced_weights(
    A: Any, weights: Vector, n_threads: int, time_limit: float | None = None
) -> Vector:
    """Return w > 0 of sum 1 with A^T w = 0, as nearly as it gets; ``A`` is a scipy matrix."""
    problem = problem_of(A, n_threads, weights)
    limits: dict[str, Any] = {"max_epochs": MOST_EPOCHS, "time_limit": time_limit}
    found = solve(problem, n_threads=n_threads, random_state=0, tol=NEAR, **limits)
    rows = problem.rows()
    point = rows.point(problem.design.coordinates(found.lam))
    w = _polished(rows, _lifted(rows, _polished(rows, point.w / point.total)))
    given = np.empty_like(w)
    given[problem.design.row_order] = w
    return given


def imbalance(rows: LocalRows, w: Vector) -> float:
    """Return the largest |A_i^T w|, each beside the sum of its absolute terms."""
    neg, pos = rows.signed_sums(w)
    both = pos + neg
    return float(np.max(np.abs(pos - neg)[both > 0] / both[both > 0], initial=0.0))


def _lifted(rows: LocalRows, w: Vector) -> Vector:
    """Mix some of other balanced weights in, of which none is light beside what it could be."""
    return np.asarray((1.0 - MIXED_IN) * w + MIXED_IN * _central(rows))


def _central(rows: LocalRows) -> Vector:
    """Return the balanced weights with the largest product: v_j = 1 / (1 + (A x)_j).

    The x that minimises -sum_j log(1 + (A x)_j) makes A^T v = 0. No row can have more than m times
    this weight under any balanced weights. Newton's steps, as long as they pay.
    """
    x, slack = np.zeros(rows.matrix.n), np.ones(rows.matrix.m)
    for _ in range(MOST_STEPS_TO_CENTER):
        v = 1.0 / slack
        neg, pos = rows.signed_sums(v)
        d = solve_scaled(gram(rows, np.square(v)), pos - neg)
        if d is None or not float(np.sum((pos - neg) * d)) > NEAR:
            break
        x = x + _step_length(slack, rows.residuals(d)) * d
        slack = 1.0 + rows.residuals(x)
    v = 1.0 / slack
    return np.asarray(v / v.sum())


def _step_length(slack: Vector, change: Vector) -> float:
    """Return t where -sum_j log(slack_j + t change_j) is least, every logarithm finite."""
    falls = change < 0
    most = float(np.min(-slack[falls] / change[falls], initial=np.inf))
    if not np.isfinite(most):
        return 1.0
    low, high = 0.0, most
    for _ in range(MOST_HALVINGS):
        t = 0.5 * (low + high)
        low, high = (t, high) if np.sum(change / (slack + t * change)) > 0 else (low, t)
    return low


def _polished(rows: LocalRows, w: Vector) -> Vector:
    best, least = w, imbalance(rows, w)
    for _ in range(MOST_BALANCE_STEPS):
        neg, pos = rows.signed_sums(best)
        x = solve_scaled(gram(rows, best), neg - pos)
        factor = None if x is None else 1.0 + rows.residuals(x)
        if factor is None or not factor.min() > 0:
            break
        w = best * factor
        w /= w.sum()
        size = imbalance(rows, w)
        if not size < least:
            break
        best, least = w, size
        if least <= ENOUGH_BALANCE:
            break
    return best
