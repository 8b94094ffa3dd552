"""From a frame and labels to a table model: the one door for the estimator and the command line.

race      eight strengths side by side, on the rows that are not held out; by folds on small data
pairs     ranked on what the columns leave over; eight smoothnesses side by side, and none at all
fit       the choice, on all rows, to the optimum
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.arrays import Vector
from ..base.messages import shown
from ..design.binning import bin_table
from ..design.sparse import flipped
from ..losses import LOSSES
from ..validation import (
    check_choice,
    check_count,
    check_real,
    check_seed,
    check_weights,
    encode_labels,
    with_class_weights,
)
from ..validation.frames import Frame
from .options import Clock, Event, Report, number_or_auto
from .table_lanes import TableLanes, TermPsi
from .table_model import TableModel, TermData
from .table_pairs import Pair, importances, purified, ranked_pairs
from .table_samples import N_FOLDS, TableSamples

__all__ = ["TableParameters", "fit_table"]

# Strengths of the race, half a decade apart, and how far it goes on beyond an end that wins.
STRENGTHS = 10.0 ** np.arange(-5.5, -1.9, 0.5)
MOST_RACES = 3
# Smoothness of pairs, and their shrinkage towards 0 next to it.
SMOOTHNESS = 10.0 ** np.arange(-4.0, -0.4, 0.5)
RIDGE = 0.05
PAIRS_FOR_A_COLUMN = 2
# Sweeps of a race: four are nearly the optimum.
RACE_SWEEPS, PAIR_SWEEPS = 6, 5
# So many held-out rows tell strengths apart; more folds than it takes are not run.
ENOUGH_HELD_OUT = 20_000
L1_RATIOS = (1.0, 0.5, 0.0)


@dataclass(frozen=True)
class TableParameters:
    """The parameters of ``TableClassifier`` with their defaults, unchecked."""

    alpha: float | str = "auto"
    categorical: Any = "auto"
    class_weight: Any = None
    interactions: Any = "auto"
    l1_ratio: float | str = 1.0
    loss: str = "logistic"
    max_bins: int = 255
    max_iter: int = 100
    monotone: Any = None
    n_jobs: int | None = -1
    random_state: Any = None
    time_limit: float | None = None
    tol: float = 1e-6
    verbose: int = 0

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Return those of an estimator."""
        return cls(**{known.name: getattr(estimator, known.name) for known in fields(cls)})


def fit_table(
    frame: Frame,
    y: NDArray[Any],
    parameters: TableParameters,
    *,
    n_threads: int,
    sample_weight: ArrayLike | None = None,
    report: Report | None = None,
) -> TableModel:
    """Fit a table classifier to a frame and its checked labels."""
    job = _Job.build(frame, y, parameters, n_threads, sample_weight, report)
    return job.run()


@dataclass(frozen=True)
class _Strength:
    alpha: float
    l1_ratio: float
    smoothness: float = math.inf  # of pairs; infinite: no pairs

    def psi(self, n_columns: int, n_pairs: int) -> TermPsi:
        """Return psi of all terms, in one lane."""
        return _psi([self], n_columns, n_pairs)


def _psi(strengths: list[_Strength], n_columns: int, n_pairs: int) -> TermPsi:
    alphas = np.array([s.alpha for s in strengths])
    ratios = np.array([s.l1_ratio for s in strengths])
    columns = TermPsi.elastic_net(n_columns, alphas, ratios)
    if n_pairs == 0:
        return columns
    smooth = np.minimum(np.array([s.smoothness for s in strengths]), 1e6)
    return TermPsi(
        np.vstack([columns.l1, np.tile(RIDGE * smooth, (n_pairs, 1))]),
        np.vstack([columns.l2, np.tile(smooth, (n_pairs, 1))]),
    )


