"""Products with A, all that a proof is checked by: A lam, A^T w, and the sums of absolute terms.

A sum of many numbers is 0 up to rounding if it is small beside the sum of their absolute values,
so every product comes with that sum. Vectors over rows and over coordinates are in the core's
order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.cached import cached_property
from ..problem import Problem
from ..tables.problem import TableProblem
from .signed_rows import SignedRows, signed_rows

__all__ = ["Products"]


class Products:
    """The products of a problem, by the kernels that its fits use."""

    def __init__(self, problem: Problem | TableProblem, n_threads: int | None = None) -> None:
        self.problem = problem
        self.rows = problem.rows(n_threads)
        self.has_intercept = problem.fit_intercept
        self.n_features = problem.n_coordinates - problem.fit_intercept
        self.n_coordinates, self.m = problem.n_coordinates, len(problem.c)

    @cached_property
    def samples(self) -> SignedRows:
        """The rows, written out."""
        return signed_rows(self.problem)

    @property
    def positive(self) -> NDArray[np.bool_]:
        """Which rows have the larger label."""
        return self.samples.positive

    def features(self, coordinates: Vector) -> Vector:
        """Return coordinates without the intercept."""
        return coordinates[: self.n_features]

    def times(self, lam: Vector) -> Vector:
        """Return A lam."""
        return self.rows.residuals(lam)

    def absolute_times(self, lam: Vector) -> Vector:
        """Return |A| |lam|."""
        if isinstance(self.problem, TableProblem):
            return self.problem.rows().absolute_residuals(lam)
        return np.asarray(abs(self.samples.M) @ np.abs(lam))

    def transposed(self, w: Vector) -> tuple[Vector, Vector]:
        """Sum w_j |A_ji| over A_ji < 0, and over A_ji > 0: A^T w is the difference."""
        return self.rows.signed_sums(w)

    def least_share(self, w: Vector, rows: NDArray[np.bool_]) -> float:
        """Return the least share of some rows in the sum of |A_ji| w_j where it is largest.

        A row without entries proves itself, if it has any weight.
        """
        M = abs(self.samples.M)
        sums = np.asarray(M.T @ w)
        shares = M.data * np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)[M.indices]
        largest = np.where(np.diff(M.indptr) > 0, 0.0, np.inf)
        np.maximum.at(largest, np.repeat(np.arange(self.m), np.diff(M.indptr)), shares)
        with np.errstate(invalid="ignore"):  # infinity times 0
            return float(np.nan_to_num(largest[rows] * w[rows], posinf=np.inf).min())

    def entries(self, rows: NDArray[np.intp]) -> Any:
        """Return some rows of A, a scipy matrix with a column for each coordinate."""
        if not isinstance(self.problem, TableProblem):
            return self.samples.signed(rows)
        import scipy.sparse as sp  # noqa: PLC0415

        design = self.problem.design
        stumps = design.explicit(self.problem.codes[:, design.row_order[rows]])
        y = sp.diags_array(np.where(self.positive[rows], 1.0, -1.0))
        return y @ sp.hstack([stumps, np.ones((len(rows), 1))]).tocsr()
