"""How a classifier is trained: by a race on held-out samples, or at a given strength.

``tuned`` lets candidates of psi race on the samples, chooses the best of them and its number of
sweeps by the loss on the held-out part, and fits again on all samples. ``fixed`` minimises one
objective; ``stopped_early`` keeps the sweep that was best on the held-out part.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Mask, Vector
from ..kernels import _core
from ..problem import Problem
from ..solvers import solve
from ..solvers.result import Status
from ..solvers.saved import State, part, prefixed
from ..solvers.stopping import Snapshot
from .calibration import fit_sigmoids
from .checkpoint import NoCheckpoint, from_json, to_json
from .linear import decision_values
from .race import LINK_SLOPES, Race, Strength, log_loss
from .samples import Samples

__all__ = ["Event", "Model", "Options", "Report", "train"]

# alpha of the candidates, in units of the mean squared length of a sample over the number of
# different samples: from far too strong to far too weak.
STRENGTHS = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.001)
# Without held-out samples to choose by: what is rarely far off.
USUAL_STRENGTH = 0.1
# l1 in units of the largest gradient at 0, from which on every coefficient is 0.
STRENGTHS_OF_L1 = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 3e-4, 1e-4)
L1_RATIOS = (0.0, 0.5, 1.0)
# After so many sweeps, this many candidates stay: more of the stronger ones, as more sweeps
# favour them.
NARROWING = {2: (2, 1), 6: (1, 0)}
# A sweep that improves the held-out loss by less than this share is the last.
LEAST_IMPROVEMENT = 2e-3
# Up to so many sweeps are a regulariser, and repeated from 0 on all samples; more are on their way
# to the optimum, and the fit on all samples goes on from there.
FEW_SWEEPS = 4
# The options that tell a fit from another.
IDENTITY = (
    *("loss", "alpha", "l1_ratio", "max_iter", "tol"),
    *("early_stopping", "validation_fraction", "calibrate"),
)
BEST_ARRAYS = ("points", "values", "decisions", "codes", "weights")


@dataclass(frozen=True)
class Event:
    """What is told when the matrix has been built (without an objective), and after each sweep."""

    phase: str  # "build", "select" or "fit"
    sweep: int
    objective: float
    held_out_loss: float
    seconds: float


Report = Callable[[Event], bool]


@dataclass(frozen=True)
class Options:
    """What the user asked for."""

    loss: str
    alpha: float | str
    l1_ratio: float | str
    max_iter: int
    tol: float
    early_stopping: bool
    validation_fraction: float
    calibrate: bool
    time_limit: float | None
    report: Report
    checkpoint: NoCheckpoint = field(default_factory=NoCheckpoint)

    def identity(self, samples: Samples) -> dict[str, Any]:
        """Return what tells this fit from others; limits of time and threads do not."""
        return {name: getattr(self, name) for name in IDENTITY} | samples.identity()

    def built(self, clock: Clock) -> None:
        """Tell that the matrix has been built."""
        self.report(Event("build", 0, float("nan"), float("nan"), clock.seconds))


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


class Clock:
    """Seconds since the start, and whether they are used up."""

    def __init__(self, limit: float | None) -> None:
        self.start, self.limit = time.perf_counter(), limit

    @property
    def seconds(self) -> float:
        """Seconds so far."""
        return time.perf_counter() - self.start

    @property
    def left(self) -> float | None:
        """Seconds left; None: no limit."""
        return None if self.limit is None else max(self.limit - self.seconds, 1e-3)

    @property
    def is_over(self) -> bool:
        """Whether the time is used up."""
        return self.limit is not None and self.seconds >= self.limit


def train(samples: Samples, options: Options, start: Vector | None) -> Model:
    """Train as the options say; ``start`` is a point of the core for each task, or None."""
    clock = Clock(options.time_limit)
    options.checkpoint.open(options.identity(samples))
    needs_held_out = options.alpha == "auto" or options.early_stopping or options.calibrate
    held = samples.hold_out(options.validation_fraction) if needs_held_out else None
    if options.early_stopping and held is None:
        raise ValueError(
            "early_stopping needs samples to hold out: every class needs at least 10 different "
            "ones, more if validation_fraction is small"
        )
    if held is None:
        model = fixed(samples, options, fallback(samples, options), clock, start)
    elif options.alpha == "auto" or options.early_stopping:
        model = tuned(samples, options, held, clock, start)
    else:
        model = calibrated(samples, options, held, clock, start)
    return model


def fallback(samples: Samples, options: Options) -> Strength:
    """Return the strength that was given, or a usual one where none can be chosen."""
    loss = "logistic" if options.loss == "auto" else options.loss
    l1_ratio = 0.0 if isinstance(options.l1_ratio, str) else options.l1_ratio
    if isinstance(options.alpha, str):
        unit = samples.mean_square / samples.n_different
        return Strength(loss, USUAL_STRENGTH * unit, l1_ratio)
    return Strength(loss, options.alpha, l1_ratio)


def candidates(samples: Samples, options: Options) -> list[list[Strength]]:
    """All strengths to try, one list a loss and ratio, the strongest first."""
    losses = list(LINK_SLOPES) if options.loss == "auto" else [options.loss]
    ratios = L1_RATIOS if isinstance(options.l1_ratio, str) else [options.l1_ratio]
    lists = []
    for loss, ratio in product(losses, ratios):
        if not isinstance(options.alpha, str):
            alphas = [options.alpha]
        elif ratio < 0.5:
            unit = samples.mean_square / samples.n_different
            alphas = [unit * strength / (1.0 - ratio) for strength in STRENGTHS]
        else:
            alphas = [largest_gradient(samples) * k / ratio for k in STRENGTHS_OF_L1]
        lists.append([Strength(loss, alpha, ratio) for alpha in alphas])
    return lists


def largest_gradient(samples: Samples) -> float:
    """Return the largest gradient of any feature at 0, the intercept at its best."""
    order = samples.order
    weights = samples.weights[order] / samples.weights.sum()
    largest = 0.0
    n = samples.arrays.shape[1]
    columns = np.arange(n, dtype=np.int32)
    for task in range(samples.n_tasks):
        is_positive = samples.codes[order] == (1 if samples.is_binary else task)
        share = float(weights @ is_positive)
        # The gradient of the logistic loss; the exponential one is twice that or less.
        w = weights * np.where(is_positive, 1.0 - share, share)
        if samples.opposite([task]) is not None:
            w = np.where(is_positive, w, -w)
        neg, pos = np.empty(n), np.empty(n)
        _core.gather_columns(samples.matrix, w, columns, neg, pos, samples.n_threads)
        largest = max(largest, float(np.abs(pos - neg).max()))
    return largest


@dataclass
class Best:
    """The best seen on the held-out samples, all that was seen, and where the race is."""

    loss: float = np.inf
    strength: Strength | None = None
    sweep: int = 0
    points: Vector | None = None
    values: Vector | None = None
    decisions: Vector | None = None
    rows: tuple[NDArray[np.intp], Vector] | None = None  # codes and weights of the held-out samples
    table: list[dict[str, float | str]] = field(default_factory=list)
    race_sweep: int = 0
    race_loss: float = np.inf

    def saved(self) -> State:
        """Return all of it as arrays."""
        assert self.strength is not None
        assert self.rows is not None
        facts = {
            "numbers": [self.loss, self.sweep, self.race_sweep, self.race_loss],
            "strength": [self.strength.loss, self.strength.alpha, self.strength.l1_ratio],
            "table": self.table,
        }
        arrays = (self.points, self.values, self.decisions, *self.rows)
        named = {name: a for name, a in zip(BEST_ARRAYS, arrays, strict=True) if a is not None}
        return named | {"facts": to_json(facts)}

    def restore(self, state: State) -> None:
        """Take over what `saved` returned."""
        facts = from_json(state["facts"])
        self.loss, self.sweep, self.race_sweep, self.race_loss = facts["numbers"]
        self.strength, self.table = Strength(*facts["strength"]), facts["table"]
        self.points, self.values, self.decisions, *rows = (state[name] for name in BEST_ARRAYS)
        self.rows = (rows[0], rows[1])


def tuned(
    samples: Samples, options: Options, held: Mask, clock: Clock, start: Vector | None
) -> Model:
    """Race, then fit the winner on all samples, unless early stopping keeps what it has seen."""
    best = Best()
    lists = candidates(samples, options)
    phases = [*(f"race {k}" for k in range(len(lists))), "refit"]
    found = options.checkpoint.phase
    first = phases.index(found) if found in phases else 0
    for phase, strengths in zip(phases[first:-1], lists[first:], strict=True):
        race = Race(samples, strengths, held, start)
        options.built(clock)
        run_race(race, phase, options, clock, best)
    state = options.checkpoint.saved("refit")
    if state is not None:
        best.restore(part("best", state))
    assert best.strength is not None
    assert best.points is not None
    assert best.values is not None
    strength = best.strength
    if options.early_stopping:
        points, values, sweeps = best.points, best.values, best.sweep
        message = f"The best of the sweeps on held-out samples, number {best.sweep}, was kept."
    else:
        points, values, sweeps = refit(samples, options, best, clock, start, state)
        message = (
            f"Chosen on held-out samples: {strength.loss} loss, alpha={strength.alpha:.3g}, "
            f"l1_ratio={strength.l1_ratio:g}, {best.sweep} sweeps; fitted again on all."
        )
    coef, intercept = split_all(samples, points)
    model = Model(coef, intercept, strength, sweeps, values, message, best.loss, best.table)
    if not options.calibrate:
        return model
    assert best.decisions is not None
    assert best.rows is not None
    return with_link(model, best.decisions, *best.rows)


def run_race(race: Race, phase: str, options: Options, clock: Clock, best: Best) -> None:
    """Sweep until the held-out loss stops falling, and note the best."""
    slope = LINK_SLOPES[race.loss]
    best.race_sweep, best.race_loss = 0, np.inf
    state = options.checkpoint.saved(phase)
    if state is not None:
        best.restore(part("best", state))
        race.restore(part("race", state))
    for sweep in range(best.race_sweep + 1, options.max_iter + 1):
        race.sweep()
        losses = {
            s: log_loss(decisions, race.row_codes, race.row_weights, slope)
            for s, decisions in race.held_out_decisions().items()
        }
        leader = min(losses, key=lambda s: losses[s])
        best.table += [
            asdict(race.strengths[s]) | {"sweep": sweep, "held_out_loss": loss}
            for s, loss in losses.items()
        ]
        if losses[leader] < best.loss:
            best.loss, best.strength, best.sweep = losses[leader], race.strengths[leader], sweep
            best.points, best.values = race.points(leader), race.values(leader)
            best.decisions = race.held_out_decisions()[leader]
            best.rows = (race.row_codes, race.row_weights)
        event = Event("select", sweep, race.objective(leader), losses[leader], clock.seconds)
        if options.report(event) or clock.is_over:
            return
        if not losses[leader] < best.race_loss * (1.0 - LEAST_IMPROVEMENT):
            return
        best.race_sweep, best.race_loss = sweep, losses[leader]
        if sweep in NARROWING and len(race.alive) > 1:
            stronger, weaker = NARROWING[sweep]
            race.keep([s for s in race.alive if leader - stronger <= s <= leader + weaker])
        options.checkpoint.save(phase, lambda: both(race, best))


def both(race: Race, best: Best) -> State:
    """Return the state of a race, and of what was chosen so far."""
    return prefixed("race", race.saved()) | prefixed("best", best.saved())


def refit(
    samples: Samples,
    options: Options,
    best: Best,
    clock: Clock,
    start: Vector | None,
    state: State | None,
) -> tuple[Vector, Vector, int]:
    """Fit the winner on all samples, from a saved state if there is one."""
    assert best.strength is not None
    if best.sweep <= FEW_SWEEPS:
        first, n_sweeps = start, best.sweep
    else:
        first, n_sweeps = best.points, max(2, best.sweep // 4)
    race = Race(samples, [best.strength], None, first)
    if state is not None:
        race.restore(part("race", state))
    for sweep in range(race.n_sweeps + 1, n_sweeps + 1):
        race.sweep()
        event = Event("fit", sweep, race.objective(0), best.loss, clock.seconds)
        if options.report(event) or clock.is_over:
            break
        options.checkpoint.save("refit", lambda: both(race, best))
    return race.points(0), race.values(0), best.sweep


def fixed(
    samples: Samples, options: Options, strength: Strength, clock: Clock, start: Vector | None
) -> Model:
    """Minimise one objective on all samples."""
    if samples.is_binary:
        points, values, n_sweeps, message = solved(samples, options, strength, clock, start)
    else:
        points, values, n_sweeps, message = swept(samples, options, strength, clock, start)
    coef, intercept = split_all(samples, points)
    return Model(coef, intercept, strength, n_sweeps, values, message)


def solved(
    samples: Samples, options: Options, strength: Strength, clock: Clock, start: Vector | None
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
        sweep = round(snapshot.epoch)
        event = Event("fit", sweep, snapshot.objective, float("nan"), clock.seconds)
        if snapshot.saved is not None:
            options.checkpoint.save("solve", snapshot.saved)
        return bool(options.report(event))

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
        resume=options.checkpoint.saved("solve"),
    )
    point = problem.coordinates(result.lam, result.intercept)[None, :]
    n_sweeps = (
        max(1, round(result.n_epochs))
        if result.status is not Status.CONVERGED
        else max(1, int(np.ceil(result.n_epochs)))
    )
    return point, np.array([result.value]), n_sweeps, result.message


def swept(
    samples: Samples, options: Options, strength: Strength, clock: Clock, start: Vector | None
) -> tuple[Vector, Vector, int, str]:
    """Several classes: sweeps of all of them in lanes, until no edge is left."""
    race = Race(samples, [strength], None, start)
    options.built(clock)
    message = f"Stopped after max_iter={options.max_iter} sweeps."
    state = options.checkpoint.saved("sweep")
    if state is not None:
        race.restore(state)
    sweep = race.n_sweeps
    for sweep in range(race.n_sweeps + 1, options.max_iter + 1):
        race.sweep()
        edge = float(race.edges(0).max())
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
        options.checkpoint.save("sweep", race.saved)
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
