"""The part of the data on which sweeps are timed, and how a time on it becomes one on all data.

A part has every k-th column, from the fullest to the emptiest, and all rows; where columns are few,
some of the rows instead. A sweep takes a time for each entry and column, and a time for the rows,
which a sweep over next to no columns tells.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from .. import _core
from ..base.arrays import Vector
from ..base.cached import cached_property
from ..design.matrix import NONZEROS_A_SHARD
from ..design.sparse import SparseDesign
from ..problem import Problem
from ..solvers import solve
from ..solvers.sweep_plan import COLUMN_OVERHEAD
from ..tuning.lanes import LANES
from ..tuning.samples import Samples
from .rows import SEED, Rows, Size
from .sampling import every_kth_column, take_columns

__all__ = ["Cut", "cut_from", "median_seconds"]

FEWEST_COLUMNS = 256  # fewer would not be like all of them
MOST_REPEATS = 9
BEGINNING = 0.01  # of a sweep: what it takes is for the rows


@dataclass(frozen=True)
class Cut:
    """Samples with some of the columns, or rows, of all data."""

    samples: Samples
    ratio: float  # the work of a sweep over all data, over that of one over these
    vector_ratio: float  # all rows and columns over these
    shard_share: float  # of the entries of a shard that one of these has
    miss_seconds: dict[int, float]  # by the number of lanes: what a sweep over all data waits more

    def design(self, nonzeros_a_shard: int, *, has_labels: bool = True) -> SparseDesign:
        """Lay it out, in as many shards as all data would have."""
        samples = self.samples
        positive = samples.codes == samples.n_classes - 1
        return SparseDesign.build(
            samples.arrays,
            positive if has_labels else np.ones(samples.n, dtype=bool),
            False,
            samples.n_threads,
            nonzeros_a_shard=max(1, round(nonzeros_a_shard * self.shard_share)),
        )

    @cached_property
    def problem_design(self) -> SparseDesign:
        """What a problem would be made of."""
        return self.design(NONZEROS_A_SHARD)

    @property
    def matrix(self) -> _core.Matrix:
        """The part in the core."""
        return self.problem_design.matrix

    def on_all(self, begun: float, whole: float, width: int) -> float:
        """Return the seconds of a sweep over all data, from those of its beginning and of one."""
        fixed = min(begun, whole / 2)
        return (
            fixed * self.vector_ratio
            + (whole - fixed) * self.ratio
            + self.miss_seconds.get(width, 0.0)
        )

    def sweep_seconds(self, alpha: float, loss: str, n_threads: int, seconds: float) -> float:
        """Return the time of a sweep of ``solve`` over all data."""
        design, samples = self.problem_design, self.samples
        problem = Problem.of_design(design, samples.weights, loss=loss, n_threads=n_threads)

        def sweep(epochs: float) -> float:
            result = solve(
                problem,
                alpha=alpha,
                l1_ratio=0.0,
                max_epochs=epochs,
                tol=0.0,
                n_threads=n_threads,
                random_state=0,
            )
            return float(result.trace.seconds[-1] - result.trace.seconds[0])

        begun, whole = in_turns([lambda: sweep(BEGINNING), lambda: sweep(1.0)], seconds)
        return self.on_all(begun, whole, 1)


def cut_from(rows: Rows, size: Size, most: int, n_threads: int) -> Cut:
    """Take a part with about ``most`` entries of rows of data of this size."""
    own = rows.size
    k = max(1, min(own.nnz // most, own.n_used // FEWEST_COLUMNS))
    part = rows
    if k > 1:
        part = replace(rows, arrays=take_columns(rows.arrays, every_kth_column(rows.counts, k)))
    if part.arrays.nnz > 2 * most:
        part = part.some(most)
    cut = part.size
    arrays, codes, weights = part.arrays, part.codes, part.weights
    samples = Samples(
        arrays, codes, rows.n_classes, weights, False, SEED, n_threads, n_given=len(codes)
    )
    intercept = size.m
    work = max(cut.nnz + COLUMN_OVERHEAD * cut.n_used, 1)
    return Cut(
        samples,
        ratio=(size.nnz + intercept + COLUMN_OVERHEAD * size.n_used) / work,
        vector_ratio=(size.m + size.n) / (cut.m + cut.n),
        shard_share=cut.nnz / max(size.nnz, 1),
        miss_seconds=_misses(size, cut.m),
    )


def _misses(size: Size, n_rows: int) -> dict[int, float]:
    """Return what reading the weights of all rows costs beyond reading those of these rows."""
    if size.m < 2 * n_rows:
        return {}
    found = {}
    for width in LANES:
        few, many = (_gather_seconds(m, width) for m in (n_rows, size.m))
        found[width] = max(0.0, many - few) * size.nnz
    return found


def _gather_seconds(n_rows: int, width: int) -> float:
    """Return the time to read the weights of one row, one of so many drawn at random."""
    w: Vector = np.ones((n_rows, width))
    rows = np.random.default_rng(0).integers(n_rows, size=2**16)
    w.take(rows, axis=0)
    return median_seconds(lambda: w.take(rows, axis=0), 3) / len(rows)


def median_seconds(run: Callable[[], object], repeats: int) -> float:
    """Return the median time of some runs."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        run()
        times.append(time.perf_counter() - began)
    return median(times)


def in_turns(runs: list[Callable[[], float]], seconds: float) -> list[float]:
    """Return the medians of what runs, taken in turns, return.

    The first of several does not count: it touches memory for the first time.
    """
    times: list[list[float]] = []
    began = time.perf_counter()
    while not times or (len(times) < MOST_REPEATS and time.perf_counter() - began < seconds):
        times.append([run() for run in runs])
    return [median(column) for column in zip(*times[len(times) > 2 :], strict=True)]
