"""How a classifier is trained: with a choice on held-out samples, or at a given strength.

``tuned`` fits what selection.py has chosen on all samples; ``fixed`` minimises one objective.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..arrays import Mask, Vector
from ..problem import Problem
from ..solvers import solve
from ..solvers.result import Status
from ..solvers.saved import State, part, prefixed
from ..solvers.stopping import Snapshot
from .calibration import fit_sigmoids
from .checkpoint import NoCheckpoint
from .linear import decision_values
from .options import Clock, Event, Options
from .race import LINK_SLOPES, Race, Strength
from .samples import Samples
from .selection import AFTER_THE_RACES, Choice, fallback, select

__all__ = ["Model", "train"]

# Up to so many sweeps are a regulariser, and repeated from 0 on all samples; more are on their way
# to the optimum, and the fit on all samples goes there.
FEW_SWEEPS = 4


@dataclass(frozen=True)
class Model:
    """A trained classifier, and how it was chosen."""

    coef: Vector  # (tasks, features kept)
    intercept: Vector  # (tasks,)
    strength: Strength
    n_sweeps: int
    objective: Vector  # (tasks,)
    message: str
    held_out_loss: float = float("nan")
    table: list[dict[str, float | str]] = field(default_factory=list)


def train(samples: Samples, options: Options, start: Vector | None) -> Model:
    """Train as the options say; ``start`` is a point of the core for each task, or None."""
    clock = Clock(options.time_limit)
    options.checkpoint.open(options.identity(samples))
    chooses = options.alpha == "auto" or options.early_stopping
    parts: list[Mask] = []
    if chooses or options.calibrate:
        # What early stopping keeps has learnt from one part only.
        # With several classes one part is as much work as several with two.
        several = chooses and not options.early_stopping and samples.is_binary
        most = None if several else 1
        parts = samples.held_out_parts(options.validation_fraction, most)
    if chooses and parts:
        return tuned(samples, options, parts, clock, start)
    if options.early_stopping:
        raise ValueError(
            "early_stopping needs samples to hold out: every class needs at least 10 different "
            "ones, more if validation_fraction is small"
        )
    if options.calibrate and parts:
        return calibrated(samples, options, parts[0], clock, start)
    model = fixed(samples, options, fallback(samples, options), clock, start)
    if options.alpha == "auto":
        why = "Too few samples to choose alpha by: a usual one was taken. "
        return replace(model, message=why + model.message)
    return model


def tuned(
    samples: Samples, options: Options, parts: list[Mask], clock: Clock, start: Vector | None
) -> Model:
    """Choose, then fit the choice on all samples, unless early stopping keeps what it has seen."""
    best = select(samples, options, parts, clock, start)
    state = saved_after_the_races(options)
    if state is not None:
        best.restore(part("best", state))
    assert best.strength is not None
    assert best.points is not None
    strength = best.strength
    if options.early_stopping:
        assert best.values is not None
        points, values = best.points, best.values
        message = f"The best of the sweeps on held-out samples, number {best.sweep}, was kept."
    else:
        points, values = refit(samples, options, best, clock, start, state)
        length = how_far(best, samples.is_binary)
        message = (
            f"Chosen on held-out samples: {strength.loss} loss, alpha={strength.alpha:.3g}, "
            f"l1_ratio={strength.l1_ratio:g}, {length}; fitted again on all."
        )
    if clock.is_over:
        message += f" The time limit of {options.time_limit:g} s cut it short."
    coef, intercept = split_all(samples, points)
    model = Model(coef, intercept, strength, best.sweep, values, message, best.loss, best.table)
    if not options.calibrate:
        return model
    assert best.decisions is not None
    assert best.codes is not None
    assert best.weights is not None
    return with_link(model, best.decisions, best.codes, best.weights)


def how_far(best: Choice, is_binary: bool) -> str:
    """Say how long the winner is fitted."""
    if best.sweep > FEW_SWEEPS and is_binary:
        return "to the optimum"
    return "one sweep" if best.sweep == 1 else f"{best.sweep} sweeps"


def saved_after_the_races(options: Options) -> State | None:
    """Return the state of a fit that was past its choice when it was saved."""
    found = options.checkpoint.phase
    return options.checkpoint.saved(found) if found in AFTER_THE_RACES else None


def refit(
    samples: Samples,
    options: Options,
    best: Choice,
    clock: Clock,
    start: Vector | None,
    state: State | None,
) -> tuple[Vector, Vector]:
    """Fit the winner on all samples: with the same few sweeps, or to its optimum.

    Several classes have no Newton step to get there: a few sweeps from where the race was do.
    """
    assert best.strength is not None
    if best.sweep > FEW_SWEEPS and samples.is_binary:
        strength, first = best.strength, best.points
        points, values, _, _ = minimise(samples, options, strength, clock, first, best, state)
        return points, values
    first, n_sweeps = start, best.sweep
    if best.sweep > FEW_SWEEPS:
        first, n_sweeps = best.points, max(2, best.sweep // 4)
    race = Race(samples, [best.strength], None, first)
    if state is not None:
        race.restore(part("fit", state))
    for sweep in range(race.n_sweeps + 1, n_sweeps + 1):
        race.sweep()
        if options.report is not None:
            event = Event("fit", sweep, race.objective(0), best.loss, clock.seconds)
            if options.report(event):
                break
        if clock.is_over:
            break
        options.checkpoint.save("refit", lambda: with_choice(race.saved(), best))
    return race.points(0), race.values(0)


def with_choice(state: State, best: Choice | None) -> State:
    """Return the state of a fit, with the choice it follows from."""
    chosen = {} if best is None else prefixed("best", best.saved())
    return prefixed("fit", state) | chosen


def fixed(
    samples: Samples, options: Options, strength: Strength, clock: Clock, start: Vector | None
) -> Model:
    """Minimise one objective on all samples."""
    state = saved_after_the_races(options)
    found = minimise(samples, options, strength, clock, start, None, state)
    points, values, n_sweeps, message = found
    coef, intercept = split_all(samples, points)
    return Model(coef, intercept, strength, n_sweeps, values, message)


def minimise(
    samples: Samples,
    options: Options,
    strength: Strength,
    clock: Clock,
    start: Vector | None,
    best: Choice | None,
    state: State | None,
) -> tuple[Vector, Vector, int, str]:
    """Return the points, values, sweeps and message of a fit to its tolerance.

    ``best`` is the choice it follows from, if there was one; ``state`` is where to go on from.
    """
    method = solved if samples.is_binary else swept
    return method(samples, options, strength, clock, start, best, state)


def solved(
    samples: Samples,
    options: Options,
    strength: Strength,
    clock: Clock,
    start: Vector | None,
    best: Choice | None,
    state: State | None,
) -> tuple[Vector, Vector, int, str]:
    """Two classes: the default method of ``solve``, with all it knows."""
    problem = Problem(
        samples.arrays,
        samples.codes,
        samples.weights,
        loss=strength.loss,
        fit_intercept=samples.fit_intercept,
        n_threads=samples.n_threads,
    )
    options.built(clock)
    lam0 = None
    if start is not None:
        lam, intercept = problem.split(start[0])
        lam0 = np.append(lam, intercept) if samples.fit_intercept else lam

    def callback(snapshot: Snapshot) -> bool:
        take = snapshot.saved
        if take is not None:
            options.checkpoint.save("solve", lambda: with_choice(take(), best))
        sweep, loss = round(snapshot.epoch), float("nan") if best is None else best.loss
        return options.tell(Event("fit", sweep, snapshot.objective, loss, clock.seconds))

    result = solve(
        problem,
        alpha=strength.alpha,
        l1_ratio=strength.l1_ratio,
        n_threads=samples.n_threads,
        max_epochs=options.max_iter,
        tol=options.tol,
        time_limit=clock.left,
        lam0=lam0,
        random_state=samples.seed,
        callback=callback,
        resume=None if state is None else part("fit", state),
    )
    point = problem.coordinates(result.lam, result.intercept)[None, :]
    rounding = np.ceil if result.status is Status.CONVERGED else np.round
    n_sweeps = max(1, int(rounding(result.n_epochs)))
    return point, np.array([result.value]), n_sweeps, result.message


def swept(
    samples: Samples,
    options: Options,
    strength: Strength,
    clock: Clock,
    start: Vector | None,
    best: Choice | None,
    state: State | None,
) -> tuple[Vector, Vector, int, str]:
    """Several classes: sweeps of all of them in lanes, until no edge is left."""
    race = Race(samples, [strength], None, start)
    options.built(clock)
    message = f"Stopped after max_iter={options.max_iter} sweeps."
    if state is not None:
        race.restore(part("fit", state))
    sweep = race.n_sweeps
    for sweep in range(race.n_sweeps + 1, options.max_iter + 1):
        race.sweep()
        edge = float(race.edges(0).max())
        if options.report is not None:
            event = Event("fit", sweep, race.objective(0), float("nan"), clock.seconds)
            if options.report(event):
                message = "Stopped by a callback."
                break
        if edge <= options.tol:
            message = f"Converged: largest excess edge {edge:.2e} <= {options.tol:g}."
            break
        if clock.is_over:
            message = f"Out of time: {clock.seconds:.3g} s of {options.time_limit:g} s."
            break
        options.checkpoint.save("sweep", lambda: with_choice(race.saved(), best))
    return race.points(0), race.values(0), sweep, message


def calibrated(
    samples: Samples, options: Options, held: Mask, clock: Clock, start: Vector | None
) -> Model:
    """Fit without the held-out samples to learn the link, then on all."""
    strength = fallback(samples, options)
    options = replace(options, checkpoint=NoCheckpoint())  # two fits, and a state is of one
    first = fixed(samples.without(held), options, strength, clock, start)
    rows = samples.arrays.select(held)
    decisions = decision_values(rows, first.coef, first.intercept, samples.n_threads)
    model = fixed(samples, options, strength, clock, start)
    return with_link(model, decisions, samples.codes[held], samples.weights[held])


def with_link(model: Model, decisions: Vector, codes: NDArray[np.intp], weights: Vector) -> Model:
    """Scale and shift the model, so that the loss's own link gives what held-out samples say.

    A sigmoid of slope H + offset is the natural one of (slope H + offset) / natural slope.
    """
    natural = LINK_SLOPES[model.strength.loss]
    slope, offset = fit_sigmoids(decisions, codes, weights, natural)
    scale = slope / natural
    return replace(
        model,
        coef=model.coef * scale[:, None],
        intercept=model.intercept * scale + offset / natural,
    )


def split_all(samples: Samples, points: Vector) -> tuple[Vector, Vector]:
    """Coefficients of the kept features and intercepts, from points of the core."""
    parts = [samples.split(point) for point in points]
    return np.stack([coef for coef, _ in parts]), np.array([b for _, b in parts])
