"""Whether something is of a kind that others give: their modules are not loaded to find out."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

__all__ = ["are_texts", "is_masked", "is_sparse"]


def is_sparse(X: Any) -> bool:
    """Tell whether X is a sparse matrix of SciPy."""
    module = sys.modules.get("scipy.sparse")
    return module is not None and bool(module.issparse(X))


def is_masked(values: Any) -> bool:
    """Tell whether values are a masked array of NumPy, with something missing."""
    module = sys.modules.get("numpy.ma")
    return module is not None and bool(module.is_masked(values))


def are_texts(values: Any) -> bool:
    """Tell whether values are a list, array or column that begins with a string."""
    is_column = len(getattr(values, "shape", (0,))) == 1 and hasattr(values, "__len__")
    if isinstance(values, Mapping | str) or not is_column or not hasattr(values, "__iter__"):
        return False
    first: Any = next(iter(values), None)
    return isinstance(first.as_py() if hasattr(first, "as_py") else first, str)
