"""The rows of a problem written out: features, labels, and the way back to lam.

A problem keeps its columns in the core and does not keep X. Here its entries come back as a CSR
matrix M, one row for each sample that counts, in the core's order, the intercept as a column of
ones. For a table, M has a column for each bin: their span is that of all stumps and the intercept,
with one entry a cell. Which rows contradict each other depends on nothing but that span.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Mask, Vector
from ..problem import Problem
from ..tables.columns import split_planes
from ..tables.problem import TableProblem

__all__ = ["SignedRows", "signed_rows"]


@dataclass(frozen=True, eq=False)
class SignedRows:
    """A = diag(y) M, with y = 1 where ``positive``, else -1."""

    M: Any  # scipy CSR, indices ascending
    positive: Mask
    c: Vector  # sample weights, which sum to 1
    numbers: NDArray[np.intp]  # the samples, as the caller counts them
    coordinates: Callable[[Vector], Vector]  # weights of the columns of M to lam of the core

    def signed(self, rows: NDArray[Any]) -> Any:
        """Return some rows of A."""
        import scipy.sparse as sp  # noqa: PLC0415

        return sp.diags_array(np.where(self.positive[rows], 1.0, -1.0)) @ self.M[rows]


def signed_rows(problem: Problem | TableProblem) -> SignedRows:
    """Write the rows of a problem out."""
    return _of_table(problem) if isinstance(problem, TableProblem) else _of_matrix(problem)


def numbers_of(problem: Problem | TableProblem) -> NDArray[np.intp]:
    """Return the samples behind the rows of the core, as the caller counts them."""
    order = np.asarray(problem.design.row_order).astype(np.intp)
    return order if problem.kept is None else problem.kept[order]


def _of_matrix(problem: Problem) -> SignedRows:
    import scipy.sparse as sp  # noqa: PLC0415

    matrix = problem.matrix
    if matrix.m >= 2**31:
        raise ValueError("hard_core takes fewer than 2^31 rows")
    ends = np.append(0, np.cumsum(problem.column_counts()))
    rows, values = np.empty(matrix.nnz, dtype=np.int32), np.empty(matrix.nnz)
    matrix.entries(rows, values)
    labels = np.empty(matrix.m, dtype=np.uint8)
    matrix.positive(labels)
    positive = labels.astype(bool)
    values *= np.where(positive, 1.0, -1.0)[rows]
    pointers = ends.astype(np.int32) if ends[-1] < 2**31 else ends
    M = sp.csc_array((values, rows, pointers), shape=(matrix.m, matrix.n)).tocsr()
    return SignedRows(M, positive, problem.c, numbers_of(problem), np.copy)


def _of_table(problem: TableProblem) -> SignedRows:
    import scipy.sparse as sp  # noqa: PLC0415

    design = problem.design
    planes = problem.codes[:, design.row_order]
    codes = np.stack(split_planes(problem.columns, planes), axis=1).astype(np.int64)
    m, n_columns = codes.shape
    indices = (codes + design.starts[:-1]).reshape(-1)
    pointers = n_columns * np.arange(m + 1)
    shape = (m, int(design.starts[-1]))
    M = sp.csr_array((np.ones(m * n_columns), indices, pointers), shape=shape)
    positive = problem.y > 0
    return SignedRows(M, positive, problem.c, numbers_of(problem), design.centred)
