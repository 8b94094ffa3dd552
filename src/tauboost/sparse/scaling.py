"""Column scaling: psi acts on scaled columns, so that a column and a multiple of it mean the same.

A column is seen as (x - center) / size, with size the largest |x - center|: 1 for columns of 0 and
1, which stay as they are. The center is 0, but for columns that are far from 0 next to how they
vary (a year, an amount), where there is an intercept. Such a column is nearly the intercept's
double, and coordinate steps crawl along the valley between the two; beside an intercept,
subtracting a number changes nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Mask, Vector, cached_property
from ..base.threads import useful_threads
from ..validation import ROWS_AT_ONCE, CsrArrays

__all__ = ["Moments", "Ranges", "Units", "centered", "row_blocks"]


# Numbers subtracted from some columns of a matrix, which then have an entry in every row.
#
# Meant for columns that have one nearly everywhere: they cost no more than before.


def row_blocks(
    arrays: CsrArrays, columns: NDArray[np.intp]
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield rows, some at a time, with their values in some columns as a dense array."""
    if len(columns) == 0:
        return
    place = np.full(arrays.shape[1], -1, dtype=np.intp)
    place[columns] = np.arange(len(columns))
    with arrays.reading():
        for start in range(0, arrays.shape[0], ROWS_AT_ONCE):
            rows = slice(start, min(start + ROWS_AT_ONCE, arrays.shape[0]))
            block = np.zeros((rows.stop - rows.start, len(columns)))
            for part in arrays.parts:
                _fill(block, part, rows, place)
            yield rows, block


def _fill(
    block: NDArray[np.float64], part: CsrArrays, rows: slice, place: NDArray[np.intp]
) -> None:
    """Put the entries of some rows into their places; -1: they have none."""
    ends = part.indptr[rows.start : rows.stop + 1]
    entries = slice(int(ends[0]), int(ends[-1]))
    places = place[part.indices[entries]]
    chosen = np.flatnonzero(places >= 0)
    row = np.repeat(np.arange(len(block)), np.diff(ends))[chosen]
    places = places[chosen]
    if part.data is not None:
        block[row, places] = part.data[entries][chosen]
    elif part.scale is not None:
        block[row, places] = part.scale[part.indices[entries][chosen]]
    else:
        block[row, places] = 1.0


def centered(arrays: CsrArrays, columns: NDArray[np.intp], centers: Vector) -> CsrArrays:
    """Return a matrix with numbers subtracted from some of its columns, in a copy."""
    m, n = arrays.shape
    is_centered = np.zeros(n, dtype=bool)
    is_centered[columns] = True
    with arrays.reading():
        rest = [_without(part, is_centered) for part in arrays.parts]
    values = np.empty((m, len(columns)))
    for rows, block in row_blocks(arrays, columns):
        np.subtract(block, centers, out=values[rows])
    dense = CsrArrays(
        np.arange(m + 1, dtype=np.int64) * len(columns),
        np.tile(columns, m).astype(arrays.indices.dtype),
        values.reshape(-1),
        arrays.shape,
    )
    if len(rest) > 1:  # the values of a store, and these
        dense = _sum(rest[1], dense)
    pointer = np.int64 if dense.nnz > np.iinfo(np.int32).max else arrays.indptr.dtype
    return replace(
        rest[0],
        indptr=rest[0].indptr.astype(pointer, copy=False),
        more=replace(dense, indptr=dense.indptr.astype(pointer, copy=False)),
        store=arrays.store,
    )


def _without(part: CsrArrays, is_left_out: Mask) -> CsrArrays:
    """Return a matrix without the entries of some columns; as it is, if they have none."""
    keep = ~is_left_out[part.indices]
    if keep.all():
        return replace(part, more=None)
    kept = np.append(0, np.cumsum(keep, dtype=np.int64))[part.indptr]
    return replace(
        part,
        indptr=kept.astype(part.indptr.dtype),
        indices=part.indices[keep],
        data=None if part.data is None else part.data[keep],
        more=None,
    )


def _sum(one: CsrArrays, other: CsrArrays) -> CsrArrays:
    """Return the sum of two matrices without common entries as one."""
    total = one.to_scipy() + other.to_scipy()
    kind = other.indices.dtype
    return CsrArrays(
        total.indptr.astype(np.int64), total.indices.astype(kind), total.data, one.shape
    )


