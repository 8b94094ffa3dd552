"""What every kind of weak hypotheses has in common: coordinates, and the way in and out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base.arrays import Mask, Vector, cached_property, is_sparse
from ..validation import CsrArrays, check_real, check_vector
from .scaling import Units

__all__ = [
    "NONZEROS_A_SHARD",
    "Design",
    "SparseDesign",
    "all_coefficients",
    "are_sparse",
    "build_matrix",
    "coefficients_of",
    "decisions",
    "expanded",
    "flipped",
    "is_wide",
    "nonzeros_of",
    "note_of_width",
    "only_features",
    "random_places",
    "shard_cuts",
    "without_unused_features",
]


class Design(Protocol):
    """The weak hypotheses of a data set, as coordinates of lam."""

    @property
    def n_features(self) -> int:
        """Number of hypotheses, those without a coordinate included."""

    @property
    def n_coordinates(self) -> int:
        """Number of coordinates, the intercept included."""

    @property
    def fit_intercept(self) -> bool:
        """Whether the last coordinate is an intercept."""

    @property
    def place(self) -> NDArray[np.int32]:
        """The coordinate of each hypothesis that has one."""

    @property
    def used(self) -> NDArray[np.intp] | None:
        """The hypotheses that have one; None: all."""

    @property
    def scale(self) -> Vector:
        """max_j |A_ji| of every coordinate."""

    @property
    def edge_units(self) -> Vector:
        """What the excess edge of every coordinate is measured in."""

    def coordinates(self, lam: ArrayLike, intercept: float = 0.0) -> Vector:
        """Check lam and put it in the order of the coordinates, the intercept last."""

    def features(self, coordinates: Vector) -> Vector:
        """Return the entries of the hypotheses."""

    def split(self, coordinates: Vector, rest: Vector | None = None) -> tuple[Vector, float]:
        """Return lam and the intercept."""


# Sparse columns in the core: the matrix, the places of its columns, the cuts between shards.


# With fewer, a shard is not worth a thread.
NONZEROS_A_SHARD = 2**18


def build_matrix(
    arrays: CsrArrays,
    positive: Mask,
    place: NDArray[np.int32],
    fit_intercept: bool,
    n_threads: int,
    nonzeros_a_shard: int = NONZEROS_A_SHARD,
    units: Units | None = None,
) -> _core.Matrix:
    """Lay A out in the core: the rows of X, with the sign of their label, in columns.

    With ``units``, columns have their centers subtracted and are divided by their sizes.
    """
    more = arrays.more
    none = np.empty(0)
    columns, centers = (none, none) if units is None else (units.columns, units.centers)
    with arrays.reading():
        matrix = _core.build_matrix(
            indptr=arrays.indptr,
            indices=arrays.indices,
            data=arrays.data,
            more_indptr=None if more is None else more.indptr,
            more_indices=None if more is None else more.indices,
            more_data=None if more is None else more.data,
            positive=positive.view(np.uint8),
            place=place,
            centered=columns.astype(np.int64, copy=False),
            centers=centers,
            intercept=fit_intercept,
            cuts=shard_cuts(arrays.row_ends(), arrays.shape[1], nonzeros_a_shard),
            n_threads=n_threads,
        )
    if not matrix.is_sound:
        raise RuntimeError("X was changed by another thread while it was read: give X a copy")
    if arrays.scale is not None:
        factors = np.ones(matrix.n)
        factors[place] = arrays.scale
        matrix.rescale(factors)
    if units is not None:
        sizes = np.ones(matrix.n)
        sizes[place] = units.size
        matrix.divide(sizes, n_threads)
    return matrix


def random_places(n_features: int) -> NDArray[np.int32]:
    """Where each feature goes in the core: at random, but the same for the same number.

    Sweeps run over neighbouring columns of the core, which is fast; that these are a random choice
    of features is what makes their steps nearly independent.
    """
    generator = np.random.Generator(np.random.Philox(key=n_features))
    return generator.permutation(n_features).astype(np.int32)


def shard_count(
    n_rows: int, n_features: int, nnz: int, nonzeros_a_shard: int = NONZEROS_A_SHARD
) -> int:
    """How many shards the rows are cut into: a power of two up to 16.

    It depends on the data only, never on threads, so that results do not either: there are enough
    nonzeros per shard to be worth a thread, and enough per column of it to be worth its pointers.
    """
    wanted = min(16, nnz // nonzeros_a_shard, nnz // (16 * n_features), n_rows)
    return 2 ** max(0, wanted.bit_length() - 1) if wanted > 0 else 1


def shard_cuts(
    indptr: NDArray[Any], n_features: int, nonzeros_a_shard: int = NONZEROS_A_SHARD
) -> NDArray[np.int64]:
    """Where to cut the rows into shards of about equal work."""
    n_rows, nnz = len(indptr) - 1, int(indptr[-1])
    n_shards = shard_count(n_rows, n_features, nnz, nonzeros_a_shard)
    goals = nnz * np.arange(1, n_shards) // n_shards
    inner = np.searchsorted(indptr, goals).astype(np.int64)
    # Not np.unique, which would import numpy.ma.
    return np.array(sorted({0, *inner.tolist(), n_rows}), dtype=np.int64)


# Matrices with far more features than entries: the features that no row has are left out.
#
# What is computed then has the size of the entries, not of the width. What is handed to the user
# has an entry for every feature, up to a size at which coefficients are kept as CSR.


# So few columns cost nothing, whether they are used or not.
FEW_FEATURES = 2**16

# Beyond this many features for each entry, sorting the entries is cheaper than a pass over all
# features.
FAR_MORE_FEATURES = 8

# More coefficients than this (128 MB), nearly all of them 0, are kept as CSR.
MOST_DENSE = 2**24


def is_wide(n_features: int, nnz: int) -> bool:
    """Return True if a problem of this size leaves out unused features, in one part or more."""
    return n_features > max(FEW_FEATURES, FAR_MORE_FEATURES * nnz)


def without_unused_features(
    arrays: CsrArrays, ratio: int = FAR_MORE_FEATURES
) -> tuple[CsrArrays, NDArray[np.intp] | None]:
    """Renumber the features that occur, where there are more than ``ratio`` for each entry.

    Returns the arrays and the features that are kept, in order; None: all are.
    """
    n, nnz = arrays.shape[1], arrays.nnz
    if arrays.more is not None:
        ratio = FAR_MORE_FEATURES
    if n <= ratio * nnz:
        return arrays, None
    parts = arrays.parts
    indices = np.concatenate([part.indices for part in parts]) if arrays.more else arrays.indices
    used, numbers = _renumbered(indices, n, by_sorting=n > FAR_MORE_FEATURES * nnz)
    ends = np.cumsum([len(part.indices) for part in parts])[:-1]
    kept = (arrays.shape[0], len(used))
    renumbered = [
        replace(
            part,
            indices=number,
            shape=kept,
            more=None,
            scale=None if part.scale is None else part.scale[used],
        )
        for part, number in zip(parts, np.split(numbers, ends), strict=True)
    ]
    more = renumbered[1] if len(parts) > 1 else None
    return replace(renumbered[0], more=more, store=arrays.store), used


def _renumbered(
    indices: NDArray[Any], n: int, by_sorting: bool
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return the different indices, in order, and for each index which of these it is."""
    if len(indices) == 0:  # a matrix has one column at least
        return np.zeros(1, dtype=np.intp), indices
    if by_sorting:
        found, inverse = np.unique(indices, return_inverse=True)
        return found.astype(np.intp), inverse.reshape(-1).astype(indices.dtype)
    occurs = np.zeros(n, dtype=bool)
    occurs[indices] = True
    used = np.flatnonzero(occurs)
    number = np.zeros(n, dtype=indices.dtype)
    number[used] = np.arange(len(used), dtype=number.dtype)
    renumbered: NDArray[Any] = number[indices]
    return used, renumbered


