"""The array types that signatures speak of, and arrays as kernels can read them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .. import _core

__all__ = [
    "Mask",
    "Vector",
    "are_texts",
    "cached_property",
    "expit",
    "is_masked",
    "is_sparse",
    "log",
    "log_expit",
    "readable",
    "softmax",
    "softplus",
    "softplus_and_expit",
]


Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]


def readable(values: ArrayLike, dtype: DTypeLike | None = None) -> NDArray[Any]:
    """Return an array that is contiguous, and whose numbers lie at multiples of their size.

    What was cut from a file or a message need not be: then it is copied.
    """
    return np.require(values, dtype, ["C_CONTIGUOUS", "ALIGNED"])


# ``cached_property`` without the lock that Python before 3.12 holds while the value is computed.
#
# That lock is one for all instances: fits in several threads would wait for each other, and a
# process forked meanwhile would wait for ever.


if TYPE_CHECKING:
    from functools import cached_property
else:

    class cached_property:  # noqa: N801 - named as what it stands for
        """A value that is computed when it is first asked for, and then kept in the instance."""

        def __init__(self, compute: Any) -> None:
            self.compute = compute
            self.__doc__ = compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            # Two threads may both compute it; they find the same.
            return vars(instance).setdefault(self.name, self.compute(instance))


# The logistic function and its relatives, of arrays: many numbers at a time, in the core.
#
# NumPy calls a function for each of them, and SciPy's take a quarter of a second to import. The
# relative error is below 2e-15, and the bits do not depend on the vectors that a machine has.


def softplus_and_expit(z: Vector) -> tuple[Vector, Vector]:
    """Return log(1 + exp(z)) and its derivative, expit(z), for little more than one of them."""
    values, slopes = _room_for(z), _room_for(z)
    _core.logistic(np.ravel(z), values.reshape(-1), slopes.reshape(-1))
    return values, slopes


def softplus(z: Vector) -> Vector:
    """Return log(1 + exp(z))."""
    values = _room_for(z)
    _core.logistic(np.ravel(z), values.reshape(-1), None)
    return values


def expit(z: Vector) -> Vector:
    """Return 1 / (1 + exp(-z))."""
    slopes = _room_for(z)
    _core.logistic(np.ravel(z), None, slopes.reshape(-1))
    return slopes


def log_expit(z: Vector) -> Vector:
    """Return log(expit(z)), also where expit(z) is too small to be a number."""
    return -softplus(-z)


def log(x: Vector) -> Vector:
    """Return log(x)."""
    logs = _room_for(x)
    _core.logarithms(np.ravel(x), logs.reshape(-1))
    return logs


def softmax(z: Vector, axis: int) -> Vector:
    """Return exp(z), scaled to sum 1 along an axis."""
    p = np.exp(z - z.max(axis=axis, keepdims=True))
    return np.asarray(p / p.sum(axis=axis, keepdims=True))


def _room_for(z: Vector) -> Vector:
    return np.empty(np.shape(z))


# Whether something is of a kind that others give: their modules are not loaded to find out.


def is_sparse(X: Any) -> bool:
    """Return True if X is a sparse matrix of SciPy."""
    module = sys.modules.get("scipy.sparse")
    return module is not None and bool(module.issparse(X))


def is_masked(values: Any) -> bool:
    """Return True if values are a masked array of NumPy, with something missing."""
    module = sys.modules.get("numpy.ma")
    return module is not None and bool(module.is_masked(values))


def are_texts(values: Any) -> bool:
    """Return True if values are a list, array or column that begins with a string."""
    is_column = len(getattr(values, "shape", (0,))) == 1 and hasattr(values, "__len__")
    if isinstance(values, Mapping | str) or not is_column or not hasattr(values, "__iter__"):
        return False
    first: Any = next(iter(values), None)
    return isinstance(first.as_py() if hasattr(first, "as_py") else first, str)
