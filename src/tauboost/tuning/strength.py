"""How strong psi is, for all tasks of a classifier alike."""

from __future__ import annotations

from dataclasses import dataclass

from ..penalty import Factors, Penalty

__all__ = ["Strength"]


@dataclass(frozen=True)
class Strength:
    """One candidate: a loss and its elastic net."""

    loss: str
    alpha: float
    l1_ratio: float

    def psi(self, n: int, factors: Factors | None = None) -> Penalty:
        """Return the elastic net over n coordinates, with factors of their own."""
        return Penalty.elastic_net(n, self.alpha, self.l1_ratio, factors)
