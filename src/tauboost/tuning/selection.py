"""Which alpha: the one that held-out samples like best, along a path from strong to weak.

Fits without each of some held-out parts walk down the alphas together (alpha_path.py), each from
where the last left it. They are compared where they are nearly solved: what is chosen is a
penalty, and nothing else. The path ends where the held-out loss has risen, and alpha is where a
parabola through the best point and its neighbours is least.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from ..base.arrays import Vector
from ..solvers.result import Status
from ..solvers.stopping import SweepMonitor, run
from .alpha_path import AlphaPath
from .cautions import entropy_of
from .choice import Choice, HeldOut, Row, row_of, tried
from .first_step import factors_of
from .options import Job, Options
from .samples import Samples
from .strength import Strength
from .strongest import largest_gradient, unit_of_l2

__all__ = ["candidates", "fallback", "select"]

# alpha in units of the mean squared length of a sample over the number of samples: from too strong,
# half a decade at a time, to far too weak.
DECADES = np.arange(0.5, -6.1, -0.5)
# l1 in units of the largest gradient at 0, from which on every coefficient is 0.
DECADES_OF_L1 = np.arange(-0.5, -5.1, -0.5)
# Stronger ones, tried where the strongest is the best.
STRONGER = 10.0 ** np.array([0.5, 1.0, 1.5, 2.0, 2.5, 3.0])
# The first few are always tried: where nothing moves yet, nothing improves.
ALWAYS = 4
# Without held-out samples to choose by: what is rarely far off.
USUAL_STRENGTH = 0.1
L1_RATIOS = (0.0, 0.5, 1.0)
# A fit is nearly solved where no sweep lowers its objective by this share of the held-out loss.
# Newton's steps in a subspace are near the optimum then; sweeps without them have far to go. The
# best alpha of many samples is a wide valley (docs/decisions/0037).
NEARLY, NEARLY_OF_MANY, NEARLY_BY_SWEEPS = 1e-2, 1e-1, 1e-3
MANY = 8_000
# The path ends after two alphas that are no better by this share, or one that is worse by so much.
LEAST_IMPROVEMENT, WORSE = 1e-3, 1e-2


@dataclass
class Best:
    """The best candidate so far, where it was best, and all that was tried."""

    loss: float = math.inf
    strength: Strength | None = None
    points: Vector | None = None  # of the fits without the first part
    held: HeldOut | None = None
    table: list[Row] = field(default_factory=list)


def select(job: Job, parts: list[Vector]) -> tuple[Choice, Vector, HeldOut]:
    """Search every list of candidates.

    Returns the choice, the points of the fits that were best, and what they make of the samples
    that they held out.
    """
    best = Best()
    for strengths in candidates(job.samples, job.options):
        if _Walk(job, parts, strengths, best).run():
            break
    assert best.strength is not None
    assert best.points is not None
    assert best.held is not None
    alpha = vertex(*tried(best.table, best.strength))
    choice = Choice(replace(best.strength, alpha=alpha), best.loss, best.table)
    return choice, best.points, best.held


def vertex(alphas: Vector, losses: Vector) -> float:
    """Return where a parabola through the least loss and its neighbours, in log alpha, is least.

    To three digits.
    """
    order = np.argsort(alphas)
    x, values = np.log(alphas[order]), losses[order]
    k = int(values.argmin())
    if not 0 < k < len(x) - 1:
        return float(np.exp(x[k]))
    low, middle, high = values[k - 1 : k + 2]
    bend = low - 2.0 * middle + high
    shift = 0.5 * (low - high) / bend if 0 < bend < math.inf else 0.0
    step = x[k + 1] - x[k] if shift > 0 else x[k] - x[k - 1]
    return float(f"{math.exp(x[k] + min(max(shift, -0.5), 0.5) * step):.3g}")


class _Walk:
    """One path: a loss and an l1_ratio."""

    def __init__(
        self, job: Job, parts: list[Vector], strengths: list[Strength], best: Best
    ) -> None:
        self.job, self.best = job, best
        self.path = AlphaPath(job.samples, strengths[0], parts)
        self.ahead = strengths
        self.rises, self.least = 0, math.inf
        self.share = self._nearly() / job.samples.n_tasks
        self.last = entropy_of(np.bincount(self.path.codes[0], self.path.weights[0]))

    def _nearly(self) -> float:
        if not all(group.subspace.is_useful for group in self.path.groups):
            return NEARLY_BY_SWEEPS
        return NEARLY if self.job.samples.n < MANY else NEARLY_OF_MANY

    def run(self) -> bool:
        """Walk to the end of the path; True: asked to stop."""
        strongest = self.ahead[0]
        for place, strength in enumerate(self.ahead, 1):
            if self._try(strength):
                return True
            if place >= ALWAYS and (self.rises >= 2 or self.last > self.least * (1 + WORSE)):
                break
        return self._is_strongest_best(strongest) and self._go_up(strongest)

    def _is_strongest_best(self, strongest: Strength) -> bool:
        alphas, losses = tried(self.best.table, strongest)
        return bool(alphas[losses.argmin()] == strongest.alpha and losses.min() < losses.max())

    def _go_up(self, strongest: Strength) -> bool:
        """Try stronger ones, until they are worse; True: asked to stop."""
        self.least = math.inf
        for factor in STRONGER.tolist():
            if self._try(replace(strongest, alpha=factor * strongest.alpha)):
                return True
            if self.rises:
                break
        return False

    def _try(self, strength: Strength) -> bool:
        """Go to an alpha, and note how good it is; True: asked to stop."""
        path, best, options = self.path, self.best, self.job.options
        path.go_to(strength)
        before = path.n_sweeps
        rule = self.job.rule(self.share * self.last, before + options.max_iter)
        status = run(path, SweepMonitor(rule, self._look))
        n_sweeps = path.n_sweeps - before
        H = path.held_out_decisions()
        loss = path.held_out_loss(H)
        best.table.append(row_of(strength, n_sweeps, loss))
        if loss < best.loss:
            best.loss, best.strength, best.points = loss, strength, path.points()
            each = (H, path.codes, path.weights)
            best.held = HeldOut(*(np.concatenate(of_parts) for of_parts in each))
        self.rises = 0 if loss < self.least * (1.0 - LEAST_IMPROVEMENT) else self.rises + 1
        self.least, self.last = min(self.least, loss), loss
        return status in (Status.INTERRUPTED, Status.TIME_LIMIT)

    def _look(self) -> bool:
        """Tell how far it is; True: asked to stop."""
        job, path = self.job, self.path
        if job.options.report is None:
            return False
        return job.tell("select", path.n_sweeps, path.objective(), self.best.loss)


def kinds(options: Options) -> list[tuple[str, float]]:
    """Return the losses and l1_ratios to try."""
    losses = ["logistic", "exponential"] if options.loss == "auto" else [options.loss]
    ratios = L1_RATIOS if isinstance(options.l1_ratio, str) else [options.l1_ratio]
    return list(product(losses, ratios))


def fallback(samples: Samples, options: Options) -> Strength:
    """Return the strength that was given, or a usual one where none can be chosen."""
    loss = "logistic" if options.loss == "auto" else options.loss
    l1_ratio = 0.0 if isinstance(options.l1_ratio, str) else options.l1_ratio
    if isinstance(options.alpha, str):
        unit = unit_of_l2(samples, factors_of(samples))
        return Strength(loss, USUAL_STRENGTH * unit, l1_ratio)
    return Strength(loss, options.alpha, l1_ratio)


def candidates(samples: Samples, options: Options) -> list[list[Strength]]:
    """All strengths to try, one list a loss and ratio, the strongest first."""
    factors = factors_of(samples)
    lists = []
    for loss, ratio in kinds(options):
        if ratio < 0.5:
            unit = unit_of_l2(samples, factors) / (1.0 - ratio)
            decades = DECADES
        else:
            unit = largest_gradient(samples, loss, factors) / ratio
            decades = DECADES_OF_L1
        alphas = (unit or 1.0) * 10.0**decades  # 0: there is nothing to learn from
        lists.append([Strength(loss, alpha, ratio) for alpha in alphas.tolist()])
    return lists
