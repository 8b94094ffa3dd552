"""Candidates in a race: every strength of psi and every class at once, in lanes.

All candidates sweep together. After each sweep their loss on the held-out samples tells which of
them, and which number of sweeps, is best so far: few sweeps regularise as well as psi does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.arrays import Vector
from ..design.sparse import decisions
from ..io.saved import Range, SavedStateError, State, entry, part, prefixed
from ..losses import LOSSES
from ..penalty import Penalty
from .lanes import LANES, Lanes, sweep_side_by_side
from .samples import Samples

__all__ = ["Race", "Strength", "sweep_all"]


@dataclass(frozen=True)
class Strength:
    """One candidate: a loss and its elastic net."""

    loss: str
    alpha: float
    l1_ratio: float

    def psi(self, n: int) -> Penalty:
        """Return the elastic net over n coordinates."""
        return Penalty.elastic_net(n, self.alpha, self.l1_ratio)


class Race:
    """Fits of one loss that differ in strength, for all tasks, on one set of samples.

    Parameters
    ----------
    held : the share of each sample that no candidate learns from; None: they learn from all
    start : array of shape (tasks, n), the point of the core where every candidate starts
    """

    def __init__(
        self,
        samples: Samples,
        strengths: list[Strength],
        held: Vector | None,
        start: Vector | None = None,
    ) -> None:
        self.samples, self.strengths = samples, strengths
        order = samples.order
        self.loss = strengths[0].loss
        weights = samples.weights[order]
        scored = np.zeros(len(order)) if held is None else weights * held[order]
        trained = weights - scored
        c = trained / trained.sum()
        self.rows = np.flatnonzero(scored)
        self.row_weights = scored[self.rows] / max(scored.sum(), 1e-300)
        self.row_codes = samples.codes[order][self.rows]
        pairs = [(s, t) for t in range(samples.n_tasks) for s in range(len(strengths))]
        self.groups = [
            Group(some, self._lanes(some, c, start)) for some in in_groups(pairs, LANES[-1])
        ]

    def _lanes(self, pairs: list[tuple[int, int]], c: Vector, start: Vector | None) -> Lanes:
        samples = self.samples
        return Lanes(
            samples.matrix,
            LOSSES[self.loss],
            np.broadcast_to(c[:, None], (len(c), len(pairs))),
            samples.opposite([task for _, task in pairs]),
            [self.strengths[s].psi(samples.design.n_penalised) for s, _ in pairs],
            seed=samples.seed,
            n_threads=samples.n_threads,
            mean_row=samples.mean_row,
            start=None if start is None else start[[task for _, task in pairs]].T,
        )

    def sweep(self) -> None:
        """Sweep every candidate once."""
        sweep_all([self])

    def keep(self, chosen: list[int]) -> None:
        """Go on with some of the candidates only; their numbers stay."""
        for group in self.groups:
            places = [k for k, (s, _) in enumerate(group.pairs) if s in chosen]
            if places and len(places) < len(group.pairs):
                group.lanes.keep(places)
            group.pairs = [group.pairs[k] for k in places]
        self.groups = [group for group in self.groups if group.pairs]

    @property
    def n_sweeps(self) -> int:
        """Number of sweeps so far."""
        return self.groups[0].lanes.n_sweeps

    def saved(self) -> State:
        """Return all it takes to go on from here, to the same bits."""
        parts = [prefixed(str(g), group.lanes.saved()) for g, group in enumerate(self.groups)]
        state: State = {"alive": np.array(self.alive)}
        for found in parts:
            state |= found
        return state

    def restore(self, state: State) -> None:
        """Go on from where `saved` was called: a race of the same candidates, some still alive."""
        wanted = Range(0, len(self.strengths) - 1)
        alive = entry(state, "alive", (None,), np.int64, wanted).tolist()
        if not alive or not set(alive) <= set(self.alive) or alive != sorted(set(alive)):
            raise SavedStateError("alive")
        if alive != self.alive:
            self.keep(alive)
        for g, group in enumerate(self.groups):
            group.lanes.restore(part(str(g), state))

    @property
    def alive(self) -> list[int]:
        """The candidates still running."""
        return sorted({s for group in self.groups for s, _ in group.pairs})

    def points(self, candidate: int) -> Vector:
        """Return where a candidate is: a point of the core for each task, (tasks, n)."""
        return self._gathered(candidate, lambda lanes, k: lanes.lam[:, k])

    def values(self, candidate: int) -> Vector:
        """F of a candidate, for each task."""
        return self._gathered(candidate, Lanes.value)

    def objective(self, candidate: int) -> float:
        """F + psi of a candidate, all tasks together."""
        psi = self.strengths[candidate].psi(self.samples.design.n_penalised)
        return float(self.values(candidate).sum() + psi.values(self.points(candidate)).sum())

    def edges(self, candidate: int) -> Vector:
        """Return the largest excess edge of the last sweep, for each task."""
        return self._gathered(candidate, lambda lanes, k: lanes.edge[k])

    def _gathered(self, candidate: int, read: Callable[[Lanes, int], Any]) -> Vector:
        parts = {
            task: np.array(read(group.lanes, k))
            for group in self.groups
            for k, (s, task) in enumerate(group.pairs)
            if s == candidate
        }
        return np.stack([parts[task] for task in sorted(parts)])

    def held_out_decisions(self) -> dict[int, Vector]:
        """Decision values of the held-out samples, (samples, tasks), for each candidate."""
        found: dict[int, list[Vector]] = {s: [] for s in self.alive}
        for group in self.groups:
            r = group.lanes.row_residuals(self.rows)
            for k, (s, task) in enumerate(group.pairs):
                is_positive = self.samples.is_positive(task, self.row_codes)
                found[s].append(decisions(r[:, k], is_positive))
        return {s: np.stack(columns, axis=1) for s, columns in found.items()}


def sweep_all(races: list[Race]) -> None:
    """Sweep every candidate of several races once; their groups of lanes go side by side."""
    lanes = [group.lanes for race in races for group in race.groups]
    sweep_side_by_side(lanes, races[0].samples.n_threads)


@dataclass
class Group:
    """Up to eight lanes, and which candidate and task each of them is."""

    pairs: list[tuple[int, int]]
    lanes: Lanes


def in_groups(pairs: list[tuple[int, int]], size: int) -> list[list[tuple[int, int]]]:
    """Cut into parts of at most ``size``."""
    return [pairs[k : k + size] for k in range(0, len(pairs), size)]
