"""Which alpha: the one that held-out samples like best, along a path from strong to weak.

Fits without each of some held-out parts walk down the alphas together (alpha_path.py), each from
where the last left it. They are compared where they are nearly solved: what is chosen is a
penalty, and nothing else. The path ends where the held-out loss has risen, and alpha is where a
parabola through the best point and its neighbours is least.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from ..base.arrays import Vector
from ..search.search import Batch, Candidate, Selection, vertex
from ..search.watch import Watch
from ..solvers.stopping import StoppingRule
from .alpha_path import AlphaPath
from .cautions import entropy_of
from .first_step import factors_of
from .options import Options
from .samples import Samples
from .strongest import largest_gradient, unit_of_l2

__all__ = ["LinearSpace", "candidates", "fallback"]

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


class LinearSpace:
    """Paths of alpha, one for each loss and l1_ratio."""

    def __init__(self, samples: Samples, options: Options, parts: list[Vector]) -> None:
        self.samples, self.options, self.parts = samples, options, parts
        self.share, self.last = 0.0, math.inf  # of the last held-out loss: what a sweep may gain

    def batches(self, seen: Selection) -> Iterator[AlphaPath]:
        """Go down every path until it has risen; up from its strongest, if that is the best."""
        for path in candidates(self.samples, self.options):
            batch = AlphaPath(self.samples, path[0], self.parts)
            self.share = self._nearly(batch) / self.samples.n_tasks
            self.last = entropy_of(np.bincount(batch.codes[0], batch.weights[0]))
            least, rises = math.inf, 0
            for place, candidate in enumerate(path, 1):
                yield batch.at(candidate)
                self.last = float(seen.table[-1]["held_out_loss"])
                rises = 0 if self.last < least * (1.0 - LEAST_IMPROVEMENT) else rises + 1
                least = min(least, self.last)
                if place >= ALWAYS and (rises >= 2 or self.last > least * (1 + WORSE)):
                    break
            alphas, losses = seen.tried(path[0])
            is_best = alphas[losses.argmin()] == path[0].alpha and losses.min() < losses.max()
            least = math.inf
            for factor in STRONGER.tolist() if is_best else ():
                yield batch.at(replace(path[0], alpha=factor * path[0].alpha))
                self.last = float(seen.table[-1]["held_out_loss"])
                if not self.last < least * (1.0 - LEAST_IMPROVEMENT):
                    break
                least = self.last

    def rule(self, batch: Batch, watch: Watch) -> StoppingRule:
        """Return when the fits at an alpha are nearly solved."""
        return watch.rule(self.share * self.last, batch.epochs() + self.options.max_iter)

    def choose(self, seen: Selection) -> Candidate:
        """Return the best candidate with alpha between the points of its path."""
        return replace(seen.candidate, alpha=vertex(*seen.tried()))

    def _nearly(self, batch: AlphaPath) -> float:
        if not all(group.subspace.is_useful for group in batch.groups):
            return NEARLY_BY_SWEEPS
        return NEARLY if self.samples.n < MANY else NEARLY_OF_MANY


def kinds(options: Options) -> list[tuple[str, float]]:
    """Return the losses and l1_ratios to try."""
    losses = ["logistic", "exponential"] if options.loss == "auto" else [options.loss]
    ratios = L1_RATIOS if isinstance(options.l1_ratio, str) else [options.l1_ratio]
    return list(product(losses, ratios))


def fallback(samples: Samples, options: Options) -> Candidate:
    """Return the candidate that was given, or a usual one where none can be chosen."""
    loss = "logistic" if options.loss == "auto" else options.loss
    l1_ratio = 0.0 if isinstance(options.l1_ratio, str) else options.l1_ratio
    if isinstance(options.alpha, str):
        unit = unit_of_l2(samples, factors_of(samples))
        return Candidate(loss, USUAL_STRENGTH * unit, l1_ratio)
    return Candidate(loss, options.alpha, l1_ratio)


def candidates(samples: Samples, options: Options) -> list[list[Candidate]]:
    """Return all candidates, one list a loss and ratio, the strongest first."""
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
        lists.append([Candidate(loss, alpha, ratio) for alpha in alphas.tolist()])
    return lists
