"""What a search has chosen on the held-out samples, and all that it has tried."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..io.checkpoint import misfit
from ..losses import LOSSES
from .strength import Strength

__all__ = ["Choice", "HeldOut", "Row", "row_of", "tried"]

Row = dict[str, float | str]

NUMBERS_OF_A_ROW = ("l1_ratio", "alpha", "n_sweeps", "held_out_loss")
LONGEST = 2000  # characters of a caution in a file


@dataclass(frozen=True)
class HeldOut:
    """Decision values of all held-out samples, with their classes and weights."""

    decisions: Vector
    codes: NDArray[np.intp]
    weights: Vector

    def shares(self) -> NDArray[Any]:
        """Return what the samples of each class weigh."""
        return np.bincount(self.codes, self.weights)


@dataclass
class Choice:
    """A candidate that was given or chosen, and what is known of it."""

    strength: Strength
    loss: float = math.nan  # on the held-out samples; NaN: none were
    table: list[Row] = field(default_factory=list)
    caution: str = ""  # what there is to warn of
    link: tuple[float, float] | None = None  # slope and offset, where a calibration found them

    def tried(self) -> tuple[Vector, Vector]:
        """Return the alphas of the best one's loss and l1_ratio, and the loss of each."""
        return tried(self.table, self.strength)

    def facts(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        strength = [self.strength.loss, self.strength.alpha, self.strength.l1_ratio]
        return vars(self) | {"strength": strength}

    @classmethod
    def of_facts(cls, facts: Any) -> Self:
        """Return what was written down, if it can be a choice."""
        try:
            found = cls(**facts | {"strength": Strength(*facts["strength"])})
        except (TypeError, KeyError):
            raise misfit("facts") from None
        if not found._is_possible():
            raise misfit("facts")
        return found

    def _is_possible(self) -> bool:
        strength, link = self.strength, self.link
        return (
            isinstance(strength.loss, str)
            and strength.loss in LOSSES
            and all(map(_is_real, (self.loss, strength.alpha, strength.l1_ratio)))
            and not self.loss < 0
            and 0 <= strength.alpha < math.inf
            and 0 <= strength.l1_ratio <= 1
            and isinstance(self.table, list)
            and all(map(_is_row, self.table))
            and isinstance(self.caution, str)
            and len(self.caution) <= LONGEST
            and (not self.caution or self.caution.isprintable())
            and (link is None or _is_link(link))
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


def tried(table: list[Row], strength: Strength) -> tuple[Vector, Vector]:
    """Return the alphas in a table with this loss and l1_ratio, and the loss of each."""
    least: dict[float, float] = {}
    for row in table:
        if (row["loss"], row["l1_ratio"]) == (strength.loss, strength.l1_ratio):
            alpha, loss = float(row["alpha"]), float(row["held_out_loss"])
            least[alpha] = min(loss, least.get(alpha, np.inf))
    return np.array(list(least)), np.array(list(least.values()))


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_link(link: Any) -> bool:
    return (
        isinstance(link, tuple)
        and len(link) == 2
        and all(_is_real(x) and math.isfinite(x) for x in link)
        and link[0] > 0
    )


def _is_row(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and row.keys() == {"loss", *NUMBERS_OF_A_ROW}
        and isinstance(row["loss"], str)
        and all(_is_real(row[name]) for name in NUMBERS_OF_A_ROW)
    )
