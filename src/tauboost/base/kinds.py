"""Whether something is of a kind whose module is loaded only where somebody has such a thing."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["is_masked", "is_sparse"]


def is_sparse(X: Any) -> bool:
    """Tell whether X is a sparse matrix of SciPy."""
    module = sys.modules.get("scipy.sparse")
    return module is not None and bool(module.issparse(X))


def is_masked(values: Any) -> bool:
    """Tell whether values are a masked array of NumPy, with something missing."""
    module = sys.modules.get("numpy.ma")
    return module is not None and bool(module.is_masked(values))
