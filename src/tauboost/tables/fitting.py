"""From a frame and labels to a table model: the entry point of estimator and command line."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.arrays import Vector
from ..base.messages import warn_of
from ..base.threads import useful_threads
from ..parameters import TableParameters
from ..search.diagnosis import are_enough, of_rare_classes, of_repeats, of_shares
from ..search.duplicates import code_fingerprints
from ..search.folds import copies_a_weight, group_keys
from ..search.record import Record
from ..search.search import Event, Report, Watch
from ..solvers.stopping import StoppingRule, run
from ..sparse.design import flipped
from ..sparse.refit import Minimum, message_of
from ..validation import check_groups, check_weights, encode_labels, with_class_weights
from ..validation.frames import Frame
from .batch import TableBatch
from .binning import bin_table
from .certificate import RefitMonitor, TableGap
from .columns import coarse_codes
from .exact import BlockExact
from .model import TableModel, TermData
from .options import TableOptions, check_monotone
from .pairs import Pair, purified
from .rows import TableRows
from .search import Candidate, TableSearch
from .training import BinnedRows, TableTraining

__all__ = ["fit_samples", "fit_table", "terms_of"]


# Finer bins than this would follow single rows.
VALUES_A_BIN = 16
ROUNDING = 1e-14  # what it makes of the scores of a column that says nothing
# Of the bootstrap: batches, fits of each, and their sweeps.
N_BATCHES, WIDTH, SWEEPS = 4, 8, 4


def fit_table(
    frame: Frame,
    y: NDArray[Any],
    parameters: TableParameters,
    *,
    n_threads: int,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    report: Report | None = None,
) -> TableModel:
    """Fit a table classifier to a frame and its checked labels.

    Choose alpha and the pairs on validation rows, then fit on all rows.
    ``groups`` are those that folds keep together.
    """
    options = TableOptions.build(parameters, frame)
    clock = Watch(options.time_limit)
    classes, labels = encode_labels(y)
    given = check_weights(sample_weight, len(labels))
    weights = with_class_weights(parameters.class_weight, classes, labels, given)
    numbers = check_groups(groups, len(labels))
    keys = None if numbers is None else group_keys(numbers)
    present = weights > 0
    if not np.bincount(labels[present], minlength=len(classes)).all():
        raise ValueError("sample_weight or class_weight leaves no samples of some classes")
    ratios = copies_a_weight(given, weights, labels, len(classes))
    columns, codes = bin_table(
        frame,
        weights,
        parameters.max_bins,
        parameters.categorical_features,
        n_threads,
        values_a_bin=VALUES_A_BIN,
        name="categorical_features",
    )
    signs = check_monotone(parameters.monotonic_cst, frame, columns, options)
    if not present.all():
        codes, labels, weights = codes[:, present], labels[present], weights[present]
        keys = None if keys is None else keys[present]
    record = Record.of(code_fingerprints(codes, 0), labels, len(classes), len(columns))
    samples = TableTraining.build(
        columns,
        codes,
        labels,
        weights,
        n_classes=len(classes),
        n_threads=n_threads,
        copies_a_weight=ratios,
        groups=keys,
    )
    if groups is not None or np.ptp(given) > 0:  # these define what is a duplicate
        samples = replace(samples, repeated=0.0)
    del codes, labels, weights, present  # what the samples do not hold is not needed
    model = fit_samples(samples, options, signs, clock, classes, report, record)
    if model.record is None or model.record.caution:
        return model
    warning = of_rare_classes(np.array(record.counts), lambda: model.decisions(samples.codes))
    warn_of(warning)
    return replace(model, record=replace(model.record, caution=warning))


def fit_samples(
    samples: BinnedRows,
    options: TableOptions,
    signs: NDArray[np.int8],
    clock: Watch,
    classes: NDArray[Any],
    report: Report | None = None,
    record: Record | None = None,
) -> TableModel:
    """Fit a table classifier to binned rows, wherever they are."""
    search = TableSearch(samples, options, signs, clock)
    _tell(report, Event("build", 0, math.nan, math.nan, clock.seconds))
    candidate = search.candidate()
    _tell(report, Event("select", 1, math.nan, search.held_out_loss, clock.seconds))
    candidate = search.with_pairs(candidate)
    _tell(report, Event("select", 2, math.nan, search.held_out_loss, clock.seconds))
    fit = _Fit(search, candidate, classes, report)
    model, warning = fit.model(), _warning(search)
    warn_of(warning)
    known = None if record is None else replace(record, caution=warning, gap=fit.gap)
    return replace(model, record=known)


def _warning(search: TableSearch) -> str:
    """Return a warning if enough validation rows show that the model is of no use to them."""
    samples, loss = search.samples, search.held_out_loss
    if not math.isfinite(loss):
        return ""
    shares = np.array([samples.class_weight(label) for label in range(samples.n_classes)])
    held = np.rint(samples.n_copies * samples.fold_weights[search.folds].sum() * shares)
    said = ""
    if samples.n_tasks == 1 and are_enough(held.astype(np.intp)):
        said = of_shares(shares, int(held.sum()), loss)
    return said or of_repeats(samples.repeated, samples.n_copies, loss, shares)


def _tell(report: Report | None, event: Event) -> bool:
    return report is not None and report(event)


class _Fit:
    """The last step: the chosen candidate and pairs, on all rows, to the optimum."""

    def __init__(
        self,
        search: TableSearch,
        candidate: Candidate,
        classes: NDArray[Any],
        report: Report | None,
    ) -> None:
        self.search, self.candidate, self.classes, self.report = search, candidate, classes, report
        self.samples, self.options, self.clock = search.samples, search.options, search.clock
        # Other pairs that were tried stay terms of the table, but are never visited.
        self.terms = search.terms(search.pairs)
        self.n_threads = useful_threads(self.samples.n_threads, self.samples.n, "share")

    def model(self) -> TableModel:
        """Fit every task, and return what was found."""
        # From 0, and not from where the search ended in single precision: parts of a cluster have
        # other digits there, which would last as long as there is a gap.
        tasks = range(self.samples.n_tasks)
        fits = [
            self.search.batch([self.candidate], task, None, self.n_threads, self.terms)
            for task in tasks
        ]
        found = [self._solved(batch, task) for task, batch in enumerate(fits)]
        intercept, terms = terms_of(
            self.samples,
            self.search.pairs,
            np.stack([batch.levels[0] for batch in fits]),
            np.array([batch.intercepts[0] for batch in fits]),
        )
        gaps = [minimum.gap for minimum in found if minimum.gap is not None]
        self.gap = max(gaps) if len(gaps) == len(found) else None
        return TableModel(
            self.classes,
            self.samples.columns,
            terms,
            intercept,
            self.options.loss,
            self.candidate.alpha,
            self.candidate.l1_ratio,
            max(minimum.n_sweeps for minimum in found),
            np.array([minimum.objective for minimum in found]),
            self.search.held_out_loss,
            message_of(found, self.options.tol),
            self.search.selection,
            self._standard_errors(fits, terms),
        )

    def _solved(self, batch: TableBatch, task: int) -> Minimum:
        """Solve one task to the optimum."""
        search, options = self.search, self.options
        gap = TableGap(
            batch,
            search.pairs,
            self.terms,
            lambda psi: search.batch_of(psi, task, None, self.n_threads, self.terms),
        )
        limit = math.inf if self.clock.limit is None else self.clock.limit
        rule = StoppingRule(relative_gap=options.tol, max_epochs=options.max_iter, time_limit=limit)
        monitor = RefitMonitor(gap, rule, search.terms([]), self.clock, self._check)
        run(BlockExact(batch), monitor)
        assert monitor.ended is not None
        return monitor.ended

    def _check(self, batch: TableBatch) -> bool:
        """Report the progress; return True if the fit is to stop."""
        if self.report is None:
            return False
        seconds, objective = self.clock.seconds, batch.objective()
        return self.report(Event("fit", batch.n_sweeps, objective, math.nan, seconds))

    def _standard_errors(
        self, fits: list[TableBatch], terms: tuple[TermData, ...]
    ) -> tuple[Vector, ...] | None:
        if self.options.bands is None:
            return None
        return bootstrap_errors(self.search, self.candidate, fits, terms)


def terms_of(
    samples: BinnedRows, pairs: list[Pair], levels: Vector, intercepts: Vector
) -> tuple[Vector, tuple[TermData, ...]]:
    """Return intercepts and terms of some fits, (fits, levels): pairs pure, all centred."""
    scores, intercept = flipped(levels.T), flipped(intercepts)
    starts = samples.starts.tolist()
    own = [scores[a:b].copy() for a, b in pairwise(starts)]
    found = []
    for pair in pairs:
        start, size = pair.first_level, math.prod(pair.shape)
        weights = samples.pair_weights(pair)
        pure, alone = purified(scores[start : start + size].reshape(*pair.shape, -1), weights)
        # The core has cells of bytes, a model those of codes.
        maps = tuple(
            cells[coarse_codes(samples.columns[k])]
            for k, cells in zip(pair.columns, pair.maps, strict=True)
        )
        for column, cells, part in zip(pair.columns, maps, alone, strict=True):
            own[column] += part[cells]
        found.append(TermData(pair.columns, (maps[0], maps[1]), pure, weights))
    columns = []
    for k, (a, b) in enumerate(pairwise(starts)):
        share = samples.level_weights[a:b]
        mean = share @ own[k]
        intercept = intercept + mean
        centred = np.where(share[:, None] > 0, own[k] - mean, 0.0)
        centred[np.abs(centred) <= ROUNDING] = 0.0
        codes = np.arange(b - a, dtype=np.min_scalar_type(b - a - 1))
        columns.append(TermData((k,), (codes,), centred, share))
    return intercept, (*columns, *found)


def bootstrap_errors(
    search: TableSearch, candidate: Candidate, fits: list[TableBatch], terms: tuple[TermData, ...]
) -> tuple[Vector, ...]:
    """Return the bootstrap standard errors of the scores of each term, in the shape of the scores.

    Each fit of a batch gives every row a separate weight, drawn from a Poisson distribution of
    mean 1, which is how often a row occurs in a large sample drawn with replacement. All start from
    the model and go on for a few sweeps.
    """
    samples, visited = search.samples, search.terms(search.pairs)
    assert isinstance(samples, TableTraining)
    random = np.random.Generator(np.random.Philox(key=[search.options.seed, 1]))
    levels: list[Vector] = []
    intercepts: list[Vector] = []
    for _ in range(N_BATCHES):
        drawn = random.poisson(1.0, (samples.n, WIDTH)) * samples.weights[:, None]
        for task, fit in enumerate(fits):
            batch = search.batch([candidate] * WIDTH, task, None, samples.n_threads, visited)
            assert isinstance(batch.rows, TableRows)
            batch.rows.set_weights(drawn)
            batch.start_from(fit.levels[0], float(fit.intercepts[0]))
            for _ in range(SWEEPS):
                batch.sweep()
            levels.append(batch.levels)
            intercepts.append(batch.intercepts)
    _, found = terms_of(samples, search.pairs, np.concatenate(levels), np.concatenate(intercepts))
    errors = []
    for term, drawn_term in zip(terms, found, strict=True):
        # The last axis is (batch, task, fit).
        scores = drawn_term.scores.reshape(*term.scores.shape[:-1], N_BATCHES, len(fits), WIDTH)
        errors.append(scores.std(axis=(-3, -1), ddof=1))
    return tuple(errors)
