"""The times of a default fit and of its parts: measured, or put together from what was measured.

What takes one pass over the data is done, on all rows at hand. A default fit of a few rows, and of
more, tells what a fit of all rows does; a part of the data (cut.py) tells how long its sweeps take.
Where all rows would take no longer than the time allowed, they are fitted, and nothing is
predicted.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

import numpy as np

from ..base.cached import cached_property
from ..problem import Problem
from ..solvers import solve
from ..solvers.result import Result
from ..tuning.options import Options
from ..tuning.selection import candidates
from ..tuning.split import n_parts
from .advice import thread_counts
from .cut import Cut, cut_from, median_seconds
from .look import Look
from .rate import sweeps_to
from .rows import LOSS, Rows, Size
from .trial import Trial, run_trial

__all__ = ["Costs", "line_through"]

TINY, FIRST = 2**12, 2**17  # entries of the rows that are fitted first
GROWTH = 4
# Sweeps to an accuracy grow with this power of the entries (text, tf-idf and url-like data, from
# half a million entries to 20 million: 0.13 to 0.17).
MORE_SWEEPS = 0.15
# Of the part that sweeps are timed on, and how long measuring may take then.
PART, USUAL_SECONDS = 2**20, 0.3
MOST_EPOCHS = 1000


class Costs:
    """What a default fit of all rows, of which some are at hand, will take."""

    def __init__(self, look: Look, n_threads: int, seconds: float) -> None:
        self.look, self.n_threads, self.seconds = look, n_threads, seconds
        rows = look.rows
        self._trial(rows.some(TINY))  # what is loaded when it is first used
        self.some = rows.some(FIRST)  # the most rows that were fitted
        self.last = self._trial(self.some)
        if self.some is not rows:
            expected = self.last.seconds * rows.arrays.nnz / self.last.nnz
            share = 1.0 if expected <= seconds else seconds / 2 / expected
            self.some = rows.some(max(GROWTH * FIRST, share * rows.arrays.nnz))
            self.last = self._trial(self.some)
        seen = np.bincount(rows.codes, minlength=rows.n_classes)
        self.n_parts = n_parts(seen * (look.size.m / len(rows.codes)))

    def _trial(self, some: Rows) -> Trial:
        return run_trial(some.arrays, some.codes, some.weights, self.n_threads)

    @property
    def is_measured(self) -> bool:
        """Whether all rows were fitted."""
        return self.look.is_whole and self.some is self.look.rows

    @cached_property
    def fitted(self) -> tuple[Rows, float]:
        """The rows as they are fitted, and the time of that and of choosing the candidates."""
        began = time.perf_counter()
        samples = self.look.rows.samples(self.n_threads)
        candidates(samples, Options())
        return self.look.rows.as_fitted(samples), time.perf_counter() - began

    @cached_property
    def fitted_size(self) -> Size:
        """The size of all data, as they are fitted."""
        whole, given = self.look.size, self.look.rows
        rows = self.fitted[0]
        if rows is given:
            return whole
        size, own = rows.size, given.size
        n_used = min(whole.n_used, round(whole.n_used * size.n_used / max(own.n_used, 1)))
        return Size(
            round(whole.m * size.m / own.m),
            whole.n if size.n == own.n else n_used,
            round(whole.nnz * size.nnz / max(own.nnz, 1)),
            n_used,
        )

    def _cut(self, rows: Rows, size: Size) -> Cut:
        most = max(PART * self.seconds / USUAL_SECONDS, FIRST)
        return cut_from(rows, size, round(most), self.n_threads)

    @cached_property
    def problem_cut(self) -> Cut:
        """The part of a problem that sweeps are timed on."""
        return self._cut(self.problem_rows, self.problem_size)

    @cached_property
    def problem_rows(self) -> Rows:
        """The rows at hand, as a problem keeps them."""
        return self.look.rows.as_in_a_problem()

    @property
    def problem_size(self) -> Size:
        """The size of all data, as a problem keeps them."""
        size = self.look.size
        is_less = self.problem_rows is not self.look.rows
        return Size(size.m, size.n_used, size.nnz, size.n_used) if is_less else size

    @cached_property
    def fit_cut(self) -> Cut:
        """The part that sweeps of a fit are timed on: the same, if columns are the same."""
        size, own = self.fitted_size, self.problem_size
        if size.n != own.n:
            return self._cut(self.fitted[0], size)
        cut, fewer = self.problem_cut, max(size.nnz, 1) / max(own.nnz, 1)
        return replace(cut, ratio=cut.ratio * fewer, shard_share=cut.shard_share / fewer)

    @cached_property
    def sweep_seconds(self) -> dict[int, float]:
        """One sweep of ``solve`` over all data, by the number of threads."""
        threads = thread_counts(self.n_threads)
        each = self.seconds / 4 / len(threads)
        alpha = self.last.alpha
        return {n: self.problem_cut.sweep_seconds(alpha, LOSS, n, each) for n in threads}

    def _layout_seconds(self, rows: Rows, size: Size) -> float:
        """Return the time to lay the matrix out: of ever more rows, while there is time."""
        # With far fewer entries than columns, an entry costs more than it does on all rows.
        sizes, times, n_entries = [], [], max(float(FIRST), size.n / 2)
        left = self.seconds
        while True:
            some = rows.some(n_entries)
            seconds = median_seconds(partial(some.design, self.n_threads), 1)
            left -= seconds
            if seconds < self.seconds / 50:
                seconds = median_seconds(partial(some.design, self.n_threads), 3)
            sizes.append(some.arrays.nnz + size.n)
            times.append(seconds)
            if some is rows or left < GROWTH * seconds:
                return line_through(size.nnz + size.n, sizes[-2:], times[-2:])
            n_entries *= GROWTH

    @cached_property
    def build_seconds(self) -> float:
        """From X in memory to the matrix in the core."""
        layout = self._layout_seconds(self.problem_rows, self.problem_size)
        return self.look.check_seconds + layout

    @cached_property
    def fit_parts(self) -> dict[str, float]:
        """A default fit of all rows, by what its time is spent on."""
        last, check = self.last, self.look.check_seconds
        if self.is_measured:
            build, race, fit = last.build_seconds, last.race_seconds, last.fit_seconds
        else:
            build = self._fit_build_seconds()
            race, fit = (self._growth * x for x in (last.race_seconds, last.fit_seconds))
        parts = {"building the matrix": check + build}
        if last.is_chosen:
            parts["choosing alpha"] = race
        return parts | {"fitting the choice": fit}

    def _fit_build_seconds(self) -> float:
        """Return the time of the passes over the data, and to lay the matrix out."""
        rows, passes = self.fitted
        size, own = self.fitted_size, self.problem_size
        if size.n != own.n:
            layout = self._layout_seconds(rows, size)
        else:
            layout = (self.build_seconds - self.look.check_seconds) * size.nnz / max(own.nnz, 1)
        return passes / self.look.share + layout

    @cached_property
    def _growth(self) -> float:
        """How much longer a sweep over all data takes than one over the rows that were fitted."""
        problem = self.some.problem(self.n_threads)
        own = median_seconds(lambda: self.solve(problem, 1.0, 0.0), 3)
        return self.sweep_seconds[self.n_threads] / own

    def sweeps(self, accuracy: float) -> float:
        """Return the epochs of ``solve`` to this edge, from 0, for all rows."""
        problem = self.some.problem(self.n_threads)
        result = self.solve(problem, MOST_EPOCHS, accuracy)
        found = sweeps_to(problem, result, self.last.alpha, accuracy)
        growth: float = max(self.look.size.nnz, 1) / max(self.last.nnz, 1)
        return float(found * growth**MORE_SWEEPS)

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
