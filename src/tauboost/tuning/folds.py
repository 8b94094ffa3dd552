"""Cross-validation folds over the samples of a fit.

By default samples are dealt to folds as everywhere (split.py), by their content or by given groups.
A splitter of scikit-learn, or a list of splits, is taken as it is.
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
    """What each sample weighs where one fold learns, and those that it is scored on."""

    trained: Vector
    arrays: CsrArrays  # the scored rows
    codes: NDArray[np.intp]
    weights: Vector  # of sum 1

    @classmethod
    def of_all(cls, samples: Samples) -> Fold:
        """Return the fold that learns from all samples and is scored on them."""
        weights = samples.weights
        return cls(weights, samples.arrays, samples.codes, weights / weights.sum())

    @classmethod
    def of(cls, samples: Samples, trained: Vector, scored: Vector) -> Fold:
        """Return the fold that learns from, and is scored on, these shares of each sample."""
        rows = scored > 0.0
        weights = (samples.weights * scored)[rows]
        return cls(
            samples.weights * trained,
            samples.arrays.select(rows),
            samples.codes[rows],
            weights / weights.sum(),
        )


def make_folds(
    samples: Samples,
    cv: Any,
    X: Any,
    y: NDArray[Any],
    present: Mask,
    groups: NDArray[Any] | None = None,
) -> list[Fold]:
    """Return the folds; none where ``cv`` is None or a class has one sample only.

    Parameters
    ----------
    X, y, groups : the data as given, which a splitter may look at
    present : which of their rows are in ``samples``
    """
    if cv is None:
        return []
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        if cv < 2:
            raise ValueError(f"cv must be at least 2 folds, got {cv}")
        return _own_folds(samples, int(cv))
    if isinstance(cv, str | bool) or not (hasattr(cv, "split") or np.iterable(cv)):
        raise TypeError(
            "cv must be a number of folds, a splitter, an iterable of splits or None, "
            f"got {shown(cv)}"
        )
    from sklearn.model_selection import check_cv  # noqa: PLC0415

    splits = check_cv(cv, y, classifier=True).split(X, y, groups)
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
        folds.append(Fold.of(samples, trained.astype(np.float64), scored.astype(np.float64)))
    return folds


def _own_folds(samples: Samples, n_folds: int) -> list[Fold]:
    """Deal the samples to folds of equal size, as they are dealt everywhere (split.py).

    There are fewer folds where a class has fewer different samples.
    """
    n_folds = min(n_folds, samples.n)
    split = samples.split([1.0 / n_folds] * n_folds)
    fewest = int(split.patterns.min())
    if fewest < n_folds:
        if fewest < 2:
            return []
        split = samples.split([1.0 / fewest] * fewest)
    shares = [split.held(fold) for fold in range(split.n_folds)]
    good = [held for held in shares if split.can_judge(held, samples.codes, samples.copies)]
    return [Fold.of(samples, 1.0 - held, held) for held in good]


def _mask(rows: NDArray[Any], n: int) -> Mask:
    mask = np.zeros(n, dtype=bool)
    try:
        mask[rows] = True
    except (IndexError, TypeError, ValueError):
        raise ValueError(
            f"cv must split rows 0 to {n - 1} by their numbers, got {shown(rows)}"
        ) from None
    return mask
