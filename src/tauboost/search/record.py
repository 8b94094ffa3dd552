"""What a model was fitted on: what no coefficient tells, and a report says first.

The hash tells data apart: a sum over rows, so that their order does not matter, of a mix of what is
in a row and of its label. It is made of the fingerprints that a fit has anyway; those of models up
to 0.3 depend on the seed of their fit. Rows in parts have the sum of the hashes of their parts;
where a fit on a cluster has no fingerprints of all rows, no hash is taken. A sketch of the rows
recognises any part of them among others. What depends on the machine's clock and memory is kept
with the fitted object, and not in files: the same fit gives the same file.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.process import peak_bytes
from ..base.version import VERSION
from ..losses import LOSSES
from ..sparse.training import Samples
from ..validation import CsrArrays
from .duplicates import fingerprints

__all__ = [
    "LINEAR",
    "TABLE",
    "Record",
    "RowSketch",
    "Seen",
    "data_hash",
    "hash_sum",
    "hash_text",
    "mixed",
    "pack_candidates",
    "prints_of",
    "read_record",
    "row_prints",
    "unpack_candidates",
]


# Which share of any rows a model was trained on, from a few kilobytes: a bottom-k sketch (KMV).
#
# A sketch holds the k smallest of the mixed fingerprints of the training rows, each once, and how
# many rows share it. The mix spreads them evenly over 64 bits, whatever the rows are, so those of
# any other rows that are no larger than the largest one kept are a random sample of these rows;
# in the sketch are those that were trained on. The sketch of all rows is the smallest of those of
# their parts, in any order.
#
# A new row may equal a training row by chance, and does in tables of few different rows. How
# often: about as often as a training row has an equal one among the others (Good and Turing).


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


LABEL = np.uint64(0x9E3779B97F4A7C15)
OF_THE_MACHINE = ("seconds", "peak_bytes")
NOT_PLAIN = (*OF_THE_MACHINE, "sketch")  # a sketch is arrays, which files hold beside the record
LONGEST = 2000  # characters of any text in a record that is read from a file


@dataclass(frozen=True)
class Record:
    """What a model was fitted on, and how.

    Attributes
    ----------
    n_samples, n_columns : int
    counts : tuple of int
        Samples of each class, in the order of the classes.
    data_hash : str
        Equal for equal rows and labels in any order, and the same seed; empty: not taken.
    seed : int
        Of the fingerprints: 0, but in models up to 0.3 that of the fit.
    versions : dict
        Of tauboost, Python and NumPy.
    caution : str
        What the fit warned of; empty if nothing.
    gap : float or None
        At most so far is the objective above the least one, where that is proved.
    seconds, peak_bytes : float, int or None
        What the fit took, and the most memory of its process; not kept in files.
    sketch : RowSketch or None
        Of the fingerprints of the samples: tells which share of any rows is among them.
    """

    n_samples: int
    n_columns: int
    counts: tuple[int, ...]
    data_hash: str
    seed: int
    versions: dict[str, str]
    caution: str = ""
    gap: float | None = None
    seconds: float | None = None
    peak_bytes: int | None = None
    sketch: RowSketch | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(
        cls,
        prints: NDArray[np.uint64],
        codes: NDArray[np.intp],
        n_classes: int,
        n_columns: int,
        seed: int = 0,
        **facts: Any,
    ) -> Record:
        """Return the record of a fit to samples with these fingerprints and classes."""
        counts = np.bincount(codes, minlength=n_classes).tolist()
        facts["sketch"] = RowSketch.of(prints)
        return cls.counted(counts, n_columns, seed, data_hash(prints, codes), **facts)

    @classmethod
    def counted(
        cls,
        counts: Sequence[int],
        n_columns: int,
        seed: int = 0,
        data_hash: str = "",
        **facts: Any,
    ) -> Record:
        """Return the record of a fit to so many samples of each class."""
        versions = {
            "tauboost": VERSION,
            "Python": platform.python_version(),
            "NumPy": np.__version__,
        }
        return cls(sum(counts), n_columns, tuple(counts), data_hash, seed, versions, **facts)

    def is_of(self, data_hash: str) -> bool:
        """Whether data with this hash are those of the fit."""
        return self.data_hash != "" and self.data_hash == data_hash

    def measured(self, seconds: float) -> Record:
        """Return it with what the fit took."""
        return replace(self, seconds=seconds, peak_bytes=peak_bytes())

    def to_data(self) -> dict[str, Any]:
        """Return what a file holds, but for the sketch."""
        facts = {name: value for name, value in asdict(self).items() if name not in NOT_PLAIN}
        return facts | {"counts": list(self.counts)}


def row_prints(arrays: CsrArrays, record: Record | None, n_threads: int) -> NDArray[np.uint64]:
    """Return a number for each row of a matrix that equal rows share: those of that fit."""
    return fingerprints(arrays, 0 if record is None else record.seed, n_threads)


def prints_of(samples: Samples, n_features: int) -> NDArray[np.uint64]:
    """Return a number for each sample that equal ones share, in whatever data they are.

    Features have the numbers that the user gave them: which ones other rows use does not matter.
    """
    used = samples.used
    if used is None:
        return samples.exact_prints
    parts = [
        replace(
            part,
            indices=used[part.indices],
            data=None if part.data is None and part.scale is None else part.values(),
            scale=None,
            shape=(part.shape[0], n_features),
            more=None,
        )
        for part in samples.arrays.parts
    ]
    arrays = replace(parts[0], more=parts[1] if len(parts) > 1 else None)
    return fingerprints(arrays, 0, samples.n_threads)


def data_hash(prints: NDArray[np.uint64], codes: NDArray[np.intp]) -> str:
    """Return a hash of rows and their labels."""
    return hash_text(hash_sum(prints, codes))


def hash_sum(prints: NDArray[np.uint64], codes: NDArray[np.intp]) -> int:
    """Return what some of the rows add to the hash of all."""
    labelled = prints + (codes.astype(np.uint64) + np.uint64(1)) * LABEL
    return int(mixed(labelled).sum(dtype=np.uint64))


def hash_text(total: int) -> str:
    """Write a hash."""
    return f"{total % 2**64:016x}"


def read_record(fitted: dict[str, Any], n_classes: int) -> Record | None:
    """Return the record that a file holds, checked; None where it holds none."""
    facts = fitted.get("record")
    if facts is None:
        return None
    names = {name for name in Record.__dataclass_fields__ if name not in NOT_PLAIN}
    if not isinstance(facts, dict) or not names <= facts.keys():
        raise ValueError("its record lacks fields that a fit has")
    facts = {name: facts[name] for name in names}  # a newer version may have more of them
    counts, versions = facts["counts"], facts["versions"]
    sizes = [facts["n_samples"], facts["n_columns"], facts["seed"]]
    if not isinstance(counts, list) or len(counts) != n_classes or not all(map(_is_count, counts)):
        raise ValueError(f"its record must have {n_classes} counts, one for each class")
    if not all(map(_is_count, sizes)):
        raise ValueError("its record has a size that is no number")
    texts = [facts["data_hash"], facts["caution"]]
    if isinstance(versions, dict):
        texts += [*versions, *versions.values()]
    if not isinstance(versions, dict) or not all(map(_is_text, texts)):
        raise ValueError("its record has a text that is none, or too long")
    gap = facts["gap"]
    if gap is not None and not (type(gap) is float and math.isfinite(gap)):
        raise ValueError("its record has a gap that is no number")
    sketch = RowSketch.from_data(fitted)
    return Record(**(facts | {"counts": tuple(counts)}), sketch=sketch)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**62


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST


# The candidates of a search as an array, which a model file can hold, and back.


# What is known of a candidate: of a linear model with the sweeps at this alpha.
LINEAR = ("loss", "l1_ratio", "alpha", "n_sweeps", "held_out_loss")
TABLE = ("alpha", "l1_ratio", "smoothness", "held_out_loss")

Candidates = list[dict[str, float | str]]


def pack_candidates(selection: Candidates, names: tuple[str, ...]) -> dict[str, Vector]:
    """Return what a file holds of a search: nothing where there was none."""
    if not selection or any(row.keys() != set(names) for row in selection):
        return {}
    losses = list(LOSSES)
    rows = [
        [losses.index(str(row[name])) if name == "loss" else float(row[name]) for name in names]
        for row in selection
    ]
    return {"selection": np.array(rows, dtype=np.float64)}


def unpack_candidates(fitted: dict[str, Any], names: tuple[str, ...]) -> Candidates:
    """Return the candidates that a file holds, checked; none where it holds none."""
    table = fitted.get("selection")
    if table is None:
        return []
    losses = list(LOSSES)
    is_array = isinstance(table, np.ndarray) and table.dtype == np.float64 and table.ndim == 2
    if not is_array or table.shape[1] != len(names) or np.isnan(table).any():
        raise ValueError(f"its selection must be numbers, {len(names)} for each candidate")
    if "loss" in names and not np.isin(table[:, names.index("loss")], range(len(losses))).all():
        raise ValueError("its selection has a loss that is none")
    return [
        {
            name: losses[int(value)] if name == "loss" else _number(name, value)
            for name, value in zip(names, row, strict=True)
        }
        for row in table.tolist()
    ]


def _number(name: str, value: float) -> float:
    return int(value) if name == "n_sweeps" and np.isfinite(value) else value
