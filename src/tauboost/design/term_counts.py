"""How many texts have each term: counted part by part, added up, and only then pruned.

What a corpus in parts has in common. Added up, the counts of the parts are those of the whole, to
the last one, and so are the terms that stay and their weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .terms import Terms
from .text_arrays import document_frequencies
from .text_fallback import python_counts
from .text_options import TextOptions
from .texts import TextFeatures, found_terms, hash_counts, pruned, read_corpus

__all__ = ["TermCounts", "count_terms"]


@dataclass(frozen=True, eq=False)
class TermCounts:
    """The terms of some texts, in order, or all hashes, and how often they occur."""

    terms: Terms | None  # None: hashed
    with_term: NDArray[np.int64]  # texts that have each
    totals: NDArray[np.int64] | None  # times that each occurs; None: nobody asks
    n_texts: int

    def plus(self, other: TermCounts) -> TermCounts:
        """Add the counts of other texts."""
        n_texts = self.n_texts + other.n_texts
        if self.terms is None or other.terms is None:
            return TermCounts(None, self.with_term + other.with_term, None, n_texts)
        terms, *places = self.terms.merged(other.terms)
        with_term = _added(len(terms), places, [self.with_term, other.with_term])
        totals = None
        if self.totals is not None and other.totals is not None:
            totals = _added(len(terms), places, [self.totals, other.totals])
        return TermCounts(terms, with_term, totals, n_texts)

    def features(self, options: TextOptions) -> TextFeatures:
        """Leave out what is rare, or frequent, among all texts, and weigh the rest."""
        return pruned(TextFeatures(options, self.terms), self.with_term, self.totals, self.n_texts)


def _added(
    n: int, places: Sequence[NDArray[np.int64]], counts: Sequence[NDArray[np.int64]]
) -> NDArray[np.int64]:
    sums = np.zeros(n, dtype=np.int64)
    for at, numbers in zip(places, counts, strict=True):
        sums[at] += numbers
    return sums


def count_terms(texts: list[str], options: TextOptions, n_threads: int = 1) -> TermCounts:
    """Count the terms of some of the texts; nothing is left out yet."""
    if options.n_features is not None:
        counts = hash_counts(texts, options, "ones", n_threads)
        return TermCounts(None, document_frequencies(counts, options.n_features), None, len(texts))
    everything = replace(options, min_df=1, max_df=1.0, max_features=None)
    has_totals = options.max_features is not None
    if not options.is_plain:
        return _python_terms(texts, everything, has_totals)
    corpus = read_corpus(texts, everything, n_threads)
    found = found_terms(corpus, everything, (1, max(len(texts), 1)), n_threads)
    totals = found.totals if has_totals else None
    return TermCounts(Terms(*found.names(None, n_threads)), found.n_texts, totals, len(texts))


def _python_terms(texts: list[str], options: TextOptions, has_totals: bool) -> TermCounts:
    try:
        counts, terms = python_counts(texts, options, None)
    except ValueError as error:
        if "empty vocabulary" not in str(error):  # what scikit-learn says
            raise
        none = np.empty(0, dtype=np.int64)
        return TermCounts(Terms.of([]), none, none if has_totals else None, len(texts))
    with_term, totals = document_frequencies(counts, len(terms)), None
    if has_totals:
        totals = np.bincount(counts[1], counts[2], len(terms)).astype(np.int64)
    return TermCounts(terms, with_term, totals, len(texts))
