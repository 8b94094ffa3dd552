"""The part of the data that ``fit --test FRACTION`` measures the model on."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.messages import listed, shown
from ..base.threads import resolve_threads
from ..design.wide import without_unused_features
from ..io.rows import LabelledRows
from ..search.duplicates import fingerprints
from ..search.folds import part_to_test
from ..tuning.samples import FEATURES_FOR_AN_ENTRY
from ..validation import as_csr, encode_labels
from .data import Data

__all__ = ["check_test", "check_test_labels", "fraction_of", "held_out", "split"]


def fraction_of(text: str) -> float | None:
    """Return the number that ``--test`` was given; None: it is the name of a file."""
    try:
        number = float(text)
    except ValueError:
        return None
    if not 0.0 < number < 1.0:
        raise ValueError(f"--test: a fraction must be between 0 and 1, got {text}")
    return number


def check_test(train: Data, tested: Data) -> None:
    """Refuse test data that the model cannot be measured on, before it is fitted."""
    known = np.unique(train.y)
    unknown = np.setdiff1d(tested.y, known)
    if len(unknown):
        labels = ", ".join(f"{label:g}" for label in known[:10])
        raise ValueError(f"--test: the label {unknown[0]:g} is none of those in the data: {labels}")


def check_test_labels(known: NDArray[Any], labels: NDArray[Any]) -> None:
    """Refuse labels to test on that are none of those in the data."""
    classes = np.unique(known)
    unknown = sorted(set(labels.tolist()) - set(classes.tolist()), key=str)
    if unknown:
        raise ValueError(
            f"--test: the label {shown(unknown[0])} is none of those in the data: "
            f"{listed(classes.tolist())}"
        )


def held_out(prints: NDArray[np.uint64], y: NDArray[Any], fraction: float) -> NDArray[np.bool_]:
    """Choose this fraction of each class by their fingerprints, which equal samples share."""
    _, codes = encode_labels(y)
    held = part_to_test(prints, codes, fraction)
    if not held.any():
        raise ValueError(
            "--test: too few samples to hold some out: every class needs at least 10 different ones"
        )
    return held


def split(
    data: Data, fraction: float, seed: int, threads: int | None
) -> tuple[LabelledRows, LabelledRows]:
    """Cut into a part for training and one for testing, which has this fraction of each class.

    Samples are dealt as in a fit (search/folds.py): their order does not matter.
    """
    y = np.array(data.y)
    arrays = as_csr(data)
    # The numbers of features that a fit would use, but other fingerprints: it will hold out a part
    # of the rest by its own.
    used, _ = without_unused_features(arrays, FEATURES_FOR_AN_ENTRY)
    prints = fingerprints(used, seed + 2**40, resolve_threads(threads))
    held = held_out(prints, y, fraction)
    return LabelledRows(arrays.select(~held), y[~held]), LabelledRows(arrays.select(held), y[held])
