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
    n_tasks = len(intercept)
    out = np.empty((arrays.shape[0], n_tasks))
    _core.csr_product(
        arrays.indptr,
        arrays.indices,
        arrays.data,
        np.ascontiguousarray(np.asarray(coef).T).reshape(-1),
        np.ascontiguousarray(intercept),
        out.reshape(-1),
        useful_threads(n_threads, len(arrays.indices)),
    )
    return out
