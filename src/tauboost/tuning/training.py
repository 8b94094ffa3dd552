"""How a classifier is trained: alpha is chosen on held-out samples or given, then it is solved.

``tuned`` solves what selection.py has chosen on all samples, ``fixed`` what was given: both end at
the optimum, within ``tol``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan

import numpy as np

from ..base.arrays import Vector
from ..design.matrix import NONZEROS_A_SHARD
from ..design.sparse import SparseDesign
from ..io.checkpoint import NoCheckpoint
from ..io.saved import FINITE, Range, SavedStateError, State, entry, part, prefixed
from ..penalty import Factors
from ..problem import Problem
from ..solvers import solve
from ..solvers.result import Result, Status
from ..solvers.stopping import Snapshot
from . import alpha_path
from .approach import APPROACH, approached
from .cautions import FEWEST, of_choice, of_model, of_range, of_repeats, of_units, slope_at_the_end
from .choice import Choice
from .early_stopping import stopped_early
from .first_step import factors_of
from .linear import decision_values
from .options import Clock, Job, Options
from .samples import Samples
from .selection import fallback, phases_of_search, select
from .strength import Strength
from .trained import Minimum, Trained, goal_of, message_of, model_at, with_link

__all__ = ["Trained", "train"]


def train(samples: Samples, options: Options, start: Vector | None) -> Trained:
    """Train as the options say; ``start`` is a point of the core for each task, or None.

    ``samples`` have no equal ones among them (`Samples.merged`).
    """
    job = Job(samples, options, Clock(options.time_limit), start)
    options.checkpoint.open(options.identity(samples))
    chooses = options.alpha == "auto"
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
    job.build()
    with options.checkpoint.resuming():
        model = trained(job, parts, chooses)
    return replace(model, caution=model.caution or of_units(samples.units))


def trained(job: Job, parts: list[Vector], chooses: bool) -> Trained:
    """Train on a matrix that is there, with these parts to hold out."""
    samples, options = job.samples, job.options
    phases = phases_of_search(options) if chooses and parts else []
    options.checkpoint.expect([*phases, *phases_of_fit(samples)])
    if chooses and parts:
        return tuned(job, parts)
    strength = fallback(samples, options)
    if options.early_stopping:
        return stopped_early(job, strength, parts[0])
    model = (
        calibrated(job, strength, parts[0]) if options.calibrate and parts else fixed(job, strength)
    )
    if chooses:
        why = "Too few samples to choose alpha by: a usual one was taken. "
        return replace(model, message=why + model.message)
    if samples.n_given < FEWEST:
        return model
    how = (strength.loss, strength.alpha, samples.n_threads)
    caution = of_model(samples.arrays, model.coef, model.intercept, *how)
    return replace(model, caution=caution)


def tuned(job: Job, parts: list[Vector]) -> Trained:
    """Choose, then solve the choice on all samples."""
    samples, options = job.samples, job.options
    best, state = chosen(job, parts)
    strength = best.strength
    assert strength is not None
    if options.early_stopping:
        model = stopped_early(job, strength, parts[0])
    else:
        model = fixed(replace(job, start=best.points), strength, state, best)
    how = (
        f"Chosen on held-out samples: {strength.loss} loss, alpha={strength.alpha:.3g}, "
        f"l1_ratio={strength.l1_ratio:g}. "
    )
    model = replace(
        model,
        message=how + model.message,
        held_out_loss=model.held_out_loss if options.early_stopping else best.loss,
        table=best.table + model.table,  # of early stopping, its sweeps
        caution=caution_of(samples, best),
    )
    if not options.calibrate:
        return model
    assert best.decisions is not None
    assert best.codes is not None
    assert best.weights is not None
    # Each part weighs 1 in the choice.
    of_part = [np.full(np.count_nonzero(held), samples.copies @ held) for held in parts]
    copies = best.weights * np.concatenate(of_part)
    return with_link(model, best.decisions, best.codes, copies)


def chosen(job: Job, parts: list[Vector]) -> tuple[Choice, State | None]:
    """Return the choice, and the state of a fit that was past it when it was saved."""
    checkpoint, best = job.options.checkpoint, Choice()
    if checkpoint.phase not in phases_of_fit(job.samples):
        return select(job, parts), None
    state = checkpoint.saved(checkpoint.phase)
    assert state is not None
    best.restore(part("best", state), job.samples)
    return best, state


def caution_of(samples: Samples, best: Choice) -> str:
    """Judge the choice by what was held out."""
    assert best.decisions is not None
    assert best.codes is not None
    assert best.weights is not None
    said = of_choice(best.decisions, best.codes, best.weights, best.loss)
    # The weakest of a path is no reason to worry: weaker ones, when tried, were never better.
    if not said and slope_at_the_end(*best.tried()) > 0:
        said = of_range(*best.tried(), best.shares(), "values of alpha")
    return said or of_repeats(samples.repeated, samples.n_given, best.loss, best.shares())


def phases_of_fit(samples: Samples) -> list[str]:
    """Return the names of the phases after a choice: of all tasks together, and of each."""
    return [APPROACH, *(f"solve {task}" for task in range(samples.n_tasks))]


def fixed(
    job: Job, strength: Strength, state: State | None = None, best: Choice | None = None
) -> Trained:
    """Solve one objective on all samples, task by task.

    ``state`` is where to go on from; ``best`` is the choice it follows from, if there was one.
    """
    samples, options = job.samples, job.options
    names = phases_of_fit(samples)
    if state is None and options.checkpoint.phase in names:
        state = options.checkpoint.saved(options.checkpoint.phase)
    factors = factors_of(samples)
    found: list[Minimum] = []
    own, n_before = None, 0
    if state is None or part("path", state):  # before any task was solved by itself
        job, n_before, found = approached(job, strength, factors, best, state)
    else:
        found, own = solved_before(samples, state), part("fit", state)
        job, n_before = approached_before(job, state)
    for task in range(len(found), samples.n_tasks):
        fit = Fit(job, task, strength, factors[task], found, best, n_before)
        found.append(fit.run(own))
        own = None
    model = model_at(
        samples,
        np.stack([minimum.point for minimum in found]),
        strength,
        max(minimum.n_sweeps for minimum in found),
        np.array([minimum.value for minimum in found]),
        message_of(found, options.tol),
        factors,
    )
    gaps = [minimum.gap for minimum in found if minimum.gap is not None]
    return replace(model, gap=max(gaps) if len(gaps) == len(found) else None)


@dataclass(frozen=True)
class Fit:
    """The problem of one task, and what was solved before it."""

    job: Job
    task: int
    strength: Strength
    factors: Factors | None
    before: list[Minimum]
    best: Choice | None
    n_before: int  # sweeps of all tasks

    def run(self, resume: State | None) -> Minimum:
        """Solve it with the default method of ``solve``, and all it knows."""
        samples, options, strength = self.job.samples, self.job.options, self.strength
        design = self.design()
        problem = Problem.of_design(
            design, samples.weights, loss=strength.loss, n_threads=samples.n_threads
        )
        lam0 = None
        if self.job.start is not None:
            lam, intercept = design.split(self.job.start[self.task])
            lam0 = np.append(lam, intercept) if samples.fit_intercept else lam
        factors = self.factors
        if factors is not None:
            factors = tuple(None if f is None else f[design.place] for f in factors)  # type: ignore
        result = solve(
            problem,
            alpha=strength.alpha,
            l1_ratio=strength.l1_ratio,
            penalty_factors=factors,
            n_threads=samples.n_threads,
            max_epochs=options.max_iter - self.n_before,
            **goal_of(strength.psi(design.n_penalised, self.factors), options.tol),
            time_limit=self.job.clock.left,
            lam0=lam0,
            random_state=alpha_path.SEED,
            callback=self.look,
            resume=resume,
        )
        return self.minimum(design, result)

    def design(self) -> SparseDesign:
        """Return the columns, with the labels of this task in their signs."""
        samples = self.job.samples
        if samples.is_binary:
            return samples.design
        return SparseDesign.build(
            samples.arrays,
            samples.codes == self.task,
            samples.fit_intercept,
            samples.n_threads,
            nonzeros_a_shard=NONZEROS_A_SHARD // 2,
            units=samples.units,
        )

    def look(self, snapshot: Snapshot) -> bool:
        """Save the state, and tell about it."""
        take, best, before = snapshot.saved, self.best, self.before
        if take is not None:
            began = self.began()
            self.job.options.checkpoint.save(
                f"solve {self.task}", lambda: state_of(take(), best, before) | began
            )
        held_out_loss = nan if best is None else best.loss
        earlier = sum(minimum.n_sweeps - self.n_before for minimum in before)
        n_sweeps = self.n_before + earlier + round(snapshot.epoch)
        return self.job.tell("fit", n_sweeps, snapshot.objective, held_out_loss)

    def began(self) -> State:
        """Return where this and later tasks start, and after how many sweeps."""
        if self.job.start is None:
            return {}
        begin = {"start": self.job.start, "n_sweeps": np.asarray(self.n_before)}
        return prefixed("begin", begin)

    def minimum(self, design: SparseDesign, result: Result) -> Minimum:
        """Return what was found."""
        rounding = np.ceil if result.status is Status.CONVERGED else np.round
        return Minimum(
            design.coordinates(result.lam, result.intercept),
            result.value,
            result.objective,
            max(1, self.n_before + int(rounding(result.n_epochs))),
            result.message,
            result.status,
            result.gap,
            self.strength.loss,
        )


def state_of(fit: State, best: Choice | None, before: list[Minimum]) -> State:
    """Return the state of a fit, with the choice it follows from and the tasks that are solved."""
    state = prefixed("fit", fit) | ({} if best is None else prefixed("best", best.saved()))
    for task, minimum in enumerate(before):
        state |= prefixed(f"task{task}", minimum.saved())
    return state


def solved_before(samples: Samples, state: State) -> list[Minimum]:
    """Return the tasks that were solved when a state was saved."""
    n_done = 0
    while any(name.startswith(f"task{n_done}.") for name in state):
        n_done += 1
    if n_done >= samples.n_tasks:
        raise SavedStateError("tasks")
    return [Minimum.restored(part(f"task{t}", state), samples.matrix.n) for t in range(n_done)]


def approached_before(job: Job, state: State) -> tuple[Job, int]:
    """Return the job from where tasks started, and how many sweeps that took."""
    begin = part("begin", state)
    if not begin:
        return job, 0
    shape = (job.samples.n_tasks, job.samples.matrix.n)
    start = entry(begin, "start", shape, np.float64, FINITE)
    n_sweeps = entry(begin, "n_sweeps", (), np.int64, Range(0, job.options.max_iter))
    return replace(job, start=start), int(n_sweeps)


def calibrated(job: Job, strength: Strength, held: Vector) -> Trained:
    """Fit without the held-out samples to learn the link, then on all."""
    samples = job.samples
    # Two fits, and a state is of one.
    job = replace(job, options=replace(job.options, checkpoint=NoCheckpoint()))
    first = fixed(replace(job, samples=samples.without(held)), strength)
    scored = held > 0.0
    rows, weights = samples.arrays.select(scored), (samples.weights * held)[scored]
    decisions = decision_values(rows, first.coef, first.intercept, samples.n_threads)
    model = fixed(job, strength)
    copies = weights * (float(samples.copies @ held) / weights.sum())
    return with_link(model, decisions, samples.codes[scored], copies)