class _Job:
    """One fit."""

    def __init__(
        self,
        samples: TableSamples,
        classes: NDArray[Any],
        parameters: TableParameters,
        signs: NDArray[np.int8],
        pairs: Any,
        seed: int,
        report: Report | None,
    ) -> None:
        self.samples, self.classes, self.parameters = samples, classes, parameters
        self.signs, self.wanted_pairs, self.seed, self.report = signs, pairs, seed, report
        self.clock = Clock(parameters.time_limit)
        self.selection: list[dict[str, float | str]] = []
        self.pairs: list[Pair] = []

    @classmethod
    def build(
        cls,
        frame: Frame,
        y: NDArray[Any],
        parameters: TableParameters,
        n_threads: int,
        sample_weight: ArrayLike | None,
        report: Report | None,
    ) -> Self:
        """Check everything before any work, and bin the table."""
        check_choice(parameters.loss, "loss", tuple(LOSSES))
        number_or_auto(parameters.alpha, "alpha", most=1e300)
        number_or_auto(parameters.l1_ratio, "l1_ratio", most=1.0)
        check_count(parameters.max_iter, "max_iter")
        check_real(parameters.tol, "tol", least=0.0)
        if parameters.time_limit is not None:
            check_real(parameters.time_limit, "time_limit", least=0.0, above=True)
        if parameters.l1_ratio == "auto" and parameters.alpha != "auto":
            raise ValueError("l1_ratio='auto' is chosen on held-out rows: it needs alpha='auto'")
        seed = check_seed(parameters.random_state)
        pairs = _check_interactions(parameters.interactions, frame)
        classes, codes = encode_labels(y)
        weights = check_weights(sample_weight, len(codes))
        weights = with_class_weights(parameters.class_weight, classes, codes, weights)
        present = weights > 0
        if not np.bincount(codes[present], minlength=len(classes)).all():
            raise ValueError("sample_weight or class_weight leaves no samples of some classes")
        columns, cells = bin_table(
            frame, weights, parameters.max_bins, parameters.categorical, n_threads
        )
        signs = _check_monotone(parameters.monotone, frame, columns)
        if not present.all():
            cells, codes, weights = cells[:, present], codes[present], weights[present]
        samples = TableSamples.build(
            columns,
            cells,
            codes,
            weights,
            n_classes=len(classes),
            seed=seed,
            n_threads=n_threads,
        )
        return cls(samples, classes, parameters, signs, pairs, seed, report)

    @property
    def n_columns(self) -> int:
        return len(self.samples.columns)

    def run(self) -> TableModel:
        """Choose, then fit."""
        self._tell("build", 0, math.nan, math.nan)
        parameters = self.parameters
        held_out_loss = math.nan
        folds = self._folds()
        if parameters.alpha == "auto" and folds:
            strength, held_out_loss = self._race(folds)
        else:
            ratio = 1.0 if parameters.l1_ratio == "auto" else float(parameters.l1_ratio)
            alpha = 1e-3 if parameters.alpha == "auto" else float(parameters.alpha)
            strength = _Strength(alpha, ratio)
        strength, held_out_loss = self._choose_pairs(strength, held_out_loss, folds)
        return self._fit(strength, held_out_loss)

    # Choosing

    def _folds(self) -> list[int]:
        """Return the folds to hold out: as many as it takes to see differences."""
        counts = [
            np.bincount(
                self.samples.labels[self.samples.folds == f], minlength=self.samples.n_classes
            )
            for f in range(N_FOLDS)
        ]
        if np.sum(counts, axis=0).min() < 2:
            return []
        size = self.samples.n / N_FOLDS
        return list(range(min(N_FOLDS, math.ceil(ENOUGH_HELD_OUT / size))))

    def _race(self, folds: list[int]) -> tuple[_Strength, float]:
        """Run the strengths side by side on each fold; beyond an end that wins, more of them."""
        ratios = L1_RATIOS if self.parameters.l1_ratio == "auto" else (self.parameters.l1_ratio,)
        losses: dict[_Strength, float] = {}
        for ratio in ratios:
            grid = STRENGTHS
            for _ in range(MOST_RACES):
                strengths = [_Strength(float(a), float(ratio)) for a in grid]
                found = self._held_out_losses(strengths, folds, 0, RACE_SWEEPS)
                losses |= dict(zip(strengths, found, strict=True))
                best = int(np.argmin(found))
                if 0 < best < len(grid) - 1 or self.clock.is_over:
                    break
                grid = grid * 10.0 ** (4.0 if best > 0 else -4.0)
        best_one = min(losses, key=lambda s: losses[s])
        return _between(losses, best_one), losses[best_one]

    def _held_out_losses(
        self, strengths: list[_Strength], folds: list[int], n_pairs: int, n_sweeps: int
    ) -> Vector:
        """Return the mean log-loss of each strength on what is held out."""
        samples, loss = self.samples, LOSSES[self.parameters.loss]
        losses = np.zeros((len(folds), len(strengths)))
        shares = np.zeros(len(folds))
        for k, fold in enumerate(folds):
            held = samples.folds == fold
            decisions = np.stack(
                [
                    self._decisions(strengths, task, fold, n_pairs, n_sweeps)
                    for task in range(samples.n_tasks)
                ],
                axis=2,
            )
            shares[k] = samples.weights[held].sum()
            weights = samples.weights[held] / shares[k]
            losses[k] = [
                loss.log_loss(decisions[:, s], samples.labels[held], weights)
                for s in range(len(strengths))
            ]
        found = shares @ losses / shares.sum()
        for strength, value in zip(strengths, found.tolist(), strict=True):
            self.selection.append(
                {
                    "alpha": strength.alpha,
                    "l1_ratio": strength.l1_ratio,
                    "smoothness": strength.smoothness,
                    "held_out_loss": value,
                }
            )
        self._tell("select", len(self.selection), math.nan, float(found.min()))
        return np.asarray(found)

    def _decisions(
        self, strengths: list[_Strength], task: int, fold: int, n_pairs: int, n_sweeps: int
    ) -> Vector:
        lanes = self._lanes(_psi(strengths, self.n_columns, n_pairs), [task] * len(strengths), fold)
        for _ in range(n_sweeps):
            lanes.sweep()
        return lanes.held_out_decisions()

    def _lanes(self, psi: TermPsi, tasks: list[int], held: int | None) -> TableLanes:
        n_pairs = self.samples.table.n_terms - len(self.signs)
        return TableLanes(
            self.samples,
            self.parameters.loss,
            psi,
            tasks,
            held=held,
            signs=np.vstack([self.signs, np.zeros((n_pairs, 2), dtype=np.int8)]),
            seed=self.seed,
            n_threads=self.samples.n_threads,
        )

    def _choose_pairs(
        self, strength: _Strength, held_out_loss: float, folds: list[int]
    ) -> tuple[_Strength, float]:
        wanted = self.wanted_pairs
        if wanted == 0 or self.n_columns < 2:
            return strength, held_out_loss
        chosen = self._ranked(strength) if isinstance(wanted, int | str) else wanted
        self.pairs = [Pair.build(self.samples, columns) for columns in chosen]
        if not self.pairs:
            return strength, held_out_loss
        for pair in self.pairs:
            pair.add_to(self.samples.table)
        strengths = [_Strength(strength.alpha, strength.l1_ratio, float(s)) for s in SMOOTHNESS]
        if not folds:
            return strengths[-2], held_out_loss
        losses = self._held_out_losses(strengths, folds, len(self.pairs), PAIR_SWEEPS)
        best = int(np.argmin(losses))
        if wanted == "auto" and not losses[best] < held_out_loss:
            self.pairs = []
            return strength, held_out_loss
        return strengths[best], float(losses[best])

    def _ranked(self, strength: _Strength) -> list[tuple[int, int]]:
        """Return the pairs worth a term, by what the columns leave over, over all tasks."""
        most = PAIRS_FOR_A_COLUMN * self.n_columns
        if not isinstance(self.wanted_pairs, str):
            most = self.wanted_pairs
        total: dict[tuple[int, int], float] = {}
        for task in range(self.samples.n_tasks):
            lanes = self._lanes(strength.psi(self.n_columns, 0), [task], None)
            for _ in range(4):
                lanes.sweep()
            pairs, gains = ranked_pairs(self.samples, *lanes.weights(0), importances(lanes, 0))
            for pair, gain in zip(pairs, gains.tolist(), strict=True):
                total[pair] = total.get(pair, 0.0) + gain
        return sorted(total, key=lambda pair: (-total[pair], pair))[:most]

    # Fitting

    def _fit(self, strength: _Strength, held_out_loss: float) -> TableModel:
        terms = self._n_terms()
        samples = self.samples
        psi = strength.psi(self.n_columns, samples.table.n_terms - self.n_columns)
        fits, objective, n_iter, message = [], [], 0, ""
        for task in range(samples.n_tasks):
            lanes = self._lanes(psi, [task], None)
            message = self._to_the_optimum(lanes, terms)
            fits.append(lanes)
            n_iter = max(n_iter, lanes.n_sweeps)
            objective.append(lanes.objective())
        return _model(self, strength, fits, np.array(objective), n_iter, held_out_loss, message)

    def _n_terms(self) -> NDArray[np.int32]:
        return np.arange(self.n_columns + len(self.pairs), dtype=np.int32)

    def _to_the_optimum(self, lanes: TableLanes, terms: NDArray[np.int32]) -> str:
        tol = self.parameters.tol
        for sweep in range(1, int(self.parameters.max_iter) + 1):
            decrease = float(lanes.sweep(terms)[0])
            objective = math.nan if self.report is None else lanes.objective()
            stop = self._tell("fit", sweep, objective, math.nan)
            if decrease <= tol:
                return f"Converged: the last sweep lowered the objective by {decrease:.2g} <= {tol:.2g}."
            if stop:
                return "Interrupted by the callback."
            if self.clock.is_over:
                return f"Out of time: {self.clock.seconds:.3g} s."
        return f"Out of sweeps: {self.parameters.max_iter} done."

    def _tell(self, phase: str, sweep: int, objective: float, held_out_loss: float) -> bool:
        if self.report is None:
            return False
        return self.report(Event(phase, sweep, objective, held_out_loss, self.clock.seconds))


