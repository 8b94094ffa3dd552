"""How a classifier is trained: with a choice on held-out samples, or at a given strength.

``tuned`` fits what selection.py has chosen on all samples; ``fixed`` minimises one objective.
"""

from __future__ import annotations

from dataclasses import replace
from math import nan

import numpy as np

from ..base.arrays import Vector
from ..io.checkpoint import NoCheckpoint
from ..io.saved import State, part, prefixed
from ..solvers import solve
from ..solvers.result import Status
from ..solvers.stopping import Snapshot
from .cautions import FEWEST, of_choice, of_model, of_range, of_repeats, of_units, slope_at_the_end
from .choice import Choice
from .linear import decision_values
from .options import Clock, Job, Options
from .race import Race, Strength
from .samples import Samples
from .selection import AFTER_THE_RACES, fallback, phases_of_races, select
from .trained import Minimum, Trained, model_at, with_link

__all__ = ["Trained", "train"]

# Up to this many sweeps regularise: they are repeated from 0 on all samples. More are on the way to
# the optimum, and the fit on all samples goes there, up to tol.
FEW_SWEEPS = 4


def train(samples: Samples, options: Options, start: Vector | None) -> Trained:
    """Train as the options say; ``start`` is a point of the core for each task, or None.

    ``samples`` have no equal ones among them (`Samples.merged`).
    """
    job = Job(samples, options, Clock(options.time_limit), start)
    options.checkpoint.open(options.identity(samples))
    chooses = options.alpha == "auto" or options.early_stopping
    parts: list[Vector] = []
    if chooses or options.calibrate:
        # What early stopping keeps was trained on one part only.
        # With several classes one part is as much work as several with two.
        several = chooses and not options.early_stopping and samples.is_binary
        most = None if several else 1
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
    if chooses and parts:
        options.checkpoint.expect([*phases_of_races(job), *AFTER_THE_RACES])
        return tuned(job, parts)
    options.checkpoint.expect(AFTER_THE_RACES)
    strength = fallback(samples, options)
    if options.calibrate and parts:
        model = calibrated(job, strength, parts[0])
    else:
        model = fixed(job, strength)
    if options.alpha == "auto":
        why = "Too few samples to choose alpha by: a usual one was taken. "
        return replace(model, message=why + model.message)
    if samples.n_given < FEWEST:
        return model
    how = (strength.loss, strength.alpha, samples.n_threads)
    caution = of_model(samples.arrays, model.coef, model.intercept, *how)
    return replace(model, caution=caution)


def tuned(job: Job, parts: list[Vector]) -> Trained:
    """Choose, then fit the choice on all samples, unless early stopping keeps what it has seen."""
    samples, options = job.samples, job.options
    best = select(job, parts)
    state = saved_after_the_races(options)
    if state is not None:
        best.restore(part("best", state), samples, options)
    assert best.strength is not None
    assert best.points is not None
    strength, gap = best.strength, None
    if options.early_stopping:
        assert best.values is not None
        points, values = best.points, best.values
        message = f"The best of the sweeps on held-out samples, number {best.sweep}, was kept."
    else:
        found = refit(job, best, state)
        points, values, gap = found.points, found.values, found.gap
        message = (
            f"Chosen on held-out samples: {strength.loss} loss, alpha={strength.alpha:.3g}, "
            f"l1_ratio={strength.l1_ratio:g}, {found.message}; fitted again on all."
        )
    if job.clock.is_over:
        message += f" The time limit of {options.time_limit:g} s cut it short."
    model = replace(
        model_at(samples, points, strength, best.sweep, values, message),
        held_out_loss=best.loss,
        table=best.table,
        gap=gap,
    )
    assert best.decisions is not None
    assert best.codes is not None
    assert best.weights is not None
    held_out = (best.decisions, best.codes, best.weights)
    caution = of_choice(*held_out, best.loss)
    # The weakest of a race is no reason to worry: weaker ones, when tried, were never better.
    if not caution and slope_at_the_end(*best.tried()) > 0:
        caution = of_range(*best.tried(), best.shares(), "values of alpha")
    caution = caution or of_repeats(samples.repeated, samples.n_given, best.loss, best.shares())
    model = replace(model, caution=caution)
    if not options.calibrate:
        return model
    # Each part weighs 1 in the choice.
    of_part = [np.full(np.count_nonzero(held), samples.copies @ held) for held in parts]
    copies = best.weights * np.concatenate(of_part)
    return with_link(model, best.decisions, best.codes, copies)


def saved_after_the_races(options: Options) -> State | None:
    """Return the state of a fit that was past its choice when it was saved."""
    found = options.checkpoint.phase
    return options.checkpoint.saved(found) if found in AFTER_THE_RACES else None


