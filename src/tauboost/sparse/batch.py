"""Several problems on one matrix, solved side by side: classes, folds, strengths of psi.

Lane l has its own labels, sample weights and psi; all share the matrix and the order of its
columns, so a sweep reads the matrix once for up to eight of them (cpp/kernels/lane_rows.hpp). What
a lane computes does not depend on its neighbours, except through the size of shared bundles.
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
from ..solvers.exact import BundleSize, Shuffle

__all__ = ["LANES", "Lanes", "Subspace", "sweep_side_by_side"]


LANES = (1, 2, 4, 8)  # what the kernel was compiled for
CACHE_LINE = 64


class Lanes:
    """Up to eight problems on one matrix, and the point each of them has reached.

    Parameters
    ----------
    matrix : the core's matrix
    loss : of all lanes
    c : array of shape (m, k), the sample weights of each lane, each column of sum 1; 0 leaves a row
        out. Rows are in the core's order.
    is_opposite : boolean array of shape (m, k), or None
        Where a lane's label is not the one the matrix was built with.
    psi : the elastic net of each lane
    mean_row : nonzeros of a row on average, where not every row counts the same
    start : array of shape (n, k), where each lane starts; 0 by default
    """

    # Views of one array, row by row: with both losses the weights, with the logistic one the odds.
    w: Vector
    E: Vector | None
    total: Vector  # exponential: the sum of w, lane by lane; logistic: 1
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
        self.width = min(width for width in LANES if width >= self.k)
        self.n_penalised = psi[0].n
        self.l1 = self._padded([p.l1 for p in psi])
        self.l2 = self._padded([p.l2 for p in psi])
        self.l1_factors = self._side_by_side([p.l1_factors for p in psi])
        self.l2_factors = self._side_by_side([p.l2_factors for p in psi])
        self.c = c  # may be one column, seen k times
        self.sign = None if is_opposite is None else np.where(is_opposite, -1.0, 1.0)
        self.lam = np.zeros((matrix.n, self.width))
        self._take_rows(aligned(matrix.m, 1 + loss.has_odds, self.width))
        self.bundles = BundleSize(matrix, None, mean_row=mean_row)
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
        for lane, own in enumerate(factors):
            found[:, lane] = 1.0 if own is None else own
        return found

    def _take_rows(self, rows: Vector) -> None:
        self.rows, self.w = rows, rows[:, 0]
        self.E = rows[:, 1] if rows.shape[1] > 1 else None

    def sweep(self) -> None:
        """Visit every column once, in a new random order."""
        sweep_side_by_side([self], self.n_threads)

    def next_sweep(self, n_threads: int) -> _core.LaneSweep:
        """Return a visit of every column, in a new random order, for the core to run."""
        order = self.shuffle(self.columns)
        tau = min(self.bundles.tau, max(len(order), 1))
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
        """Take note of what came of a sweep."""
        k = self.k
        predicted = np.array(outcome.predicted[:k])
        moved = predicted > 0
        if moved.any():
            efficiency = (np.array(outcome.decrease[:k])[moved] / predicted[moved]).min()
            self.bundles.learn(max(outcome.undone[:k]), outcome.bundles, float(efficiency))
        self.edge = np.array(outcome.edge[:k])
        self.decrease = np.array(outcome.decrease[:k])
        self.total = np.array(outcome.total)
        self.n_sweeps += 1
        self._settle(outcome)

    def residuals(self) -> Vector:
        """Return (A lam)_j of every row and lane: what the weights follow from."""
        columns = []
        for lane in range(self.k):
            r = np.zeros(self.matrix.m)
            lam = np.ascontiguousarray(self.lam[:, lane])
            if lam.any():
                _core.add_all(self.matrix, lam, r, self.n_threads)
            columns.append(r)
        r = np.stack(columns, axis=1)
        return r if self.sign is None else r * self.sign

    def keep(self, chosen: list[int]) -> None:
        """Go on with some of the lanes only."""
        width = min(width for width in LANES if width >= len(chosen))
        self.k = len(chosen)
        if self.sign is not None:
            self.sign = self.sign[:, chosen]
        self.c = self.c[:, : self.k] if self.c.strides[1] == 0 else self.c[:, chosen]
        self.edge = self.edge[chosen]
        self._take_rows(of_lanes(self.rows, chosen, width))
        for name in ("l1", "l2", "l1_factors", "l2_factors", "lam", "total", "shift"):
            if getattr(self, name) is not None:
                setattr(self, name, of_lanes(getattr(self, name), chosen, width))
        # What nobody uses is a problem at its solution.
        self.total[self.k :] = 1.0
        if self.E is not None:
            self.E[:, self.k :] = 1.0
        self.width = width
        self.n_absent = self._count_absent()

    def values(self) -> Vector:
        """F of each lane."""
        return np.array([self.value(lane) for lane in range(self.k)])

    def value(self, lane: int) -> float:
        """F of a lane."""
        if self.E is None:
            return float(self.shift[lane] + np.log(self.total[lane]))
        return float(np.sum(self.c[:, lane] * log(1.0 + self.E[:, lane])))

    def row_residuals(self, rows: NDArray[np.intp]) -> Vector:
        """Return (A lam)_j of some rows, of shape (len(rows), k)."""
        if self.E is not None:
            return log(self.E[rows, : self.k])
        return np.asarray(self.residuals()[rows])

    def _count_absent(self) -> int:
        """Count the weights that are 0 for good: of rows left out, and of lanes nobody uses."""
        return int(np.count_nonzero(self.c == 0)) + self.matrix.m * (self.width - self.k)

    def _settle(self, outcome: _core.SweptLanes) -> None:
        """Sum the weights anew, or start afresh where some have lost bits."""
        least, most = SAFE_RANGE
        if self.E is not None:
            is_safe = outcome.least_odds > least and outcome.most_odds < most
        else:
            w = np.abs(self.w)
            # Weights of rows that a lane leaves out are 0, and stay so.
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
        k = self.k
        self.total, self.shift = np.ones(self.width), np.zeros(self.width)
        for lane in range(k):
            # A held-out row may be so far off that the others' weights would be 0 beside it.
            trained = np.where(self.c[:, lane] > 0, r[:, lane], -np.inf)
            weights = self.loss.weigh(trained, self.c[:, lane], 1.0)
            self.w[:, lane], self.total[lane] = weights.w, weights.total
            self.shift[lane] = weights.value - np.log(weights.total)
            if self.sign is not None:
                self.w[:, lane] = np.copysign(self.w[:, lane], self.sign[:, lane])
            if self.E is not None:
                self.E[:, lane] = self.loss.odds(r[:, lane])
        if self.E is not None:
            self.E[:, k:] = 1.0


def sweep_side_by_side(lanes: Sequence[Lanes], n_threads: int) -> None:
    """Sweep all once; where there are several, each has its share of the threads."""
    n_each = max(1, n_threads // len(lanes))
    sweeps = [some.next_sweep(n_each) for some in lanes]
    for some, outcome in zip(lanes, _core.sweep_lanes(sweeps, n_threads), strict=True):
        some.swept(outcome)


def flat(factors: Vector | None) -> Vector | None:
    """Return them as the core takes them."""
    return None if factors is None else factors.reshape(-1)


def of_lanes(whole: Vector, chosen: list[int], width: int) -> Vector:
    """Return some of the lanes, which come last, and zeros up to a width."""
    part = aligned(*whole.shape[:-1], width)
    for lane, old in enumerate(chosen):  # one at a time, for the sake of memory
        part[..., lane] = whole[..., old]
    return part


def aligned(*shape: int) -> NDArray[np.float64]:
    """Return zeros whose rows do not straddle cache lines."""
    size = math.prod(shape)
    memory = np.zeros(size + CACHE_LINE // 8)
    skip = (-memory.ctypes.data % CACHE_LINE) // 8
    return memory[skip : skip + size].reshape(shape)


# A Newton step over a few directions after each sweep of some lanes (cpp/kernels/subspace.hpp).
#
# Coordinate steps crawl where many columns say the same; where they have come from shows where
# they are heading. For the logistic loss without l1, whose objective is smooth.


MEMORY = ("row_point", "row_step", "row_older", "point", "step", "older")


class Subspace:
    """Remembers the last two sweeps of some lanes, and steps in their span."""

    def __init__(self, lanes: Lanes) -> None:
        self.lanes, self.n_taken = lanes, 0
        matrix, width = lanes.matrix, lanes.width
        self.is_useful = lanes.E is not None and not lanes.l1.any()
        if not self.is_useful:
            return
        c = np.zeros((matrix.m, width))
        c[:, : lanes.k] = lanes.c
        labels = None
        if matrix.n > lanes.n_penalised:  # the column of the intercept has the labels
            labels, unit = np.zeros(matrix.m), np.zeros(matrix.n)
            unit[-1] = 1.0
            _core.add_all(matrix, unit, labels, lanes.n_threads)
        self.row_point = log(np.ascontiguousarray(lanes.E))
        self.row_step, self.row_older = (np.zeros((matrix.m, width)) for _ in range(2))
        self.point = lanes.lam.copy()
        self.step, self.older = (np.zeros((matrix.n, width)) for _ in range(2))
        self.kernel = _core.Subspace(
            matrix,
            c.reshape(-1),
            labels,
            lanes.l2,
            flat(lanes.l2_factors),
            lanes.columns,
            lanes.n_penalised,
            *(getattr(self, name).reshape(-1) for name in MEMORY),
        )

    def take(self) -> None:
        """Take the step that the sweep just made allows for; what it gains is the sweep's."""
        if self.is_useful:
            gain = self.kernel.run(self.lanes.rows.reshape(-1), self.lanes.lam.reshape(-1))
            self.n_taken += 1
            self.lanes.decrease = self.lanes.decrease + np.array(gain[: self.lanes.k])
