"""How far a fit of a table can be from its optimum: a bound that anybody can check.

With u_j the row weights at any levels, g the sums of y_j u_j over the rows of each level of a term,
and F* the conjugate of the loss,

    F(x) + psi(x)  >=  -F*(u) - sum over terms of psi_term*(-g_term)        for every x,

if both classes weigh the same in u, as the intercept is free (solvers/certificate.py, with
F(lam) - <g, lam> for -F*(u)). For that the weights of the heavier class are made smaller. psi* is

    columns   (|z_i| - l1)_+^2 / (2 l2) for each hypothesis, z_i = <g, h_i> its slope; one side of
              it only where lam_i has a sign
    pairs     g^T R^-1 g / 2, with psi = x^T R x / 2, R = ridge + smoothness (L_1 + L_2): L_1 and
              L_2 are the Laplacians of the paths along the axes

and infinite for l1 alone where |z_i| > l1. The logistic loss allows weights of any sum: all are
made smaller until no slope is larger than l1, which costs about (excess / l1) psi. Exponential
weights sum to 1: there they are mixed with those of a fit with a weaker l1, all of whose slopes are
below l1; F* is convex, so that of the mix is at most the mix of both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..search.search import Watch
from ..solvers.result import Status
from ..solvers.stopping import StoppingRule, run
from ..sparse.refit import Minimum
from .batch import TableBatch, TermPenalty
from .exact import BlockExact
from .pairs import Pair

__all__ = ["Certified", "RefitMonitor", "TableGap"]


# Weights with slopes below l1 are those of a fit with this share of l1; this much of it will do.
WEAKER, WEAK_ENOUGH = 0.9, 0.97
NEAR = 0.5  # the excess from which on they are looked for
MOST_SWEEPS, SWEEPS_A_LOOK = 200, 5  # of that fit
INSIDE = 1.0 - 1e-12  # rounding keeps no slope at its limit


@dataclass(frozen=True)
class Certified:
    """F + psi at some levels, and by how much it can be above the optimum; NaN: nobody knows."""

    objective: float
    gap: float
    of_pairs: float = 0.0  # the part of the gap that sweeps over columns leave


@dataclass(frozen=True)
class Minorant:
    """F >= level + the sum of u_j y_j (value of row j); u_j is summed over the levels of terms."""

    level: float  # -F*(u)
    sums: Vector  # (2, levels): over rows with y = 1, and over the others
    factor: float = 1.0  # by which all row weights were made smaller


class TableGap:
    """Certificates of one fit, where it is.

    Parameters
    ----------
    batch : the fit
    terms : those that it visits
    make : returns a fit of the same task with another psi
    """

    def __init__(
        self,
        batch: TableBatch,
        pairs: Sequence[Pair],
        terms: NDArray[np.int32],
        make: Callable[[TermPenalty], TableBatch],
    ) -> None:
        self.batch, self.terms, self.make = batch, terms, make
        self.design = design = batch.samples.design
        l1, l2 = batch.psi.l1[:, 0], batch.psi.l2[:, 0]
        self.l1, self.l2 = l1[design.term], l2[design.term]
        self.sign = batch.signs[design.term, design.kind]
        self.grids = [PairPenalty(pair, l1[pair.term], l2[pair.term]) for pair in pairs]
        # Without a penalty on all of them there is no bound.
        is_free = bool(np.any((self.l1 == 0.0) & (self.l2 == 0.0)))
        self.is_possible = not is_free and all(grid.ridge > 0.0 for grid in self.grids)
        self.inside: Minorant | None = None  # exponential loss: all slopes are below l1

    def now(self) -> Certified:
        """Certify where the fit is."""
        batch = self.batch
        value, found = self._minorant(batch)
        objective = value + batch.psi_value()
        if found is None or not self.is_possible:
            return Certified(objective, math.nan)
        if not batch.loss.has_odds:
            found = self._mixed(found)
        if found is None:
            return Certified(objective, math.nan)
        gap = objective - found.level + self._conjugate(found.sums)
        gradient, levels = (found.sums[0] - found.sums[1]) / found.factor, batch.levels[0]
        of_pairs = sum(grid.gap(gradient, levels) for grid in self.grids)
        return Certified(objective, max(gap, 0.0), of_pairs)

    def _minorant(self, batch: TableBatch) -> tuple[float, Minorant | None]:
        """Return F where a fit is, and a minorant there; the slope of the intercept is 0."""
        levels, intercepts, shift = batch.levels[:1], batch.intercepts[:1], batch.shift[:1]
        found = batch.rows.exact_sums(levels, intercepts, shift, self.terms)
        value, up, down, first, second = found[:5].tolist()
        if not (up > 0.0 and down > 0.0 and np.isfinite(found).all()):
            return value if batch.loss.has_odds else math.nan, None
        sums = found[5:].reshape(2, -1)
        if batch.loss.has_odds:
            scales = np.array([min(up, down) / up, min(up, down) / down])
            excess = self._excess(scales[:, None] * sums)
            factor = INSIDE / (1.0 + excess) if excess > 0.0 else 1.0
            scales *= factor
            conjugate = batch.rows.conjugate(levels, intercepts, (scales[0], scales[1]))
            return value, Minorant(-conjugate, scales[:, None] * sums, factor)
        # Both classes get half of the weight, which moves the intercept to its best.
        own = [0.5 * (r / w - math.log(2.0 * w)) for w, r in ((up, first), (down, second))]
        sums = sums * np.array([[0.5 / up], [0.5 / down]])
        return float(shift[0] + math.log(up + down)), Minorant(-sum(own), sums)

    def _push(self, sums: Vector) -> Vector:
        """Return how strongly each hypothesis is drawn away from 0, where it may go."""
        z = self.design.slopes(*sums)
        return np.where(self.sign > 0, -z, np.where(self.sign < 0, z, np.abs(z)))

    def _excess(self, sums: Vector) -> float:
        """Return by how much slopes are above l1, as a share of it, where there is l1 alone."""
        alone = (self.l2 == 0.0) & (self.l1 > 0.0)
        ratios = self._push(sums)[alone] / self.l1[alone]
        return float(ratios.max(initial=0.0)) - 1.0

    def _conjugate(self, sums: Vector) -> float:
        """Return psi*(-g)."""
        has = self.l2 > 0.0
        over = np.maximum(self._push(sums) - self.l1, 0.0)[has]
        gradient = sums[0] - sums[1]
        squares = float((over * over / (2.0 * self.l2[has])).sum())
        return squares + sum(grid.conjugate(gradient) for grid in self.grids)

    def _mixed(self, here: Minorant) -> Minorant | None:
        """Return a mix with a minorant whose slopes are all below l1, if they have to be less."""
        excess = self._excess(here.sums)
        if excess <= 0.0:
            return here
        if self.inside is None and excess <= NEAR:
            self.inside = self._with_weaker_l1()
        if self.inside is None:
            return None
        z, v = self._push(here.sums), self._push(self.inside.sums)
        over = (z > self.l1) & (self.l2 == 0.0)
        part = float(((z - self.l1)[over] / (z - v)[over]).max(initial=0.0)) / INSIDE
        return Minorant(
            (1.0 - part) * here.level + part * self.inside.level,
            (1.0 - part) * here.sums + part * self.inside.sums,
        )

    def _with_weaker_l1(self) -> Minorant | None:
        psi, n = self.batch.psi, self.design.n_columns
        weaker = TermPenalty(psi.l1.copy(), psi.l2)
        weaker.l1[:n] *= WEAKER
        batch = self.make(weaker)
        batch.start_from(self.batch.levels[0], float(self.batch.intercepts[0]))
        search = _SmallSlopes(self)
        run(BlockExact(batch), search)
        return search.found

    def small(self, batch: TableBatch) -> tuple[bool, Minorant | None]:
        """Return True if slopes are well below l1, or will never be; and the minorant there."""
        _, found = self._minorant(batch)
        is_over = found is None or self._excess(found.sums) <= WEAK_ENOUGH - 1.0
        return is_over, found


class _SmallSlopes:
    """Ends a fit with a weaker l1 where all of its slopes are well below l1."""

    def __init__(self, gap: TableGap) -> None:
        self.gap = gap
        self.found: Minorant | None = None

    def observe(self, at: BlockExact) -> Status | None:
        n_sweeps = at.batch.n_sweeps
        if n_sweeps > 0 and n_sweeps % SWEEPS_A_LOOK == 0:
            is_over, found = self.gap.small(at.batch)
            if is_over:
                self.found = found
                return Status.CONVERGED
        return Status.MAX_EPOCHS if n_sweeps >= MOST_SWEEPS else None

    def epochs_left(self, at: BlockExact) -> float:  # noqa: ARG002
        return 1.0


class PairPenalty:
    """Half of x^T R x of a pair, R = ridge + smooth (L_1 + L_2), and its conjugate."""

    def __init__(self, pair: Pair, ridge: float, smooth: float) -> None:
        self.ridge, n_cells = float(ridge), math.prod(pair.shape)
        self.levels, self.shape = slice(pair.first_level, pair.first_level + n_cells), pair.shape
        (first, self.first), (second, self.second) = (
            np.linalg.eigh(_path(n, ordered))
            for n, ordered in zip(pair.shape, pair.n_ordered, strict=True)
        )
        self.stiffness = ridge + smooth * (np.maximum(first, 0)[:, None] + np.maximum(second, 0))

    def conjugate(self, gradient: Vector) -> float:
        """Return g^T R^-1 g / 2."""
        turned = self._turned(gradient)
        return float((turned * turned / (2.0 * self.stiffness)).sum())

    def gap(self, gradient: Vector, levels: Vector) -> float:
        """Return psi + psi*(-g) + <g, x>."""
        rest = self._turned(gradient) + self.stiffness * self._turned(levels)
        return float((rest * rest / (2.0 * self.stiffness)).sum())

    def _turned(self, x: Vector) -> Vector:
        """Return the cells of x in the directions in which R is diagonal."""
        return np.asarray(self.first.T @ x[self.levels].reshape(self.shape) @ self.second)


def _path(n: int, n_ordered: int) -> Vector:
    """Return the Laplacian of a path through the ordered cells; the others are by themselves."""
    steps = np.diff(np.eye(n)[:n_ordered], axis=0)
    return np.asarray(steps.T @ steps)


FIRST = 10  # sweeps before the first certificate
LATEST = 1.5  # times the sweeps of the last certificate: then the next one is due anyway
OF_PAIRS, LIKELY = 0.4, 0.8  # shares of the tolerance: for pairs, and what is hoped for
# Without a certificate a fit ends where a sweep gains no more than this share of the tolerance.
GAINED = 0.01
NOTHING, MOST_IDLE = 1e-15, 3  # a gain that is rounding, and so many sweeps of it


class RefitMonitor:
    """Decides when the last fit of a task ends; ``check`` is called after each sweep, may stop it.

    A certificate costs about two sweeps, and is made when it is likely to be good: slopes are off
    by about the square root of what a sweep gains, and the gap of the columns by as much, that of
    the pairs by its square, which is what a sweep gains. How much exactly, one certificate shows
    for the next. Where the pairs' part of the gap is small already, sweeps are over the columns
    alone: their slopes have limits that must be met to the last few percent, and most of the terms
    are pairs.

    Parameters
    ----------
    gap : its certificates
    rule : the gap that is wanted, as a share, and the most sweeps
    columns : the terms of columns, and not of pairs
    """

    def __init__(
        self,
        gap: TableGap,
        rule: StoppingRule,
        columns: NDArray[np.int32],
        clock: Watch,
        check: Callable[[TableBatch], bool],
    ) -> None:
        self.gap, self.rule, self.columns, self.clock, self.check = gap, rule, columns, clock, check
        self.last = 0  # the sweep after which the last certificate was made
        self.enough = 0.0  # what a sweep gains when the next one is likely to be good
        self.idle = 0
        self.ended: Minimum | None = None

    def epochs_left(self, at: BlockExact) -> float:  # noqa: ARG002
        """Sweep by sweep."""
        return 1.0

    def observe(self, at: BlockExact) -> Status | None:
        """Check the fit after a sweep; a status means: stop here."""
        if at.batch.n_sweeps == 0:
            return None
        self.ended = self._decide(at)
        return None if self.ended is None else self.ended.status

    def _decide(self, at: BlockExact) -> Minimum | None:
        is_stopped, wanted = self.check(at.batch), self._wanted(at.objective)
        self.idle = self.idle + 1 if at.fall <= NOTHING * abs(at.span.objective) else 0
        if not self.gap.is_possible and at.fall <= GAINED * wanted:
            why = f"Converged: a sweep gained {at.fall:.2g}; without a penalty there is no gap."
            return self._minimum(at, self.gap.now(), Status.CONVERGED, why)
        cut = self._cut(at, is_stopped)
        if cut is None and not self._is_due(at):
            return None
        found = self.gap.now()
        if wanted > 0.0 and found.gap <= self._wanted(found.objective):
            return self._minimum(at, found, Status.CONVERGED)
        if cut is not None:
            return self._minimum(at, found, *cut)
        self._expect(at, found, wanted)
        return None

    def _wanted(self, objective: float) -> float:
        """Return the gap that is small enough."""
        return self.rule.wanted_gap(objective, not self.gap.batch.loss.has_odds)

    def _is_due(self, at: BlockExact) -> bool:
        if not self.gap.is_possible or self.rule.relative_gap == 0.0:
            return False
        n_sweeps = at.batch.n_sweeps
        if self.last == 0:
            return n_sweeps >= FIRST
        return n_sweeps > LATEST * self.last + 2 or at.fall <= self.enough

    def _expect(self, at: BlockExact, found: Certified, wanted: float) -> None:
        """Plan the next certificate."""
        self.last = at.batch.n_sweeps
        if math.isnan(found.gap):
            self.enough = 0.25 * at.fall
            return
        most = OF_PAIRS * wanted
        if found.of_pairs > most:
            at.batch.terms, part = self.gap.terms, most / found.of_pairs
        else:
            at.batch.terms = self.columns
            part = (LIKELY * (wanted - found.of_pairs) / (found.gap - found.of_pairs)) ** 2
        self.enough = part * at.fall

    def _cut(self, at: BlockExact, is_stopped: bool) -> tuple[Status, str] | None:
        """Return how the fit ends if it may not go on."""
        if self.idle == MOST_IDLE:
            return Status.STALLED, "No sweep lowers the objective any more."
        if is_stopped:
            return Status.INTERRUPTED, "Interrupted by the callback."
        return self.rule.limit_met(at.batch.n_sweeps, self.clock.seconds)

    def _minimum(
        self, at: BlockExact, found: Certified, status: Status, message: str = ""
    ) -> Minimum:
        batch = at.batch
        return Minimum(
            batch.levels[0],
            found.objective - batch.psi_value(),
            found.objective,
            batch.n_sweeps,
            message,
            status,
            None if math.isnan(found.gap) else found.gap,
            batch.loss.name,
        )
