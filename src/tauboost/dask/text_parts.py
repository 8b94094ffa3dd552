"""From texts in pieces to rows in parts, the same as one machine would have made.

Each part counts its terms. The counts of two parts are added where one of them is, and those of two
such sums, until there is one: the driver sees the features that stayed, and nothing else. Then each
part makes its own rows.
"""

from __future__ import annotations

import os
from typing import Any

from distributed import Client, Future

from ..design.text_options import TextOptions
from ..design.texts import TextFeatures
from .crew import Crew, Patience
from .labelled import classes_of
from .parts import LoadedParts
from .text_part import added, chosen, count_part, load_texts, rows_of, sum_up_texts

__all__ = ["TextParts"]


class TextParts(LoadedParts):
    """Futures of texts and labels, and a summary of each."""

    load = staticmethod(load_texts)
    summarise = staticmethod(sum_up_texts)
    n_dims = 1

    def __init__(
        self, client: Client, data: Any, n_parts: int | None, patience: Patience | None
    ) -> None:
        refuse_files(data)
        super().__init__(Crew(client, patience), data, None, n_parts)
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
        [features] = self.crew.wait([learned])
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