def expanded(
    values: Vector, used: NDArray[np.intp] | None, n_features: int, rest: Vector | None = None
) -> Vector:
    """Return values of all features from those of the kept ones; the others are 0, or in ``rest``.

    Values may have several rows. Memory that only holds zeros is not touched.
    """
    if used is None:
        return values
    full = np.zeros((*values.shape[:-1], n_features)) if rest is None else rest.copy()
    full[..., used] = values
    return full


def are_sparse(n_tasks: int, n_features: int, n_used: int) -> bool:
    """Return True if coefficients, all but those of the features used being 0, are kept as CSR."""
    return n_tasks * n_features > MOST_DENSE and n_features > FAR_MORE_FEATURES * n_used


def all_coefficients(coef: Vector, used: NDArray[np.intp] | None, n_features: int) -> Any:
    """Return the coefficients of all features, (tasks, features), from those of the kept ones.

    Where that would be a large array of nearly nothing but zeros, it is CSR.
    """
    n_tasks = len(coef)
    if used is None or not are_sparse(n_tasks, n_features, len(used)):
        return expanded(coef, used, n_features)
    import scipy.sparse as sp  # noqa: PLC0415

    tasks, places = np.nonzero(coef)
    ends = np.append(0, np.cumsum(np.bincount(tasks, minlength=n_tasks)))
    return sp.csr_array((coef[tasks, places], used[places], ends), shape=(n_tasks, n_features))


