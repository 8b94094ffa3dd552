"""The part of the data that ``fit --test FRACTION`` measures the model on, and checks of labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Mask
from ..base.messages import listed, shown

__all__ = ["check_labels_in_lines", "check_test_labels", "fraction_of", "hold_out"]


IN_A_FIT = "change it in the data, or fit in Python"


def fraction_of(text: str) -> float | None:
    """Return the number that ``--test`` was given; None: it is the name of a file."""
    try:
        number = float(text)
    except ValueError:
        return None
    if not 0.0 < number < 1.0:
        raise ValueError(f"--test: a fraction must be between 0 and 1, got {text}")
    return number


def check_test_labels(known: NDArray[Any], labels: NDArray[Any]) -> None:
    """Refuse labels to test on that are none of those in the data."""
    classes = np.unique(known).tolist()
    unknown = sorted(set(labels.tolist()) - set(classes), key=str)
    if unknown:
        raise ValueError(
            f"--test: the label {_text(unknown[0])} is none of those in the data: "
            f"{listed([f'{c:g}' if isinstance(c, float) else c for c in classes])}"
        )


def check_labels_in_lines(labels: NDArray[Any], advice: str = IN_A_FIT) -> None:
    """Refuse labels with a line break of any kind: there is one prediction a line."""
    if labels.dtype.kind in "biuf":
        return
    for label in dict.fromkeys(labels.tolist()):
        if isinstance(label, str) and len(f"{label}.".splitlines()) > 1:
            raise ValueError(
                f"the label {shown(label)} holds a line break, and predictions are one a line: "
                f"{advice}"
            )


def _text(label: Any) -> str:
    return f"{label:g}" if isinstance(label, float) else shown(label)


def hold_out(prints: NDArray[np.uint64], codes: NDArray[np.intp], fraction: float) -> Mask:
    """Choose this fraction of each class by their fingerprints, which equal samples share."""
    from ..search.folds import part_to_test

    held = part_to_test(prints, codes, fraction)
    if not held.any():
        raise ValueError(
            "--test: too few samples for a hold-out split: every class needs at least 10 different "
            "ones"
        )
    return held
