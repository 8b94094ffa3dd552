"""What every method starts from."""

from __future__ import annotations

from dataclasses import dataclass

from ..base.arrays import Vector
from ..penalty import Penalty
from ..problem import BaseProblem

__all__ = ["Start"]


@dataclass(frozen=True)
class Start:
    """A problem, psi and a point, and the options of those methods that have them."""

    problem: BaseProblem
    penalty: Penalty
    lam: Vector
    n_threads: int
    tau: int | None = None  # None: adapted to what is seen
    seed: int = 0
    step: str | None = None
