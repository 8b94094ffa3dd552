"""The best alpha that a search has seen on the held-out samples, and its way to a checkpoint."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..io.checkpoint import from_json, to_json
from ..io.saved import FINITE, NOT_NEGATIVE, Range, SavedStateError, State, entry, pack
from ..losses import LOSSES
from .samples import Samples
from .strength import Strength

__all__ = ["Choice", "Row", "row_of", "tried"]

ARRAYS = ("points", "decisions", "codes", "weights")
NUMBERS_OF_A_ROW = ("l1_ratio", "alpha", "n_sweeps", "held_out_loss")

Row = dict[str, float | str]


@dataclass
class Choice:
    """The best seen on the held-out samples, and all that was tried."""

    loss: float = np.inf
    strength: Strength | None = None
    points: Vector | None = None  # of the fits without the first part
    decisions: Vector | None = None  # of all held-out samples
    codes: NDArray[np.intp] | None = None
    weights: Vector | None = None
    table: list[Row] = field(default_factory=list)

    def shares(self) -> NDArray[Any]:
        """Return what the held-out samples of each class weigh."""
        assert self.codes is not None
        return np.bincount(self.codes, self.weights)

    def tried(self) -> tuple[Vector, Vector]:
        """Return the alphas of the best one's loss and l1_ratio, and the loss of each."""
        return tried(self.table, self.strength)

    def saved(self) -> State:
        """Return all of it as arrays."""
        assert self.strength is not None
        facts = {
            "loss": self.loss,
            "strength": [self.strength.loss, self.strength.alpha, self.strength.l1_ratio],
            "table": self.table,
        }
        return pack(self, ARRAYS) | {"facts": to_json(facts)}

    def restore(self, state: State, samples: Samples) -> None:
        """Take over what `saved` returned, if it can be of these samples."""
        if "facts" not in state or state["facts"].dtype != np.uint8:
            raise SavedStateError("facts")
        facts = from_json(state["facts"])
        try:
            self.loss, strength, self.table = facts["loss"], facts["strength"], facts["table"]
            self.strength = Strength(*strength)
        except (TypeError, ValueError, KeyError):
            raise SavedStateError("facts") from None
        if not self._is_possible():
            raise SavedStateError("facts")
        tasks, held, real = samples.n_tasks, None, np.float64
        self.points = entry(state, "points", (tasks, samples.matrix.n), real, FINITE)
        self.decisions = entry(state, "decisions", (held, tasks), real, FINITE)
        held = len(self.decisions)
        codes = Range(0, samples.n_classes - 1)
        self.codes = entry(state, "codes", (held,), np.intp, codes)
        self.weights = entry(state, "weights", (held,), real, NOT_NEGATIVE)

    def _is_possible(self) -> bool:
        """Tell whether the numbers can be those of a search."""
        strength = self.strength
        assert strength is not None
        return (
            _is_real(self.loss)
            and self.loss >= 0
            and strength.loss in list(LOSSES)
            and _is_real(strength.alpha)
            and 0 <= strength.alpha < math.inf
            and _is_real(strength.l1_ratio)
            and 0 <= strength.l1_ratio <= 1
            and isinstance(self.table, list)
            and all(map(_is_row, self.table))
        )


def row_of(strength: Strength, n_sweeps: int, held_out_loss: float) -> Row:
    """Return what was found for a candidate after some sweeps."""
    return {
        "loss": strength.loss,
        "l1_ratio": strength.l1_ratio,
        "alpha": strength.alpha,
        "n_sweeps": n_sweeps,
        "held_out_loss": held_out_loss,
    }


def tried(table: list[Row], strength: Strength | None) -> tuple[Vector, Vector]:
    """Return the alphas in a table with this loss and l1_ratio, and the loss of each."""
    assert strength is not None
    least: dict[float, float] = {}
    for row in table:
        if (row["loss"], row["l1_ratio"]) == (strength.loss, strength.l1_ratio):
            alpha, loss = float(row["alpha"]), float(row["held_out_loss"])
            least[alpha] = min(loss, least.get(alpha, np.inf))
    return np.array(list(least)), np.array(list(least.values()))


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_row(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and row.keys() == {"loss", *NUMBERS_OF_A_ROW}
        and isinstance(row["loss"], str)
        and all(_is_real(row[name]) for name in NUMBERS_OF_A_ROW)
    )
