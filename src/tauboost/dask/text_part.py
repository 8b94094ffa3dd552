"""Tasks on the texts of a part, on a worker: load them, count their terms, make them rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
from distributed import get_worker
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..design.term_counts import TermCounts, count_terms
from ..design.text_options import TextOptions
from ..design.texts import TextFeatures
from ..validation.texts import take_texts
from .loading import Summary, check_beside, joined_weights, split_piece, summary_of

__all__ = ["LoadedTexts", "added", "chosen", "count_part", "load_texts", "rows_of", "sum_up_texts"]


@dataclass(frozen=True)
class LoadedTexts:
    """The texts of a part, as loaded."""

    texts: list[str]
    y: NDArray[Any]
    sample_weight: Vector | None

    def present(self) -> LoadedTexts:
        """Return those whose weight is positive."""
        if self.sample_weight is None or (self.sample_weight > 0).all():
            return self
        kept = self.sample_weight > 0
        return LoadedTexts(list(compress(self.texts, kept)), self.y[kept], self.sample_weight[kept])


def load_texts(pieces: Sequence[Any], can_widen: bool) -> LoadedTexts:  # noqa: ARG001
    """Put the pieces of a part together."""
    texts, labels, weights = list[str](), [], []
    for piece in pieces:
        X, y, sample_weight = split_piece(piece)
        found = take_texts(_one_column(X))
        labels.append(np.asarray(y))
        weights.append(check_beside(labels[-1], sample_weight, len(found)))
        texts += found
    return LoadedTexts(texts, np.concatenate(labels), joined_weights(weights))


def _one_column(X: Any) -> Any:
    """Return the column of a frame that has no other."""
    if getattr(X, "ndim", 1) != 2 or X.shape[1] != 1:
        return X
    return X.iloc[:, 0] if hasattr(X, "iloc") else X[:, 0]


def sum_up_texts(loaded: LoadedTexts) -> Summary:
    """Look at the labels and the weights of a part."""
    return summary_of(loaded.y, loaded.sample_weight, n_features=1)


def count_part(loaded: LoadedTexts, options: TextOptions) -> TermCounts:
    """Count the terms of a part."""
    return count_terms(loaded.present().texts, options, get_worker().state.nthreads)


def added(first: TermCounts, second: TermCounts) -> TermCounts:
    """Add the counts of two parts."""
    return first.plus(second)


def chosen(counts: TermCounts, options: TextOptions) -> TextFeatures:
    """Choose the features from the counts of all parts."""
    return counts.features(options)


def rows_of(loaded: LoadedTexts, features: TextFeatures) -> tuple[Any, ...]:
    """Return a part as (X, y) or (X, y, sample_weight)."""
    present = loaded.present()
    X = features.rows(present.texts, get_worker().state.nthreads).to_scipy()
    weights = () if present.sample_weight is None else (present.sample_weight,)
    return (X, present.y, *weights)
