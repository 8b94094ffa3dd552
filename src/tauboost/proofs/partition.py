"""From rows to their kinds: what is plain to see, then columns of one sign, then face by face.

Rows and columns are scaled first, which changes no verdict: A -> D A S, lam -> S lam.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.arrays import Mask, Vector
from ..solvers.newton import MOST_DENSE
from ..solvers.registry import solve
from .clock import Clock, OutOfTime
from .faces import Split, problem_of, split
from .merging import Merged
from .peeling import Peeled, peel
from .signed_rows import SignedRows

__all__ = ["Partition", "column_scale", "few_columns", "partition", "scaled"]

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
