"""Patterns and functions that only Python can follow: counted by scikit-learn's own code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ..base.messages import shown
from ..validation.texts import take_texts
from .terms import Terms
from .text_arrays import Counts
from .text_options import TextOptions

__all__ = ["python_counts"]

SPACES = re.compile(r"\s\s+")


def python_counts(texts: Any, options: TextOptions, terms: Terms | None) -> tuple[Counts, Terms]:
    """Count the terms of texts; without terms, those that are found and stay."""
    from sklearn.feature_extraction.text import (  # noqa: PLC0415
        CountVectorizer,
        HashingVectorizer,
    )

    shared: dict[str, Any] = {
        name: getattr(options, name)
        for name in ("lowercase", "ngram_range", "analyzer", "token_pattern", "binary")
    }
    shared["stop_words"] = list(options.stop_words) or None
    if callable(options.analyzer):
        shared["analyzer"] = partial(strings_of, options.analyzer)
    elif options.analyzer == "char":
        # As scikit-learn's own, which makes a list of all runs of a text before it counts any.
        shared |= {"analyzer": partial(character_runs, options), "ngram_range": (1, 1)}
        shared |= {"stop_words": None, "lowercase": True}
    strings = take_texts(texts)
    if options.n_features is not None:
        hasher = HashingVectorizer(
            **shared,
            n_features=options.n_features,
            alternate_sign=options.alternate_sign,
            norm=None,
        )
        return hashed(strings, hasher), Terms.of([])
    if terms is not None:
        counter = CountVectorizer(**shared, vocabulary=terms.names.tolist())
        found = counter.transform(strings)
    else:
        counter = CountVectorizer(
            **shared,
            min_df=options.min_df,
            max_df=options.max_df,
            max_features=options.max_features,
        )
        found = counter.fit_transform(strings)
        terms = Terms.of(counter.get_feature_names_out())
    found.sort_indices()
    return (found.indptr.astype(np.int64), found.indices, found.data), terms


def hashed(strings: list[str], hasher: Any) -> Counts:
    """Return the rows of texts by hashes of what was found in them."""
    if not strings:
        return np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32), np.empty(0)
    try:
        found = hasher.transform(strings)
    except UnicodeEncodeError:
        halves = (k for k, text in enumerate(strings) if re.search("[\ud800-\udfff]", text))
        raise ValueError(
            f"the text of row {next(halves, 0)} holds half of a pair of UTF-16, which has no hash: "
            "leave it out, as with text.encode('utf-8', 'ignore').decode()"
        ) from None
    return found.indptr.astype(np.int64), found.indices, found.data


def character_runs(options: TextOptions, text: str) -> Iterator[str]:
    """Yield all runs of characters of a text; two spaces or more are one."""
    text = SPACES.sub(" ", text.lower() if options.lowercase else text)
    least, most = options.ngram_range
    for length in range(least, min(most, len(text)) + 1):
        for first in range(len(text) - length + 1):
            yield text[first : first + length]


def strings_of(analyzer: Callable[[str], Any], text: str) -> list[str]:
    """Return what a function finds in a text, each of them a string."""
    found = list(analyzer(text))
    for term in found:
        if not isinstance(term, str):
            raise TypeError(f"analyzer must return strings, got {shown(term)} among them")
    return found
