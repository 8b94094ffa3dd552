"""SciPy's sparse matrices, which are loaded only where somebody has one."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["is_sparse"]


def is_sparse(X: Any) -> bool:
    """Tell whether X is one. Where SciPy's module is not loaded, nothing can be."""
    module = sys.modules.get("scipy.sparse")
    return module is not None and bool(module.issparse(X))