def _between(losses: dict[_Strength, float], best: _Strength) -> _Strength:
    """Return the strength where a parabola through the best and its neighbours is least."""
    line = sorted((s for s in losses if s.l1_ratio == best.l1_ratio), key=lambda s: s.alpha)
    k = line.index(best)
    if not 0 < k < len(line) - 1:
        return best
    low, middle, high = (losses[line[i]] for i in (k - 1, k, k + 1))
    bend = low - 2 * middle + high
    shift = 0.5 * (low - high) / bend if bend > 0 else 0.0
    step = math.log(line[k + 1].alpha / best.alpha)
    return _Strength(best.alpha * math.exp(min(max(shift, -0.5), 0.5) * step), best.l1_ratio)


def _model(
    job: _Job,
    strength: _Strength,
    fits: list[TableLanes],
    objective: Vector,
    n_iter: int,
    held_out_loss: float,
    message: str,
) -> TableModel:
    """Return what was fitted: pairs pure, all terms centred, the intercept takes what is left."""
    samples = job.samples
    scores = flipped(np.stack([lanes.levels[0] for lanes in fits], axis=1))
    intercept = flipped(np.array([lanes.intercepts[0] for lanes in fits]))
    starts = np.cumsum([0, *(column.n_bins for column in samples.columns)])
    own = [scores[a:b].copy() for a, b in pairwise(starts.tolist())]
    shares = [samples.level_weights[a:b] for a, b in pairwise(starts.tolist())]
    terms, start = [], int(starts[-1])
    for pair in job.pairs:
        shape = pair.shape
        size = shape[0] * shape[1]
        weights = _pair_weights(samples, pair)
        pure, alone = purified(scores[start : start + size].reshape(*shape, -1), weights)
        for column, cells, part in zip(pair.columns, pair.maps, alone, strict=True):
            own[column] += part[cells]
        terms.append(TermData(pair.columns, pair.maps, pure, weights))
        start += size
    columns = []
    for k, (levels, share) in enumerate(zip(own, shares, strict=True)):
        mean = share @ levels
        intercept += mean
        centred = np.where(share[:, None] > 0, levels - mean, 0.0)
        codes = np.arange(len(share), dtype=np.uint8)
        columns.append(TermData((k,), (codes,), centred, share))
    return TableModel(
        job.classes,
        samples.columns,
        (*columns, *terms),
        intercept,
        job.parameters.loss,
        strength.alpha,
        strength.l1_ratio,
        n_iter,
        objective,
        held_out_loss,
        message,
        job.selection,
    )


