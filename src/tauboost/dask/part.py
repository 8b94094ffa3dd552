"""One part of the rows, on a worker: a Dask actor around the single-node code.

A part answers with sums over its rows and changes them as it is told; it decides nothing. Calls are
numbered: a call that arrives twice is answered again but carried out once, and a call that does not
follow the last one is refused, so that no step is ever lost or applied twice.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from distributed import get_worker
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Vector
from ..penalty import Penalty
from ..problem import Problem
from ..rows import LocalRows, curvature, odds
from ..solvers import METHODS
from ..solvers.stopping import Monitor, StoppingRule
from .loading import LoadedPart

__all__ = ["Level", "Part", "PartSpec", "Position", "Reply", "Shape"]


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
class Level:
    """Sums over the rows of a part, at a point."""

    total: float  # exponential: of w; logistic: of c log(1 + E)
    least: float  # of what is kept by multiplication
    most: float


@dataclass(frozen=True)
class Position:
    """Where the rows are: all that it takes to put a new part in the place of a lost one.

    They are at lam, with a fraction of the steps of a bundle applied on top.
    """

    lam: Vector
    shift: float
    bundle: NDArray[np.int32] | None = None
    steps: Vector | None = None
    fraction: float = 0.0
    asked: NDArray[np.int32] | None = None


@dataclass(frozen=True)
class Reply:
    """The answer to a round: the change by the steps, and the sums asked for or the level."""

    change: float
    neg: Vector | None = None
    pos: Vector | None = None
    square: Vector | None = None  # of the columns that are valued in any part
    level: Level | None = None
    seconds: float = 0.0  # that the part took


class Part:
    """Some of the rows of a problem, with their weights."""

    def __init__(self, loaded: LoadedPart, spec: PartSpec) -> None:
        n_threads = spec.n_threads or get_worker().state.nthreads
        self.problem = Problem.of_part(
            loaded.widened(spec.n_features, spec.used),
            loaded.y,
            loaded.sample_weight,
            classes=spec.classes,
            loss=spec.loss,
            fit_intercept=spec.fit_intercept,
            n_threads=n_threads,
        )
        self.rows = LocalRows(self.problem, n_threads)
        self.number = -1
        self.share = 1.0
        self.last_answer: Any = None
        self.bundle: NDArray[np.int32] | None = None
        self.steps: Vector | None = None
        self.asked: NDArray[np.int32] | None = None

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

    def answer(self, call: tuple[Any, ...]) -> Any:
        """Answer one call of the driver: the name of a method, and its arguments."""
        name, *arguments = call
        return getattr(self, name)(*arguments)

    def carry_out(self, number: int, name: str, *arguments: Any) -> Any:
        """Carry out one numbered call, or repeat the answer to the last one."""
        if number != self.number:
            if number != self.number + 1:
                raise RuntimeError(f"a part is at round {self.number} and was asked for {number}")
            self.last_answer = getattr(self, name)(*arguments)
            self.number = number
        return self.last_answer

    def rest(self, seconds: float) -> None:
        """Do nothing for a while: what the round cost and the watch are measured with."""
        time.sleep(seconds)

    # Rows at a point

    def largest_residual(self, lam: Vector) -> float:
        """Compute r = A lam and keep it for what comes next; return its largest entry."""
        self.r = self.problem.residuals(lam, self.rows.n_threads)
        return float(self.r.max())

    def weigh(self, shift: float) -> Level:
        """Set the weights from the residuals computed last."""
        if self.problem.loss == "logistic":
            self.rows.E = odds(self.r)
        with np.errstate(under="ignore"):
            self.rows.w = self._weights(self.r, shift)
        total = self._loss_sum(self.r) if self.problem.loss == "logistic" else self._total()
        del self.r
        return Level(total, *self.rows.range())

    def place(self, at: Position) -> None:
        """Go to where the rows of a lost part were."""
        self.largest_residual(at.lam)
        self.weigh(at.shift)
        self.bundle, self.steps, self.asked = at.bundle, at.steps, at.asked
        self._move(at.fraction)

    def value_at(self, lam: Vector) -> tuple[float, float]:
        """Return the largest entry of r = A lam, and the sum of c exp(r - largest) or the loss."""
        return self._value_of(self.problem.residuals(lam, self.rows.n_threads))

    # A round

    def round(
        self,
        undo: float,
        steps: Vector | None,
        fraction: float,
        ask: NDArray[np.int32] | None,
    ) -> Reply:
        """Take back a fraction of the last steps, or take up new ones; apply; sum what is asked.

        New ``steps`` are for the columns asked for last. None asked for: the level, at the end.
        """
        begin = time.perf_counter()
        if steps is not None:
            self.bundle, self.steps = self.asked, steps
        if undo > 0.0:
            self._move(-undo)
        change = self._move(fraction)
        self.asked = ask
        if ask is None:
            return Reply(change, level=self.level())
        sums = self._measure(ask)
        return Reply(change, *sums, seconds=time.perf_counter() - begin)

    def level(self) -> Level:
        """Sum the weights as they are kept."""
        if self.rows.E is not None:
            return Level(self.rows.resum().value, *self.rows.range())
        return Level(self._total(), *self.rows.range())

    def slope(self) -> Vector:
        """Return A^T w."""
        neg, pos = self.problem.signed_sums(self.rows.w, self.rows.n_threads)
        return pos - neg

    def solve_alone(self, penalty: Penalty, method: str, seed: int, max_epochs: float) -> Vector:
        """Solve the problem of these rows only; return lam."""
        problem, c = self.problem, self.problem.c
        problem.c = c / self.share
        try:
            rule = StoppingRule.build(max_epochs, 0.0, None, None)
            monitor = Monitor(problem, penalty, rule)
            options = {"tau": None, "seed": seed} if method == "exact" else {"step": "exact"}
            lam = np.zeros(problem.n_coordinates)
            result = METHODS[method].run(
                problem, penalty, monitor, lam, n_threads=self.rows.n_threads, **options
            )
        finally:
            problem.c = c
        return problem.coordinates(result.lam, result.intercept)

    # The surface of F around a point

    def open_surface(self, lam: Vector) -> tuple[float, float]:
        """Go to lam, beside the weights, which stay where they are; answer as ``value_at``."""
        self.surface_r = self.problem.residuals(lam, self.rows.n_threads)
        return self._value_of(self.surface_r)

    def settle_surface(self, shift: float, total: float) -> Vector:
        """Set the row weights p of the Hessian; return this part of the gradient."""
        with np.errstate(under="ignore"):
            p = self._weights(self.surface_r, shift) / total
        neg, pos = self.problem.signed_sums(p, self.rows.n_threads)
        self.p = curvature(self.problem, p)
        return pos - neg

    def gram(self, columns: NDArray[np.int32]) -> Vector:
        """Return A^T diag(p) A on these columns, k x k flat, of which the lower triangle counts."""
        entries = np.empty(len(columns) ** 2)
        _core.gram(self.problem.matrix, self.p, columns, entries, self.rows.n_threads)
        return entries

    def sums(self, columns: NDArray[np.int32]) -> tuple[Vector, Vector]:
        """Sum p_j |A_ji| over the rows where A_ji < 0, and where A_ji > 0."""
        return self.problem.signed_sums(self.p, self.rows.n_threads, columns)

    def product(self, columns: NDArray[np.int32], d: Vector) -> Vector:
        """Return A^T diag(p) A d on these columns."""
        spread = np.zeros(self.problem.n_coordinates)
        spread[columns] = d
        z = self.p * self.problem.residuals(spread, self.rows.n_threads)
        neg, pos = self.problem.signed_sums(z, self.rows.n_threads, columns)
        return pos - neg

    def _move(self, fraction: float) -> float:
        if fraction == 0.0:
            return 0.0
        assert self.bundle is not None
        assert self.steps is not None
        return _core.move_rows(
            **self.rows.arrays(),
            **self.rows.odds(),
            columns=self.bundle,
            steps=self.steps,
            fraction=fraction,
            n_threads=self._useful(self.bundle),
        )

    def _measure(self, columns: NDArray[np.int32]) -> tuple[Vector, Vector, Vector]:
        neg, pos, square = (np.empty(len(columns)) for _ in range(3))
        _core.gather_columns(
            self.problem.matrix, self.rows.w, columns, neg, pos, self._useful(columns), square
        )
        return neg, pos, square[self.valued[columns]]

    def _useful(self, columns: NDArray[np.int32]) -> int:
        matrix = self.problem.matrix
        work = len(columns) * (matrix.nnz // matrix.n)
        return max(1, min(self.rows.n_threads, work // 2**14))

    def _weights(self, r: Vector, shift: float) -> Vector:
        if self.problem.loss == "logistic":
            return self.problem.weigh(r).w
        return self.problem.c * np.exp(r - shift)

    def _total(self) -> float:
        return float(self.rows.w.sum())

    def _loss_sum(self, r: Vector) -> float:
        return self.problem.weigh(r).value

    def _value_of(self, r: Vector) -> tuple[float, float]:
        largest = float(r.max())
        if self.problem.loss == "logistic":
            return largest, self._loss_sum(r)
        with np.errstate(under="ignore"):
            return largest, float(np.sum(self._weights(r, largest)))
