"""Batched fits on one table that differ in psi or class: the kernel gives each a vector element."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Vector
from ..losses import LOSSES
from .rows import BatchSpec, End
from .training import BinnedRows

__all__ = ["WIDTHS", "TableBatch", "TermPenalty"]


WIDTHS = (1, 8)  # what the kernel was compiled for: one fit in double precision, or eight in single
NEWTON_STEPS = 3
FARTHEST = 1e-40  # from 1: what one step may make of a sum of weights, which keep their digits
FEW_BITS = 16  # by which sums of weights may be from 1


class TermPenalty:
    """Psi of every term in every fit: (terms, fits) each.

    Of a column ``l1`` and ``l2`` are those of its stumps; of a pair they are ridge and smoothness.
    """

    def __init__(self, l1: Vector, l2: Vector) -> None:
        self.l1, self.l2 = np.ascontiguousarray(l1), np.ascontiguousarray(l2)

    @classmethod
    def elastic_net(cls, n_terms: int, alphas: Vector, l1_ratios: Vector) -> TermPenalty:
        """Return the elastic net of these candidates over columns, a fit each."""
        return cls(
            np.tile(alphas * l1_ratios, (n_terms, 1)),
            np.tile(alphas * (1.0 - l1_ratios), (n_terms, 1)),
        )

    def scale(self, scaling: Vector) -> None:
        """Multiply that of the first terms by these numbers, in every fit."""
        self.l1[: len(scaling)] *= scaling[:, None]
        self.l2[: len(scaling)] *= scaling[:, None]

    @property
    def n_fits(self) -> int:
        """Number of fits."""
        return int(self.l1.shape[1])

    def padded(self, n_fits: int) -> TermPenalty:
        """Return the same with the last fit repeated."""
        extra = n_fits - self.n_fits
        return TermPenalty(
            *(np.pad(x, ((0, 0), (0, extra)), mode="edge") for x in (self.l1, self.l2))
        )


class TableBatch:
    """A batch of fits on the training rows of a table.

    Parameters
    ----------
    psi : psi of each fit
    tasks : the task of each fit
    held : the validation fold; None: none
    signs : for each term, of its jumps and of its single bins (`term_signs`), (terms, 2)
    terms : those that are visited; None: all
    """

    def __init__(
        self,
        samples: BinnedRows,
        loss: str,
        psi: TermPenalty,
        tasks: list[int],
        *,
        held: int | None,
        signs: NDArray[np.int8],
        n_threads: int,
        terms: NDArray[np.int32] | None = None,
        seed: int = 0,
    ) -> None:
        self.samples, self.loss, self.held = samples, LOSSES[loss], held
        self.n_fits = psi.n_fits
        self.width = next(width for width in WIDTHS if width >= psi.n_fits)
        self.psi, self.signs = psi.padded(self.width), signs
        tasks = tasks + tasks[-1:] * (self.width - self.n_fits)
        spec = BatchSpec(loss, tuple(tasks), held, samples.trained_weight(held))
        self.rows = samples.rows(spec, n_threads)
        # The order of the terms: the same in every fit of a classifier.
        self.random = np.random.Generator(np.random.Philox(key=seed))
        self.levels = np.zeros((self.width, samples.table.n_levels))
        self.intercepts = np.zeros(self.width)
        self.total = np.ones(self.width)
        self.shift = np.zeros(self.width)  # exponential: F = shift + log(sum of E)
        self.edge = np.full(self.width, np.inf)
        self.longest = 0.0  # by which the first fit's residuals moved in a sweep, at most
        self.n_sweeps = 0
        self.decrease = np.full(self.n_fits, np.inf)  # in the last sweep
        # To be visited.
        self.terms = np.arange(samples.table.n_terms, dtype=np.int32) if terms is None else terms

    @property
    def end(self) -> End:
        """Where the fits are."""
        return self.levels[: self.n_fits], self.intercepts[: self.n_fits]

    def start_from(self, levels: Vector, intercept: float) -> None:
        """Go to these levels, of the first terms where there are more now, in every fit."""
        self.levels[:, : len(levels)] = levels
        self.intercepts[:] = intercept
        there = self.levels[:1], self.intercepts[:1]
        shift = np.zeros(1) if self.loss.has_odds else self.rows.largest(*there)
        self.shift += shift
        self.refresh(1)

    def refresh(self, n_fits: int) -> None:
        """Compute the weights of the rows anew from the levels: those of one fit, or of each."""
        here = self.levels[:n_fits], self.intercepts[:n_fits], self.shift[:n_fits]
        total = self.rows.place(*here)
        if not self.loss.has_odds:
            self.total = total

    def constant(self, share: float) -> float:
        """Return the intercept that is best alone where this share of the weight has y = 1."""
        return -math.log(share / (1.0 - share)) / self.loss.link_slope

    def update_edges(self) -> None:
        """Compute how large the edges are, without a step."""
        self._visit(self.terms, 0)

    def sweep(self, most: int | None = None) -> Vector:
        """Visit every term once, or the first ``most``; returns how much each objective fell."""
        order = self.random.permutation(self.terms)
        self.decrease = self._visit(order[:most], NEWTON_STEPS)
        self.n_sweeps += 1
        return self.decrease

    # The fits as SweepMonitor watches them: all of them go on as long as one gains something.

    def epochs(self) -> float:
        """Return the sweeps done."""
        return self.n_sweeps

    def advance(self, epochs_left: float) -> None:  # noqa: ARG002 - one sweep at a time
        """Sweep over the terms."""
        self.sweep()

    def open_all(self) -> None:
        """Sweep all of them: they share what they read."""

    def close(self, decrease: float) -> bool:
        """Return True if no objective fell by more than this in the last sweep."""
        return bool(self.decrease.max() <= decrease)

    def _visit(self, terms: NDArray[np.int32], n_newton: int) -> Vector:
        outcome = self.rows.sweep(
            self.levels.reshape(-1),
            self.intercepts,
            self.total,
            self.psi.l1.reshape(-1),
            self.psi.l2.reshape(-1),
            self.signs.reshape(-1),
            terms,
            n_newton,
        )
        self.total, self.edge = np.array(outcome.total), np.array(outcome.edge)
        self.longest = len(terms) * outcome.longest[0]
        self._rescale()
        return np.array(outcome.decrease)[: self.n_fits]

    def span_sums(self, steps: Vector) -> tuple[float, Vector, Vector]:
        """Return F, its gradient and its Hessian along the directions of `RowWeights.span_sums`."""
        value, *sums = self.rows.span_sums(steps)
        k = len(steps)
        slope, hessian = np.array(sums[:k]), np.zeros((k, k))
        hessian[np.tril_indices(k)] = sums[k:]
        hessian += np.tril(hessian, -1).T
        if self.loss.has_odds:
            return float(value), slope, hessian
        if not FARTHEST * self.total[0] <= value <= self.total[0] / FARTHEST:
            return (math.nan if math.isnan(value) else math.inf), slope, hessian
        slope, hessian = slope / value, hessian / value
        return float(self.shift[0] + np.log(value)), slope, hessian - np.outer(slope, slope)

    def moved(self, levels: Vector, intercept: float, steps: Vector) -> None:
        """Go where steps along the directions lead."""
        total = self.rows.take_span(steps)
        if steps.any():
            self.levels[0], self.intercepts[0] = levels, intercept
            self.total = self.total if self.loss.has_odds else total
        self._rescale()

    def _rescale(self) -> None:
        """Bring the sums of exponential weights back near 1: where classes part, they vanish."""
        bits = -np.frexp(self.total)[1]
        if self.loss.has_odds or np.all(np.abs(bits) < FEW_BITS):
            return
        # Summed up anew: kept by differences over many sweeps, it would be nothing but rounding.
        self.total = self.rows.rescale(bits)
        self.shift -= np.log(2.0) * bits

    def objective(self, fit: int = 0) -> float:
        """Return F + psi of a fit, from the weights as they are kept."""
        return self.value(fit) + self.psi_value(fit)

    def value(self, fit: int = 0) -> float:
        """Return F of a fit, from the weights as they are kept."""
        value = self.rows.loss_sum(fit)
        return value if self.loss.has_odds else float(self.shift[fit] + np.log(value))

    def psi_value(self, fit: int = 0) -> float:
        """Return psi of a fit."""
        l1, l2 = (np.ascontiguousarray(x[:, fit]) for x in (self.psi.l1, self.psi.l2))
        return _core.table_psi(self.samples.table, self.levels[fit], l1, l2)
