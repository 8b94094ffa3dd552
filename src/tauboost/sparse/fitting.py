"""From checked rows and labels to a model: the entry point for estimators and the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.arrays import Vector
from ..base.messages import warn_of
from ..io.checkpoint import Arrays, Checkpoint, entry, misfit
from ..losses import LOSSES
from ..methods import solve
from ..parameters import LinearParameters
from ..problem import Problem
from ..search.diagnosis import (
    FEWEST,
    of_choice,
    of_model,
    of_range,
    of_rare_classes,
    of_repeats,
    of_units,
    slope_at_the_end,
)
from ..search.folds import group_keys
from ..search.options import Options
from ..search.record import Record, prints_of
from ..search.search import Report, Selection, Validation, Watch, search
from ..solvers.monitor import Snapshot
from ..solvers.result import Result, Status
from ..validation import (
    CsrArrays,
    check_groups,
    check_seed,
    check_weights,
    encode_labels,
    with_class_weights,
)
from . import search as alpha_path
from .decisions import decision_values
from .design import NONZEROS_A_SHARD, SparseDesign, note_of_width
from .factors import checked_factors, factors_of
from .model import Model, fit_link
from .refit import (
    Approach,
    Minimum,
    Trained,
    goal_of,
    is_worth_it,
    message_of,
    model_at,
    stopped_early,
    with_link,
)
from .scaling import Units
from .search import LinearSpace, fallback
from .training import Samples

__all__ = ["Trained", "fit", "train", "weighted_samples"]


# How a classifier is trained: alpha is chosen by validation loss or given, then it is solved.
#
# The solution is the optimum on all samples, within ``tol``. A fit that was interrupted starts
# from the point that its checkpoint holds, and does not search again.


Counts = NDArray[np.int64]

# Beyond this, the square of a coefficient might be no number.
LARGEST_COEFFICIENT = 1e100


def train(samples: Samples, options: Options, start: Vector | None) -> Trained:
    """Train as the options say; ``start`` is a point of the core for each task, or None.

    ``samples`` have no equal ones among them (`Samples.merged`).
    """
    watch = Watch(options.time_limit, options.report)
    checkpoint, chooses = options.checkpoint, options.alpha == "auto"
    saved = None if checkpoint is None else checkpoint.open(options.identity(samples))
    parts: list[Vector] = []
    if chooses or options.early_stopping or options.calibrate:
        # What early stopping keeps was trained on one part only.
        most = None if chooses and not options.early_stopping else 1
        parts = samples.held_out_parts(options.validation_fraction, most)
    if options.early_stopping and not parts:
        raise ValueError(
            "early_stopping needs samples to hold out: every class needs at least 10 different "
            "ones, more if validation_fraction is small"
        )
    _ = samples.matrix  # the one that all problems share
    watch.tell("build", 0)
    if saved is None:
        progress = begun(samples, options, watch, parts, start)
    else:
        assert checkpoint is not None
        with checkpoint.reading():
            progress = resumed(samples, options, *saved)
    fit = Refit(samples, options, watch, progress)
    fit.save()
    if options.early_stopping:
        candidate = progress.selection.candidate
        model = stopped_early(samples, candidate, parts[0], start, options.max_iter, watch)
    else:
        model = fit.run()
    model = finished(
        model, samples, options, progress.selection, is_searched=chooses and bool(parts)
    )
    return replace(model, caution=model.caution or of_units(samples.units))


@dataclass(frozen=True)
class Progress:
    """What a checkpoint holds: the choice, and where the fit of it is."""

    selection: Selection
    points: Vector | None  # of the core, one for each task; None: 0
    n_sweeps: Counts  # that led there, task by task

    def save(
        self, checkpoint: Checkpoint | None, points: Callable[[], Vector], n_sweeps: Counts
    ) -> None:
        """Save the choice and where its fit is now, if it is time to."""
        if checkpoint is not None:
            checkpoint.save(
                lambda: (
                    {"points": points(), "n_sweeps": n_sweeps},
                    {"selection": self.selection.facts()},
                )
            )


def resumed(samples: Samples, options: Options, arrays: Arrays, facts: Any) -> Progress:
    """Return the progress that a checkpoint holds, checked."""
    most = LARGEST_COEFFICIENT
    selection = Selection.of_facts(facts.get("selection") if isinstance(facts, dict) else None)
    for name in ("loss", "alpha", "l1_ratio"):
        if getattr(options, name) not in ("auto", getattr(selection.candidate, name)):
            raise misfit(name)
    shape = (samples.n_tasks, samples.matrix.n)
    points = entry(arrays, "points", shape, np.float64, -most, most)
    n_sweeps = entry(arrays, "n_sweeps", shape[:1], np.int64, 0, options.max_iter)
    return Progress(selection, points, n_sweeps)


def begun(
    samples: Samples,
    options: Options,
    watch: Watch,
    parts: list[Vector],
    start: Vector | None,
) -> Progress:
    """Choose, or take what was given; nothing is solved yet."""
    none = np.zeros(samples.n_tasks, dtype=np.int64)
    if options.alpha == "auto" and parts:
        seen, points, held = search(LinearSpace(samples, options, parts), watch)
        seen.caution = warning_of(samples, seen, held)
        if options.calibrate:
            # Each part weighs 1 in the choice.
            of_part = [np.full(np.count_nonzero(part), samples.copies @ part) for part in parts]
            copies = held.weights * np.concatenate(of_part)
            loss = LOSSES[seen.candidate.loss]
            seen.link = fit_link(held.decisions, held.codes, copies, loss)
        return Progress(seen, points, none)
    given = Progress(Selection(fallback(samples, options)), start, none)
    if options.calibrate and parts and not options.early_stopping:
        given.selection.link = calibrated(samples, options, watch, given, parts[0])
    return given


def calibrated(
    samples: Samples, options: Options, watch: Watch, given: Progress, held: Vector
) -> tuple[float, float]:
    """Fit without the validation set to learn the link; a checkpoint is of the fit to all."""
    first = Refit(samples.without(held), replace(options, checkpoint=None), watch, given).run()
    scored = held > 0.0
    rows, weights = samples.arrays.select(scored), (samples.weights * held)[scored]
    decisions = decision_values(rows, first.coef, first.intercept, samples.n_threads)
    copies = weights * (float(samples.copies @ held) / weights.sum())
    return fit_link(decisions, samples.codes[scored], copies, LOSSES[first.candidate.loss])


def finished(
    model: Trained, samples: Samples, options: Options, selection: Selection, *, is_searched: bool
) -> Trained:
    """Calibrate the model where that was asked for, and set the message: how it came about."""
    candidate = selection.candidate
    if selection.link is not None:
        model = with_link(model, *selection.link)
    if is_searched:
        how = (
            f"Chosen on held-out samples: {candidate.loss} loss, alpha={candidate.alpha:.3g}, "
            f"l1_ratio={candidate.l1_ratio:g}. "
        )
        return replace(
            model,
            message=how + model.message,
            held_out_loss=model.held_out_loss if options.early_stopping else selection.loss,
            table=selection.table + model.table,  # of early stopping, its sweeps
            caution=selection.caution,
        )
    if options.alpha == "auto":
        why = "Too few samples to choose alpha by: a usual one was taken. "
        return replace(model, message=why + model.message)
    if options.early_stopping or samples.n_given < FEWEST:
        return model
    of_fit = (candidate.loss, candidate.alpha, samples.n_threads)
    warning = of_model(samples.arrays, model.coef, model.intercept, *of_fit)
    return replace(model, caution=warning)


def warning_of(samples: Samples, seen: Selection, held: Validation) -> str:
    """Return what to warn of, judged by the validation set."""
    said = of_choice(held.decisions, held.codes, held.weights, seen.loss)
    # The weakest of a path is no reason to worry: weaker ones, when tried, were never better.
    if not said and slope_at_the_end(*seen.tried()) > 0:
        said = of_range(*seen.tried(), held.shares(), "values of alpha")
    return said or of_repeats(samples.repeated, samples.n_given, seen.loss, held.shares())


class Refit:
    """Solves one objective on all samples, task by task."""

    def __init__(
        self, samples: Samples, options: Options, watch: Watch, progress: Progress
    ) -> None:
        self.samples, self.options, self.watch, self.progress = samples, options, watch, progress
        self.candidate = progress.selection.candidate
        self.factors = factors_of(samples)
        self.start, self.n_before = progress.points, progress.n_sweeps
        self.found: list[Minimum] = []
        self.told = 0  # sweeps, as events have them

    def run(self) -> Trained:
        """Continue from where the progress is."""
        self._approach()
        self.told = int(self.n_before.max())
        for task in range(len(self.found), self.samples.n_tasks):
            self._solve(task)
        found = self.found
        model = model_at(
            self.samples,
            np.stack([minimum.point for minimum in found]),
            self.candidate,
            max(minimum.n_sweeps for minimum in found),
            np.array([minimum.value for minimum in found]),
            message_of(found, self.options.tol),
            self.factors,
        )
        gaps = [minimum.gap for minimum in found if minimum.gap is not None]
        return replace(model, gap=max(gaps) if len(gaps) == len(found) else None)

    def save(self) -> None:
        """Save the choice, and where the fit of it starts, if it is time to."""
        self._save(self._now, self.n_before)

    def _now(self, *current: Vector) -> Vector:
        """Return where all tasks are: those that are solved, the current one, and the others."""
        known = [*(minimum.point for minimum in self.found), *current]
        shape = (self.samples.n_tasks, self.samples.matrix.n)
        points = np.zeros(shape) if self.start is None else self.start.copy()
        for task, point in enumerate(known):
            points[task] = point
        return points

    def _save(self, points: Callable[[], Vector], n_sweeps: Counts) -> None:
        self.progress.save(self.options.checkpoint, points, n_sweeps)

    def _approach(self) -> None:
        """Begin with sweeps of all tasks side by side, where that is the faster way."""
        n_before = int(self.n_before.max())
        is_useless = self.options.tol == 0 or self.watch.is_over
        if is_useless or not is_worth_it(self.samples, self.candidate):
            return

        def note() -> None:
            self._save(approach.path.points, self.n_before * 0 + approach.n_sweeps)

        problem = (self.samples, self.candidate, self.factors, self.start)
        approach = Approach(*problem, self.options, self.watch, n_before, note)
        found = approach.run()
        self.found = [] if found is None else [found]
        self.start = approach.path.points()
        self.n_before = self.n_before * 0 + approach.n_sweeps

    def _solve(self, task: int) -> None:
        """Solve one task with the default method of ``solve``, and all it knows."""
        samples, candidate = self.samples, self.candidate
        design, n_before = self._design(task), int(self.n_before[task])
        problem = Problem.of_design(
            design, samples.weights, loss=candidate.loss, n_threads=samples.n_threads
        )
        lam0 = None
        if self.start is not None:
            lam, intercept = design.split(self.start[task])
            lam0 = np.append(lam, intercept) if samples.fit_intercept else lam
        own = factors = self.factors[task]
        if factors is not None:
            factors = tuple(None if f is None else f[design.place] for f in factors)  # type: ignore

        def report(snapshot: Snapshot) -> bool:
            sweeps, counts = round(snapshot.epoch), self.n_before.copy()
            counts[: task + 1] = [*(minimum.n_sweeps for minimum in self.found), n_before + sweeps]
            self._save(
                lambda: self._now(design.coordinates(snapshot.lam, snapshot.intercept)), counts
            )
            objective, loss = snapshot.objective, self.progress.selection.loss
            return self.watch.tell("fit", self.told + sweeps, objective, loss)

        result = solve(
            problem,
            alpha=candidate.alpha,
            l1_ratio=candidate.l1_ratio,
            penalty_factors=factors,
            n_threads=samples.n_threads,
            max_epochs=self.options.max_iter - n_before,
            **goal_of(candidate.psi(design.n_penalised, own), self.options.tol),
            time_limit=self.watch.left,
            lam0=lam0,
            random_state=alpha_path.SEED,
            callback=report,
        )
        found = self._minimum(design, result, n_before)
        self.told += found.n_sweeps - n_before
        self.found.append(found)

    def _design(self, task: int) -> SparseDesign:
        """Return the columns, with the labels of a task in their signs."""
        samples = self.samples
        if samples.is_binary:
            return samples.design
        return SparseDesign.build(
            samples.arrays,
            samples.codes == task,
            samples.fit_intercept,
            samples.n_threads,
            nonzeros_a_shard=NONZEROS_A_SHARD // 2,
            units=samples.units,
        )

    def _minimum(self, design: SparseDesign, result: Result, n_before: int) -> Minimum:
        rounding = np.ceil if result.status is Status.CONVERGED else np.round
        return Minimum(
            design.coordinates(result.lam, result.intercept),
            result.value,
            result.objective,
            max(1, n_before + int(rounding(result.n_epochs))),
            result.message,
            result.status,
            result.gap,
            self.candidate.loss,
        )


def fit(
    arrays: CsrArrays,
    y: NDArray[Any],
    parameters: LinearParameters,
    *,
    n_threads: int,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    report: Report | None = None,
    checkpoint: Checkpoint | None = None,
    last: Model | None = None,
    units: Units | Literal["own"] | None = "own",
) -> Model:
    """Fit a classifier to checked rows and their labels.

    ``last`` is the model to start from, whose choice is kept if it was one; ``groups`` are those
    that folds keep together; ``units`` are as in `Samples.build`.
    """
    classes, codes = encode_labels(y)
    if last is not None:
        parameters = continued(parameters, last, arrays.shape[1], classes)
    options = Options.of(parameters, report, checkpoint)
    samples = weighted_samples(
        arrays,
        classes,
        codes,
        sample_weight,
        groups,
        class_weight=parameters.class_weight,
        fit_intercept=bool(parameters.fit_intercept),
        seed=check_seed(parameters.random_state),
        n_threads=n_threads,
        units=units,
        penalty_factors=checked_factors(parameters.penalty_factors, arrays.shape[1]),
    )
    prints, n_features = prints_of(samples, arrays.shape[1]), arrays.shape[1]
    record = Record.of(prints, samples.codes, len(classes), n_features)
    # Hashed words, which come with their own scale, may be in any column.
    note = note_of_width(samples.used, n_features) if units == "own" else ""
    samples = samples.merged()
    found = train(samples, options, None if last is None else start_of(samples, last))
    warning = (
        note
        or found.caution
        or of_rare_classes(
            np.array(record.counts),
            lambda: decision_values(samples.arrays, found.coef, found.intercept, n_threads),
        )
    )
    warn_of(warning)
    return Model(
        classes,
        samples.expand(found.coef, n_features),
        found.intercept,
        found.candidate.loss,
        found.candidate.alpha,
        found.candidate.l1_ratio,
        found.n_sweeps,
        found.objective + found.penalty,
        found.held_out_loss,
        found.message,
        found.table,
        replace(record, caution=warning, gap=found.gap),
    )


def continued(
    parameters: LinearParameters, last: Model, n_features: int, classes: NDArray[Any]
) -> LinearParameters:
    """Return the parameters of a fit that starts from the last one."""
    if last.coef.shape[1] != n_features or not np.array_equal(classes, last.classes):
        raise ValueError(
            "warm_start needs the features and classes of the last fit: "
            f"it had {last.coef.shape[1]} features and the classes {last.classes}"
        )
    if parameters.alpha != "auto":
        return parameters
    return replace(parameters, loss=last.loss, alpha=last.alpha, l1_ratio=last.l1_ratio)


def start_of(samples: Samples, last: Model) -> Vector:
    """Return the points of the core where a model is."""
    coef = samples.keep(last.coef)
    return np.stack(
        [samples.design.point(row, b) for row, b in zip(coef, last.intercept, strict=True)]
    )


def weighted_samples(
    arrays: CsrArrays,
    classes: NDArray[Any],
    codes: NDArray[np.intp],
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None = None,
    *,
    class_weight: Any,
    **options: Any,
) -> Samples:
    """Return the samples with their weights, those of their classes included."""
    given = check_weights(sample_weight, len(codes))
    weights = with_class_weights(class_weight, classes, codes, given)
    if not np.bincount(codes[weights > 0], minlength=len(classes)).all():
        raise ValueError("sample_weight or class_weight leaves no samples of some classes")
    numbers = check_groups(groups, len(codes))
    keys = None if numbers is None else group_keys(numbers)
    return Samples.build(
        arrays, codes, len(classes), weights, groups=keys, sample_weight=given, **options
    )
