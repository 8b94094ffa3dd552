"""The bins of a term in words: "25 < age <= 31", "city = Oslo", "missing".

A term has one axis for each of its columns, and an axis has cells: the bins of the column, or, in a
pair, several bins together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.arrays import Vector
from ..base.cached import cached_property
from ..tables.columns import Codes, Column, as_text

__all__ = ["Axis", "make_axis"]


@dataclass(frozen=True, eq=False)
class Axis:
    """The cells of one column in a term.

    Attributes
    ----------
    feature : str
        The name of the column.
    names : list of str
        One for each cell, without the name of the column: "25 to 31", "Oslo", "missing".
    edges : ndarray
        Between the ordered cells: cell k has edges[k - 1] < x <= edges[k]. Empty for categories.
    n_ordered : int
        How many cells are ranges of numbers; they come first. 0 for categories.
    missing : int
        The cell of the missing value.
    """

    feature: str
    names: list[str]
    edges: Vector
    n_ordered: int
    missing: int

    @cached_property
    def bounds(self) -> list[str]:
        """The edges as text."""
        return as_text(self.edges)

    def label(self, first: int, last: int | None = None) -> str:
        """Say in words what a cell, or the ordered cells from first to last, hold."""
        last = first if last is None else last
        if first >= self.n_ordered:
            return f"{self.feature} = {self.names[first]}"
        low = self.bounds[first - 1] if first else ""
        high = self.bounds[last] if last < len(self.edges) else ""
        text = f"{low} < {self.feature} <= {high}"
        if not low or not high:
            text = f"{self.feature} <= {high}" if high else f"{self.feature} > {low}"
        if not low and not high:
            text = f"any {self.feature}"
        return f"{text} or missing" if first <= self.missing <= last else text

    def short_label(self, first: int, last: int) -> str:
        """Say the same where the column is named above: a category by its name alone."""
        return self.names[first] if first >= self.n_ordered else self.label(first, last)

    def runs(self, scores: Vector) -> list[tuple[int, int]]:
        """Return the first and last of ordered cells with equal scores, then the other cells."""
        table = scores.reshape(len(self.names), -1)
        near = 1e-9 * np.abs(table).max(initial=0.0)
        jumps = np.abs(np.diff(table[: self.n_ordered], axis=0)).max(axis=1, initial=0.0) > near
        cuts = (np.flatnonzero(jumps) + 1).tolist()
        begins, ends = [0, *cuts], [*cuts, self.n_ordered]
        ordered = [(b, e - 1) for b, e in zip(begins, ends, strict=True) if e > b]
        return ordered + [(cell, cell) for cell in range(self.n_ordered, len(self.names))]


def make_axis(column: Column, cells: Codes) -> Axis:
    """Return the axis on which the codes of a column have these cells."""
    names, edges = column.axis(cells)
    n_ordered = len(edges) + 1 if column.is_ordered else 0
    return Axis(column.name, names, edges, n_ordered, int(cells[column.missing]))
