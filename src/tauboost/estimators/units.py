"""A word on columns with units, which a linear model with a penalty cannot use as they are.

The penalty treats all coefficients alike, so that a column in cents has all the say and one in
fractions none; and a column far from 0 is nearly the same as the intercept. Both are measured:
tables beyond these limits lose accuracy, without a word, on every data set that was tried.
"""

from __future__ import annotations

import warnings

import numpy as np

from ..base.arrays import Vector

__all__ = ["warn_of_units"]

LARGEST_RATIO = 1e3  # of the scales of two columns
FARTHEST = 3.0  # of a column's mean from 0, in units of its range
ADVICE = "put a StandardScaler in front, or use TableClassifier, which needs no scaling"


def warn_of_units(X: Vector) -> None:
    """Warn of a dense matrix whose columns should be scaled first."""
    least, most = X.min(axis=0), X.max(axis=0)
    extent = most - least
    varied = np.flatnonzero(extent > 0)
    if len(varied) == 0:
        return
    mean, spread = X.mean(axis=0)[varied], X.std(axis=0)[varied]
    size, extent = np.maximum(-least, most)[varied], extent[varied]
    # Both: rare ones among zeros have a small spread, and one odd value makes a large size.
    ratio = min(size.max() / size.min(), spread.max() / spread.min())
    if ratio > LARGEST_RATIO:
        small, large = varied[spread.argmin()], varied[spread.argmax()]
        said = f"columns {small} and {large} of X differ in scale by a factor of {ratio:.0e}"
    elif (np.abs(mean) > FARTHEST * extent).any():
        far = varied[(np.abs(mean) / extent).argmax()]
        said = f"the values in column {far} of X are far from 0, next to how they differ"
    else:
        return
    warnings.warn(f"{said}: {ADVICE}", UserWarning, stacklevel=2)
