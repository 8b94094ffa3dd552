"""The different values of a column with their weights: what its bins follow from.

Tallies of parts of a table add up, so that the bins do not depend on how the rows are cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..validation.frames import Frame
from ..validation.values import Words, refuse
from .binning import check_words, kept_words, sorted_edges, word_weights
from .columns import CategoryColumn, Column, NumericColumn

__all__ = ["MOST_VALUES", "Tally", "tally_column"]

# So many different values of a part are sent as they are; of more, neighbours are taken together.
MOST_VALUES = 2**17

Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tally:
    """Different values: numbers ascending, or words."""

    values: NDArray[np.float64] | tuple[str, ...]
    weights: Whole
    n_there: int  # rows that have a value

    @classmethod
    def merged(cls, tallies: Sequence[Tally], name: str) -> Tally:
        """Add up tallies of one column; missing values alone are neither numbers nor words."""
        full = [tally for tally in tallies if tally.n_there > 0] or list(tallies[:1])
        n_there = sum(tally.n_there for tally in full)
        weights = np.concatenate([tally.weights for tally in full])
        numbers = [tally.values for tally in full if not isinstance(tally.values, tuple)]
        if len(numbers) == len(full):
            return cls(*_added(np.concatenate(numbers), weights), n_there)
        if numbers:
            raise refuse(name, "mixed")
        words = [word for tally in full for word in tally.values]
        place = {word: k for k, word in enumerate(dict.fromkeys(words))}
        total = np.zeros(len(place), dtype=np.int64)
        np.add.at(total, np.array([place[word] for word in words], dtype=np.intp), weights)
        return cls(tuple(place), total, n_there)

    def bounded(self, name: str) -> Tally:
        """Return it with no more than ``MOST_VALUES``: equal to it if there are no more."""
        if len(self.values) <= MOST_VALUES:
            return self
        if not isinstance(self.values, tuple):
            return Tally(*_thinned(self.values, self.weights), self.n_there)
        check_words(len(self.values), self.n_there, name)
        heaviest = np.argsort(-self.weights, kind="stable")[:MOST_VALUES]
        words = tuple(self.values[k] for k in heaviest.tolist())
        return Tally(words, self.weights[heaviest], self.n_there)

    def column(self, name: str, max_bins: int, values_a_bin: int = 1) -> Column:
        """Return the column that has these values, with bins as ``bin_table`` makes them."""
        if isinstance(self.values, tuple):
            check_words(len(self.values), self.n_there, name)
            return CategoryColumn(name, kept_words(self.values, self.weights, max_bins))
        return NumericColumn(name, sorted_edges(self.values, self.weights, max_bins, values_a_bin))


def tally_column(frame: Frame, k: int, weights: Whole | None, is_category: bool) -> Tally:
    """Return the values of a column with their weights; None: every row weighs one."""
    values = (frame.with_categories([k]) if is_category else frame).column(k)
    if isinstance(values, Words):
        rows = np.bincount(values.places + 1, minlength=len(values.words) + 1)[1:]
        there = np.flatnonzero(rows)
        words = tuple(values.words[i] for i in there.tolist())
        return Tally(words, word_weights(values, weights)[there], int(rows.sum()))
    is_there = ~np.isnan(values)
    found = values[is_there] + 0.0  # no -0
    of_rows = np.ones(len(found), dtype=np.int64) if weights is None else weights[is_there]
    return Tally(*_added(found, of_rows), len(found))


def _added(values: NDArray[np.float64], weights: Whole) -> tuple[NDArray[np.float64], Whole]:
    """Return the different values in order, and the weight of each."""
    order = np.argsort(values, kind="stable")
    values = values[order]
    is_last = np.ones(len(values), dtype=bool)
    is_last[:-1] = values[1:] != values[:-1]
    return _joined(values, weights[order], is_last)


def _joined(
    values: NDArray[np.float64], weights: Whole, is_last: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], Whole]:
    """Return the last value of each group, and the weight of the group."""
    sums = np.cumsum(weights)[is_last]
    return values[is_last], np.diff(sums, prepend=0)


def _thinned(values: NDArray[np.float64], weights: Whole) -> tuple[NDArray[np.float64], Whole]:
    """Take neighbours together, up to four times the weight over MOST_VALUES; heavy ones stay."""
    step = -(-4 * int(weights.sum()) // MOST_VALUES)
    heavy = weights >= step
    group = np.cumsum(np.where(heavy, 0, weights)) // step
    beside = np.append(heavy[1:], True) | np.append(
        False, heavy[:-1]
    )  # edges lie beside heavy ones
    ends = heavy | beside | (np.diff(group, append=-1) != 0)
    return _joined(values, weights, ends)
