"""TextVectorizer: scikit-learn's vectorizers of texts, compiled and in parallel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..base.arrays import Vector
from ..base.messages import shown
from ..base.threads import resolve_jobs
from ..texts.counting import Counts, document_frequencies, idf_of
from ..texts.features import TextFeatures, learn_counts, warn_of_few_words
from ..texts.options import DEFAULT_PATTERN, TextOptions, check_stop_words
from ..texts.vocabulary import Terms
from ..validation.texts import take_texts
from .base import csr

__all__ = ["TextVectorizer"]


class TextVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Texts to a sparse matrix of counts, tf-idf weights or hashed features.

    Does what scikit-learn's CountVectorizer does; with ``use_idf`` what TfidfVectorizer, with
    ``n_features`` what HashingVectorizer does. The parameters have their names and meaning, and
    the matrices are equal. The result does not depend on the number of threads.

    Parameters
    ----------
    lowercase : bool
        Turn all characters to lower case first.
    ngram_range : (int, int)
        Fewest and most words, or characters, in a feature.
    analyzer : {"word", "char_wb", "char"} or callable
        "char_wb": n-grams of characters within words, with a space at both ends. "char" and
        functions are left to scikit-learn's code.
    token_pattern : str
        What a word is. The default, at least two word characters, and ``\w+`` are compiled; any
        other regular expression is left to scikit-learn's code.
    stop_words : "english", list of str or None
        Words to leave out.
    min_df, max_df : int or float
        A feature is left out if fewer, or more, texts have it: an int is a number of texts, a float
        a part of them. With ``n_features``, features that share a hash count together.
    max_features : int or None
        Keep only the features that occur most often. Not with ``n_features``.
    vocabulary : mapping, iterable of str or None
        The features, if they are known; a mapping gives their columns.
    binary : bool
        Count every feature of a text once.
    use_idf, smooth_idf, sublinear_tf : bool
        Weights as those of TfidfVectorizer.
    norm : {"l1", "l2", None, "auto"}
        "auto" is what scikit-learn's class for the same task has by default: None for counts, "l2"
        with ``use_idf``, ``sublinear_tf`` or ``n_features``.
    n_features : int or None
        Number of columns to hash features to; nothing is learned then, and any amount of text fits.
    alternate_sign : bool
        Hashed features count as 1 or -1, so that those which share a column cancel on average.
    dtype : dtype or None
        Type of the values; None: int64 for counts, else float64.
    n_jobs : int or None
        Threads, in scikit-learn's meaning: -1 is every core.

    Attributes
    ----------
    vocabulary_ : dict of str to int
        Made when it is first asked for, as names are.
    idf_ : ndarray of shape (n_features,)
        With ``use_idf``.

    Examples
    --------
    >>> import tauboost as tb
    >>> vectorizer = tb.TextVectorizer(ngram_range=(1, 2))
    >>> vectorizer.fit_transform(["a good film", "not a good film"]).toarray().tolist()
    [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]
    >>> vectorizer.get_feature_names_out().tolist()
    ['film', 'good', 'good film', 'not', 'not good']
    """

    if TYPE_CHECKING:
        features_: TextFeatures

    def __init__(
        self,
        *,
        lowercase: bool = True,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: Any = "word",
        token_pattern: str = DEFAULT_PATTERN,
        stop_words: Any = None,
        min_df: float = 1,
        max_df: float = 1.0,
        max_features: int | None = None,
        vocabulary: Mapping[str, int] | Iterable[str] | None = None,
        binary: bool = False,
        use_idf: bool = False,
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
        norm: str | None = "auto",
        n_features: int | None = None,
        alternate_sign: bool = True,
        dtype: DTypeLike | None = None,
        n_jobs: int | None = -1,
    ) -> None:
        self.lowercase = lowercase
        self.ngram_range = ngram_range
        self.analyzer = analyzer
        self.token_pattern = token_pattern
        self.stop_words = stop_words
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.binary = binary
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf
        self.norm = norm
        self.n_features = n_features
        self.alternate_sign = alternate_sign
        self.dtype = dtype
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = self.n_features is None
        tags.no_validation = True
        return tags

    def fit(self, texts: Any, y: Any = None) -> Self:
        """Find the features of texts; if this fails, the vectorizer stays as it was.

        Parameters
        ----------
        texts : list, array, Series or column of strings, or an iterator over them
        y : ignored
        """
        self._fit(texts, y)
        return self

    def fit_transform(self, texts: Any, y: Any = None) -> Any:
        """Find the features of texts, and return their matrix."""
        counts = self._fit(texts, y)
        return self._matrix(self.features_, counts)

    def transform(self, texts: Any) -> Any:
        """Return the matrix of texts: CSR, one row for each.

        A sparse array where scikit-learn's ``sparse_interface`` says so.
        """
        features = self._fitted()
        kind = self._kind(features.options)
        return self._matrix(features, features.counts(texts, kind, resolve_jobs(self.n_jobs)))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """Return the names of the features."""
        return self._terms("get_feature_names_out").names

    def inverse_transform(self, X: Any) -> list[NDArray[Any]]:
        """Return the features that each row has, without order."""
        names = self._terms("inverse_transform").names
        X = sp.csr_array(np.atleast_2d(X) if isinstance(X, np.ndarray | list) else X)
        if X.shape[1] != len(names):
            raise ValueError(f"X has {X.shape[1]} columns, and there are {len(names)} features")
        return [names[X.indices[a:b][X.data[a:b] != 0]] for a, b in pairwise(X.indptr)]

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The column of each feature."""
        return self._terms("vocabulary_").numbers

    @property
    def idf_(self) -> Vector:
        """The weight of each feature."""
        if "features_" not in vars(self) or self.features_.idf is None:
            raise AttributeError("idf_ is there after fit with use_idf=True")
        return self.features_.idf

    def _fit(self, texts: Any, y: Any) -> Counts:
        del y
        options, n_threads = self._options(), resolve_jobs(self.n_jobs)
        kind = self._kind(options)
        if self.vocabulary is None:
            self.features_, counts = learn_counts(texts, options, kind, n_threads)
            warn_of_few_words(self.features_, texts, n_threads)
        else:
            self.features_, counts = self._with_vocabulary(texts, options, kind, n_threads)
        return counts

    def _with_vocabulary(
        self, texts: Any, options: TextOptions, kind: str, n_threads: int
    ) -> tuple[TextFeatures, Counts]:
        features = self._known(options)
        if not options.use_idf:
            return features, features.counts(texts, kind, n_threads)
        texts = take_texts(texts)
        counts = features.counts(texts, "ones", n_threads)
        with_term = document_frequencies(counts, features.n_features)
        idf = idf_of(with_term, len(texts), options.smooth_idf)
        features = TextFeatures(options, features.terms, idf)
        return features, features.counts(texts, kind, n_threads)

    def _known(self, options: TextOptions) -> TextFeatures:
        if options.n_features is not None:
            raise ValueError("vocabulary and n_features exclude each other: leave out one of them")
        return TextFeatures(options, terms_of(self.vocabulary))

    def _options(self) -> TextOptions:
        has_weights = self.use_idf or self.sublinear_tf or self.n_features is not None
        norm = ("l2" if has_weights else None) if self.norm == "auto" else self.norm
        return TextOptions.of(self, norm=norm, stop_words=check_stop_words(self.stop_words))

    def _kind(self, options: TextOptions) -> str:
        """Return what values are: counts or, where a type or an option says so, real numbers."""
        if self.dtype is None:
            has_weights = options.is_weighted or options.n_features is not None
            return "values" if has_weights else "counts"
        dtype = np.dtype(self.dtype)
        if dtype.kind not in "biuf" or dtype == np.float16:
            raise ValueError(f"dtype must be one of numbers in a sparse matrix, got {dtype}")
        if options.is_weighted and dtype.kind != "f":
            raise ValueError(f"dtype must be a float, as weights are no whole numbers, got {dtype}")
        return "values" if dtype.kind == "f" else "counts"

    def _fitted(self) -> TextFeatures:
        if "features_" not in vars(self):
            options = self._options()
            if self.vocabulary is not None and not options.use_idf:
                return self._known(options)
            if not options.learns:
                return TextFeatures(options, None)
        check_is_fitted(self, "features_")
        return self.features_

    def _terms(self, caller: str) -> Terms:
        terms = self._fitted().terms
        if terms is None:
            raise AttributeError(f"hashed features have no names: {caller} needs n_features=None")
        return terms

    def _matrix(self, features: TextFeatures, counts: Counts) -> Any:
        indptr, indices, values = counts
        if features.kept is not None:  # the matrix is as wide as was asked for
            indices = features.kept[indices]
        width = features.n_features if features.kept is None else features.options.n_features
        assert values is not None
        values = values.astype(values.dtype if self.dtype is None else self.dtype, copy=False)
        return csr((values, indices, indptr), shape=(len(indptr) - 1, width))


def terms_of(vocabulary: Any) -> Terms:
    """Return the terms of a vocabulary by column."""
    if isinstance(vocabulary, Mapping):
        if set(vocabulary.values()) != set(range(len(vocabulary))):
            raise ValueError("the columns in vocabulary must be 0, 1, ..., each of them once")
        terms = sorted(vocabulary, key=vocabulary.__getitem__)
    elif isinstance(vocabulary, str) or not isinstance(vocabulary, Iterable):
        raise TypeError(
            f"vocabulary must be a list of terms, or give their columns, got {shown(vocabulary)}"
        )
    else:
        terms = sorted(vocabulary) if isinstance(vocabulary, AbstractSet) else list(vocabulary)
    if not terms:
        raise ValueError("vocabulary is empty")
    if not all(isinstance(term, str) for term in terms):
        raise TypeError("vocabulary must hold strings")
    if len(set(terms)) != len(terms):
        raise ValueError("vocabulary has a term twice")
    return Terms.of(terms)
