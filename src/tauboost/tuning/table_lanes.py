"""Fits on one table that differ in psi or class, side by side in the lanes of the kernel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Mask, Vector
from ..design.sparse import flipped
from ..losses import LOSSES
from .table_samples import TableSamples

__all__ = ["LANES", "TableLanes", "TermPsi"]

LANES = (1, 8)  # what the kernel was compiled for: one exact fit, or a race in single precision
NEWTON_STEPS = 3
FEW_BITS = 16  # by which sums of weights may be from 1
MOST = 80.0  # residuals beyond it are too much for the exp of a race


class TermPsi:
    """Psi of every term in every lane: (terms, lanes) each.

    Of a column ``l1`` and ``l2`` are those of its stumps; of a pair they are ridge and smoothness.
    """

    def __init__(self, l1: Vector, l2: Vector) -> None:
        self.l1, self.l2 = np.ascontiguousarray(l1), np.ascontiguousarray(l2)

    @classmethod
    def elastic_net(cls, n_terms: int, alphas: Vector, l1_ratios: Vector) -> TermPsi:
        """Return the elastic net of these strengths over columns, a lane each."""
        return cls(
            np.tile(alphas * l1_ratios, (n_terms, 1)),
            np.tile(alphas * (1.0 - l1_ratios), (n_terms, 1)),
        )

    @property
    def n_lanes(self) -> int:
        """Number of fits."""
        return int(self.l1.shape[1])

    def padded(self, n_lanes: int) -> TermPsi:
        """Return the same with the last lane repeated."""
        extra = n_lanes - self.n_lanes
        return TermPsi(*(np.pad(x, ((0, 0), (0, extra)), mode="edge") for x in (self.l1, self.l2)))


class TableLanes:
    """Some fits on the rows of a table that are not held out.

    Parameters
    ----------
    psi : psi of each lane
    tasks : the task of each lane
    held : the fold that is held out; None: none
    signs : for each term, of its jumps and of its single bins (see TableRows), (terms, 2)
    """

    def __init__(
        self,
        samples: TableSamples,
        loss: str,
        psi: TermPsi,
        tasks: list[int],
        *,
        held: int | None,
        signs: NDArray[np.int8],
        seed: int,
        n_threads: int,
    ) -> None:
        self.samples, self.loss, self.held = samples, LOSSES[loss], held
        self.n_lanes = psi.n_lanes
        self.width = next(width for width in LANES if width >= psi.n_lanes)
        self.psi = psi.padded(self.width)
        tasks = tasks + tasks[-1:] * (self.width - self.n_lanes)
        self.is_positive = samples.is_positive(tasks).reshape(-1)
        self.shards, self.signs, self.n_threads = samples.shards(held), signs, n_threads
        self.random = np.random.Generator(np.random.Philox(key=seed))
        self.levels = np.zeros((self.width, samples.table.n_levels))
        self.intercepts = np.zeros(self.width)
        self.edge = np.full(self.width, np.inf)
        self.n_sweeps = 0
        self._begin()

    def _begin(self) -> None:
        """Set the weights of the rows at levels of 0."""
        samples = self.samples
        weights, n = samples.weights, samples.n
        total = weights[samples.trained(self.held)].sum()
        self.total = np.ones(self.width)
        self.shift = np.zeros(self.width)  # exponential: F = shift + log(sum of E)
        self.E: NDArray[Any]
        real = np.float64 if self.width == 1 else np.float32
        if self.loss.has_odds:
            self.E = np.ones(n * self.width, dtype=real)
            self.c = weights[:1] / total if samples.has_equal_weights else weights / total
        else:
            self.E = np.repeat((weights / total).astype(real), self.width)
            self.c = None

    def set_weights(self, weights: Vector) -> None:
        """Give every row weights of its own, (rows, lanes), in each lane."""
        shares = weights / weights.sum(axis=0)
        if self.loss.has_odds:
            self.c = shares.reshape(-1)
        else:
            self.E = shares.astype(self.E.dtype).reshape(-1)

    def are_positive(self, lane: int) -> Mask:
        """Return the rows that have y = 1 in a lane."""
        of_label = self.is_positive.reshape(-1, self.width)[:, lane] != 0
        return np.asarray(of_label[self.samples.labels])

    def constant(self, share: float) -> float:
        """Return the intercept that is best alone where this share of the weight has y = 1."""
        return -math.log(share / (1.0 - share)) / self.loss.link_slope

    def start_from(self, levels: Vector, intercept: float) -> None:
        """Go to these levels, of the first terms where there are more now, in every lane."""
        self.levels[:, : len(levels)] = levels
        self.intercepts[:] = intercept
        trained = self.samples.trained(self.held)
        y = np.where(self.are_positive(0)[trained], 1.0, -1.0)
        r = self.values(self.shards, 1)[:, 0] * y
        if not self.loss.has_odds:
            self.shift += r.max()
            r -= r.max()
        growth = np.ones(len(trained), dtype=self.E.dtype)
        growth[trained] = np.exp(np.clip(r, -MOST, MOST))
        self.E *= np.repeat(growth, self.width)
        if not self.loss.has_odds:
            E = self.E.reshape(-1, self.width)
            self.total = E[trained].sum(axis=0, dtype=np.float64)

    def look(self) -> None:
        """Learn how large the edges are, without a step."""
        self._visit(np.arange(self.samples.table.n_terms, dtype=np.int32), 0)

    def sweep(self, terms: NDArray[np.int32] | None = None) -> Vector:
        """Visit every term once, or these; returns by how much each objective fell."""
        table = self.samples.table
        order = np.arange(table.n_terms, dtype=np.int32) if terms is None else terms
        decrease = self._visit(self.random.permutation(order), NEWTON_STEPS)
        self.n_sweeps += 1
        return decrease

    def _visit(self, terms: NDArray[np.int32], n_newton: int) -> Vector:
        table = self.samples.table
        sweep: Any = _core.table_sweep if self.width == 1 else _core.table_lane_sweep
        outcome = sweep(
            table,
            self.E,
            self.c,
            self.is_positive,
            self.shards,
            self.levels.reshape(-1),
            self.intercepts,
            self.total,
            self.psi.l1.reshape(-1),
            self.psi.l2.reshape(-1),
            self.signs.reshape(-1),
            terms,
            n_newton,
            self.n_threads,
        )
        self.total, self.edge = np.array(outcome.total), np.array(outcome.edge)
        self._rescale()
        return np.array(outcome.decrease)[: self.n_lanes]

    def _rescale(self) -> None:
        """Bring the sums of exponential weights back near 1: where classes part, they vanish."""
        bits = -np.frexp(self.total)[1]
        if self.loss.has_odds or np.all(np.abs(bits) < FEW_BITS):
            return
        E, trained = self.E.reshape(-1, self.width), self.samples.trained(self.held)
        E[trained] = np.ldexp(E[trained], bits)  # by powers of two: no bit changes
        self.total = np.ldexp(self.total, bits)
        self.shift -= np.log(2.0) * bits

    def values(self, shards: NDArray[np.int32], n_lanes: int) -> Vector:
        """Return the sums of levels of the rows in these shards, (rows, lanes), of some lanes."""
        n_rows = int(self.samples.shard_rows[shards].sum())
        values = np.empty((n_rows, n_lanes))
        _core.table_values(
            self.samples.table,
            self.levels[:n_lanes].reshape(-1),
            self.intercepts[:n_lanes],
            shards,
            values.reshape(-1),
            self.n_threads,
        )
        return values

    def forget_rows(self) -> None:
        """Give the memory of the weights back: no more sweeps will follow."""
        self.E = np.empty(0)

    def objective(self, lane: int = 0) -> float:
        """Return F + psi of a lane, from the weights as they are kept."""
        samples = self.samples
        E = self.E.reshape(-1, self.width)[samples.trained(self.held), lane]
        if self.c is not None:
            c = self.c if len(self.c) == 1 else self.c[samples.trained(self.held)]
            value = float(np.sum(c * np.log(1.0 + E)))
        else:
            value = float(self.shift[lane] + np.log(E.sum()))
        l1, l2 = (np.ascontiguousarray(x[:, lane]) for x in (self.psi.l1, self.psi.l2))
        return value + _core.table_psi(samples.table, self.levels[lane], l1, l2)

    def held_out_decisions(self) -> Vector:
        """Return the decision values of the rows that are held out, (rows, lanes)."""
        assert self.held is not None
        return flipped(self.values(self.samples.held_shards(self.held), self.n_lanes))

    def weights(self, lane: int) -> tuple[Vector, Vector]:
        """Return gradient and curvature of every row's residual in a lane; 0 where held out."""
        samples = self.samples
        E = self.E.reshape(-1, self.width)[:, lane]
        y = np.where(self.are_positive(lane), 1.0, -1.0)
        if self.c is not None:
            share = 1.0 / (1.0 + E.astype(np.float64))
            w = np.where(samples.trained(self.held), self.c * (E * share), 0.0)
            return y * w, w * share
        w = np.where(samples.trained(self.held), E / self.total[lane], 0.0)
        return y * w, w