def refit(job: Job, best: Choice, state: State | None) -> Minimum:
    """Fit the winner on all samples: with the same few sweeps, or towards its optimum, up to tol.

    Several classes have no Newton step to get there: a few sweeps from where the race was do.
    The message says how far it went.
    """
    assert best.strength is not None
    first, n_sweeps = job.start, best.sweep
    if best.sweep > FEW_SWEEPS:
        first, n_sweeps = best.points, max(2, best.sweep // 4)
        if job.samples.is_binary:
            found = solved(replace(job, start=first), best.strength, state, best)
            return replace(found, message=how_far(found, job.options))
    race = Race(job.samples, [best.strength], None, first)
    if state is not None:
        race.restore(part("fit", state))
    while race.n_sweeps < n_sweeps:
        race.sweep()
        if is_asked_to_stop(job, race, best.loss) or job.clock.is_over:
            break
        job.options.checkpoint.save("refit", lambda: with_choice(race.saved(), best))
    message = "one sweep" if best.sweep == 1 else f"{best.sweep} sweeps"
    return Minimum(race.points(0), race.values(0), race.n_sweeps, message)


def how_far(found: Minimum, options: Options) -> str:
    """Say where a fit towards the optimum ended: the tolerance is not the optimum itself."""
    gap = "" if found.gap is None else f" (certified gap {found.gap:.2g})"
    if found.status is Status.CONVERGED:
        return f"to the optimum within tol={options.tol:g}{gap}"
    return f"towards the optimum, not within tol={options.tol:g} after {found.n_sweeps} sweeps{gap}"


def is_asked_to_stop(job: Job, race: Race, held_out_loss: float = nan) -> bool:
    """Tell about the last sweep of a race of one; the objective is not free, so only if heard."""
    if job.options.report is None:
        return False
    return job.tell("fit", race.n_sweeps, race.objective(0), held_out_loss)


def with_choice(state: State, best: Choice | None = None) -> State:
    """Return the state of a fit, with the choice it follows from."""
    chosen = {} if best is None else prefixed("best", best.saved())
    return prefixed("fit", state) | chosen


def fixed(job: Job, strength: Strength) -> Trained:
    """Minimise one objective on all samples."""
    state = saved_after_the_races(job.options)
    minimise = solved if job.samples.is_binary else swept
    found = minimise(job, strength, state)
    how = (found.n_sweeps, found.values, found.message)
    return replace(model_at(job.samples, found.points, strength, *how), gap=found.gap)


def solved(
    job: Job, strength: Strength, state: State | None, best: Choice | None = None
) -> Minimum:
    """Two classes: the default method of ``solve``, with all it knows.

    ``state`` is where to go on from; ``best`` is the choice it follows from, if there was one.
    """
    samples, options = job.samples, job.options
    problem = samples.problem(strength.loss)
    lam0 = None
    if job.start is not None:
        lam, intercept = samples.design.split(job.start[0])
        lam0 = np.append(lam, intercept) if samples.fit_intercept else lam
    held_out_loss = nan if best is None else best.loss

    def callback(snapshot: Snapshot) -> bool:
        take = snapshot.saved
        if take is not None:
            options.checkpoint.save("solve", lambda: with_choice(take(), best))
        return job.tell("fit", round(snapshot.epoch), snapshot.objective, held_out_loss)

    result = solve(
        problem,
        alpha=strength.alpha,
        l1_ratio=strength.l1_ratio,
        n_threads=samples.n_threads,
        max_epochs=options.max_iter,
        tol=options.tol,
        time_limit=job.clock.left,
        lam0=lam0,
        random_state=samples.seed,
        callback=callback,
        resume=None if state is None else part("fit", state),
    )
    point = samples.design.coordinates(result.lam, result.intercept)[None, :]
    rounding = np.ceil if result.status is Status.CONVERGED else np.round
    n_sweeps = max(1, int(rounding(result.n_epochs)))
    values = np.array([result.value])
    return Minimum(point, values, n_sweeps, result.message, result.status, result.gap)


def swept(job: Job, strength: Strength, state: State | None) -> Minimum:
    """Several classes: sweeps of all of them in lanes, until no edge is left."""
    options, clock = job.options, job.clock
    race = Race(job.samples, [strength], None, job.start)
    message = f"Stopped after max_iter={options.max_iter} sweeps."
    if state is not None:
        race.restore(part("fit", state))
    while race.n_sweeps < options.max_iter:
        race.sweep()
        edge = float(race.edges(0).max())
        if is_asked_to_stop(job, race):
            message = "Stopped by a callback."
            break
        if edge <= job.samples.tolerance(options.tol):
            message = f"Converged: largest excess edge {edge:.2e} <= {options.tol:g}."
            break
        if clock.is_over:
            message = f"Out of time: {clock.seconds:.3g} s of {options.time_limit:g} s."
            break
        options.checkpoint.save("sweep", lambda: with_choice(race.saved()))
    return Minimum(race.points(0), race.values(0), race.n_sweeps, message)


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
