"""The weak hypotheses of a data set: sparse columns, one for each feature that counts.

One owner of their matrix, of the order of its rows and columns, of the intercept, of the sign and
of the units, with the way in and out. Vectors over rows and over coordinates are in the core's
order, and lam is that of the matrix in the core; a classifier's coefficients are in the units in
which its columns were given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base.arrays import Mask, Vector
from ..base.cached import cached_property
from ..validation import CsrArrays, check_real, check_vector
from .matrix import NONZEROS_A_SHARD, build_matrix, random_places
from .units import Units
from .wide import expanded

__all__ = ["SparseDesign", "decisions", "flipped"]

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
