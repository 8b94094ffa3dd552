"""The one place where input is checked, before any compiled code sees it.

Every message names the argument, what was given and what is accepted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from .arrays import Mask, Vector

__all__ = ["CsrArrays", "as_csr", "check_labels", "check_real", "check_vector", "check_weights"]

# L_i = max_j A_ji^2 must be a number: neither 0 nor infinite.
SMALLEST, LARGEST = 1e-150, 1e150


@dataclass(frozen=True)
class CsrArrays:
    """A checked matrix as the three CSR arrays; ``data`` is None when every entry is 1."""

    indptr: NDArray[Any]
    indices: NDArray[Any]
    data: Vector | None
    shape: tuple[int, int]

    def select(self, keep: Mask) -> CsrArrays:
        """Keep only some of the rows."""
        kept = self._as_scipy()[keep]
        data = None if self.data is None else kept.data
        return replace(self, indptr=kept.indptr, indices=kept.indices, data=data, shape=kept.shape)

    def with_duplicates_summed(self) -> CsrArrays:
        """Add up the entries that were given more than once, in a copy."""
        summed = self._as_scipy().copy()
        summed.sum_duplicates()
        return CsrArrays(summed.indptr, summed.indices, summed.data, self.shape)

    def _as_scipy(self) -> Any:
        data = np.ones(len(self.indices)) if self.data is None else self.data
        return sp.csr_array((data, self.indices, self.indptr), shape=self.shape)


def as_csr(X: Any) -> CsrArrays:
    """Check X and see it as CSR arrays, sharing memory where that is possible."""
    if sp.issparse(X):
        if X.format not in {"csr", "csc"}:
            X = X.tocsr()
        _check_structure(X)
        _check_numeric(X.dtype)
        _check_values(X.data)
        X = X if X.format == "csr" else X.tocsr()
    else:
        X = _dense_to_csr(X)
    index = np.int64 if np.int64 in (X.indices.dtype, X.indptr.dtype) else np.int32
    data = X.data.astype(np.float64, copy=False)
    return CsrArrays(
        indptr=np.ascontiguousarray(X.indptr, dtype=index),
        indices=np.ascontiguousarray(X.indices[: X.indptr[-1]], dtype=index),
        data=None if np.all(data == 1.0) else np.ascontiguousarray(data[: X.indptr[-1]]),
        shape=(int(X.shape[0]), int(X.shape[1])),
    )


def _dense_to_csr(X: Any) -> Any:
    try:
        dense = np.asarray(X)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"X must be a scipy sparse matrix or a 2-D array of numbers: {error}"
        ) from None
    if dense.ndim != 2:
        raise ValueError(f"X must have two dimensions (samples, features), got {dense.ndim}")
    _check_size(dense.shape)
    _check_numeric(dense.dtype)
    _check_values(dense)
    return sp.csr_array(dense)


def _check_size(shape: tuple[int, int]) -> None:
    if min(shape) == 0:
        raise ValueError(f"X is empty: it has {shape[0]} samples and {shape[1]} features")


def _check_numeric(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "biuf":
        raise TypeError(f"X must hold real numbers or booleans, got values of type {dtype}")


def _check_values(values: NDArray[Any]) -> None:
    if values.dtype.kind == "b" or values.size == 0:
        return
    if values.dtype.kind == "f" and not np.isfinite(values.sum(dtype=np.float64)):
        bad = np.count_nonzero(~np.isfinite(values))
        if bad:
            raise ValueError(f"X contains NaN or infinity ({bad} of its values)")
    magnitude = np.abs(values.astype(np.float64, copy=False))
    if magnitude.max() > LARGEST or np.any((magnitude < SMALLEST) & (magnitude > 0)):
        raise ValueError(
            f"X has nonzero values outside {SMALLEST:g} <= |x| <= {LARGEST:g}, whose squares "
            "cannot be represented: rescale those features"
        )


def _check_structure(X: Any) -> None:
    """Check the pointers and indices of a CSR or CSC matrix that someone may have edited."""
    _check_size(X.shape)
    major, minor = X.shape if X.format == "csr" else X.shape[::-1]
    what = f"X is not a valid {X.format.upper()} matrix"
    indptr, indices = np.asarray(X.indptr), np.asarray(X.indices)
    if indptr.dtype.kind not in "iu" or indices.dtype.kind not in "iu":
        raise ValueError(f"{what}: indptr and indices must be integers")
    if len(indptr) != major + 1:
        raise ValueError(f"{what}: indptr has {len(indptr)} entries, expected {major + 1}")
    if indptr[0] != 0:
        raise ValueError(f"{what}: indptr must begin with 0, got {indptr[0]}")
    decreasing = np.flatnonzero(indptr[1:] < indptr[:-1])
    if decreasing.size:
        raise ValueError(f"{what}: indptr decreases after position {decreasing[0]}")
    stored = min(len(indices), len(X.data))
    if int(indptr[-1]) > stored:
        raise ValueError(
            f"{what}: indptr ends at {indptr[-1]}, but only {stored} entries are there"
        )
    used = indices[: indptr[-1]]
    if used.size and (int(used.min()) < 0 or int(used.max()) >= minor):
        wrong = int(used.min()) if int(used.min()) < 0 else int(used.max())
        raise ValueError(f"{what}: index {wrong} is outside 0..{minor - 1}")


def check_labels(
    y: ArrayLike, n_samples: int, classes: NDArray[Any] | None = None
) -> tuple[Mask, NDArray[Any]]:
    """Return which rows are positive (the larger label), and the two labels in order.

    Where the two classes are known beforehand, one of them may be missing.
    """
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(f"y must have one dimension, got {labels.ndim}")
    if len(labels) != n_samples:
        raise ValueError(f"y has {len(labels)} labels, but X has {n_samples} samples")
    if labels.dtype.kind in "fc" and not np.all(np.isfinite(labels)):
        raise ValueError("y contains NaN or infinity")
    if classes is None:
        try:
            classes = _two_extremes(labels)
        except TypeError:
            raise TypeError("y must hold labels of one type that can be ordered") from None
    positive = np.asarray(labels == classes[1])
    if classes[0] == classes[1]:
        raise ValueError(f"y has one class only, {classes[0]}: two are needed")
    if not np.all(positive | (labels == classes[0])):
        count = len(set(labels.tolist()))
        raise ValueError(f"y must have exactly two classes, got {count}")
    return positive, classes


def _two_extremes(labels: NDArray[Any]) -> NDArray[Any]:
    if labels.dtype.kind in "biuf":
        return np.array([labels.min(), labels.max()])
    ordered = sorted(set(labels.tolist()))
    if any(label is None or label != label for label in ordered):  # noqa: PLR0124 - NaN only
        raise ValueError("y contains None or NaN")
    return np.array([ordered[0], ordered[-1]], dtype=labels.dtype)


def check_weights(sample_weight: ArrayLike | None, n_samples: int) -> Vector:
    """Return the sample weights, as given (1 when none are)."""
    if sample_weight is None:
        return np.ones(n_samples)
    weights = check_vector(sample_weight, n_samples, "sample_weight")
    if np.any(weights < 0):
        raise ValueError(f"sample_weight must not be negative, got {weights.min():g}")
    if not np.any(weights > 0):
        raise ValueError("sample_weight is zero for every sample: at least one must be positive")
    return weights


def check_vector(values: ArrayLike, length: int | tuple[int, int], name: str) -> Vector:
    """Return a finite float64 vector of the given length, or of one of two."""
    lengths = (length,) if isinstance(length, int) else length
    accepted = " or ".join(f"({n},)" for n in dict.fromkeys(lengths))
    try:
        vector = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a vector of numbers, of shape {accepted}") from None
    if vector.ndim != 1 or len(vector) not in lengths:
        raise ValueError(f"{name} must have shape {accepted}, got {vector.shape}")
    if not np.all(np.isfinite(vector)):
        raise ValueError(f"{name} contains NaN or infinity")
    return vector


def check_real(
    value: Any, name: str, *, least: float = -np.inf, most: float = np.inf, above: bool = False
) -> float:
    """Return a real number within [least, most] (or above ``least``), not NaN."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {value!r}")
    number = float(value)
    if np.isnan(number) or number > most or number < least or (above and number == least):
        accepted = f"above {least:g}" if above else f"at least {least:g}"
        accepted += "" if most == np.inf else f" and at most {most:g}"
        raise ValueError(f"{name} must be {accepted}, got {number:g}")
    return number
