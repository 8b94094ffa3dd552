"""How strong psi should be, and which pairs of columns help: chosen on rows that are held out.

Eight strengths run side by side on the rows that are left, in lanes; by folds where there are few
rows. Then, if pairs are wanted, those that would gain most beyond the columns join at the strength
that was chosen, in eight smoothnesses. They stay if they help by more than one standard error: a
model that is as good and simpler is better.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Mask, Vector
from ..base.cached import cached_property
from ..search.watch import Watch
from ..tuning.cautions import entropy_of
from .batch import TableBatch, TermPenalty
from .columns import wide_planes
from .options import TableOptions
from .pairs import Pair, importances, ranked_pairs
from .rows import End
from .training import N_FOLDS, BinnedRows

__all__ = ["Heat", "Strength", "TableRace", "between", "column_units", "psi_of"]

# Strengths of the race, half a decade apart, and how often it goes on beyond an end that wins.
STRENGTHS = 10.0 ** np.arange(-5.5, -1.9, 0.5)
MOST_RACES = 3
L1_RATIOS = (1.0, 0.5, 0.0)
SMOOTHNESS = 10.0 ** np.arange(-4.0, -0.4, 0.5)  # of pairs
PAIRS_FOR_A_COLUMN, MOST_PAIRS = 2, 100
# Candidates are compared where no sweep lowers an objective by more than this share of the held-out
# loss: what is chosen is a penalty, and nothing else. It takes 5 to 20 sweeps.
NEARLY, MOST_SWEEPS = 1e-3, 100
# So many held-out rows tell strengths apart: no more folds than it takes are run.
ENOUGH_HELD_OUT = 10_000
FALLBACK = 1e-3  # the strength where too few rows are there to hold any out


class TableRace:
    """The candidates on one table."""

    def __init__(
        self,
        samples: BinnedRows,
        options: TableOptions,
        signs: NDArray[np.int8],
        clock: Watch,
    ) -> None:
        self.samples, self.options, self.signs, self.clock = samples, options, signs, clock
        self.selection: list[dict[str, float | str]] = []
        self.pairs: list[Pair] = []
        self._known: dict[tuple[int, int], Pair] = {}
        self._units: dict[tuple[int, int | None], Vector] = {}
        self.held_out_loss = math.nan
        self.wide = list(wide_planes(samples.columns))
        self.folds = self._folds()
        shares = np.array([samples.class_weight(k) for k in range(samples.n_classes)])
        self.held_out_before = entropy_of(shares)  # of the last candidates: at first, of none
        self.heat: Heat | None = None

    def _folds(self) -> list[int]:
        """Return the folds to hold out; none where a class has too few rows."""
        counts = self.samples.counts
        totals = counts.sum(axis=0)
        if totals.min() < 2:
            return []
        size = self.samples.n / N_FOLDS
        wanted = range(min(N_FOLDS, math.ceil(ENOUGH_HELD_OUT / size)))
        # A fold that has all rows of a class, or none of any, can neither teach nor tell.
        return [fold for fold in wanted if counts[fold].any() and np.all(counts[fold] < totals)]

    def strength(self) -> Strength:
        """Return the strength that is given, or the best."""
        alpha, ratio = self.options.alpha, self.options.l1_ratio
        if not isinstance(alpha, str):
            return Strength(alpha, float(ratio))
        if not self.folds:
            return Strength(FALLBACK, 1.0 if isinstance(ratio, str) else ratio)
        losses: dict[Strength, float] = {}
        for ratio_ in L1_RATIOS if isinstance(ratio, str) else (ratio,):
            grid = self._near_the_first() if self.is_wide else STRENGTHS
            for _ in range(MOST_RACES):
                heat = self._run([Strength(float(a), ratio_) for a in grid])
                losses |= dict(zip(heat.strengths, heat.losses.tolist(), strict=True))
                if self.heat is None or heat.losses.min() < self.heat.losses.min():
                    self.heat = heat
                if 0 < heat.best < len(grid) - 1 or self.clock.is_over:
                    break
                grid = grid * ((grid[-1] / grid[0]) ** (8 / 7)) ** (1 if heat.best > 0 else -1)
        assert self.heat is not None
        self.held_out_loss = float(self.heat.losses.min())
        return between(losses, self.heat.strengths[self.heat.best])

    def _near_the_first(self) -> Vector:
        """Return strengths from where the first hypothesis moves, a quarter of a decade apart.

        With more columns than rows the best is near it, and weaker ones only learn noise.
        """
        edges = []
        for task in range(self.samples.n_tasks):
            lanes = self.lanes([Strength(0.0, 1.0)], task, None, self.samples.n_threads)
            share = self.samples.class_weight(self.samples.positive(task))
            lanes.start_from(np.empty(0), lanes.constant(share))
            lanes.look()
            edges.append(float(lanes.edge[0]))
        return max(edges) * 10.0 ** np.arange(-1.75, 0.1, 0.25)

    def with_pairs(self, strength: Strength) -> Strength:
        """Return the strength with the best smoothness of pairs; ``pairs`` are those that stay.

        Rows that are held out have no say in which pairs are tried on them.
        """
        wanted = self.options.pairs
        if wanted in (0, []) or self.clock.is_over:
            return strength
        if wanted == "auto" and (self.options.alpha != "auto" or self.is_wide or not self.folds):
            return strength  # a given alpha means that nothing is searched
        chosen = self._chosen_pairs(strength, None)
        if not chosen:
            return strength
        candidates = [replace(strength, smoothness=float(s)) for s in SMOOTHNESS]
        self.pairs = chosen
        if not self.folds:
            return candidates[-2]
        tried = {fold: self._chosen_pairs(strength, fold) for fold in self.folds}
        heat = self._run(candidates, self.heat, tried)
        if wanted == "auto" and not self._is_worth_it(heat):
            self.pairs = []
            return strength
        self.held_out_loss = float(heat.losses.min())
        return heat.strengths[heat.best]

    @property
    def is_wide(self) -> bool:
        """Whether there are more columns than rows."""
        n = self.samples.n
        return len(self.samples.columns) > n and int(self._varies.sum()) > n

    @cached_property
    def _varies(self) -> Mask:
        """Which columns have rows in more than one bin: no other says anything in a pair."""
        starts = self.samples.starts
        is_used = (self.samples.level_weights[: starts[-1]] > 0).astype(np.intp)
        return np.asarray(np.add.reduceat(is_used, starts[:-1]) > 1)

    def _chosen_pairs(self, strength: Strength, held: int | None) -> list[Pair]:
        """Return the pairs that are asked for, or those that rank highest on the rows left."""
        wanted = self.options.pairs
        chosen = (
            [pair for pair in wanted if self._varies[list(pair)].all()]
            if isinstance(wanted, list)
            else self._ranked(strength, held)
        )
        new = Pair.add(self.samples, [columns for columns in chosen if columns not in self._known])
        self._known |= {pair.columns: pair for pair in new}
        return [self._known[columns] for columns in chosen]

    def terms(self, pairs: list[Pair]) -> NDArray[np.int32]:
        """Return the numbers of all columns' terms and of these pairs'."""
        columns = range(len(self.samples.columns))
        return np.array([*columns, *(pair.term for pair in pairs)], dtype=np.int32)

    def _is_worth_it(self, heat: Heat) -> bool:
        """Tell whether pairs help by more than a standard error."""
        if self.heat is None:
            return False
        n_tasks = self.samples.n_tasks
        sums = [
            self.samples.gain_sums(
                self.options.loss,
                fold,
                self.heat.best_ends(fold, n_tasks),
                heat.best_ends(fold, n_tasks),
            )
            for fold in self.folds
        ]
        weight, gain, *squares = np.sum(sums, axis=0).tolist()
        mean = gain / weight
        variance = squares[0] * mean * mean - 2.0 * mean * squares[1] + squares[2]
        return bool(mean > math.sqrt(max(variance, 0.0)) / weight)

    def _ranked(self, strength: Strength, held: int | None) -> list[tuple[int, int]]:
        """Return the pairs worth a term, by what the columns leave over, over all tasks."""
        samples, wanted = self.samples, self.options.pairs
        usable = self._varies & (self.signs[:, 0] == 0)
        most = min(PAIRS_FOR_A_COLUMN * int(self._varies.sum()), MOST_PAIRS)
        if isinstance(wanted, int):
            most = wanted
        found: dict[int, tuple[list[tuple[int, int]], Vector]] = {}

        def rank(task: int, n_threads: int) -> None:
            lanes = self.lanes([strength], task, held, n_threads)
            if self.heat is not None:
                self.heat.start(lanes, self.folds[0] if held is None else held, task)
            if held is None or self.heat is None:
                self._converge(lanes, self.terms([]))
            found[task] = ranked_pairs(lanes, [k for k in importances(lanes).tolist() if usable[k]])

        samples.each_fit(rank, range(samples.n_tasks))
        total: dict[tuple[int, int], float] = {}
        for task in range(samples.n_tasks):
            for pair, gain in zip(found[task][0], found[task][1].tolist(), strict=True):
                total[pair] = total.get(pair, 0.0) + gain
        return sorted(total, key=lambda pair: (-total[pair], pair))[:most]

    def _run(
        self,
        strengths: list[Strength],
        start: Heat | None = None,
        pairs: dict[int, list[Pair]] | None = None,
    ) -> Heat:
        """Fit every candidate on all but each of the folds, and look at what is held out."""
        samples = self.samples
        jobs = [(fold, task) for fold in self.folds for task in range(samples.n_tasks)]
        ends: dict[tuple[int, int], End] = {}

        def run(job: tuple[int, int], n_threads: int) -> None:
            fold, task = job
            lanes = self.lanes(strengths, task, fold, n_threads)
            if start is not None:
                start.start(lanes, *job)
            self._converge(lanes, self.terms([] if pairs is None else pairs[fold]))
            ends[job] = lanes.end

        samples.each_fit(run, jobs)
        heat = self._judged(strengths, ends)
        self.held_out_before = float(heat.losses.min())
        for strength, value in zip(strengths, heat.losses.tolist(), strict=True):
            self.selection.append(
                {
                    "alpha": strength.alpha,
                    "l1_ratio": strength.l1_ratio,
                    "smoothness": strength.smoothness,
                    "held_out_loss": value,
                }
            )
        return heat

    def _converge(self, lanes: TableBatch, terms: NDArray[np.int32]) -> None:
        """Come near the optimum, in all lanes."""
        enough = NEARLY * self.held_out_before / self.samples.n_tasks
        lanes.converge(terms, enough, MOST_SWEEPS, lambda: self.clock.is_over)

    def _judged(self, strengths: list[Strength], ends: dict[tuple[int, int], End]) -> Heat:
        tasks = range(self.samples.n_tasks)
        sums = [
            self.samples.held_out_sums(self.options.loss, fold, [ends[fold, t] for t in tasks])
            for fold in self.folds
        ]
        *losses, weight = np.sum(sums, axis=0)
        return Heat(strengths, np.nan_to_num(np.array(losses) / weight, nan=math.inf), ends)

    def lanes(
        self, strengths: list[Strength], task: int, held: int | None, n_threads: int
    ) -> TableBatch:
        """Return fits of one task at these strengths, at 0."""
        n_columns = len(self.samples.columns)
        n_pairs = self.samples.table.n_terms - n_columns
        psi = psi_of(strengths, n_columns, n_pairs, self.wide)
        psi.scale(self.units(task, held))
        return self.lanes_of(psi, task, held, n_threads)

    def units(self, task: int, held: int | None) -> Vector:
        """Return the unit of psi for each column."""
        if self.options.factors is not None:
            return self.options.factors
        if self.is_wide:
            return np.ones(len(self.samples.columns))
        if (task, held) not in self._units:
            self._units[task, held] = column_units(self.samples, task, held)
        return self._units[task, held]

    def lanes_of(self, psi: TermPenalty, task: int, held: int | None, n_threads: int) -> TableBatch:
        """Return fits of one task with this psi, at 0."""
        n_pairs = len(psi.l1) - len(self.samples.columns)
        return TableBatch(
            self.samples,
            self.options.loss,
            psi,
            [task] * psi.n_lanes,
            held=held,
            signs=np.vstack([self.signs, np.zeros((n_pairs, 2), dtype=np.int8)]),
            n_threads=n_threads,
        )


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

    def start(self, lanes: TableBatch, fold: int, task: int) -> None:
        """Let fits start where the best candidate ended."""
        levels, intercepts = self.ends[fold, task]
        lanes.start_from(levels[self.best], intercepts[self.best])

    def best_ends(self, fold: int, n_tasks: int) -> list[End]:
        """Return where the best candidate ended, in one fold."""
        found = [self.ends[fold, task] for task in range(n_tasks)]
        chosen = slice(self.best, self.best + 1)
        return [(levels[chosen], intercepts[chosen]) for levels, intercepts in found]


RIDGE = 0.05  # how much pairs shrink towards 0, next to their smoothness
# How much the many categories of a wide column shrink: each by its number of rows, where l1 would
# keep the few that have the most of them (docs/decisions/0035).
WIDE = 0.3


@dataclass(frozen=True)
class Strength:
    """One candidate."""

    alpha: float
    l1_ratio: float
    smoothness: float = math.inf  # of pairs; infinite: there are none


def psi_of(
    strengths: list[Strength], n_columns: int, n_pairs: int, wide: Sequence[int] = ()
) -> TermPenalty:
    """Return psi of all terms, a lane for each strength; ``wide`` columns have squares only."""
    alphas = np.array([s.alpha for s in strengths])
    ratios = np.array([s.l1_ratio for s in strengths])
    columns = TermPenalty.elastic_net(n_columns, alphas, ratios)
    columns.l1[list(wide)], columns.l2[list(wide)] = 0.0, WIDE * alphas
    if n_pairs == 0:
        return columns
    # Where there are to be no pairs, those of the table stay at 0, and cost nothing.
    smooth = np.array([s.smoothness if s.smoothness < math.inf else 0.0 for s in strengths])
    return TermPenalty(
        np.vstack([columns.l1, np.tile(RIDGE * smooth, (n_pairs, 1))]),
        np.vstack([columns.l2, np.tile(smooth, (n_pairs, 1))]),
    )


def between(losses: dict[Strength, float], best: Strength) -> Strength:
    """Return the strength where a parabola through the best and its neighbours is least.

    To three digits, so that it does not depend on the rounding of a race.
    """
    line = sorted((s for s in losses if s.l1_ratio == best.l1_ratio), key=lambda s: s.alpha)
    k = line.index(best)
    if not 0 < k < len(line) - 1:
        return best
    low, middle, high = (losses[line[i]] for i in (k - 1, k, k + 1))
    bend = low - 2 * middle + high
    shift = 0.5 * (low - high) / bend if 0 < bend < math.inf else 0.0
    step = math.log(line[k + 1].alpha / best.alpha)
    alpha = best.alpha * math.exp(min(max(shift, -0.5), 0.5) * step)
    return replace(best, alpha=float(f"{alpha:.3g}"))


POWER = 0.25
LEAST = 1e-4  # of the largest gain: a column without a pattern of its own may still come in


def column_units(samples: BinnedRows, task: int, held: int | None) -> Vector:
    """Return the unit of each column for a task, of geometric mean 1; of wide columns it is 1."""
    starts, sums = samples.starts, samples.class_sums(held)
    up = sums[samples.positive(task)]
    weights = sums.sum(axis=0)
    total = weights[: starts[1]].sum()
    share = up[: starts[1]].sum() / total
    units = np.ones(len(samples.columns))
    if not 0.0 < share < 1.0:
        return units
    g, h = (up - share * weights) / total, share * (1.0 - share) * weights / total
    occurs = weights > 0.0
    gains = np.divide(g * g, h, out=np.zeros_like(g), where=occurs) - occurs * samples.noise(held)
    of_column = np.add.reduceat(gains, starts[:-1])
    bins = np.add.reduceat(occurs.astype(np.float64), starts[:-1])
    has_one = bins > 1
    has_one[list(wide_planes(samples.columns))] = False
    most = float(of_column[has_one].max(initial=0.0))
    if most <= 0.0:
        return units
    own = (bins / np.maximum(of_column, LEAST * most))[has_one] ** POWER
    units[has_one] = own / np.exp(np.log(own).mean())
    return units
