"""A batch of fits on one matrix, solved side by side: classes, folds, values of alpha.

Each fit has its own labels, sample weights and psi; all share the matrix and the order of its
columns, so a sweep reads the matrix once for up to eight of them (cpp/kernels/lane_rows.hpp). What
a fit computes does not depend on its neighbours, except through the size of shared blocks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Mask, Vector, log
from ..base.threads import useful_threads
from ..losses import Loss
from ..penalty import Penalty
from ..rows import SAFE_RANGE
from ..solvers.exact import BlockSize, Shuffle

__all__ = ["WIDTHS", "Batch", "Subspace", "sweep_batches"]


WIDTHS = (1, 2, 4, 8)  # fits of a batch: what the kernel was compiled for
CACHE_LINE = 64


class Batch:
    """Up to eight problems on one matrix, and the point each of them has reached.

    Parameters
    ----------
    matrix : the core's matrix
    loss : of all fits
    c : array of shape (m, k), the sample weights of each fit, each column of sum 1; 0 leaves a row
        out. Rows are in the core's order.
    is_opposite : boolean array of shape (m, k), or None
        Where a fit's label is not the one the matrix was built with.
    psi : the elastic net of each fit
    mean_row : nonzeros of a row on average, where not every row counts the same
    start : array of shape (n, k), where each fit starts; 0 by default
    """

    # Views of one array, row by row: with both losses the weights, with the logistic one the odds.
    w: Vector
    E: Vector | None
    total: Vector  # exponential: the sum of w, fit by fit; logistic: 1
    shift: Vector  # exponential: value = shift + log(total)

    def __init__(
        self,
        matrix: _core.Matrix,
        loss: Loss,
        c: Vector,
        is_opposite: Mask | None,
        psi: list[Penalty],
        *,
        seed: int,
        n_threads: int,
        mean_row: float | None = None,
        start: Vector | None = None,
    ) -> None:
        self.matrix, self.loss, self.n_threads = matrix, loss, n_threads
        self.k = len(psi)
        self.width = min(width for width in WIDTHS if width >= self.k)
        self.n_penalised = psi[0].n
        self.l1 = self._padded([p.l1 for p in psi])
        self.l2 = self._padded([p.l2 for p in psi])
        self.l1_factors = self._side_by_side([p.l1_factors for p in psi])
        self.l2_factors = self._side_by_side([p.l2_factors for p in psi])
        self.c = c  # may be one column, seen k times
        self.sign = None if is_opposite is None else np.where(is_opposite, -1.0, 1.0)
        self.lam = np.zeros((matrix.n, self.width))
        self._take_rows(aligned(matrix.m, 1 + loss.has_odds, self.width))
        self.block_size = BlockSize(matrix, None, mean_row=mean_row)
        self.counts = np.empty(matrix.n, dtype=np.int64)
        matrix.column_counts(self.counts)
        self.columns = np.flatnonzero(self.counts).astype(np.int32)
        self.shuffle = Shuffle(len(self.columns), matrix.nnz, seed)
        self.edge = np.full(self.k, np.inf)
        self.decrease = np.full(self.k, np.inf)  # of F + psi in the last sweep
        self.n_sweeps = 0
        np.empty(2**17)  # 1 MB: NumPy crashes where it gets no buffer, MemoryError comes first
        self.n_absent = self._count_absent()
        if start is None:
            self._start_at_zero()
        else:
            self.lam[:, : self.k] = start
            self._restart(self.residuals())

    def _padded(self, values: list[float]) -> Vector:
        return np.array(values + [0.0] * (self.width - len(values)))

    def _side_by_side(self, factors: list[Vector | None]) -> Vector | None:
        if all(own is None for own in factors):
            return None
        found = np.ones((self.n_penalised, self.width))
        for k, own in enumerate(factors):
            found[:, k] = 1.0 if own is None else own
        return found

    def _take_rows(self, rows: Vector) -> None:
        self.rows, self.w = rows, rows[:, 0]
        self.E = rows[:, 1] if rows.shape[1] > 1 else None

    def sweep(self) -> None:
        """Visit every column once, in a new random order."""
        sweep_batches([self], self.n_threads)

    def next_sweep(self, n_threads: int) -> _core.LaneSweep:
        """Return a visit of every column, in a new random order, for the core to run."""
        order = self.shuffle(self.columns)
        tau = min(self.block_size.tau, max(len(order), 1))
        cost = self.width * self.matrix.nnz // max(len(order), 1)
        most = min(n_threads, self.matrix.n_shards)
        return _core.LaneSweep(
            matrix=self.matrix,
            rows=self.rows.reshape(-1),
            lam=self.lam.reshape(-1),
            total=self.total,
            l1=self.l1,
            l2=self.l2,
            n_penalised=self.n_penalised,
            l1_factors=flat(self.l1_factors) if self.l1.any() else None,
            l2_factors=flat(self.l2_factors) if self.l2.any() else None,
            columns=order,
            tau=tau,
            is_logistic=self.loss.has_odds,
            is_signed=self.sign is not None,
            n_threads=useful_threads(most, tau * cost, "share"),
        )

    def swept(self, outcome: _core.SweptLanes) -> None:
        """Take note of the outcome of a sweep."""
        k = self.k
        predicted = np.array(outcome.predicted[:k])
        moved = predicted > 0
        if moved.any():
            efficiency = (np.array(outcome.decrease[:k])[moved] / predicted[moved]).min()
            self.block_size.learn(max(outcome.undone[:k]), outcome.bundles, float(efficiency))
        self.edge = np.array(outcome.edge[:k])
        self.decrease = np.array(outcome.decrease[:k])
        self.total = np.array(outcome.total)
        self.n_sweeps += 1
        self._settle(outcome)

    def residuals(self) -> Vector:
        """Return (A lam)_j of every row and fit: what the weights follow from."""
        columns = []
        for k in range(self.k):
            r = np.zeros(self.matrix.m)
            lam = np.ascontiguousarray(self.lam[:, k])
            if lam.any():
                _core.add_all(self.matrix, lam, r, self.n_threads)
            columns.append(r)
        r = np.stack(columns, axis=1)
        return r if self.sign is None else r * self.sign

    def keep(self, chosen: list[int]) -> None:
        """Continue with some of the fits only."""
        width = min(width for width in WIDTHS if width >= len(chosen))
        self.k = len(chosen)
        if self.sign is not None:
            self.sign = self.sign[:, chosen]
        self.c = self.c[:, : self.k] if self.c.strides[1] == 0 else self.c[:, chosen]
        self.edge = self.edge[chosen]
        self._take_rows(select_fits(self.rows, chosen, width))
        for name in ("l1", "l2", "l1_factors", "l2_factors", "lam", "total", "shift"):
            if getattr(self, name) is not None:
                setattr(self, name, select_fits(getattr(self, name), chosen, width))
        # A place without a fit holds a problem at its solution.
        self.total[self.k :] = 1.0
        if self.E is not None:
            self.E[:, self.k :] = 1.0
        self.width = width
        self.n_absent = self._count_absent()

    def values(self) -> Vector:
        """F of each fit."""
        return np.array([self.value(k) for k in range(self.k)])

    def value(self, k: int) -> float:
        """F of a fit."""
        if self.E is None:
            return float(self.shift[k] + np.log(self.total[k]))
        return float(np.sum(self.c[:, k] * log(1.0 + self.E[:, k])))

    def row_residuals(self, rows: NDArray[np.intp]) -> Vector:
        """Return (A lam)_j of some rows, of shape (len(rows), k)."""
        if self.E is not None:
            return log(self.E[rows, : self.k])
        return np.asarray(self.residuals()[rows])

    def _count_absent(self) -> int:
        """Count the weights that are 0 for good: of rows left out, and of places without a fit."""
        return int(np.count_nonzero(self.c == 0)) + self.matrix.m * (self.width - self.k)

    def _settle(self, outcome: _core.SweptLanes) -> None:
        """Sum the weights anew, or start afresh where some have lost bits."""
        least, most = SAFE_RANGE
        if self.E is not None:
            is_safe = outcome.least_odds > least and outcome.most_odds < most
        else:
            w = np.abs(self.w)
            # Weights of rows that a fit leaves out are 0, and stay so.
            is_safe = w.max() < most and np.count_nonzero(w < least) == self.n_absent
            self.total[: self.k] = w[:, : self.k].sum(axis=0)
        if not is_safe:
            self._restart(self.residuals())

    def _start_at_zero(self) -> None:
        """Set what `_restart` would at lam = 0, without its exponentials and logarithms."""
        self.total, self.shift = np.ones(self.width), np.zeros(self.width)
        if self.E is None:
            self.w[:, : self.k] = self.c
            self.total[: self.k] = self.c.sum(axis=0)
        else:
            np.multiply(self.c, 0.5, out=self.w[:, : self.k])
            self.E[:] = 1.0
        if self.sign is not None:
            self.w[:, : self.k] = np.copysign(self.w[:, : self.k], self.sign)

    def _restart(self, r: Vector) -> None:
        self.total, self.shift = np.ones(self.width), np.zeros(self.width)
        for k in range(self.k):
            # A row left out may be so far off that the others' weights would be 0 beside it.
            trained = np.where(self.c[:, k] > 0, r[:, k], -np.inf)
            weights = self.loss.weigh(trained, self.c[:, k], 1.0)
            self.w[:, k], self.total[k] = weights.w, weights.total
            self.shift[k] = weights.value - np.log(weights.total)
            if self.sign is not None:
                self.w[:, k] = np.copysign(self.w[:, k], self.sign[:, k])
            if self.E is not None:
                self.E[:, k] = self.loss.odds(r[:, k])
        if self.E is not None:
            self.E[:, self.k :] = 1.0


def sweep_batches(batches: Sequence[Batch], n_threads: int) -> None:
    """Sweep all once; where there are several, each has its share of the threads."""
    n_each = max(1, n_threads // len(batches))
    sweeps = [batch.next_sweep(n_each) for batch in batches]
    for batch, outcome in zip(batches, _core.sweep_lanes(sweeps, n_threads), strict=True):
        batch.swept(outcome)


def flat(factors: Vector | None) -> Vector | None:
    """Return them as the core takes them."""
    return None if factors is None else factors.reshape(-1)


def select_fits(whole: Vector, chosen: list[int], width: int) -> Vector:
    """Return the entries of some fits, along the last axis, and zeros up to a width."""
    part = aligned(*whole.shape[:-1], width)
    for k, old in enumerate(chosen):  # one at a time, for the sake of memory
        part[..., k] = whole[..., old]
    return part


def aligned(*shape: int) -> NDArray[np.float64]:
    """Return zeros whose rows do not straddle cache lines."""
    size = math.prod(shape)
    memory = np.zeros(size + CACHE_LINE // 8)
    skip = (-memory.ctypes.data % CACHE_LINE) // 8
    return memory[skip : skip + size].reshape(shape)


# A Newton step over a few directions after each sweep of a batch (cpp/kernels/subspace.hpp).
#
# Coordinate steps crawl where many columns are nearly the same; where they have come from shows
# where they are heading. For the logistic loss without l1, whose objective is smooth.


MEMORY = ("row_point", "row_step", "row_older", "point", "step", "older")


class Subspace:
    """Remembers the last two sweeps of a batch, and steps in their span."""

    def __init__(self, batch: Batch) -> None:
        self.batch, self.n_taken = batch, 0
        matrix, width = batch.matrix, batch.width
        self.is_useful = batch.E is not None and not batch.l1.any()
        if not self.is_useful:
            return
        c = np.zeros((matrix.m, width))
        c[:, : batch.k] = batch.c
        labels = None
        if matrix.n > batch.n_penalised:  # the column of the intercept has the labels
            labels, unit = np.zeros(matrix.m), np.zeros(matrix.n)
            unit[-1] = 1.0
            _core.add_all(matrix, unit, labels, batch.n_threads)
        self.row_point = log(np.ascontiguousarray(batch.E))
        self.row_step, self.row_older = (np.zeros((matrix.m, width)) for _ in range(2))
        self.point = batch.lam.copy()
        self.step, self.older = (np.zeros((matrix.n, width)) for _ in range(2))
        self.kernel = _core.Subspace(
            matrix,
            c.reshape(-1),
            labels,
            batch.l2,
            flat(batch.l2_factors),
            batch.columns,
            batch.n_penalised,
            *(getattr(self, name).reshape(-1) for name in MEMORY),
        )

    def take(self) -> None:
        """Take the step that the sweep just made allows for; what it gains is the sweep's."""
        if self.is_useful:
            gain = self.kernel.run(self.batch.rows.reshape(-1), self.batch.lam.reshape(-1))
            self.n_taken += 1
            self.batch.decrease = self.batch.decrease + np.array(gain[: self.batch.k])
