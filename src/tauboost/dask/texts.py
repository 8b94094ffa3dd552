"""Tasks on the texts of a part, on a worker: load them, count their terms, make them rows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
from distributed import Client, Future, get_worker
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..texts.features import TermCounts, TextFeatures, count_terms
from ..texts.options import TextOptions
from ..validation.texts import take_texts
from .actors import ActorPool, Patience
from .labels import classes_of
from .loading import LoadedParts, Summary, check_beside, joined_weights, split_piece, summary_of

__all__ = [
    "LoadedTexts",
    "TextParts",
    "added",
    "chosen",
    "count_part",
    "load_texts",
    "rows_of",
    "sum_up_texts",
]


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
    """Summarize the labels and the weights of a part."""
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


# From texts in pieces to rows in parts, the same as one machine would have made.
#
# Each part counts its terms. The counts of two parts are added where one of them is, and those of
# two such sums, until there is one: the driver sees the features that stayed, and nothing else.
# Then each part makes its own rows.


class TextParts(LoadedParts):
    """Futures of texts and labels, and a summary of each."""

    load = staticmethod(load_texts)
    summarise = staticmethod(sum_up_texts)
    n_dims = 1

    def __init__(
        self, client: Client, data: Any, n_parts: int | None, patience: Patience | None
    ) -> None:
        refuse_files(data)
        super().__init__(ActorPool(client, patience), data, None, n_parts)
        self.width()  # has a word for data without samples
        classes_of(self.labels)
        self.n_texts = sum(summary.n_present for summary in self.summaries)

    def rows(self, options: TextOptions) -> tuple[TextFeatures, list[Future]]:
        """Return the features, and the parts as rows of a matrix."""
        if not options.learns:
            features = TextFeatures(options, None)
            return features, self.on_each("rows", rows_of, features, chosen=self.present)
        total = self._total(self.on_each("count", count_part, options, chosen=self.present))
        learned = self.client.submit(chosen, total, options, key=self._key("features", 0))
        [features] = self.pool.wait([learned])
        return features, self.on_each("rows", rows_of, learned, chosen=self.present)

    def _total(self, counts: list[Future]) -> Future:
        """Add up the counts of all parts, two by two."""
        n_sums = 0
        while len(counts) > 1:
            first, second, *rest = counts
            key = self._key("added", n_sums)
            counts = [*rest, self.client.submit(added, first, second, key=key)]
            n_sums += 1
        return counts[0]


def refuse_files(data: Any) -> None:
    """Say how files are given; a list of paths would be taken for svmlight files."""
    if isinstance(data, list) and any(isinstance(part, str | os.PathLike) for part in data):
        raise TypeError(
            "files are given by tauboost.dask.text_files(paths, text=..., label=...), which names "
            "the columns that hold texts and labels"
        )
