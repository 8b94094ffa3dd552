"""Patterns and functions that only Python can follow: counted by scikit-learn's own code."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..validation.texts import take_texts
from .terms import Terms
from .text_arrays import Counts
from .text_options import TextOptions

__all__ = ["python_counts"]


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
    strings = take_texts(texts)
    if options.n_features is not None:
        hasher = HashingVectorizer(
            **shared,
            n_features=options.n_features,
            alternate_sign=options.alternate_sign,
            norm=None,
        )
        found = hasher.transform(strings)
        return (found.indptr.astype(np.int64), found.indices, found.data), Terms.of([])
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
