"""The candidates of a race as an array, which a model file can hold, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.arrays import Vector
from ..losses import LOSSES

__all__ = ["LINEAR", "TABLE", "pack_race", "unpack_race"]

# What is known of a candidate: of a linear model with the sweeps at this alpha.
LINEAR = ("loss", "l1_ratio", "alpha", "n_sweeps", "held_out_loss")
TABLE = ("alpha", "l1_ratio", "smoothness", "held_out_loss")

Candidates = list[dict[str, float | str]]


def pack_race(selection: Candidates, names: tuple[str, ...]) -> dict[str, Vector]:
    """Return what a file holds of a race: nothing where there was none."""
    if not selection or any(row.keys() != set(names) for row in selection):
        return {}
    losses = list(LOSSES)
    rows = [
        [losses.index(str(row[name])) if name == "loss" else float(row[name]) for name in names]
        for row in selection
    ]
    return {"selection": np.array(rows, dtype=np.float64)}


def unpack_race(fitted: dict[str, Any], names: tuple[str, ...]) -> Candidates:
    """Return the candidates that a file holds, checked; none where it holds none."""
    table = fitted.get("selection")
    if table is None:
        return []
    losses = list(LOSSES)
    is_array = isinstance(table, np.ndarray) and table.dtype == np.float64 and table.ndim == 2
    if not is_array or table.shape[1] != len(names) or np.isnan(table).any():
        raise ValueError(f"its selection must be numbers, {len(names)} for each candidate")
    if "loss" in names and not np.isin(table[:, names.index("loss")], range(len(losses))).all():
        raise ValueError("its selection has a loss that is none")
    return [
        {
            name: losses[int(value)] if name == "loss" else _number(name, value)
            for name, value in zip(names, row, strict=True)
        }
        for row in table.tolist()
    ]


def _number(name: str, value: float) -> float:
    return int(value) if name == "n_sweeps" and np.isfinite(value) else value
