"""Candidates that were compared, and where their fits ended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.arrays import Vector
from .binned_rows import End
from .table_lanes import TableLanes
from .table_strength import Strength

__all__ = ["Heat"]


@dataclass
class Heat:
    """What came of some candidates on the rows held out."""

    strengths: list[Strength]
    losses: Vector  # the mean of each candidate; infinite where it is not a number
    ends: dict[tuple[int, int], End]  # where each fold and task ended

    @property
    def best(self) -> int:
        """The number of the best candidate."""
        return int(np.argmin(self.losses))

    def start(self, lanes: TableLanes, fold: int, task: int) -> None:
        """Let fits start where the best candidate ended."""
        levels, intercepts = self.ends[fold, task]
        lanes.start_from(levels[self.best], intercepts[self.best])

    def best_ends(self, fold: int, n_tasks: int) -> list[End]:
        """Return where the best candidate ended, in one fold."""
        found = [self.ends[fold, task] for task in range(n_tasks)]
        chosen = slice(self.best, self.best + 1)
        return [(levels[chosen], intercepts[chosen]) for levels, intercepts in found]
