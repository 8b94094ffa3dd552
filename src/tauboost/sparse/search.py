"""Which alpha: the one with the least validation loss, along a path from strong to weak.

Fits without each of some folds walk down the alphas together (`AlphaPath`), each from
where the last left it. They are compared where they are nearly solved: what is chosen is a
penalty, and nothing else. The path ends where the validation loss has risen, and alpha is where a
parabola through the best point and its neighbours is least.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Self

import numpy as np

from ..base.arrays import Vector
from ..losses import LOSSES
from ..penalty import Factors
from ..search.diagnosis import entropy_of
from ..search.options import Options
from ..search.search import Batch, Candidate, Selection, Validation, Watch, vertex
from ..solvers.stopping import StoppingRule
from .batch import WIDTHS, Subspace, sweep_batches
from .batch import Batch as FitBatch
from .design import decisions
from .factors import factors_of
from .training import Samples, intercepts_at_best, largest_gradient, unit_of_l2

__all__ = ["AlphaPath", "LinearSpace", "candidates", "fallback"]


# Folds and classes along a path of alpha, in batches of fits.
#
# A fit solves the problem of one class without one fold. All of them go from one alpha to the next,
# each from where it was, and are (loosely) solved there; the validation loss then decides which
# alpha is best.


# The order of sweeps has a separate seed: no model depends on that of a user.
SEED = 0


@dataclass
class Group:
    """A batch of up to eight fits, and which part and task each of them is."""

    pairs: list[tuple[int, int]]
    batch: FitBatch
    factors: list[Factors | None]
    subspace: Subspace


class AlphaPath:
    """Fits of one loss and l1_ratio, of all tasks without each of some folds.

    Parameters
    ----------
    parts : of each fold, the share of every sample that it holds out
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
        n_groups = -(-len(pairs) // WIDTHS[-1])
        self.groups = [
            self._group([pairs[k] for k in some], start)
            for some in np.array_split(np.arange(len(pairs)), n_groups)
        ]
        self.open_all()

    def _group(self, pairs: list[tuple[int, int]], start: Vector | None) -> Group:
        samples, n = self.samples, self.samples.design.n_penalised
        own = [self.factors[p][t] for p, t in pairs]
        batch = FitBatch(
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
        return Group(pairs, batch, own, Subspace(batch))

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
                group.batch.l1[k], group.batch.l2[k] = psi.l1, psi.l2
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
        gained = [(float(group.batch.decrease.max()), group) for group in self.open_groups]
        self.open_groups = [group for gain, group in gained if gain > decrease]
        return not self.open_groups

    def advance(self, epochs_left: float = 1.0) -> None:  # noqa: ARG002 - always one sweep
        """Sweep the fits that are open."""
        sweep_batches([group.batch for group in self.open_groups], self.samples.n_threads)
        self.n_sweeps += 1
        for group in self.open_groups if self.in_subspace else ():
            group.subspace.take()

    def held_out_decisions(self) -> list[Vector]:
        """Decision values of what each part holds out, (samples, tasks)."""
        found = [np.empty((len(rows), self.samples.n_tasks)) for rows in self.rows]
        for group in self.groups:
            residuals = {p: group.batch.row_residuals(self.rows[p]) for p, _ in group.pairs}
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
                    found[t] = group.batch.lam[:, k]
        return found

    def values(self) -> Vector:
        """F of every fit, (parts, tasks)."""
        found = np.empty((len(self.rows), self.samples.n_tasks))
        for group in self.groups:
            for k, (p, t) in enumerate(group.pairs):
                found[p, t] = group.batch.value(k)
        return found

    def objective(self) -> float:
        """F + psi of the tasks together, the mean over the parts."""
        n, total = self.samples.design.n_penalised, float(self.values().sum())
        for group in self.groups:
            for k, own in enumerate(group.factors):
                total += self.candidate.psi(n, own).value(
                    np.ascontiguousarray(group.batch.lam[:, k])
                )
        return total / len(self.rows)


# alpha in units of the mean squared length of a sample over the number of samples: from too strong,
# half a decade at a time, to far too weak.
DECADES = np.arange(0.5, -6.1, -0.5)
# l1 in units of the largest gradient at 0, from which on every coefficient is 0.
DECADES_OF_L1 = np.arange(-0.5, -5.1, -0.5)
# Stronger ones, tried where the strongest is the best.
STRONGER = 10.0 ** np.array([0.5, 1.0, 1.5, 2.0, 2.5, 3.0])
# The first few are always tried: where nothing moves yet, nothing improves.
ALWAYS = 4
# Without a validation set to choose by: what is rarely far off.
USUAL_ALPHA = 0.1
L1_RATIOS = (0.0, 0.5, 1.0)
# A fit is nearly solved where no sweep lowers its objective by this share of the validation loss.
# Newton's steps in a subspace are near the optimum then; sweeps without them have far to go. The
# best alpha of many samples is a wide valley (docs/decisions/0037).
NEARLY, NEARLY_OF_MANY, NEARLY_BY_SWEEPS = 1e-2, 1e-1, 1e-3
MANY = 8_000
# The path ends after two alphas that are no better by this share, or one that is worse by WORSE.
LEAST_IMPROVEMENT, WORSE = 1e-3, 1e-2


class LinearSpace:
    """Paths of alpha, one for each loss and l1_ratio."""

    def __init__(self, samples: Samples, options: Options, parts: list[Vector]) -> None:
        self.samples, self.options, self.parts = samples, options, parts
        self.share, self.last = 0.0, math.inf  # of the last validation loss: what a sweep may gain

    def batches(self, seen: Selection) -> Iterator[AlphaPath]:
        """Go down every path until it has risen; up from its strongest, if that is the best."""
        for path in candidates(self.samples, self.options):
            batch = AlphaPath(self.samples, path[0], self.parts)
            self.share = self._nearly(batch) / self.samples.n_tasks
            self.last = entropy_of(np.bincount(batch.codes[0], batch.weights[0]))
            least, rises = math.inf, 0
            for place, candidate in enumerate(path, 1):
                yield batch.at(candidate)
                self.last = float(seen.table[-1]["held_out_loss"])
                rises = 0 if self.last < least * (1.0 - LEAST_IMPROVEMENT) else rises + 1
                least = min(least, self.last)
                if place >= ALWAYS and (rises >= 2 or self.last > least * (1 + WORSE)):
                    break
            alphas, losses = seen.tried(path[0])
            is_best = alphas[losses.argmin()] == path[0].alpha and losses.min() < losses.max()
            least = math.inf
            for factor in STRONGER.tolist() if is_best else ():
                yield batch.at(replace(path[0], alpha=factor * path[0].alpha))
                self.last = float(seen.table[-1]["held_out_loss"])
                if not self.last < least * (1.0 - LEAST_IMPROVEMENT):
                    break
                least = self.last

    def rule(self, batch: Batch, watch: Watch) -> StoppingRule:
        """Return when the fits at an alpha are nearly solved."""
        return watch.rule(self.share * self.last, batch.epochs() + self.options.max_iter)

    def choose(self, seen: Selection) -> Candidate:
        """Return the best candidate with alpha between the points of its path."""
        return replace(seen.candidate, alpha=vertex(*seen.tried()))

    def _nearly(self, batch: AlphaPath) -> float:
        if not all(group.subspace.is_useful for group in batch.groups):
            return NEARLY_BY_SWEEPS
        return NEARLY if self.samples.n < MANY else NEARLY_OF_MANY


def kinds(options: Options) -> list[tuple[str, float]]:
    """Return the losses and l1_ratios to try."""
    losses = ["logistic", "exponential"] if options.loss == "auto" else [options.loss]
    ratios = L1_RATIOS if isinstance(options.l1_ratio, str) else [options.l1_ratio]
    return list(product(losses, ratios))


def fallback(samples: Samples, options: Options) -> Candidate:
    """Return the candidate that was given, or a usual one where none can be chosen."""
    loss = "logistic" if options.loss == "auto" else options.loss
    l1_ratio = 0.0 if isinstance(options.l1_ratio, str) else options.l1_ratio
    if isinstance(options.alpha, str):
        unit = unit_of_l2(samples, factors_of(samples))
        return Candidate(loss, USUAL_ALPHA * unit, l1_ratio)
    return Candidate(loss, options.alpha, l1_ratio)


def candidates(samples: Samples, options: Options) -> list[list[Candidate]]:
    """Return all candidates, one list a loss and ratio, the strongest first."""
    factors = factors_of(samples)
    lists = []
    for loss, ratio in kinds(options):
        if ratio < 0.5:
            unit = unit_of_l2(samples, factors) / (1.0 - ratio)
            decades = DECADES
        else:
            unit = largest_gradient(samples, loss, factors) / ratio
            decades = DECADES_OF_L1
        alphas = (unit or 1.0) * 10.0**decades  # 0: there is nothing to learn from
        lists.append([Candidate(loss, alpha, ratio) for alpha in alphas.tolist()])
    return lists
