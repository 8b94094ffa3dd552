"""The rows of texts as arrays: pieces put together, columns left out, counts made to values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.messages import shown
from ..validation.texts import take_texts
from .options import TextOptions
from .vocabulary import Terms

__all__ = [
    "Counts",
    "document_frequencies",
    "idf_of",
    "joined",
    "kind_of",
    "numbers_of",
    "python_counts",
    "renumbered",
    "weighed",
]


# The three arrays of CSR: pointers, columns, and values; None: all are 1.
Counts = tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]


def kind_of(options: TextOptions) -> str:
    """Return what values a matrix for a fit has: ones, which need no memory, or real numbers."""
    if not options.binary or options.norm is not None:
        return "values"
    return "ones"  # each times the weight of its column: the logarithm of 1 counts as 1


def joined(parts: Sequence[Counts]) -> Counts:
    """Put the rows of blocks one below the other."""
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(len(part[1]) for part in parts[:-1])])
    indptr = [part[0][1:] + start for part, start in zip(parts, starts, strict=True)]
    values = [part[2] for part in parts if part[2] is not None]
    return (
        np.concatenate([np.zeros(1, dtype=np.int64), *indptr]),
        np.concatenate([part[1] for part in parts]),
        np.concatenate(values) if values else None,
    )


def document_frequencies(counts: Counts, n_features: int) -> NDArray[np.int64]:
    """Return how many texts have each feature."""
    return np.bincount(counts[1], minlength=n_features)


def idf_of(n_texts_with: NDArray[np.int64], n_texts: int, smooth: bool) -> Vector:
    """Return the weight of each feature: the fewer texts have it, the more."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log((n_texts + smooth) / (n_texts_with + float(smooth))) + 1.0)


def numbers_of(kept: NDArray[Any], n_features: int) -> NDArray[np.int32]:
    """Return new numbers 0, 1, ... for the features that stay, by ascending number; else -1."""
    numbers = np.full(n_features, -1, dtype=np.int32)
    numbers[kept] = np.arange(len(kept), dtype=np.int32)
    return numbers


def renumbered(counts: Counts, kept: NDArray[np.int32], n_features: int) -> Counts:
    """Leave all features out but some, which get the numbers 0, 1, ..."""
    indptr, indices, values = counts
    if n_features <= 8 * (len(kept) + len(indices)):
        found = numbers_of(kept, n_features)[indices]
        stays = found >= 0
    else:  # a table of all would be larger than what is looked up
        found = np.searchsorted(kept, indices).astype(np.int32)
        stays = np.append(kept, -1)[found] == indices
    ends = np.append(0, np.cumsum(stays))[indptr]
    return ends, found[stays], None if values is None else values[stays]


def weighed(
    counts: Counts, options: TextOptions, idf: Vector | None, kind: str = "values"
) -> Counts:
    """Make counts to values, as the compiled code does; other kinds stay as they are."""
    indptr, indices, given = counts
    if kind != "values":
        return indptr, indices, None if kind == "ones" else given
    values = np.ones(len(indices)) if given is None else given.astype(np.float64)
    if options.sublinear_tf:
        values = np.log(values) + 1.0
    if idf is not None:
        values *= idf[indices]
    if options.norm is not None:
        sizes = np.abs(values) if options.norm == "l1" else values**2
        rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        sums = np.bincount(rows, weights=sizes, minlength=len(indptr) - 1)
        lengths = sums if options.norm == "l1" else np.sqrt(sums)
        values /= np.where(lengths == 0.0, 1.0, lengths)[rows]
    return indptr, indices, values


# Patterns and functions that only Python can follow: counted by scikit-learn's own code.


SPACES = re.compile(r"\s\s+")


def python_counts(texts: Any, options: TextOptions, terms: Terms | None) -> tuple[Counts, Terms]:
    """Count the terms of texts; without terms, those that are found and stay."""
    from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer  # noqa: PLC0415

    shared: dict[str, Any] = {
        name: getattr(options, name)
        for name in ("lowercase", "ngram_range", "analyzer", "token_pattern", "binary")
    }
    shared["stop_words"] = list(options.stop_words) or None
    if callable(options.analyzer):
        shared["analyzer"] = partial(strings_of, options.analyzer)
    elif options.analyzer == "char":
        # As scikit-learn's own, which makes a list of all n-grams of a text before it counts any.
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
    """Yield all character n-grams of a text; two spaces or more are one."""
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
