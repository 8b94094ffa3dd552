"""One part of the rows, on a worker: a Dask actor around the single-node code.

A part answers with sums over its rows and changes them as it is told; it decides nothing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import scipy.sparse as sp
from distributed import get_worker
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Vector
from ..base.threads import useful_threads
from ..losses import RowSum
from ..methods import METHODS
from ..penalty import Penalty
from ..problem import Problem
from ..rows import Columns, LocalPoint
from ..search.folds import MOST_COPIES, are_whole
from ..solvers.monitor import Monitor
from ..solvers.stopping import StoppingRule
from ..solvers.weights import Start
from ..sparse.factors import scales
from ..sparse.scaling import Moments, Ranges, Units
from ..validation import as_csr
from .actors import IdempotentActor
from .loading import LoadedPart

__all__ = [
    "Part",
    "PartLevel",
    "PartSpec",
    "PartSums",
    "Position",
    "Reply",
    "Shape",
    "all_ranges",
    "all_scales",
    "all_units",
    "class_sums_of",
    "in_units",
    "moments_of",
    "ranges_of",
    "unit_of_weights",
]


Keys = tuple[int, ...]
NOWHERE = np.empty(0)  # in place of lam: the driver knows where points are


@dataclass(frozen=True)
class PartSpec:
    """What all parts have in common, known once all are loaded."""

    classes: NDArray[Any]
    n_features: int
    used: NDArray[np.intp] | None  # the features that any part has; None: all count
    loss: str
    fit_intercept: bool
    n_threads: int | None  # None: those of the worker


@dataclass(frozen=True)
class Shape:
    """What a part says of its matrix; the driver puts these together."""

    m: int
    nnz: int
    omega: int
    scale: Vector
    valued: NDArray[np.uint8]
    counts: NDArray[np.int64]
    least_weight: float
    c_total: float


@dataclass(frozen=True)
class PartLevel:
    """Sums over the rows of a part, at a point."""

    total: float  # exponential: of w; logistic: of c log(1 + E)
    least: float  # of what is kept by multiplication
    most: float


@dataclass(frozen=True)
class Position:
    """Where the rows are: all that it takes to put a new part in the place of a lost one.

    They are at lam, with a fraction of the steps of a block applied on top.
    """

    lam: Vector
    shift: float
    block: Columns | None = None
    steps: Vector | None = None
    fraction: float = 0.0
    asked: Columns | None = None


@dataclass(frozen=True)
class Reply:
    """The answer to a round: the change by the steps, and the sums asked for or the level."""

    change: float
    neg: Vector | None = None
    pos: Vector | None = None
    square: Vector | None = None  # of the columns that are valued in any part
    level: PartLevel | None = None
    seconds: float = 0.0  # that the part took


class Part(IdempotentActor):
    """Some of the rows of a problem, with their weights."""

    def __init__(self, loaded: LoadedPart, spec: PartSpec) -> None:
        self.n_threads = spec.n_threads or get_worker().state.nthreads
        self.problem = Problem.of_part(
            loaded.widened(spec.n_features, spec.used),
            loaded.y,
            loaded.sample_weight,
            classes=spec.classes,
            loss=spec.loss,
            fit_intercept=spec.fit_intercept,
            n_threads=self.n_threads,
        )
        super().__init__()
        self.share = 1.0
        self.block: Columns | None = None
        self.steps: Vector | None = None
        self.asked: Columns | None = None

    def shape(self) -> Shape:
        """Describe the matrix of this part."""
        matrix = self.problem.matrix
        valued = np.empty(matrix.n, dtype=np.uint8)
        matrix.valued(valued)
        return Shape(
            matrix.m,
            matrix.nnz,
            matrix.omega,
            np.array(matrix.scale),
            valued,
            self.problem.column_counts(),
            self.problem.least_weight,
            float(self.problem.c.sum()),
        )

    def prepare(self, number: int, share: float, valued: NDArray[np.uint8]) -> None:
        """Take the place of this part: ``share`` is what its sample weights are of all."""
        self.number = number
        self.problem.c = self.problem.c * (share / self.share)
        self.share = share
        self.valued = valued.astype(bool)
        self.rows = self.problem.rows(self.n_threads)
        self.points: dict[int, LocalPoint] = {}

    # Points: F anywhere, beside the weights that rounds change

    def point(self, key: int, lam: Vector, dropped: Keys) -> RowSum:
        """Go to lam: keep its residuals under a key, and drop those nobody needs any more."""
        return self._keep(key, LocalPoint(self.rows, NOWHERE, self.rows.residuals(lam)), dropped)

    def moved(self, key: int, origin: int, d: Vector, dropped: Keys) -> RowSum:
        """Go from one point to another that is d away."""
        return self._keep(key, self.points[origin].moved(NOWHERE, d), dropped)

    def extrapolated(
        self, key: int, origin: int, before: int, momentum: float, dropped: Keys
    ) -> RowSum:
        """Go beyond one point, seen from another."""
        beyond = self.points[origin].extrapolated(self.points[before], momentum)
        return self._keep(key, beyond, dropped)

    def point_sums(self, key: int, columns: Columns | None) -> tuple[Vector, Vector]:
        """Sum w_j |A_ji| by sign, with the weights that belong to the part's own largest r."""
        return self.points[key].sums(columns)

    def kept_points(self) -> list[int]:
        """Return the keys of the points that are kept."""
        return list(self.points)

    def _keep(self, key: int, point: LocalPoint, dropped: Keys) -> RowSum:
        self.points[key] = point
        for old in dropped:
            self.points.pop(old, None)
        return RowSum(point.largest, self.rows.loss.row_sum(point.weights))

    # The weights that rounds change

    def weigh(self, key: int, shift: float) -> PartLevel:
        """Set the weights from the residuals of a point."""
        return self._weigh(self.points[key].r, shift)

    def place(self, at: Position) -> None:
        """Go to where the rows of a lost part were."""
        self._weigh(self.rows.residuals(at.lam), at.shift)
        self.block, self.steps, self.asked = at.block, at.steps, at.asked
        self._apply(at.fraction)

    def _weigh(self, r: Vector, shift: float) -> PartLevel:
        rows = self.rows
        rows.w, rows.E = rows.loss.weights(r, rows.c, shift), rows.loss.odds(r)
        return self.level()

    # A round

    def round(
        self,
        undo: float,
        steps: Vector | None,
        fraction: float,
        ask: Columns | None,
    ) -> Reply:
        """Take back a fraction of the last steps, or take up new ones; apply; sum what is asked.

        New ``steps`` are for the columns asked for last. None asked for: the level, at the end.
        """
        begin = time.perf_counter()
        if steps is not None:
            self.block, self.steps = self.asked, steps
        if undo > 0.0:
            self._apply(-undo)
        change = self._apply(fraction)
        self.asked = ask
        if ask is None:
            return Reply(change, level=self.level())
        sums = self._gather(ask)
        return Reply(change, *sums, seconds=time.perf_counter() - begin)

    def level(self) -> PartLevel:
        """Sum the weights as they are kept."""
        rows = self.rows
        total = float(rows.w.sum()) if rows.E is None else rows.resum().value
        return PartLevel(total, *rows.range())

    def slope(self) -> Vector:
        """Return A^T w."""
        return self.rows.slope()

    def solve_alone(self, penalty: Penalty, method: str, seed: int, max_epochs: float) -> Vector:
        """Solve the problem of these rows only; return lam."""
        problem, c = self.problem, self.problem.c
        problem.c = c / self.share
        try:
            rule = StoppingRule.build(tol=0.0, max_epochs=max_epochs)
            lam = np.zeros(problem.n_coordinates)
            start = Start(problem, penalty, lam, self.n_threads, seed=seed, step="exact")
            chosen = METHODS[method]
            result = chosen.run(chosen.make(start), Monitor(problem, penalty, rule))
        finally:
            problem.c = c
        return problem.design.coordinates(result.lam, result.intercept)

    # The surface of F around a point

    def open_surface(self, key: int, shift: float, total: float) -> None:
        """Set the row weights p of the Hessian, at a point."""
        rows, point = self.rows, self.points[key]
        p = rows.loss.weights(point.r, rows.c, shift) / total
        self.surface = rows.surface_at(point, NOWHERE, p)

    def on_surface(self, name: str, *arguments: Any) -> Any:
        """Ask the surface."""
        return getattr(self.surface, name)(*arguments)

    def _apply(self, fraction: float) -> float:
        if fraction == 0.0:
            return 0.0
        assert self.block is not None
        assert self.steps is not None
        rows = (self.rows.matrix, self.rows.w, self.rows.E, self.rows.kernel_c)
        useful = self._useful(self.block)
        return _core.move_rows(*rows, self.block, self.steps, fraction, useful)

    def _gather(self, columns: Columns) -> tuple[Vector, Vector, Vector]:
        neg, pos, square = (np.empty(len(columns)) for _ in range(3))
        _core.gather_columns(
            self.rows.matrix, self.rows.w, columns, neg, pos, self._useful(columns), square
        )
        return neg, pos, square[self.valued[columns]]

    def _useful(self, columns: Columns) -> int:
        matrix = self.problem.matrix
        work = len(columns) * (matrix.nnz // matrix.n)
        return useful_threads(self.n_threads, work, "draw")


# Tasks that find the column scaling over all parts, and scale the rows of a part.


def ranges_of(part: LoadedPart) -> tuple[NDArray[np.intp], Ranges]:
    """Return the columns that a part has entries in, and their ranges."""
    ranges = Ranges.of(as_csr(part.present), get_worker().state.nthreads)
    columns = np.flatnonzero(ranges.counts)
    return columns, ranges.select(columns)


def all_ranges(parts: Sequence[tuple[NDArray[np.intp], Ranges]], n_features: int) -> Ranges | None:
    """Return the ranges over all parts; None: every entry is 1."""
    ranges = Ranges.merged(n_features, parts)
    return None if ranges.are_ones else ranges


def moments_of(part: LoadedPart, ranges: Ranges | None) -> Moments | None:
    """Return the moments of those columns of a part that may be far from 0."""
    if ranges is None:
        return None
    weights = np.ones(len(part.y)) if part.sample_weight is None else part.sample_weight
    X = part.widened(len(ranges.counts))[weights > 0]
    n_threads = get_worker().state.nthreads
    return Moments.of(as_csr(X), weights[weights > 0], ranges, n_threads)


def all_units(
    ranges: Ranges | None,
    moments: Sequence[Moments],
    shares: Sequence[float],
    fit_intercept: bool,
) -> Units | None:
    """Return the column scaling over all parts; None: columns stay as they are."""
    if ranges is None:
        return None
    return Units.found(ranges, Moments.merged(moments, shares), fit_intercept)


def in_units(X: Any, units: Units | None) -> Any:
    """Return rows with their columns scaled."""
    if units is None or X.shape[0] == 0:
        return X
    return units.applied(as_csr(X)).to_scipy()


# Tasks that find the scale of the penalty over all parts: AdaBoost's first step on each column.
#
# Each part sums its columns up, class by class; sums are added in the order of parts
# (sparse/factors.py has what follows from them).


@dataclass(frozen=True)
class PartSums:
    """Sums over the rows of a part that weigh anything, by their weights."""

    below: Any  # of |x| over entries below 0: sparse, (classes, features)
    above: Any
    rows: Vector  # of each class
    n_present: int
    are_whole: bool  # whether weights can be counts
    columns: NDArray[np.intp]  # those with entries
    ranges: Ranges  # of these


def unit_of_weights(largest: float) -> float:
    """Return what weights are divided by before they are summed: 1 if they may be counts."""
    return 1.0 if 1.0 <= largest <= MOST_COPIES else largest


def class_sums_of(
    part: LoadedPart, codes: NDArray[np.intp], n: tuple[int, int], units: Units | None, unit: float
) -> PartSums:
    """Sum up a part; ``n`` are the numbers of classes and features, ``codes`` those of its rows."""
    n_classes, n_features = n
    weights = np.ones(len(codes)) if part.sample_weight is None else part.sample_weight / unit
    present = np.flatnonzero(weights > 0)
    X = in_units(part.widened(n_features)[present], units)
    weights, codes = weights[present], codes[present]
    ranges = Ranges.of(as_csr(X), get_worker().state.nthreads)
    columns = np.flatnonzero(ranges.counts)
    of_classes = [codes == k for k in range(n_classes)]
    below, above = zip(*(_sums(X[rows], weights[rows]) for rows in of_classes), strict=True)
    return PartSums(
        sp.vstack(below, format="csr"),
        sp.vstack(above, format="csr"),
        np.bincount(codes, weights, n_classes).astype(np.float64),
        len(present),
        are_whole(weights),
        columns,
        ranges.select(columns),
    )


def _sums(X: Any, weights: Vector) -> tuple[Any, Any]:
    """Sum up the columns of some rows, below and above 0; sparse, as sums travel."""
    entries = X.data * np.repeat(weights, np.diff(X.indptr))
    found = []
    for sign in (-1.0, 1.0):
        sizes = np.maximum(sign * entries, 0.0)
        found.append(sp.csr_array(np.bincount(X.indices, sizes, X.shape[1])[None, :]))
    return found[0], found[1]


def all_scales(parts: Sequence[PartSums], n_features: int) -> Vector:
    """Return s of each feature for each two-class problem, (problems, features)."""
    ranges = Ranges.merged(n_features, [(part.columns, part.ranges) for part in parts])
    used = np.flatnonzero(ranges.counts)
    size = np.maximum(-ranges.least, ranges.most)[used]
    below, above, rows = (
        reduce(add, [getattr(part, name) for part in parts]) for name in ("below", "above", "rows")
    )
    count = 1.0  # of duplicates, for each unit of weight
    if not all(part.are_whole for part in parts):  # relative: as many duplicates as rows
        count = sum(part.n_present for part in parts) / rows.sum()
    neg, pos = (count * of_all[:, used].toarray() / size for of_all in (below, above))
    found = scales((neg, pos, count * rows), is_binary=len(rows) == 2)
    s = np.ones((len(found), n_features))
    s[:, used] = found
    return s
