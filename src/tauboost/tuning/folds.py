"""Cross-validation folds over the samples of a fit.

By default a sample's fold follows from its content, as with the held-out part (samples.py): copies
of a sample are never on both sides, and a sample of weight 2 is the same as that sample twice. A
splitter of scikit-learn, or a list of splits, is taken as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Mask, Vector
from ..base.messages import shown
from ..validation import CsrArrays
from .samples import Samples

__all__ = ["Fold", "make_folds"]


@dataclass(frozen=True)
class Fold:
    """Which samples one fold learns from, and those it is scored on."""

    trained: Mask
    arrays: CsrArrays  # the scored rows
    codes: NDArray[np.intp]
    weights: Vector  # of sum 1

    @classmethod
    def of_all(cls, samples: Samples) -> Fold:
        """Return the fold that learns from all samples and is scored on them."""
        every = np.ones(samples.n, dtype=bool)
        return cls(every, samples.arrays, samples.codes, samples.weights / samples.weights.sum())


def make_folds(samples: Samples, cv: Any, X: Any, y: NDArray[Any], present: Mask) -> list[Fold]:
    """Return the folds; none where ``cv`` is None or a class has one sample only.

    Parameters
    ----------
    X, y : the data as given, which a splitter may look at
    present : which of their rows are in ``samples``
    """
    if cv is None:
        return []
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        if cv < 2:
            raise ValueError(f"cv must be at least 2 folds, got {cv}")
        number = fold_numbers(samples, int(cv))
        n_folds = int(number.max()) + 1
        if n_folds < 2:
            return []
        return [_fold(samples, number != k, number == k) for k in range(n_folds)]
    if isinstance(cv, str | bool) or not (hasattr(cv, "split") or np.iterable(cv)):
        raise TypeError(
            "cv must be a number of folds, a splitter, an iterable of splits or None, "
            f"got {shown(cv)}"
        )
    from sklearn.model_selection import check_cv  # noqa: PLC0415

    splits = check_cv(cv, y, classifier=True).split(X, y)
    folds = []
    for k, split in enumerate(splits):
        if not isinstance(split, tuple | list) or len(split) != 2:
            raise ValueError(
                f"cv must yield pairs (rows to learn from, rows to score), not {shown(split)}"
            )
        train, test = split
        trained, scored = (_mask(rows, len(present))[present] for rows in (train, test))
        if len(np.unique(samples.codes[trained])) < samples.n_classes:
            raise ValueError(f"split {k} of cv leaves no samples of some classes to learn from")
        if not scored.any():
            raise ValueError(f"split {k} of cv has no samples of positive weight to score")
        folds.append(_fold(samples, trained, scored))
    return folds


def fold_numbers(samples: Samples, n_folds: int) -> NDArray[np.intp]:
    """Deal the different samples of each class to folds of equal size.

    There are fewer folds where a class has fewer different samples.
    """
    prints = samples.fingerprints
    ranks = np.empty(samples.n, dtype=np.intp)
    counts = np.empty(samples.n_classes, dtype=np.intp)
    for code in range(samples.n_classes):
        of_class = samples.codes == code
        different, ranks[of_class] = np.unique(prints[of_class], return_inverse=True)
        counts[code] = len(different)
    return np.asarray(ranks % min(n_folds, int(counts.min())))


def _fold(samples: Samples, trained: Mask, scored: Mask) -> Fold:
    weights = samples.weights[scored]
    return Fold(
        trained, samples.arrays.select(scored), samples.codes[scored], weights / weights.sum()
    )


def _mask(rows: NDArray[Any], n: int) -> Mask:
    mask = np.zeros(n, dtype=bool)
    try:
        mask[rows] = True
    except (IndexError, TypeError, ValueError):
        raise ValueError(
            f"cv must split rows 0 to {n - 1} by their numbers, got {shown(rows)}"
        ) from None
    return mask
