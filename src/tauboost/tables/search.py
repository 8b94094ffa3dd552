"""The search for alpha, and for the pairs of columns that help, on validation folds.

Eight alphas are fitted as one batch on the training rows; by folds where there are few rows. Then,
if pairs are wanted, those that would gain most beyond the columns join at the alpha that was
chosen, in eight smoothnesses. They stay if they help by more than one standard error: a model that
is as good and simpler is better.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Mask, Vector, cached_property
from ..search.diagnosis import entropy_of
from ..search.search import Watch
from ..solvers.stopping import StoppingRule, SweepMonitor, run
from .batch import TableBatch, TermPenalty
from .columns import wide_planes
from .options import TableOptions
from .pairs import Pair, importances, ranked_pairs
from .rows import End
from .training import N_FOLDS, BinnedRows

__all__ = ["Candidate", "Round", "TableSearch", "between", "column_scaling", "psi_of"]


# Half a decade apart, and on how many grids at most, each beyond the end of the last that won.
ALPHAS = 10.0 ** np.arange(-5.5, -1.9, 0.5)
MOST_GRIDS = 3
L1_RATIOS = (1.0, 0.5, 0.0)
SMOOTHNESS = 10.0 ** np.arange(-4.0, -0.4, 0.5)  # of pairs
PAIRS_FOR_A_COLUMN, MOST_PAIRS = 2, 100
# Candidates are compared where no sweep lowers an objective by more than this share of the
# validation loss: what is chosen is a penalty, and nothing else. It takes 5 to 20 sweeps.
NEARLY, MOST_SWEEPS = 1e-3, 100
# This many validation rows distinguish candidates: no more folds than it takes are run.
ENOUGH_HELD_OUT = 10_000
FALLBACK = 1e-3  # the alpha where there are too few rows for a validation set
RIDGE = 0.05  # how much pairs shrink towards 0, next to their smoothness
# How much the many categories of a wide column shrink: each by its number of rows, where l1 would
# keep the few that have the most of them (docs/decisions/0035).
WIDE = 0.3
POWER = 0.25  # of the gain, in a column's scaling
LEAST = 1e-4  # of the largest gain: a column without a separate pattern may still come in


class TableSearch:
    """The search on one table, in rounds of candidates."""

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
        self._scaling: dict[tuple[int, int | None], Vector] = {}
        self.held_out_loss = math.nan
        self.wide = list(wide_planes(samples.columns))
        self.folds = self._folds()
        shares = np.array([samples.class_weight(k) for k in range(samples.n_classes)])
        self.held_out_before = entropy_of(shares)  # of the last candidates: at first, of none
        self.best: Round | None = None

    def _folds(self) -> list[int]:
        """Return the folds to hold out; none where a class has too few rows."""
        counts = self.samples.counts
        totals = counts.sum(axis=0)
        if totals.min() < 2:
            return []
        size = self.samples.n / N_FOLDS
        wanted = range(min(N_FOLDS, math.ceil(ENOUGH_HELD_OUT / size)))
        # A fold that has all rows of a class, or none of any, can neither train nor validate.
        return [fold for fold in wanted if counts[fold].any() and np.all(counts[fold] < totals)]

    def candidate(self) -> Candidate:
        """Return the candidate that is given, or the best."""
        alpha, ratio = self.options.alpha, self.options.l1_ratio
        if not isinstance(alpha, str):
            return Candidate(alpha, float(ratio))
        if not self.folds:
            return Candidate(FALLBACK, 1.0 if isinstance(ratio, str) else ratio)
        losses: dict[Candidate, float] = {}
        for ratio_ in L1_RATIOS if isinstance(ratio, str) else (ratio,):
            grid = self._near_the_first_step() if self.is_wide else ALPHAS
            for _ in range(MOST_GRIDS):
                found = self._run([Candidate(float(a), ratio_) for a in grid])
                losses |= dict(zip(found.candidates, found.losses.tolist(), strict=True))
                if self.best is None or found.losses.min() < self.best.losses.min():
                    self.best = found
                if 0 < found.best < len(grid) - 1 or self.clock.is_over:
                    break
                grid = grid * ((grid[-1] / grid[0]) ** (8 / 7)) ** (1 if found.best > 0 else -1)
        assert self.best is not None
        self.held_out_loss = float(self.best.losses.min())
        return between(losses, self.best.candidates[self.best.best])

    def _near_the_first_step(self) -> Vector:
        """Return alphas from where the first hypothesis moves, a quarter of a decade apart.

        With more columns than rows the best is near it, and weaker ones only learn noise.
        """
        edges = []
        for task in range(self.samples.n_tasks):
            batch = self.batch([Candidate(0.0, 1.0)], task, None, self.samples.n_threads)
            share = self.samples.class_weight(self.samples.positive(task))
            batch.start_from(np.empty(0), batch.constant(share))
            batch.update_edges()
            edges.append(float(batch.edge[0]))
        return max(edges) * 10.0 ** np.arange(-1.75, 0.1, 0.25)

    def with_pairs(self, chosen: Candidate) -> Candidate:
        """Return it with the best smoothness of pairs; ``pairs`` are those that stay.

        Validation rows do not contribute to the choice of the pairs that are tried on them.
        """
        wanted = self.options.pairs
        if wanted in (0, []) or self.clock.is_over:
            return chosen
        if wanted == "auto" and (self.options.alpha != "auto" or self.is_wide or not self.folds):
            return chosen  # a given alpha means that nothing is searched
        pairs = self._chosen_pairs(chosen, None)
        if not pairs:
            return chosen
        candidates = [replace(chosen, smoothness=float(s)) for s in SMOOTHNESS]
        self.pairs = pairs
        if not self.folds:
            return candidates[-2]
        tried = {fold: self._chosen_pairs(chosen, fold) for fold in self.folds}
        found = self._run(candidates, self.best, tried)
        if wanted == "auto" and not self._is_worth_it(found):
            self.pairs = []
            return chosen
        self.held_out_loss = float(found.losses.min())
        return found.candidates[found.best]

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

    def _chosen_pairs(self, candidate: Candidate, held: int | None) -> list[Pair]:
        """Return the pairs that are asked for, or those that rank highest on the rows left."""
        wanted = self.options.pairs
        chosen = (
            [pair for pair in wanted if self._varies[list(pair)].all()]
            if isinstance(wanted, list)
            else self._ranked(candidate, held)
        )
        new = Pair.add(self.samples, [columns for columns in chosen if columns not in self._known])
        self._known |= {pair.columns: pair for pair in new}
        return [self._known[columns] for columns in chosen]

    def terms(self, pairs: list[Pair]) -> NDArray[np.int32]:
        """Return the numbers of all columns' terms and of these pairs'."""
        columns = range(len(self.samples.columns))
        return np.array([*columns, *(pair.term for pair in pairs)], dtype=np.int32)

    def _is_worth_it(self, found: Round) -> bool:
        """Return True if pairs help by more than a standard error."""
        if self.best is None:
            return False
        n_tasks = self.samples.n_tasks
        sums = [
            self.samples.gain_sums(
                self.options.loss,
                fold,
                self.best.best_ends(fold, n_tasks),
                found.best_ends(fold, n_tasks),
            )
            for fold in self.folds
        ]
        weight, gain, *squares = np.sum(sums, axis=0).tolist()
        mean = gain / weight
        variance = squares[0] * mean * mean - 2.0 * mean * squares[1] + squares[2]
        return bool(mean > math.sqrt(max(variance, 0.0)) / weight)

    def _ranked(self, candidate: Candidate, held: int | None) -> list[tuple[int, int]]:
        """Return the pairs worth a term, by what the columns leave over, over all tasks."""
        samples, wanted = self.samples, self.options.pairs
        usable = self._varies & (self.signs[:, 0] == 0)
        most = min(PAIRS_FOR_A_COLUMN * int(self._varies.sum()), MOST_PAIRS)
        if isinstance(wanted, int):
            most = wanted
        found: dict[int, tuple[list[tuple[int, int]], Vector]] = {}

        def rank(task: int, n_threads: int) -> None:
            batch = self.batch([candidate], task, held, n_threads, self.terms([]))
            if self.best is not None:
                self.best.start(batch, self.folds[0] if held is None else held, task)
            if held is None or self.best is None:
                self._converge(batch)
            found[task] = ranked_pairs(batch, [k for k in importances(batch).tolist() if usable[k]])

        samples.each_fit(rank, range(samples.n_tasks))
        total: dict[tuple[int, int], float] = {}
        for task in range(samples.n_tasks):
            for pair, gain in zip(found[task][0], found[task][1].tolist(), strict=True):
                total[pair] = total.get(pair, 0.0) + gain
        return sorted(total, key=lambda pair: (-total[pair], pair))[:most]

    def _run(
        self,
        candidates: list[Candidate],
        start: Round | None = None,
        pairs: dict[int, list[Pair]] | None = None,
    ) -> Round:
        """Fit every candidate on all but each of the folds, and evaluate it on that fold."""
        samples = self.samples
        jobs = [(fold, task) for fold in self.folds for task in range(samples.n_tasks)]
        ends: dict[tuple[int, int], End] = {}

        def run(job: tuple[int, int], n_threads: int) -> None:
            fold, task = job
            terms = self.terms([] if pairs is None else pairs[fold])
            batch = self.batch(candidates, task, fold, n_threads, terms)
            if start is not None:
                start.start(batch, *job)
            self._converge(batch)
            ends[job] = batch.end

        samples.each_fit(run, jobs)
        found = self._evaluated(candidates, ends)
        self.held_out_before = float(found.losses.min())
        for candidate, value in zip(candidates, found.losses.tolist(), strict=True):
            self.selection.append({**asdict(candidate), "held_out_loss": value})
        return found

    def _converge(self, batch: TableBatch) -> None:
        """Come near the optimum, in all fits."""
        enough = NEARLY * self.held_out_before / self.samples.n_tasks
        rule = StoppingRule(decrease=enough, max_epochs=MOST_SWEEPS)
        run(batch, SweepMonitor(rule, lambda: self.clock.is_over))

    def _evaluated(self, candidates: list[Candidate], ends: dict[tuple[int, int], End]) -> Round:
        tasks = range(self.samples.n_tasks)
        sums = [
            self.samples.held_out_sums(self.options.loss, fold, [ends[fold, t] for t in tasks])
            for fold in self.folds
        ]
        *losses, weight = np.sum(sums, axis=0)
        return Round(candidates, np.nan_to_num(np.array(losses) / weight, nan=math.inf), ends)

    def batch(
        self,
        candidates: list[Candidate],
        task: int,
        held: int | None,
        n_threads: int,
        terms: NDArray[np.int32] | None = None,
    ) -> TableBatch:
        """Return fits of one task at these candidates, at 0."""
        n_columns = len(self.samples.columns)
        n_pairs = self.samples.table.n_terms - n_columns
        psi = psi_of(candidates, n_columns, n_pairs, self.wide)
        psi.scale(self.scaling(task, held))
        return self.batch_of(psi, task, held, n_threads, terms)

    def scaling(self, task: int, held: int | None) -> Vector:
        """Return what psi of each column is multiplied by."""
        if self.options.factors is not None:
            return self.options.factors
        if self.is_wide:
            return np.ones(len(self.samples.columns))
        if (task, held) not in self._scaling:
            self._scaling[task, held] = column_scaling(self.samples, task, held)
        return self._scaling[task, held]

    def batch_of(
        self,
        psi: TermPenalty,
        task: int,
        held: int | None,
        n_threads: int,
        terms: NDArray[np.int32] | None = None,
    ) -> TableBatch:
        """Return fits of one task with this psi, at 0."""
        n_pairs = len(psi.l1) - len(self.samples.columns)
        return TableBatch(
            self.samples,
            self.options.loss,
            psi,
            [task] * psi.n_fits,
            held=held,
            signs=np.vstack([self.signs, np.zeros((n_pairs, 2), dtype=np.int8)]),
            n_threads=n_threads,
            terms=terms,
        )


@dataclass
class Round:
    """Outcome of some candidates on the validation rows."""

    candidates: list[Candidate]
    losses: Vector  # the mean of each candidate; infinite where it is not a number
    ends: dict[tuple[int, int], End]  # where each fold and task ended

    @property
    def best(self) -> int:
        """The number of the best candidate."""
        return int(np.argmin(self.losses))

    def start(self, batch: TableBatch, fold: int, task: int) -> None:
        """Let fits start where the best candidate ended."""
        levels, intercepts = self.ends[fold, task]
        batch.start_from(levels[self.best], intercepts[self.best])

    def best_ends(self, fold: int, n_tasks: int) -> list[End]:
        """Return where the best candidate ended, in one fold."""
        found = [self.ends[fold, task] for task in range(n_tasks)]
        chosen = slice(self.best, self.best + 1)
        return [(levels[chosen], intercepts[chosen]) for levels, intercepts in found]


@dataclass(frozen=True)
class Candidate:
    """One candidate."""

    alpha: float
    l1_ratio: float
    smoothness: float = math.inf  # of pairs; infinite: there are none


def psi_of(
    candidates: list[Candidate], n_columns: int, n_pairs: int, wide: Sequence[int] = ()
) -> TermPenalty:
    """Return psi of all terms, a fit for each candidate; ``wide`` columns have squares only."""
    alphas = np.array([s.alpha for s in candidates])
    ratios = np.array([s.l1_ratio for s in candidates])
    columns = TermPenalty.elastic_net(n_columns, alphas, ratios)
    columns.l1[list(wide)], columns.l2[list(wide)] = 0.0, WIDE * alphas
    if n_pairs == 0:
        return columns
    # Where there are to be no pairs, those of the table stay at 0, and cost nothing.
    smooth = np.array([s.smoothness if s.smoothness < math.inf else 0.0 for s in candidates])
    return TermPenalty(
        np.vstack([columns.l1, np.tile(RIDGE * smooth, (n_pairs, 1))]),
        np.vstack([columns.l2, np.tile(smooth, (n_pairs, 1))]),
    )


def between(losses: dict[Candidate, float], best: Candidate) -> Candidate:
    """Return the candidate where a parabola through the best and its neighbours is least.

    To three digits, so that it does not depend on the rounding of a search.
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


