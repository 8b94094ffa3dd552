"""Decision values of a linear model on CSR rows, many threads at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .. import _core
from ..base.arrays import Vector
from ..base.threads import useful_threads
from ..design.wide import coefficients_of, only_features
from ..validation import ROWS_AT_ONCE, CsrArrays

__all__ = ["decision_values", "sparse_decision_values"]

FEW = 8  # times the entries of the rows: so many columns are not worth a copy of all coefficients


def decision_values(arrays: CsrArrays, coef: Any, intercept: Vector, n_threads: int) -> Vector:
    """X coef^T + intercept, of shape (samples, tasks); ``coef`` is dense, (tasks, features)."""
    if len(intercept) > 1 and FEW * arrays.nnz < coef.shape[1]:
        arrays, coef = used_alone(arrays, coef)
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


def used_alone(arrays: CsrArrays, coef: Any) -> tuple[CsrArrays, Vector]:
    """Return rows of few entries, renumbered, and the coefficients of these, entry by entry."""
    found, first = [], 0
    for part in arrays.parts:
        n = len(part.indices)
        number = np.arange(first, first + n, dtype=part.indices.dtype)
        data = part.data if part.scale is None else part.scale[part.indices]
        found.append(replace(part, indices=number, data=data, scale=None, more=None))
        first += n
    columns = np.concatenate([part.indices for part in arrays.parts])
    narrow = np.zeros((len(coef), max(first, 1)))
    narrow[:, :first] = coefficients_of(coef, columns)
    more = found[1] if len(found) > 1 else None
    return replace(found[0], more=more, shape=(arrays.shape[0], narrow.shape[1])), narrow


def sparse_decision_values(
    arrays: CsrArrays, coef: Any, intercept: Vector, n_threads: int
) -> Vector:
    """Return the same, to the same bits, for a CSR ``coef``; its width costs nothing.

    A model file of a few hundred bytes may claim 2^31 features.
    """
    used = np.unique(coef.indices)
    # The last column stands for all features without a coefficient.
    narrow = np.pad(coefficients_of(coef, used), ((0, 0), (0, 1)))
    m = arrays.shape[0]
    found = np.empty((m, len(intercept)))
    for start in range(0, m, ROWS_AT_ONCE):
        rows = slice(start, min(start + ROWS_AT_ONCE, m))
        some = only_features(arrays.rows(rows.start, rows.stop), used)
        found[rows] = decision_values(some, narrow, intercept, n_threads)
    return found
