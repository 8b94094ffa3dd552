"""Decision values of a linear model on CSR rows, many threads at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..base.arrays import Vector
from ..base.kinds import is_sparse
from ..base.threads import useful_threads
from ..validation import CsrArrays

__all__ = ["decision_values", "sparse_product"]

# SciPy's product takes memory for every feature there might be: up to this many, that is little.
FEW_FEATURES = 2**22


def decision_values(arrays: CsrArrays, coef: Any, intercept: Vector, n_threads: int) -> Vector:
    """X coef^T + intercept, of shape (samples, tasks); ``coef`` is dense, (tasks, features)."""
    if arrays.scale is not None:
        coef = np.asarray(coef) * arrays.scale
    weights = np.ascontiguousarray(np.asarray(coef).T).reshape(-1)
    total = np.zeros((arrays.shape[0], len(intercept)))
    offset = np.ascontiguousarray(intercept)
    for part in arrays.parts:
        out = np.empty_like(total)
        n_useful = useful_threads(n_threads, len(part.indices))
        _core.csr_product(
            part.indptr, part.indices, part.data, weights, offset, out.reshape(-1), n_useful
        )
        total, offset = (out if arrays.more is None else total + out), np.zeros_like(offset)
    return total


def sparse_product(X: Any, coef: Any) -> Vector:
    """X coef^T, dense, for a CSR ``coef``; memory does not grow with the number of features.

    A model file of a few hundred bytes may claim 2^31 of them.
    """
    if is_sparse(X) and X.shape[1] > FEW_FEATURES:
        X, coef = _common(X, coef)
    product = X @ coef.T
    return product.toarray() if is_sparse(product) else np.asarray(product)


def _common(X: Any, coef: Any) -> tuple[Any, Any]:
    """Return both matrices with no other columns than those that the coefficients use."""
    import scipy.sparse as sp  # noqa: PLC0415

    used = np.append(np.unique(coef.indices), X.shape[1])  # the last stands for all others
    places = np.searchsorted(used, X.indices)
    data = np.where(used[places] == X.indices, X.data, 0.0)
    shapes = [(matrix.shape[0], len(used)) for matrix in (X, coef)]
    narrow = sp.csr_array((data, places, X.indptr), shape=shapes[0])
    columns = np.searchsorted(used, coef.indices)
    return narrow, sp.csr_array((coef.data, columns, coef.indptr), shape=shapes[1])
