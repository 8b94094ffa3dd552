"""Sparse matrices or sparse arrays of SciPy: what scikit-learn is set to, so is tauboost."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp
from sklearn import get_config

__all__ = ["csr"]


def csr(*content: Any, **options: Any) -> Any:
    """Return a CSR array where scikit-learn is set to them (``sparse_interface``), else a matrix.

    Versions before 1.9 know matrices only.
    """
    is_array = get_config().get("sparse_interface") == "sparray"
    return (sp.csr_array if is_array else sp.csr_matrix)(*content, **options)
