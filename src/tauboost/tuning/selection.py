"""Which strength of psi, and how many sweeps: what held-out samples like best.

Candidates race in lanes (race.py). Where samples are few, several held-out parts take their turn,
each with lanes of its own, and their mean decides.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from ..base.arrays import Vector
from ..io.saved import SavedStateError, State, part, prefixed
from ..losses import LOSSES
from .cautions import slope_at_the_end
from .choice import Choice, tried
from .options import Job, Options
from .race import Race, Strength, sweep_all
from .samples import Samples
from .strongest import largest_gradient

__all__ = ["AFTER_THE_RACES", "fallback", "phases_of_races", "select"]

# alpha of the candidates, in units of the mean squared length of a sample over the number of
# samples: from far too strong to far too weak.
STRENGTHS = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.001)
# Without held-out samples to choose by: what is rarely far off.
USUAL_STRENGTH = 0.1
# l1 in units of the largest gradient at 0, from which on every coefficient is 0.
STRENGTHS_OF_L1 = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 3e-4, 1e-4)
L1_RATIOS = (0.0, 0.5, 1.0)
# After this many sweeps, these candidates stay: more of the stronger ones, as more sweeps
# favour them.
NARROWING = {1: (2, 1), 4: (1, 0)}
# Where the strongest wins by far, the race goes on beyond it, once. Where the weakest does, the
# number of sweeps is what regularises, and weaker ones would only be fitted to a worse optimum.
BEYOND = (1e3, 1e2, 1e1)
# A sweep that improves the held-out loss by less than this share is the last.
LEAST_IMPROVEMENT = 2e-3
# The phases of a fit that come after its choice.
AFTER_THE_RACES = ("refit", "solve", "sweep")
THE_LAST_RACE = "race on"


def select(job: Job, parts: list[Vector]) -> Choice:
    """Let all candidates race on each held-out part; go on from a checkpoint where there is one."""
    best = Choice()
    lists = candidates(job.samples, job.options)
    phases = [*phases_of_races(job), *AFTER_THE_RACES]
    found = job.options.checkpoint.phase
    first = phases.index(found) if found in phases else 0
    for phase, strengths in zip(phases[first:], lists[first:], strict=False):
        races = [Race(job.samples, strengths, held, job.start) for held in parts]
        if _run(races, phase, job, best):
            return best
    if found not in AFTER_THE_RACES:
        _go_on(job, parts, best, lists)
    return best


def _go_on(job: Job, parts: list[Vector], best: Choice, lists: list[list[Strength]]) -> None:
    """Let stronger candidates race, if the strongest of a list is the best by far."""
    state = job.options.checkpoint.saved(THE_LAST_RACE)
    if state is not None:
        best.restore(part("best", state), job.samples, job.options)
    strengths = beyond(best, lists)
    if strengths:
        races = [Race(job.samples, strengths, held, job.start) for held in parts]
        _run(races, THE_LAST_RACE, job, best)


def beyond(best: Choice, lists: list[list[Strength]]) -> list[Strength]:
    """Return stronger candidates, where the best of some lists is the strongest of its own."""
    known = {strength for strengths in lists for strength in strengths}
    rows = [row for row in best.table if strength_of(row) in known]  # none beyond the lists
    first = strength_of(min(rows, key=lambda row: row["held_out_loss"]))
    if slope_at_the_end(*tried(rows, first)) != 1:
        return []
    return [replace(first, alpha=factor * first.alpha) for factor in BEYOND]


def phases_of_races(job: Job) -> list[str]:
    """Return the names of the phases in which candidates race, one list of them after another."""
    n_lists = len(candidates(job.samples, job.options))
    return [*(f"race {k}" for k in range(n_lists)), THE_LAST_RACE]


def _run(races: list[Race], phase: str, job: Job, best: Choice) -> bool:
    """Sweep until the held-out loss stops falling, and note the best; True: asked to stop."""
    options = job.options
    best.race_sweep, best.race_loss = 0, np.inf
    state = options.checkpoint.saved(phase)
    if state is not None:
        best.restore(part("best", state), job.samples, options)
        for k, race in enumerate(races):
            race.restore(part(f"race{k}", state))
            if race.alive != races[0].alive:
                raise SavedStateError("alive")
    for sweep in range(best.race_sweep + 1, options.max_iter + 1):
        sweep_all(races)
        decisions = [race.held_out_decisions() for race in races]
        losses = _mean_losses(races, decisions)
        leader = min(losses, key=lambda s: losses[s])
        best.table += [_row(races[0].strengths[s], sweep, loss) for s, loss in losses.items()]
        if losses[leader] < best.loss:
            best.loss, best.sweep = losses[leader], sweep
            _note(races, leader, decisions, best, with_values=options.early_stopping)
        stop = job.clock.is_over
        if options.report is not None:
            stop |= job.tell("select", sweep, races[0].objective(leader), losses[leader])
        if stop or not losses[leader] < best.race_loss * (1.0 - LEAST_IMPROVEMENT):
            return stop
        best.race_sweep, best.race_loss = sweep, losses[leader]
        if sweep in NARROWING:
            stronger, weaker = NARROWING[sweep]
            for race in races:
                race.keep([s for s in race.alive if leader - stronger <= s <= leader + weaker])
        options.checkpoint.save(phase, lambda: _state(races, best))
    return False


def _note(
    races: list[Race],
    leader: int,
    decisions: list[dict[int, Vector]],
    best: Choice,
    with_values: bool,
) -> None:
    """Keep the leader as the best so far."""
    best.strength, best.points = races[0].strengths[leader], races[0].points(leader)
    best.values = races[0].values(leader) if with_values else None
    best.decisions = np.concatenate([of_part[leader] for of_part in decisions])
    best.codes = np.concatenate([race.row_codes for race in races])
    best.weights = np.concatenate([race.row_weights for race in races])


def _state(races: list[Race], best: Choice) -> State:
    state = prefixed("best", best.saved())
    for k, race in enumerate(races):
        state |= prefixed(f"race{k}", race.saved())
    return state


def _mean_losses(races: list[Race], decisions: list[dict[int, Vector]]) -> dict[int, float]:
    loss = LOSSES[races[0].loss]
    return {
        s: float(
            np.mean(
                [
                    loss.log_loss(part[s], race.row_codes, race.row_weights)
                    for race, part in zip(races, decisions, strict=True)
                ]
            )
        )
        for s in races[0].alive
    }


def _row(strength: Strength, sweep: int, loss: float) -> dict[str, float | str]:
    return {
        "loss": strength.loss,
        "l1_ratio": strength.l1_ratio,
        "alpha": strength.alpha,
        "sweep": sweep,
        "held_out_loss": loss,
    }


def strength_of(row: dict[str, float | str]) -> Strength:
    """Return the candidate that a row is about."""
    return Strength(str(row["loss"]), float(row["alpha"]), float(row["l1_ratio"]))


def fallback(samples: Samples, options: Options) -> Strength:
    """Return the strength that was given, or a usual one where none can be chosen."""
    loss = "logistic" if options.loss == "auto" else options.loss
    l1_ratio = 0.0 if isinstance(options.l1_ratio, str) else options.l1_ratio
    if isinstance(options.alpha, str):
        unit = samples.unit_of_l2
        return Strength(loss, USUAL_STRENGTH * unit, l1_ratio)
    return Strength(loss, options.alpha, l1_ratio)


def candidates(samples: Samples, options: Options) -> list[list[Strength]]:
    """All strengths to try, one list a loss and ratio, the strongest first."""
    losses = ["logistic", "exponential"] if options.loss == "auto" else [options.loss]
    ratios = L1_RATIOS if isinstance(options.l1_ratio, str) else [options.l1_ratio]
    lists = []
    for loss, ratio in product(losses, ratios):
        if not isinstance(options.alpha, str):
            alphas = [options.alpha]
        elif ratio < 0.5:
            unit = samples.unit_of_l2
            alphas = [unit * strength / (1.0 - ratio) for strength in STRENGTHS]
        else:
            alphas = [largest_gradient(samples, loss) * k / ratio for k in STRENGTHS_OF_L1]
        lists.append([Strength(loss, alpha, ratio) for alpha in alphas])
    return lists