def column_scaling(samples: BinnedRows, task: int, held: int | None) -> Vector:
    """Return what psi of each column is multiplied by for a task: how much its bins say alone.

    AdaBoost's first step on a column alone moves bin b by d_b = g_b / h_b, gradient over curvature
    with all rows at the shares of the classes. It gains sum_b g_b^2 / 2 h_b, of which rows without
    a pattern would gain noise / 2 in each bin. The scaling of a column is

        (number of its bins / (that gain - noise))^(1/4),

    the root of one over the typical step of a bin: psi is lighter where bins say much, and heavier
    where many of them say little. As in design/scaling.py, only the root of the step
    counts, and only rows that are learned from. The geometric mean is 1; wide columns have 1.
    """
    starts, sums = samples.starts, samples.class_sums(held)
    up = sums[samples.positive(task)]
    weights = sums.sum(axis=0)
    total = weights[: starts[1]].sum()
    share = up[: starts[1]].sum() / total
    scaling = np.ones(len(samples.columns))
    if not 0.0 < share < 1.0:
        return scaling
    g, h = (up - share * weights) / total, share * (1.0 - share) * weights / total
    occurs = weights > 0.0
    gains = np.divide(g * g, h, out=np.zeros_like(g), where=occurs) - occurs * samples.noise(held)
    of_column = np.add.reduceat(gains, starts[:-1])
    bins = np.add.reduceat(occurs.astype(np.float64), starts[:-1])
    has_one = bins > 1
    has_one[list(wide_planes(samples.columns))] = False
    most = float(of_column[has_one].max(initial=0.0))
    if most <= 0.0:
        return scaling
    own = (bins / np.maximum(of_column, LEAST * most))[has_one] ** POWER
    scaling[has_one] = own / np.exp(np.log(own).mean())
    return scaling