# Columns farther from 0, by mean over standard deviation, are centered.
FAR = 3.0


class Moments(NamedTuple):
    """Means by weight of x and x^2, for x from 0 at the least value of a column to 1 at the most.

    Zeros are values as well; columns are the dense ones.
    """

    first: Vector
    second: Vector

    @classmethod
    def of(cls, arrays: CsrArrays, weights: Vector, ranges: Ranges, n_threads: int) -> Moments:
        """Return the moments of the dense columns, from the rows that the ranges are of."""
        columns = ranges.dense
        zero, size = ranges.dense_ends
        slot = np.full(arrays.shape[1], -1, dtype=np.int32)
        slot[columns] = np.arange(len(columns))
        sums = np.zeros(3 * len(columns))
        share = weights / weights.max()
        share /= share.sum()
        with arrays.reading():
            for part in arrays.parts if len(columns) else ():
                data = part.data if part.scale is None else part.values()
                useful = useful_threads(n_threads, len(part.indices))
                of_rows = (part.indptr, part.indices, data, share)
                _core.column_moments(*of_rows, slot, zero, size, sums, useful)
        present, first, second = sums.reshape(-1, 3).T
        absent, at_zero = 1.0 - present, -zero / size
        is_full = ranges.counts[columns] == ranges.n_rows
        absent[is_full] = 0.0
        return cls(first + absent * at_zero, second + absent * np.square(at_zero))

    @classmethod
    def merged(cls, parts: Sequence[Moments], shares: Sequence[float]) -> Moments:
        """Return those of all rows; ``shares`` are what the parts weigh, of sum 1."""
        pairs = list(zip(shares, parts, strict=True))
        return cls(
            np.sum([share * part.first for share, part in pairs], axis=0),
            np.sum([share * part.second for share, part in pairs], axis=0),
        )


@dataclass(frozen=True)
class Ranges:
    """The entries of each column that are not 0: the least, the most, and how many."""

    least: Vector
    most: Vector
    counts: NDArray[np.int64]
    n_rows: int

    @classmethod
    def of(cls, arrays: CsrArrays, n_threads: int) -> Ranges:
        """Return the ranges of all columns, from all entries."""
        m, n = arrays.shape
        least, most = np.full(n, np.inf), np.full(n, -np.inf)
        counts = np.zeros(n, dtype=np.int64)
        with arrays.reading():
            for part in arrays.parts:
                useful = useful_threads(n_threads, len(part.indices))
                data = part.data if part.scale is None else part.values()
                _core.column_ranges(part.indptr, part.indices, data, least, most, counts, useful)
        return cls(least, most, counts, m)

    @classmethod
    def merged(cls, n: int, parts: Sequence[tuple[NDArray[np.intp], Ranges]]) -> Ranges:
        """Return those of n columns over all rows, from parts of the rows, each in some columns."""
        least, most = np.full(n, np.inf), np.full(n, -np.inf)
        counts = np.zeros(n, dtype=np.int64)
        for columns, part in parts:
            least[columns] = np.minimum(least[columns], part.least)
            most[columns] = np.maximum(most[columns], part.most)
            counts[columns] += part.counts
        return cls(least, most, counts, sum(part.n_rows for _, part in parts))

    def select(self, columns: NDArray[np.intp]) -> Ranges:
        """Return those of some columns."""
        return Ranges(self.least[columns], self.most[columns], self.counts[columns], self.n_rows)

    @property
    def are_ones(self) -> bool:
        """Whether every entry is 1."""
        return bool((((self.least == 1.0) & (self.most == 1.0)) | (self.counts == 0)).all())

    @property
    def have_several(self) -> Mask:
        """Which columns have entries that differ. One value and 0 are as 0 and 1."""
        return np.asarray(self.least < self.most)

    @cached_property
    def dense(self) -> NDArray[np.intp]:
        """The columns that may be far from 0: nine of ten rows have an entry, and entries differ.

        The mean of others is at most three standard deviations.
        """
        return np.flatnonzero((10 * self.counts > 9 * self.n_rows) & self.have_several)

    @cached_property
    def ends(self) -> tuple[Vector, Vector]:
        """The least and the most of each column, zeros included; 0 for columns without entries."""
        has_zeros = self.counts < self.n_rows
        least = np.where(has_zeros, np.minimum(self.least, 0.0), self.least)
        return least, np.where(has_zeros, np.maximum(self.most, 0.0), self.most)

    @cached_property
    def dense_ends(self) -> tuple[Vector, Vector]:
        """The least value of each dense column, and how far from it the most is."""
        least, most = self.ends
        return least[self.dense], (most - least)[self.dense]

    def rulers(self) -> tuple[Vector, Vector]:
        """Return a zero and a size for each column, for the fingerprints of rows.

        They see no difference between a column and a multiple of it, also a negative one, unless
        its values are the same in both directions. The zero is 0 where the column has any, or one
        value only.
        """
        least, most = self.ends
        is_far = ((least > 0) | (most < 0)) & (least < most)
        zero = np.where(is_far, np.where(least > 0, least, most), 0.0)
        size = np.where(-least > most, least, most) - zero
        return zero, np.where(size == 0, 1.0, size)


