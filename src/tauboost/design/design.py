"""What every kind of weak hypotheses has in common: coordinates, and the way in and out."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.arrays import Vector

__all__ = ["Design"]


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
