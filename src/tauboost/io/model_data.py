"""What a fitted linear classifier is, as plain data: coefficients, classes, names, parameters.

Model files are written from it and read into it, and estimators are turned into it and made from
it. A ``ModelData`` that exists is consistent: building one checks everything, so a file is held to
the same rules as an estimator.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.kinds import is_sparse
from .plain_json import excerpt

__all__ = [
    "ModelData",
    "check_array",
    "check_classes",
    "check_names",
    "check_numbers",
    "check_strings",
    "count_rows",
]

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}", re.ASCII)
MAX_FEATURES = 2**53  # every JSON reader can hold it


@dataclass(frozen=True, eq=False)
class ModelData:
    """A fitted linear classifier with decision values ``H = X @ coef.T + intercept``.

    Parameters
    ----------
    coef : float64 array or scipy CSR, of shape (k, n_features)
        One row for two classes, otherwise one row for each. The columns of a CSR row increase.
    intercept : float64 array of shape (k,)
    classes : 1-D array
        At least two different labels: booleans, integers, floats or strings (dtype U or object).
    feature_names : object array of str, or None
    n_features : int
        A sparse ``coef`` may claim far more columns than it stores entries: do not make it dense.
    params : dict
        Constructor parameters of the estimator: plain values and arrays of numbers.
    fitted : dict
        What else the fit found, such as ``slope`` and ``offset`` of the probabilities: the same.
    kind : str
        The name of the estimator's class.
    """

    coef: Any
    intercept: NDArray[np.float64]
    classes: NDArray[Any]
    feature_names: NDArray[Any] | None
    n_features: int
    params: dict[str, Any]
    fitted: dict[str, Any]
    kind: str = "TauBoostClassifier"

    def __post_init__(self) -> None:
        check_names(self.kind, self.params, self.fitted)
        check_classes(self.classes)
        if type(self.n_features) is not int or not 0 < self.n_features <= MAX_FEATURES:
            raise ValueError(
                f"n_features must be an integer from 1 to {MAX_FEATURES}, got "
                f"{excerpt(self.n_features)}"
            )
        rows = count_rows(len(self.classes))
        check_numbers(self.coef, (rows, self.n_features), "coef")
        check_numbers(self.intercept, (rows,), "intercept")
        if self.feature_names is not None:
            check_strings(self.feature_names, "feature_names", self.n_features)


def count_rows(n_classes: int) -> int:
    """Return k, the number of rows of ``coef``: the two classes of a binary model share one."""
    return 1 if n_classes == 2 else n_classes


def check_names(kind: Any, params: dict[str, Any], fitted: dict[str, Any]) -> None:
    """Check the name of the class, and those of all values."""
    if not isinstance(kind, str) or not NAME.fullmatch(kind):
        raise ValueError(f"kind must be the name of a class, got {excerpt(kind)}")
    for group, values in (("params", params), ("fitted", fitted)):
        for name in values:
            if not isinstance(name, str) or not NAME.fullmatch(name):
                raise ValueError(f"{group} has a value named {excerpt(name)}, which is no name")


def check_classes(classes: Any) -> None:
    """Check that labels are of one kind, and different."""
    if not isinstance(classes, np.ndarray) or classes.ndim != 1 or len(classes) < 2:
        raise ValueError(f"classes must be an array of two labels or more, got {excerpt(classes)}")
    kind = classes.dtype.kind
    if kind not in "biufUO" or (kind == "O" and not _are_strings(classes)):
        raise TypeError(
            "classes must be all booleans, all integers, all floats or all strings, got "
            f"{excerpt(classes)}"
        )
    if kind == "f" and not np.all(np.isfinite(classes)):
        raise ValueError("classes contains NaN or infinity")
    if len(set(classes.tolist())) != len(classes):
        raise ValueError("classes has a label twice")


def check_strings(values: Any, name: str, length: int | None) -> None:
    """Check an array of strings; None stands for any length."""
    if not isinstance(values, np.ndarray) or values.dtype != object or not _are_strings(values):
        raise TypeError(f"{name} must be an object array of strings, got {excerpt(values)}")
    length = len(values) if length is None else length
    if values.shape != (length,):
        raise ValueError(f"{name} must have shape ({length},), got {values.shape}")


def _are_strings(values: NDArray[Any]) -> bool:
    return all(isinstance(value, str) for value in values.flat)


def check_numbers(array: Any, shape: tuple[int, ...], name: str) -> None:
    """Check that an array has finite float64 numbers and this shape; coef may be CSR."""
    sparse = name == "coef" and is_sparse(array) and array.format == "csr"
    if not sparse and not isinstance(array, np.ndarray):
        raise TypeError(f"{name} must be an array of numbers, got {excerpt(array)}")
    if array.dtype != np.float64 or array.shape != shape:
        raise ValueError(
            f"{name} must be float64 of shape {shape}, got {array.dtype} of shape {array.shape}"
        )
    if sparse:
        _check_csr(array)
    if not np.all(np.isfinite(array.data if sparse else array)):
        raise ValueError(f"{name} contains NaN or infinity")


def check_array(array: Any, dtype: Any, shape: tuple[int, ...], name: str) -> None:
    """Check the type and the shape of an array."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != shape:
        found = f"{array.dtype} of shape {array.shape}" if hasattr(array, "dtype") else "no array"
        raise ValueError(f"{name} must be {np.dtype(dtype)} of shape {shape}, got {found}")


def _check_csr(coef: Any) -> None:
    """Check that the pointers cut the entries into rows, in which the columns increase."""
    indptr, indices, (rows, columns) = coef.indptr, coef.indices, coef.shape
    if len(indptr) != rows + 1 or indptr[0] != 0 or np.any(indptr[1:] < indptr[:-1]):
        raise ValueError("coef.indptr must begin with 0 and never decrease")
    if not indptr[-1] == len(indices) == len(coef.data):
        raise ValueError(
            f"coef.indptr ends at {indptr[-1]}, but coef has {len(indices)} indices and "
            f"{len(coef.data)} values"
        )
    if len(indices) == 0:
        return
    if indices.min() < 0 or indices.max() >= columns:
        raise ValueError(f"coef.indices must be within 0..{columns - 1}")
    increasing = indices[1:] > indices[:-1]
    starts = indptr[1:-1]
    # Between the last entry of a row and the first of the next, any order is fine.
    increasing[starts[(starts > 0) & (starts < len(indices))] - 1] = True
    if not np.all(increasing):
        raise ValueError("coef.indices must increase within each row")
