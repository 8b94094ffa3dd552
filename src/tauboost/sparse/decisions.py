"""Decision values of a linear model on CSR rows, many threads at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .. import _core
from ..base.arrays import Vector
from ..base.threads import useful_threads
from ..validation import ROWS_AT_ONCE, CsrArrays
from .design import coefficients_of, only_features

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
    columns = np.concatenate([part.indices for part in arrays.parts])
    narrow = np.zeros((len(coef), len(columns) + 1))  # one more: there may be no entries
    narrow[:, :-1] = coefficients_of(coef, columns)
    if arrays.scale is not None:
        narrow[:, :-1] *= arrays.scale[columns]
    parts, first = [], 0
    for part in arrays.parts:
        end = first + len(part.indices)
        number = np.arange(first, end, dtype=part.indices.dtype)
        shape = (arrays.shape[0], narrow.shape[1])
        parts.append(replace(part, indices=number, shape=shape, more=None, scale=None))
        first = end
    return replace(parts[0], more=parts[1] if len(parts) > 1 else None), narrow


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
