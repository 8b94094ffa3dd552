"""The words of texts as weak hypotheses: found in the texts of a fit, counted there and elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..validation import CsrArrays
from .terms import Terms
from .text_options import TextOptions

__all__ = ["TextFeatures", "learn"]


@dataclass(frozen=True, eq=False)
class TextFeatures:
    """What is counted in texts: options, and the terms that stayed, or their hashes."""

    options: TextOptions
    terms: Terms | None  # None: hashed
    idf: Vector | None  # None: every term weighs the same
    kept: NDArray[np.int32] | None = None  # of hashed features, those that stayed; None: all

    @property
    def n_features(self) -> int:
        """Number of columns of the matrix."""
        if self.terms is not None:
            return len(self.terms)
        assert self.options.n_features is not None
        return self.options.n_features if self.kept is None else len(self.kept)

    def rows(self, texts: Iterable[str], n_threads: int = 1) -> CsrArrays:
        """Count the terms in texts, and weigh them."""
        return _stand_in(self, texts)

    def select(self, columns: NDArray[np.intp]) -> TextFeatures:
        """Keep some of the features, by ascending number."""
        if self.terms is None:
            kept = columns.astype(np.int32) if self.kept is None else self.kept[columns]
            return replace(self, kept=kept, idf=None if self.idf is None else self.idf[columns])
        idf = None if self.idf is None else self.idf[columns]
        return replace(self, terms=self.terms.select(columns), idf=idf)


def learn(
    texts: Iterable[str], options: TextOptions, n_threads: int = 1
) -> tuple[TextFeatures, CsrArrays]:
    """Find the terms of texts; return them, and the rows of these texts."""
    from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415

    texts = list(texts)
    found = CountVectorizer(
        ngram_range=options.ngram_range,
        min_df=options.min_df,
        max_df=options.max_df,
        max_features=options.max_features,
        binary=options.binary,
        token_pattern=options.token_pattern,
        analyzer=options.analyzer,
        lowercase=options.lowercase,
    )
    X = found.fit_transform(texts)
    n = X.shape[0]
    df = np.bincount(X.indices, minlength=X.shape[1])
    smooth = int(options.smooth_idf)
    idf = np.log((n + smooth) / (df + smooth)) + 1 if options.use_idf else None
    features = TextFeatures(options, Terms.of(found.get_feature_names_out()), idf)
    return features, features.rows(texts)


def _stand_in(features: TextFeatures, texts: Any) -> CsrArrays:
    from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415
    from sklearn.preprocessing import normalize  # noqa: PLC0415

    options = features.options
    assert features.terms is not None
    X = CountVectorizer(
        vocabulary=features.terms.names.tolist(),
        ngram_range=options.ngram_range,
        binary=options.binary,
        token_pattern=options.token_pattern,
        analyzer=options.analyzer,
        lowercase=options.lowercase,
        dtype=np.float64,
    ).transform(texts)
    if options.sublinear_tf:
        X.data = np.log(X.data) + 1
    if features.idf is not None:
        X.data *= features.idf[X.indices]
    if options.norm is not None:
        X = normalize(X, options.norm)
    data = None if options.binary and not options.is_weighted else X.data
    return CsrArrays(X.indptr, X.indices, data, X.shape)
