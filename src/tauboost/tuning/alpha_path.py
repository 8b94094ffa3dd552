"""Held-out parts and classes along a path of alpha, side by side in lanes.

A lane holds the problem of one class without one held-out part. All of them go from one alpha to
the next, each from where it was, and are (loosely) solved there; what is held out then tells which
alpha is best.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ..base.arrays import Vector
from ..design.sparse import decisions
from ..losses import LOSSES
from ..penalty import Factors
from ..search.search import Candidate, Validation
from .first_step import factors_of
from .lanes import LANES, Lanes, sweep_side_by_side
from .samples import Samples
from .strongest import intercepts_at_best
from .subspace import Subspace

__all__ = ["AlphaPath"]

# The order of sweeps has a seed of its own: no model depends on that of a user.
SEED = 0


@dataclass
class Group:
    """Up to eight lanes, and which part and task each of them is."""

    pairs: list[tuple[int, int]]
    lanes: Lanes
    factors: list[Factors | None]
    subspace: Subspace


class AlphaPath:
    """Fits of one loss and l1_ratio, of all tasks without each of some held-out parts.

    Parameters
    ----------
    parts : of each, the share of every sample that is held out
    start : array of shape (tasks, n), points of the core; None: 0, the intercepts at their best
    seed : of the order of sweeps; None: always the same
    in_subspace : whether a step in a subspace follows each sweep, where there is one
    factors : of each part and task, where they are known
    """

    def __init__(
        self,
        samples: Samples,
        first: Candidate,
        parts: list[Vector],
        start: Vector | None = None,
        *,
        seed: int | None = None,
        in_subspace: bool = True,
        factors: list[list[Factors | None]] | None = None,
    ) -> None:
        self.seed = SEED if seed is None else seed
        self.samples, self.loss, self.candidate = samples, LOSSES[first.loss], first
        self.n_sweeps, self.in_subspace = 0, in_subspace
        order = samples.order
        codes = samples.codes[order]
        self.rows, self.codes, self.weights, self.c = [], [], [], []
        for held in parts:
            scored = samples.weights[order] * held[order]
            trained = samples.weights[order] - scored
            rows = np.flatnonzero(scored)
            self.rows.append(rows)
            self.codes.append(codes[rows])
            self.weights.append(scored[rows] / max(scored.sum(), 1e-300))
            self.c.append(trained / trained.sum())
        self.factors = factors or [factors_of(samples, held) for held in parts]
        pairs = [(p, t) for p in range(len(parts)) for t in range(samples.n_tasks)]
        n_groups = -(-len(pairs) // LANES[-1])
        self.groups = [
            self._group([pairs[k] for k in some], start)
            for some in np.array_split(np.arange(len(pairs)), n_groups)
        ]
        self.open_all()

    def _group(self, pairs: list[tuple[int, int]], start: Vector | None) -> Group:
        samples, n = self.samples, self.samples.design.n_penalised
        own = [self.factors[p][t] for p, t in pairs]
        lanes = Lanes(
            samples.matrix,
            self.loss,
            np.stack([self.c[p] for p, _ in pairs], axis=1),
            samples.opposite([t for _, t in pairs]),
            [self.candidate.psi(n, some) for some in own],
            seed=self.seed,
            n_threads=samples.n_threads,
            mean_row=samples.mean_row,
            start=self._start(pairs) if start is None else start[[t for _, t in pairs]].T,
        )
        return Group(pairs, lanes, own, Subspace(lanes))

    def _start(self, pairs: list[tuple[int, int]]) -> Vector | None:
        codes, samples = self.samples.codes[self.samples.order], self.samples
        shares = [float(self.c[p] @ samples.is_positive(t, codes)) for p, t in pairs]
        return intercepts_at_best(samples, self.loss.name, shares)

    def at(self, candidate: Candidate) -> Self:
        """Take another alpha; where the fits are, they stay."""
        self.candidate = candidate
        for group in self.groups:
            for k, own in enumerate(group.factors):
                psi = candidate.psi(self.samples.design.n_penalised, own)
                group.lanes.l1[k], group.lanes.l2[k] = psi.l1, psi.l2
        return self

    @property
    def candidates(self) -> list[Candidate]:
        """What is fitted: one candidate at a time."""
        return [self.candidate]

    def epochs(self) -> float:
        """Sweeps so far, of any of the fits."""
        return float(self.n_sweeps)

    def open_all(self) -> None:
        """Sweep all fits from now on."""
        self.open_groups = self.groups

    def close(self, decrease: float) -> bool:
        """Leave out the groups whose last sweep gained no more in any fit; True: none is left."""
        gained = [(float(group.lanes.decrease.max()), group) for group in self.open_groups]
        self.open_groups = [group for gain, group in gained if gain > decrease]
        return not self.open_groups

    def advance(self, epochs_left: float = 1.0) -> None:  # noqa: ARG002 - always one sweep
        """Sweep the fits that are open."""
        sweep_side_by_side([group.lanes for group in self.open_groups], self.samples.n_threads)
        self.n_sweeps += 1
        for group in self.open_groups if self.in_subspace else ():
            group.subspace.take()

    def held_out_decisions(self) -> list[Vector]:
        """Decision values of what each part holds out, (samples, tasks)."""
        found = [np.empty((len(rows), self.samples.n_tasks)) for rows in self.rows]
        for group in self.groups:
            residuals = {p: group.lanes.row_residuals(self.rows[p]) for p, _ in group.pairs}
            for k, (p, t) in enumerate(group.pairs):
                is_positive = self.samples.is_positive(t, self.codes[p])
                found[p][:, t] = decisions(residuals[p][:, k], is_positive)
        return found

    def validation(self, candidate: int = 0) -> Validation:  # noqa: ARG002 - there is one
        """Return what the fits make of what they do not learn from."""
        H = self.held_out_decisions()
        each = zip(H, self.codes, self.weights, strict=True)
        loss = float(np.mean([self.loss.log_loss(*of_part) for of_part in each]))
        decisions, codes, weights = np.concatenate(H), np.concatenate(self.codes), self.weights
        return Validation(loss, decisions, codes, np.concatenate(weights))

    def points(self, candidate: int = 0, *, fold: int = 0) -> Vector:  # noqa: ARG002
        """Return where the fits without a fold are: a point of the core for each task."""
        found = np.empty((self.samples.n_tasks, self.samples.matrix.n))
        for group in self.groups:
            for k, (p, t) in enumerate(group.pairs):
                if p == fold:
                    found[t] = group.lanes.lam[:, k]
        return found

    def values(self) -> Vector:
        """F of every fit, (parts, tasks)."""
        found = np.empty((len(self.rows), self.samples.n_tasks))
        for group in self.groups:
            for k, (p, t) in enumerate(group.pairs):
                found[p, t] = group.lanes.value(k)
        return found

    def objective(self) -> float:
        """F + psi of the tasks together, the mean over the parts."""
        n, total = self.samples.design.n_penalised, float(self.values().sum())
        for group in self.groups:
            for k, own in enumerate(group.factors):
                total += self.candidate.psi(n, own).value(
                    np.ascontiguousarray(group.lanes.lam[:, k])
                )
        return total / len(self.rows)
