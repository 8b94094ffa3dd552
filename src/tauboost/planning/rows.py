"""Rows to measure on, with the class and the weight of each, and the size of the data they are of.

A fit does not work on X as it is given: equal samples are merged, and features that no sample has
are left out where they are many. `Rows.as_fitted` does the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.cached import cached_property
from ..design.sparse import SparseDesign
from ..design.wide import FAR_MORE_FEATURES, without_unused_features
from ..problem import Problem
from ..tuning.samples import Samples
from ..validation import CsrArrays
from .sampling import column_counts, some_rows, take_rows

__all__ = ["LOSS", "SEED", "Rows", "Size"]

LOSS = "logistic"  # of a default fit
SEED = 0


@dataclass(frozen=True)
class Size:
    """How large data are, of which some rows may be at hand."""

    m: int
    n: int
    nnz: int
    n_used: int  # columns that have entries


@dataclass(frozen=True)
class Rows:
    """Checked rows, the numbers of their classes, and their weights, none of which is 0."""

    arrays: CsrArrays
    codes: NDArray[np.intp]
    n_classes: int
    weights: Vector

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Entries of each column."""
        return column_counts(self.arrays)

    @property
    def size(self) -> Size:
        """Their own size."""
        n_used = int(np.count_nonzero(self.counts))
        return Size(len(self.codes), self.arrays.shape[1], self.arrays.nnz, n_used)

    def some(self, n_entries: float) -> Rows:
        """Draw rows with about so many entries, or return all."""
        if n_entries >= self.arrays.nnz or self.arrays.nnz == 0:
            return self
        rows = some_rows(self.codes, n_entries / self.arrays.nnz, SEED)
        taken = take_rows(self.arrays, rows)
        return replace(self, arrays=taken, codes=self.codes[rows], weights=self.weights[rows])

    def samples(self, n_threads: int) -> Samples:
        """Return them as a fit does: equal ones merged."""
        found = Samples.build(
            self.arrays,
            self.codes,
            self.n_classes,
            self.weights,
            fit_intercept=True,
            seed=SEED,
            n_threads=n_threads,
        )
        return found.merged()

    def as_fitted(self, samples: Samples) -> Rows:
        """Return the rows of such samples; these themselves, if nothing was merged or left out."""
        if samples.arrays is self.arrays:
            return self
        return Rows(samples.arrays, samples.codes, self.n_classes, samples.weights)

    def as_in_a_problem(self) -> Rows:
        """Return them as a problem keeps them: without unused features, if these are very many."""
        arrays, used = without_unused_features(self.arrays, FAR_MORE_FEATURES)
        return self if used is None else replace(self, arrays=arrays)

    def design(self, n_threads: int) -> SparseDesign:
        """Lay them out in the core; of several classes, the last is told from the others."""
        is_last = self.codes == self.codes.max()
        return SparseDesign.build(self.arrays, is_last, True, n_threads)

    def problem(self, n_threads: int, loss: str = LOSS) -> Problem:
        """Return the problem of telling the last class from the others, of features that occur."""
        arrays, _ = without_unused_features(self.arrays, 1)
        design = replace(self, arrays=arrays).design(n_threads)
        return Problem.of_design(design, self.weights, loss=loss, n_threads=n_threads)
