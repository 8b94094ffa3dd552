"""Which share of any rows a model was trained on, from a few kilobytes: a bottom-k sketch (KMV).

A sketch holds the k smallest of the mixed fingerprints of the training rows, each once, and how
many rows share it. The mix spreads them evenly over 64 bits, whatever the rows are, so those of any
other rows that are no larger than the largest one kept are a random sample of these rows; in the
sketch are those that were trained on. The sketch of all rows is the smallest of those of their
parts, in any order.

A new row may equal a training row by chance, and does in tables of few different rows. How often:
about as often as a training row has an equal one among the others (Good and Turing).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["RowSketch", "Seen", "mixed"]

SIZE = 1024
MIX = np.uint64(0xBF58476D1CE4E5B9)
LARGEST = np.uint64(2**64 - 1)


class Seen(NamedTuple):
    """What a sketch finds among some rows: how many it can judge, and how many it knows.

    ``different`` are the different ones of those it can judge; ``by_chance`` is the share of new
    rows that would equal a training row, as found in ``of`` different training rows.
    """

    known: int
    judged: int
    different: int
    by_chance: float
    of: int


@dataclass(frozen=True, eq=False)
class RowSketch:
    """The smallest mixed fingerprints of some rows, ascending, and the rows that share each."""

    prints: NDArray[np.uint64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, fingerprints: NDArray[np.uint64]) -> RowSketch:
        """Return the sketch of rows with these fingerprints."""
        found = mixed(fingerprints)
        share = 4 * SIZE / max(len(found), 1)
        while share < 1.0:  # sort a few of many
            some = found[found < np.uint64(share * 2.0**64)]
            prints, counts = np.unique(some, return_counts=True)
            if len(prints) >= SIZE:
                return cls(prints[:SIZE], counts[:SIZE])
            share *= 8
        prints, counts = np.unique(found, return_counts=True)
        return cls(prints[:SIZE], counts[:SIZE])

    @classmethod
    def merged(cls, parts: Sequence[RowSketch]) -> RowSketch:
        """Return the sketch of the rows of all parts, which is the same however they are cut."""
        return reduce(cls.plus, parts)

    def plus(self, other: RowSketch) -> RowSketch:
        """Return the sketch of these rows and others."""
        both = np.concatenate([self.prints, other.prints])
        prints, place = np.unique(both, return_inverse=True)
        counts = np.zeros(len(prints), dtype=np.int64)
        np.add.at(counts, place, np.concatenate([self.counts, other.counts]))
        return RowSketch(prints[:SIZE], counts[:SIZE])

    def among(self, fingerprints: NDArray[np.uint64]) -> Seen:
        """Count the rows of the sketch among rows with these fingerprints."""
        found = mixed(fingerprints)
        is_full = len(self.prints) >= SIZE
        found = found[found <= (self.prints[-1] if is_full else LARGEST)]
        total = int(self.counts.sum())
        by_chance = int(self.counts[self.counts > 1].sum()) / total if total else 0.0
        known = int(np.isin(found, self.prints).sum())
        return Seen(known, len(found), len(np.unique(found)), by_chance, len(self.prints))

    def to_data(self) -> dict[str, Any]:
        """Return what a file holds: arrays, the counts as narrow as they can be."""
        dtype = np.min_scalar_type(int(self.counts.max(initial=0)))
        return {"trained_rows": self.prints, "trained_counts": self.counts.astype(dtype)}

    @classmethod
    def from_data(cls, fitted: dict[str, Any]) -> RowSketch | None:
        """Return the sketch that a file holds, checked; None where it holds none."""
        prints, counts = fitted.get("trained_rows"), fitted.get("trained_counts")
        if prints is None and counts is None:
            return None
        if not isinstance(prints, np.ndarray) or prints.dtype != np.uint64 or prints.ndim != 1:
            raise ValueError("its trained_rows must be whole numbers of 64 bits")
        if not isinstance(counts, np.ndarray) or counts.dtype.kind != "u":
            raise ValueError("its trained_counts must be whole numbers without a sign")
        if not 0 < len(prints) <= SIZE or counts.shape != prints.shape:
            raise ValueError(f"its trained_rows must be 1 to {SIZE}, each with a count")
        if np.any(prints[1:] <= prints[:-1]) or counts.min() < 1 or counts.max() >= 2**40:
            raise ValueError("its trained_rows must ascend, and each must have occurred")
        return cls(prints, counts.astype(np.int64))


def mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread numbers evenly over 64 bits; different ones stay different."""
    found = numbers * MIX
    found ^= found >> np.uint64(31)
    found *= MIX
    found ^= found >> np.uint64(29)
    return found
