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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.process import peak_bytes
from ..base.version import VERSION
from ..search.duplicates import fingerprints
from ..validation import CsrArrays
from .row_sketch import RowSketch, mixed
from .samples import Samples

__all__ = [
    "Record",
    "data_hash",
    "hash_sum",
    "hash_text",
    "prints_of",
    "read_record",
    "row_prints",
]

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
