"""A fitted local model, asked about dask collections: block by block, when it is computed."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np
from dask import delayed
from numpy.typing import NDArray

__all__ = ["is_collection", "lazily"]


def is_collection(X: Any) -> bool:
    """Tell dask arrays and data frames from what is on this machine."""
    return hasattr(X, "map_blocks") or hasattr(X, "map_partitions")


def lazily(model: Any, method: str, X: Any, empty: NDArray[Any]) -> da.Array:
    """Have a method of the model called on every block; ``empty`` is its answer for no rows."""
    if X.ndim != 2 or X.shape[1] != model.n_features_in_:
        raise ValueError(
            f"X must have {model.n_features_in_} columns, as the data of the fit had; "
            f"it has shape {X.shape}"
        )
    # A task of its own, so that the coefficients are in the graph once.
    options = {"model": delayed(model, traverse=False), "method": method, "empty": empty}
    if not hasattr(X, "chunks"):
        return X.map_partitions(ask_model, **options, meta=empty)
    X = X.rechunk({1: -1})
    return da.map_blocks(
        ask_model,
        X,
        **options,
        dtype=empty.dtype,
        meta=empty,
        chunks=(X.chunks[0], *((width,) for width in empty.shape[1:])),
        drop_axis=[1] if empty.ndim == 1 else None,
    )


def ask_model(X: Any, *, model: Any, method: str, empty: NDArray[Any]) -> NDArray[Any]:
    """Call a method of the model on a block, which may have no rows."""
    return empty if X.shape[0] == 0 else np.asarray(getattr(model, method)(X))
