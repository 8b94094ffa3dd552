"""Data of Dask, which one machine does not take: they may be larger than its memory."""

from __future__ import annotations

from typing import Any

__all__ = ["refuse_dask"]


def refuse_dask(data: Any, what: str) -> None:
    """Refuse an array, table, series or bag of Dask, of which NumPy would fetch all parts."""
    if hasattr(type(data), "__dask_graph__"):
        kind = f"{type(data).__module__.partition('.')[0]} {type(data).__name__}"
        raise TypeError(
            f"{what} is not in memory, it is a {kind}: use tauboost.dask, which leaves the rows on "
            "the workers, or give what its compute() returns"
        )