def _pair_weights(samples: TableSamples, pair: Pair) -> Vector:
    cells = [
        cells.astype(np.intp)[samples.codes[k]]
        for k, cells in zip(pair.columns, pair.maps, strict=True)
    ]
    shape = pair.shape
    found = np.bincount(cells[0] * shape[1] + cells[1], samples.weights, shape[0] * shape[1])
    return found.reshape(shape).astype(np.float64)


def _check_interactions(interactions: Any, frame: Frame) -> Any:
    """Return "auto", a number of pairs, or pairs of positions."""
    if isinstance(interactions, str):
        if interactions != "auto":
            raise ValueError(
                f"interactions must be 'auto', a number or pairs, got {shown(interactions)}"
            )
        return interactions
    if isinstance(interactions, list | tuple):
        return [_check_pair(pair, frame) for pair in interactions] or 0
    return check_count(interactions, "interactions", 0)


def _check_pair(pair: Any, frame: Frame) -> tuple[int, int]:
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        raise ValueError(f"interactions must hold pairs of columns, got {shown(pair)}")
    first, second = (_position(column, frame, "interactions") for column in pair)
    if first == second:
        raise ValueError(f"interactions pairs {shown(pair[0])} with itself")
    return min(first, second), max(first, second)


def _position(column: Any, frame: Frame, what: str) -> int:
    if isinstance(column, str) and column in frame.names:
        return frame.names.index(column)
    if isinstance(column, int | np.integer) and 0 <= column < frame.n_columns:
        return int(column)
    raise ValueError(f"{what} names {shown(column)}, and the table has no such column")


def _check_monotone(monotone: Any, frame: Frame, columns: Any) -> NDArray[np.int8]:
    """Return the signs of jumps and single bins of each term, in lam's sign."""
    signs = np.zeros((frame.n_columns, 2), dtype=np.int8)
    if monotone is None:
        return signs
    if not isinstance(monotone, dict):
        raise TypeError(f"monotone must be a dict of columns and 1 or -1, got {shown(monotone)}")
    for name, sign in monotone.items():
        k = _position(name, frame, "monotone")
        if isinstance(sign, bool) or sign not in (1, -1, 0):
            raise ValueError(f"monotone must be 1, -1 or 0 for {shown(name)}, got {shown(sign)}")
        if sign != 0 and not columns[k].is_ordered:
            raise ValueError(
                f"monotone names {shown(name)}, whose values are categories and have no order"
            )
        signs[k, 0] = -sign  # the paper's lam has the opposite sign of a score
    return signs
