"""The time a search may take, and where it reports its progress."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Mask, Vector, cached_property
from ..problem import Problem
from ..search.duplicates import equal_rows, fingerprints
from ..tables.columns import split_planes
from ..tables.problem import TableProblem
from ..validation import CsrArrays

__all__ = [
    "Clock",
    "Merged",
    "OutOfTime",
    "Products",
    "Report",
    "SignedRows",
    "duplicate_groups",
    "in_order",
    "merge",
    "signed_rows",
]


Report = Callable[[str], Any]


class OutOfTime(Exception):  # noqa: N818 - no error, but what a limit is for
    """There is no time left to decide all rows."""


class Clock:
    """Counts down."""

    def __init__(self, limit: float, report: Report | None = None) -> None:
        self.began, self.limit, self.report = time.perf_counter(), limit, report

    @property
    def seconds(self) -> float:
        """Seconds since it was started."""
        return time.perf_counter() - self.began

    @property
    def left(self) -> float:
        """Seconds left, 0 at least."""
        return max(self.limit - self.seconds, 0.0)

    def say(self, words: str) -> None:
        """Report what comes next."""
        if self.report is not None:
            self.report(words)

    def check(self) -> None:
        """Raise OutOfTime if there is no time left."""
        if self.left == 0.0:
            raise OutOfTime


# The rows of a problem written out: features, labels, and the way back to lam.
#
# A problem keeps its columns in the core and does not keep X. Here its entries come back as a CSR
# matrix M, one row for each sample that counts, in the core's order, the intercept as a column of
# ones. For a table, M has a column for each bin: their span is that of all stumps and the
# intercept, with one entry a cell. Which rows contradict each other depends on nothing but that
# span.


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


# Products with A, all that a proof is checked by: A lam, A^T w, and the sums of absolute terms.
#
# A sum of many numbers is 0 up to rounding if it is small beside the sum of their absolute
# values, so every product comes with that sum. Vectors over rows and over coordinates are in the
# core's order.


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


# Duplicates count once: what is proved of one is proved of all.
#
# Rows of equal features and equal labels are one row of A. Rows of equal features and different
# labels are a row and its negative: whatever separates one has the other wrong, so both belong to
# the hard core, with nothing to compute.


@dataclass(frozen=True, eq=False)
class Merged:
    """The kinds of rows: by features and label."""

    rows: NDArray[np.intp]  # the first row of each kind
    kind: NDArray[np.intp]  # the kind of each row
    group: NDArray[np.intp]  # the first row that has the features of each row
    is_contradicted: Mask  # which rows have a row of equal features and another label


def merge(samples: SignedRows, n_threads: int) -> Merged:
    """Find the rows that are equal."""
    M = samples.M
    arrays = CsrArrays(M.indptr, M.indices, M.data, M.shape)
    group = np.arange(M.shape[0])
    later, first = equal_rows(arrays, group, fingerprints(arrays, 0, n_threads))
    group[later] = first
    sides = np.bincount(2 * group + samples.positive, minlength=2 * len(group)).reshape(-1, 2)
    _, rows, kind = np.unique(2 * group + samples.positive, return_index=True, return_inverse=True)
    return Merged(rows, kind.reshape(-1), group, np.all(sides > 0, axis=1)[group])


# The order in which people inspect rows that contradict each other.
#
# Rows of equal features and different labels come first: they are wrong for certain, whatever the
# model. Then the rest of the hard core, by weight: those that a model has hardest.


Numbers = NDArray[np.intp]


def duplicate_groups(samples: SignedRows, merged: Merged) -> tuple[Numbers, ...]:
    """Return the groups of samples with equal features and different labels, as the caller counts.

    Groups are in the order of their first sample; in each, the rarer label comes first.
    """
    rows = np.flatnonzero(merged.is_contradicted)
    order = rows[np.lexsort((samples.numbers[rows], merged.group[rows]))]
    if len(order) == 0:
        return ()
    cuts = np.flatnonzero(np.diff(merged.group[order])) + 1
    groups = [_rarer_first(samples, group) for group in np.split(order, cuts)]
    return tuple(sorted(groups, key=lambda group: int(group.min())))


def _rarer_first(samples: SignedRows, group: Numbers) -> Numbers:
    is_positive = samples.positive[group]
    is_rare = is_positive if 2 * np.count_nonzero(is_positive) <= len(group) else ~is_positive
    numbers = samples.numbers[group]
    return np.concatenate([numbers[is_rare], numbers[~is_rare]])


def in_order(core: Mask, w: Vector, groups: tuple[Numbers, ...]) -> Numbers:
    """Return the samples of the core: those of the groups, then the others, the heaviest first."""
    is_left = core.copy()
    first = np.concatenate(groups) if groups else np.empty(0, dtype=np.intp)
    is_left[first] = False
    rest = np.flatnonzero(is_left)
    return np.concatenate([first, rest[np.argsort(-w[rest], kind="stable")]])
