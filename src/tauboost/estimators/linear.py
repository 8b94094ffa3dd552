"""Decision values of a linear model on CSR rows, many threads at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Vector
from ..kernels import _core
from ..threads import useful_threads
from ..validation import CsrArrays

__all__ = ["decision_values"]


def decision_values(arrays: CsrArrays, coef: Any, intercept: Vector, n_threads: int) -> Vector:
    """X coef^T + intercept, of shape (samples, tasks); ``coef`` is dense, (tasks, features)."""
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
