"""Whether the words that count are hardly any of the texts: what to say then, in one sentence.

The rule: they hold less than a sixth of the characters, spaces left out. In film reviews they hold
nine tenths, in short messages eight, as all but the rare words of a language do. Of texts without
spaces between words a whole sentence is a word, which no other text has; signs and single letters
are none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..base.fit_warning import warn_of
from .texts import TextFeatures, learn

__all__ = ["of_words", "warn_of_few_words"]

LEAST_SHARE = 1 / 6
FEWEST = 50  # texts: of fewer nobody can tell
SAMPLED, BEGINNING = 100, 200  # texts that are looked at, and characters of each


def of_words(features: TextFeatures, texts: Any, n_threads: int) -> str:
    """Judge the terms of texts, where these are words; empty: nothing to say.

    ``texts`` are a sequence of them; those of an iterator are gone.
    """
    options = features.options
    texts = () if isinstance(texts, Iterator) else np.asarray(texts, dtype=object)
    is_chosen = options.analyzer != "word" or options.max_features is not None
    if is_chosen or len(texts) < FEWEST:
        return ""
    some = [texts[k][:BEGINNING] for k in range(0, len(texts), max(len(texts) // SAMPLED, 1))]
    share = _share_in_words(features, some, n_threads)
    if share >= LEAST_SHARE:
        return ""
    return (
        f"the words that count hold only {share:.0%} of the characters of the texts: where these "
        "have no spaces between words, or are signs or single letters, set analyzer='char_wb' and "
        "ngram_range=(1, 3); where words are rare, a smaller min_df"
    )


def _share_in_words(features: TextFeatures, texts: Sequence[str], n_threads: int) -> float:
    """Return the share of the characters that are in words of the model, each once a text."""
    sizes = np.array([len("".join(text.split())) for text in texts])
    if sizes.sum() == 0:
        return 1.0
    if features.terms is None:  # hashes: no more is known than whether there are any
        indptr = features.rows(texts, n_threads).indptr
        return float(sizes[np.diff(indptr) > 0].sum() / sizes.sum())
    known, least = features.terms, features.options.ngram_range[0]
    options = replace(features.options, ngram_range=(least, least), min_df=1, max_df=1.0)
    try:
        found, rows = learn(texts, options, n_threads)
    except ValueError:  # none at all
        return 0.0
    assert found.terms is not None
    # Of runs of words the first one counts: every word begins one.
    names = found.terms.names
    lengths = [len(name.split(" ")[0]) if known.find(name) >= 0 else 0 for name in names]
    times = np.bincount(rows.indices, minlength=len(names))
    return float(np.dot(lengths, times) / sizes.sum())


def warn_of_few_words(features: TextFeatures, texts: Any, n_threads: int) -> str:
    """Warn of texts that hardly have a word that counts, and return what was said."""
    said = of_words(features, texts, n_threads)
    warn_of(said)
    return said