@dataclass(frozen=True)
class Units:
    """What is subtracted from each column, and what it is divided by."""

    ranges: Ranges
    columns: NDArray[np.intp]  # those with a center that is not 0
    centers: Vector
    # Of columns with an entry in nearly all rows: the least root mean square, next to the size.
    # Where few values are large, gradients that seem small in these units are not.
    least_spread: float = 1.0
    n_far: int = 0  # columns that would be centered, were there an intercept

    @classmethod
    def of(
        cls, arrays: CsrArrays, weights: Vector, fit_intercept: bool, n_threads: int
    ) -> Units | None:
        """Find the units of some rows; None: all entries are 1, and stay so."""
        if arrays.more is None and arrays.data is None and arrays.scale is None:
            return None
        ranges = Ranges.of(arrays, n_threads)
        if ranges.are_ones:
            return None
        return cls.found(ranges, Moments.of(arrays, weights, ranges, n_threads), fit_intercept)

    @classmethod
    def found(cls, ranges: Ranges, moments: Moments, fit_intercept: bool) -> Units:
        """Return the units that follow from what is known of the columns."""
        columns, (least, extent) = ranges.dense, ranges.dense_ends
        mean = least + extent * moments.first
        variance = np.maximum(moments.second - np.square(moments.first), 0.0)
        variance *= np.square(extent)
        is_far = np.square(mean) > FAR**2 * variance
        n_far = 0 if fit_intercept else int(is_far.sum())
        is_far &= fit_intercept
        units = cls(ranges, columns[is_far], mean[is_far])
        square = variance + np.where(is_far, 0.0, np.square(mean))
        spread = np.sqrt(square) / units.size[columns]
        return replace(units, least_spread=float(spread.min(initial=1.0)), n_far=n_far)

    def select(self, columns: NDArray[np.intp]) -> Units:
        """Return those of some columns, in ascending order; none that is left out is centered."""
        places = np.searchsorted(columns, self.columns)
        return replace(self, ranges=self.ranges.select(columns), columns=places)

    @cached_property
    def size(self) -> Vector:
        """The largest |x - center| of each column; 1 for columns without entries."""
        least, most = self.ranges.ends
        center = np.zeros(len(least))
        center[self.columns] = self.centers
        size = np.maximum(most - center, center - least)
        return np.where(self.ranges.counts == 0, 1.0, size)

    def applied(self, arrays: CsrArrays) -> CsrArrays:
        """Return the rows with their columns in these units."""
        if len(self.columns) > 0:
            arrays = centered(arrays, self.columns, self.centers)
        parts = [
            replace(part, data=part.values() / self.size[part.indices], scale=None, more=None)
            for part in arrays.parts
        ]
        return parts[0] if len(parts) == 1 else replace(parts[0], more=parts[1])

    def outward(self, coef: Vector, intercept: Vector) -> tuple[Vector, Vector]:
        """Take coefficients of columns in these units to those of the columns as given."""
        coef = coef / self.size
        return coef, intercept - self._at_centers(coef)

    def inward(self, coef: Vector, intercept: Vector) -> tuple[Vector, Vector]:
        """Take coefficients of the columns as given to those of columns in these units."""
        return coef * self.size, intercept + self._at_centers(coef)

    def _at_centers(self, coef: Vector) -> Vector:
        return np.asarray((coef[..., self.columns] * self.centers).sum(axis=-1))
