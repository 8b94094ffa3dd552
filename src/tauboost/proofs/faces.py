"""Which rows contradict each other: face by face.

The minimum of the squared hinge (hinge.py) gives w >= 0 with A^T w = 0: rows with w_j > 0 belong to
the hard core, and so does every row in their span, since the span of rows that balance each other
is all of their positive combinations. lam must vanish on that span; within the lam that do, the
rest is looked at in the same way, until it is separated or nothing is left. Each time the span
grows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.arrays import Mask, Vector
from ..problem import Problem
from ..rows import LocalRows
from ..solvers.cholesky import solve_scaled
from .clock import Clock
from .hinge import gram, minimise_hinge

__all__ = ["Split", "problem_of", "split"]

# What is small beside the largest: weights, eigenvalues, and rows outside of a span.
NO_WEIGHT, NO_EIGENVALUE, NO_LENGTH = 1e-7, 1e-11, 1e-8
DIRECTIONS = 4  # a row outside of a span is orthogonal to none of so many random ones
MOST_ROUNDS = 50


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
    """Tell the rows of the hard core from those that can be separated."""
    problem = problem_of(A, n_threads)
    rows, basis = problem.rows(), None
    core, lam = np.zeros(A.shape[0], dtype=bool), np.zeros(A.shape[1])
    for _ in range(MOST_ROUNDS):
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
    return np.asarray(vectors[:, values <= NO_EIGENVALUE * max(values[-1], 0.0)])


def _is_within(rows: LocalRows, basis: Vector) -> Mask:
    """Tell which rows vanish on all lam of a basis."""
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
