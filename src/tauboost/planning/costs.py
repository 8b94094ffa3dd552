"""The times of a default fit and of its parts: measured, or put together from what was measured.

Default fits of a few rows, and of more, tell what a fit of all rows does and how building grows
with the entries; a part of the data (cut.py) tells how long its sweeps take. Where all rows would
take no longer than the time allowed, they are fitted, and nothing is predicted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.cached import cached_property
from ..design.sparse import SparseDesign
from ..problem import Problem
from ..solvers import solve
from ..solvers.result import Result
from ..validation import CsrArrays
from .advice import thread_counts
from .cut import Cut, cut_from, median_seconds, n_parts_of
from .look import Look
from .sampling import some_rows, take_rows
from .trial import Trial, run_trial

__all__ = ["LOSS", "Costs", "Some", "line_through"]

LOSS = "logistic"  # of a default fit
TINY, FIRST = 2**12, 2**17  # entries of the rows that are fitted first
# Of the part that sweeps are timed on, and how long measuring may take then.
PART, USUAL_SECONDS = 2**20, 0.3


@dataclass(frozen=True)
class Some:
    """Some of the rows at hand."""

    arrays: CsrArrays
    codes: NDArray[np.intp]
    weights: Vector

    @classmethod
    def of(cls, look: Look, n_entries: float) -> Some:
        """Draw rows with about so many entries, or take all."""
        if n_entries >= look.arrays.nnz or look.arrays.nnz == 0:
            return cls(look.arrays, look.codes, look.weights)
        rows = some_rows(look.codes, n_entries / look.arrays.nnz, 0)
        return cls(take_rows(look.arrays, rows), look.codes[rows], look.weights[rows])

    def design(self, n_threads: int) -> SparseDesign:
        """Lay them out in the core; of several classes, the last is told from the others."""
        return SparseDesign.build(self.arrays, self.codes == self.codes.max(), True, n_threads)

    def problem(self, n_threads: int, loss: str = LOSS) -> Problem:
        """Return the problem of telling the last class from the others."""
        return Problem.of_design(
            self.design(n_threads), self.weights, loss=loss, n_threads=n_threads
        )


class Costs:
    """What a default fit of all rows, of which some are at hand, will take."""

    def __init__(self, look: Look, n_threads: int, seconds: float) -> None:
        self.look, self.n_threads, self.seconds = look, n_threads, seconds
        self._trial(Some.of(look, TINY))  # what is loaded when it is first used
        first = Some.of(look, FIRST)
        trials = [self._trial(first)]
        self.rows = first
        expected = trials[0].seconds * look.arrays.nnz / max(trials[0].nnz, 1)
        if len(first.codes) < len(look.codes):
            share = 1.0 if expected <= seconds else seconds / 2 / expected
            more = Some.of(look, max(2 * FIRST, share * look.arrays.nnz))
            trials.append(self._trial(more))
            self.rows = more
        self.trials = trials
        self.n_parts = n_parts_of(look.n_samples, look.n_classes)

    def _trial(self, some: Some) -> Trial:
        return run_trial(some.arrays, some.codes, some.weights, self.n_threads)

    @property
    def last(self) -> Trial:
        """The fit of the most rows."""
        return self.trials[-1]

    @property
    def is_measured(self) -> bool:
        """Whether all rows were fitted."""
        return self.look.is_whole and self.last.n_rows == self.look.n_samples

    @cached_property
    def cut(self) -> Cut:
        """The part that sweeps are timed on."""
        most = max(PART * self.seconds / USUAL_SECONDS, FIRST)
        return cut_from(self.look, round(most), self.n_threads)

    @cached_property
    def sweep_seconds(self) -> dict[int, float]:
        """One sweep of ``solve`` over all data, by the number of threads."""
        threads = thread_counts(self.n_threads)
        each = self.seconds / 4 / len(threads)
        return {n: self.cut.sweep_seconds(self.last.alpha, LOSS, n, each) for n in threads}

    @cached_property
    def build_seconds(self) -> float:
        """From X in memory to the matrix in the core."""
        parts = [self.rows] if self.is_measured else [Some.of(self.look, FIRST), self.rows]
        sizes = [some.arrays.nnz for some in parts]
        times = [median_seconds(partial(some.design, self.n_threads), 3) for some in parts]
        return self.look.check_seconds + line_through(self.look.nnz, sizes, times)

    @cached_property
    def fit_parts(self) -> dict[str, float]:
        """A default fit of all rows, by what its time is spent on."""
        last = self.last
        if self.is_measured:
            build, race, fit = last.build_seconds, last.race_seconds, last.fit_seconds
        else:
            sizes = [trial.nnz for trial in self.trials]
            build = line_through(
                self.look.nnz, sizes, [trial.build_seconds for trial in self.trials]
            )
            race, fit = self._race_seconds(), self._last_seconds()
        parts = {"building the matrix": self.look.check_seconds + build}
        if last.alive:
            parts["choosing the strength"] = race
        return parts | {"fitting the choice": fit}

    def _race_seconds(self) -> float:
        """Add up the sweeps of the race, as wide as they were for the rows that were fitted."""
        widths = {n: last for n, last in self._of_width.items() if n in self.last.alive}
        begin = widths[self.last.alive[0]][0] if self.last.alive else 0.0
        return begin + sum(widths[n][1] for n in self.last.alive)

    def _last_seconds(self) -> float:
        """Return the time of the last fit: as many sweeps as for the rows that were fitted."""
        last = self.last
        if not last.goes_to_the_optimum:
            begin, sweep = self._of_width[1]
            return begin + last.best_sweep * sweep
        problem = self.rows.problem(self.n_threads)
        own = median_seconds(lambda: self.solve(problem, 1.0, 0.0), 3)
        return last.fit_seconds * self.sweep_seconds[self.n_threads] / own

    @cached_property
    def _of_width(self) -> dict[int, tuple[float, float]]:
        """The time to begin a race, and that of a sweep, by the number of candidates."""
        needed = {*self.last.alive, 1}
        each = self.seconds / 4 / len(needed)
        alpha = self.last.alpha
        return {n: self.cut.race_seconds(n, alpha, self.n_parts, each) for n in needed}

    def solve(self, problem: Problem, max_epochs: float, tol: float) -> Result:
        """Solve at the strength that the last fit chose, within the time allowed."""
        return solve(
            problem,
            alpha=self.last.alpha,
            l1_ratio=0.0,
            max_epochs=max_epochs,
            tol=tol,
            time_limit=self.seconds,
            n_threads=self.n_threads,
            random_state=0,
        )


def line_through(size: int, sizes: list[int], times: list[float]) -> float:
    """Draw a line through two times, and return the time at another size."""
    if len(sizes) == 1 or sizes[-1] == sizes[0]:
        return times[-1] * size / max(sizes[-1], 1)
    slope = (times[-1] - times[0]) / (sizes[-1] - sizes[0])
    if slope <= 0:  # noise
        slope = times[-1] / sizes[-1]
    return times[-1] + slope * (size - sizes[-1])
