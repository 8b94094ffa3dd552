"""What estimators are given, through the gate first and then through scikit-learn's own checks.

The order matters: scikit-learn converts sparse matrices with compiled code that believes their
indices, so a sparse X is checked before scikit-learn sees it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import _check_n_features, _check_y, column_or_1d, validate_data

from ..base.arrays import Vector
from ..base.kinds import are_texts, is_masked
from ..base.messages import shown
from ..validation import (
    CsrArrays,
    as_csr,
    is_store,
    labels_of,
    refuse_dask,
    refuse_missing_labels,
)

__all__ = ["take_labelled", "take_labels", "take_rows"]

LONGEST_MESSAGE = 280


def take_labelled(estimator: Any, X: Any, y: Any) -> tuple[CsrArrays, NDArray[Any]]:
    """Check the samples of a fit and their labels; the estimator learns their width and names.

    ``estimator`` may be None.
    """
    if is_store(X):
        if estimator is not None:
            _check_n_features(estimator, X, reset=True)
        return as_csr(X), take_labels(X.y if y is None else y, X.shape[0])
    if y is None:
        whose = "tauboost" if estimator is None else type(estimator).__name__
        raise ValueError(f"{whose} requires y to be passed, but the target y is None")
    rows = _rows(estimator, X, reset=True)
    if isinstance(rows, CsrArrays):
        return rows, take_labels(y, rows.shape[0])
    return as_csr(rows), take_labels(y, rows.shape[0])


def take_labels(y: Any, n_samples: int) -> NDArray[Any]:
    """Check a vector of labels."""
    refuse_dask(y, "y")
    if sp.issparse(y):
        raise TypeError("y must be a vector of labels, got a sparse matrix")
    if is_masked(y):
        raise ValueError("y is a masked array with missing labels: every sample needs one")
    given = y if hasattr(y, "dtype") or hasattr(y, "__array__") else labels_of(y)
    if getattr(given, "ndim", 1) == 0:
        raise ValueError(f"y must be a vector of labels, one for each sample, got {shown(y)}")
    if getattr(given, "ndim", 1) == 1:
        refuse_missing_labels(np.asarray(given))
    labels = np.asarray(
        column_or_1d(_check_y(given, multi_output=True, y_numeric=False), warn=True)
    )
    refuse_missing_labels(labels)
    if len(labels) != n_samples:
        raise ValueError(
            f"y has {len(labels)} labels, but X has {n_samples} samples: inconsistent numbers"
        )
    return labels


def take_rows(estimator: Any, X: Any) -> CsrArrays | Vector:
    """Check samples to be predicted: sparse ones and stores as CSR, all else as a dense array."""
    if is_store(X):
        _check_n_features(estimator, X, reset=False)
        return as_csr(X)
    rows = _rows(estimator, X, reset=False)
    if not isinstance(rows, CsrArrays) and not np.isfinite(rows).all():
        bad = np.count_nonzero(~np.isfinite(rows))
        raise ValueError(f"X contains NaN or infinity ({bad} of its values)")
    return rows


def _rows(estimator: Any, X: Any, *, reset: bool) -> CsrArrays | Vector:
    refuse_dask(X, "X")
    # Names are what scikit-learn would look for in X, which takes longer than to predict a row.
    is_bare = not reset and not hasattr(estimator, "feature_names_in_")
    if sp.issparse(X):
        arrays = as_csr(X)
        if is_bare:
            _check_n_features(estimator, X, reset=False)
        elif estimator is not None:
            validate_data(estimator, X, reset=reset, skip_check_array=True)
        return arrays
    if is_bare and _is_plain(X, estimator.n_features_in_):
        return X  # type: ignore[no-any-return]
    if isinstance(X, str) or are_texts(X):
        raise ValueError("X holds texts, and rows of numbers are needed: use TextClassifier")
    if is_masked(X):
        raise ValueError("X is a masked array with missing values: fill them in first")
    # Values that are not finite are left to our own check, whose message fits.
    options: dict[str, Any] = {"dtype": np.float64, "accept_sparse": "csr"}
    options["ensure_all_finite"] = False
    try:
        with np.errstate(over="ignore"):
            if estimator is None:
                checked = check_array(X, **options)
            else:
                checked = validate_data(estimator, X, reset=reset, **options)
    except (TypeError, ValueError) as error:
        raise type(error)(_in_words(str(error))) from None
    return as_csr(checked) if sp.issparse(checked) else checked  # a table of sparse columns


def _is_plain(X: Any, n_features: int) -> bool:
    """Return True if nothing in X needs to be converted, and it has the columns of the fit."""
    is_matrix = type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2
    return is_matrix and len(X) > 0 and X.shape[1] == n_features


def _in_words(text: str) -> str:
    """Say what scikit-learn says, or more where X is a table with strings."""
    if "could not convert string to float" in text:
        return (
            "X holds strings (could not convert string to float): use TableClassifier, which takes "
            "them as categories, or TextClassifier for a column of texts"
        )
    return _one_line(text)


def _one_line(text: str) -> str:
    """Return a message of scikit-learn without the array it prints, on one line, not too long."""
    lines = [line.strip() for line in text.splitlines()]
    kept = " ".join(line for line in lines if line and not line.startswith(("array=", "[")))
    return kept if len(kept) <= LONGEST_MESSAGE else f"{kept[: LONGEST_MESSAGE - 3]}..."