def coefficients_of(coef: Any, features: NDArray[Any]) -> Vector:
    """Return the coefficients of some features, (tasks, features), from an array or CSR."""
    if not is_sparse(coef):
        return np.asarray(coef[:, features])
    order = np.argsort(features, kind="stable")
    ascending = features[order]
    found = np.zeros((coef.shape[0], len(features)))
    for task, (begin, end) in enumerate(zip(coef.indptr[:-1], coef.indptr[1:], strict=True)):
        columns, values = coef.indices[begin:end], coef.data[begin:end]
        if len(columns):
            places = np.minimum(np.searchsorted(columns, ascending), len(columns) - 1)
            found[task, order] = np.where(columns[places] == ascending, values[places], 0.0)
    return found


def nonzeros_of(coef: Any, task: int) -> tuple[NDArray[np.intp], Vector]:
    """Return the features of which the coefficients of a task are not 0, and these."""
    if is_sparse(coef):
        here = slice(coef.indptr[task], coef.indptr[task + 1])
        features, values = coef.indices[here], coef.data[here]
        return features[values != 0].astype(np.intp), values[values != 0]
    features = np.flatnonzero(coef[task])
    return features, coef[task][features]


def only_features(arrays: CsrArrays, features: NDArray[Any]) -> CsrArrays:
    """Renumber some features, in ascending order, as 0, 1, ...; the last one stands for others."""
    last = len(features)

    def renumbered(part: CsrArrays) -> CsrArrays:
        places = np.searchsorted(features, part.indices)
        is_known = np.append(features, -1)[places] == part.indices
        return replace(
            part,
            indices=np.where(is_known, places, last).astype(part.indices.dtype),
            shape=(part.shape[0], last + 1),
            more=None,
            scale=None if part.scale is None else np.append(part.scale[features], 0.0),
        )

    first, *more = map(renumbered, arrays.parts)
    return replace(first, more=more[0] if more else None)


def note_of_width(used: NDArray[np.intp] | None, n_features: int) -> str:
    """Return a warning of a wrong index, where one gap without any entry is most of the width."""
    if used is None or n_features <= FEW_FEATURES or len(used) < 2:
        return ""
    if 2 * int(np.diff(used).max()) <= n_features:
        return ""
    return f"of {n_features:,} columns, {len(used):,} are used: is an index wrong?"


# The weak hypotheses of a data set: sparse columns, one for each feature that counts.
#
# One owner of their matrix, of the order of its rows and columns, of the intercept, of the sign
# and of the units, with the way in and out. Vectors over rows and over coordinates are in the
# core's order, and lam is that of the matrix in the core; a classifier's coefficients are in the
# units in which its columns were given.


LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class SparseDesign:
    """A = the matrix in the core, and where its columns come from.

    A may be an outline, which knows its columns but has no rows: these are elsewhere.
    """

    matrix: _core.Matrix
    place: NDArray[np.int32]  # where the features that have a column lie in the core
    n_features: int
    fit_intercept: bool  # a constant column, the last one
    # The features that have a column, where most occur in no row; None: all have one.
    used: NDArray[np.intp] | None = None
    units: Units | None = None  # None: columns are in the units in which they were given

    @classmethod
    def build(
        cls,
        arrays: CsrArrays,
        positive: Mask,
        fit_intercept: bool,
        n_threads: int,
        *,
        used: NDArray[np.intp] | None = None,
        n_features: int | None = None,
        nonzeros_a_shard: int = NONZEROS_A_SHARD,
        units: Units | None = None,
    ) -> SparseDesign:
        """Lay the columns of ``arrays`` out; of ``n_features`` they are those ``used``."""
        n_columns = arrays.shape[1]
        place = random_places(n_columns)
        how = (fit_intercept, n_threads, nonzeros_a_shard, units)
        matrix = build_matrix(arrays, positive, place, *how)
        return cls(matrix, place, n_features or n_columns, fit_intercept, used, units)

    @property
    def n_penalised(self) -> int:
        """Number of coordinates that psi is about: all but the intercept."""
        return len(self.place)

    @property
    def n_coordinates(self) -> int:
        """Number of columns of A."""
        return self.matrix.n

    @property
    def scale(self) -> Vector:
        """max_j |A_ji| of every column."""
        return self.matrix.scale

    @cached_property
    def edge_units(self) -> Vector:
        """What the excess edge of every column is measured in.

        That is its largest value; where values differ, a smaller one if few are as large.
        """
        if self.units is None:
            return self.scale
        usual = np.array(self.scale)
        usual[self.place[self.units.ranges.have_several]] *= self.units.least_spread
        return usual

    @property
    def row_order(self) -> NDArray[np.int64]:
        """The sample behind each row of the core."""
        return np.asarray(self.matrix.row_order)

    def column_counts(self) -> NDArray[np.int64]:
        """Return the number of nonzeros of every column of A."""
        counts = np.empty(self.matrix.n, dtype=np.int64)
        self.matrix.column_counts(counts)
        return counts

    def coordinates(self, lam: ArrayLike, intercept: float = 0.0) -> Vector:
        """Check lam and put it in the core's order, the intercept, where there is one, last."""
        given = check_vector(lam, self.n_features, "lam")
        number = check_real(intercept, "intercept", least=-LARGEST, most=LARGEST)
        if number != 0.0 and not self.fit_intercept:
            raise ValueError("intercept must be 0: the problem was built with fit_intercept=False")
        return self._placed(given if self.used is None else given[self.used], number)

    def features(self, coordinates: Vector) -> Vector:
        """Return the entries of the features, in the order of X; 0 for those in no row."""
        return expanded(coordinates[self.place], self.used, self.n_features)

    def split(self, coordinates: Vector, rest: Vector | None = None) -> tuple[Vector, float]:
        """Return lam in the order of X, and the intercept (0 where there is none).

        ``rest`` has the entries of features that have no coordinate; None: 0.
        """
        lam = expanded(coordinates[self.place], self.used, self.n_features, rest)
        return lam, float(coordinates[len(self.place)]) if self.fit_intercept else 0.0

    def coefficients(self, point: Vector) -> tuple[Vector, float]:
        """Return coefficients and intercept of the classifier that a point of the core is."""
        coef = flipped(point[self.place])
        intercept = -float(point[len(self.place)]) if self.fit_intercept else 0.0
        if self.units is None:
            return coef, intercept
        coef, moved = self.units.outward(coef, np.array(intercept))
        return coef, float(moved)

    def point(self, coef: Vector, intercept: float) -> Vector:
        """Return the point of the core for these coefficients."""
        if self.units is not None:
            coef, moved = self.units.inward(coef, np.array(intercept))
            intercept = float(moved)
        return self._placed(flipped(coef), -intercept)

    def _placed(self, values: Vector, last: float) -> Vector:
        placed = np.empty(len(self.place))
        placed[self.place] = values
        return np.append(placed, last) if self.fit_intercept else placed


def flipped(values: Vector) -> Vector:
    """Take lam to coefficients, or back.

    The paper minimises exp(+A lam), A_ji = y_j M_ji, so its classifier is the sign of -M lam.
    """
    return -values


def decisions(r: Vector, is_positive: Mask) -> Vector:
    """Take residuals r = A lam to decision values H = -y r, or back."""
    return np.where(is_positive, -r, r)
