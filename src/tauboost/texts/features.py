"""The words of texts as weak hypotheses: found in the texts of a fit, counted there and later."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Vector, cached_property
from ..base.messages import warn_of
from ..validation import CsrArrays
from ..validation.texts import refuse_other_than_strings, text_blocks
from .counting import (
    Counts,
    document_frequencies,
    idf_of,
    joined,
    kind_of,
    numbers_of,
    python_counts,
    renumbered,
    weighed,
)
from .options import TextOptions, shortest_word
from .vocabulary import Terms, characters_of

__all__ = [
    "NOTHING_FOUND",
    "NOTHING_LEFT",
    "TermCounts",
    "TextFeatures",
    "count_terms",
    "learn",
    "learn_counts",
    "of_words",
    "staying",
    "text_bounds",
    "warn_of_few_words",
]


# Which features of texts stay: those that neither too few nor too many texts have.


NOTHING_FOUND = (
    "the texts have no words that could be features: they are empty, or hold stop words only; "
    "check the texts, stop_words and token_pattern, or set analyzer='char_wb'"
)
NOTHING_LEFT = "no words are left: take a lower min_df or a higher max_df, or analyzer='char_wb'"


def text_bounds(options: TextOptions, n_texts: int) -> tuple[int, int]:
    """Return how many texts must, and may, have a feature."""
    if n_texts == 0:
        raise ValueError("there are no texts to find words in")
    least, most = (
        share if isinstance(share, Integral) else share * n_texts
        for share in (options.min_df, options.max_df)
    )
    if least > n_texts:
        raise ValueError(
            f"min_df wants features in at least {least:g} texts, and there are {n_texts}: lower it"
        )
    if most < least:
        raise ValueError(
            f"max_df allows features in at most {most:g} texts, and min_df wants at least {least:g}"
        )
    return max(ceil(least), 1), floor(most)


def staying(
    options: TextOptions,
    with_term: NDArray[np.int64],
    totals: NDArray[np.int64] | None,
    n_texts: int,
) -> NDArray[np.bool_]:
    """Return True for features that stay; ``totals`` are their counts, for ``max_features``."""
    least, most = text_bounds(options, n_texts)
    stays = (with_term >= least) & (with_term <= most)
    if not stays.any():
        is_empty = len(with_term) > 0 and not with_term.any()
        is_open = least <= 1 and most >= n_texts
        raise ValueError(NOTHING_FOUND if is_empty or is_open else NOTHING_LEFT)
    if options.max_features is None or totals is None:
        return stays
    return most_frequent(totals, stays, options.max_features)


def most_frequent(
    totals: NDArray[np.int64], stays: NDArray[np.bool_], limit: int
) -> NDArray[np.bool_]:
    """Return True for the most frequent of the features that stay; ties as in scikit-learn."""
    candidates = np.flatnonzero(stays)
    chosen = np.zeros(len(stays), dtype=bool)
    chosen[candidates[(-totals[candidates]).argsort()[:limit]]] = True
    return chosen


NORMS = {None: 0, "l1": 1, "l2": 2}


@dataclass(frozen=True, eq=False)
class TextFeatures:
    """What is counted in texts: options, and the terms that stayed, or their hashes."""

    options: TextOptions
    terms: Terms | None  # None: hashed
    idf: Vector | None = None  # None: every term weighs the same
    kept: NDArray[np.int32] | None = None  # of hashed features, those that stayed; None: all

    @property
    def n_features(self) -> int:
        """Number of columns of the matrix."""
        if self.terms is not None:
            return len(self.terms)
        return self._n_hashes if self.kept is None else len(self.kept)

    def rows(self, texts: Any, n_threads: int = 1) -> CsrArrays:
        """Count the terms in texts, and weigh them."""
        kind = kind_of(self.options)
        return self._checked(self.counts(texts, kind, n_threads), kind)

    def counts(self, texts: Any, kind: str, n_threads: int = 1) -> Counts:
        """Return the arrays of the matrix; kind: "ones", "counts" (integers) or "values"."""
        if not self.options.is_plain:
            return self._finished(python_counts(texts, self.options, self.terms)[0], kind)
        if self.kept is None:
            return self._joined(texts, self._values(kind), n_threads)
        plain = _core.Values(
            _core.Kind.ones if kind == "ones" else _core.Kind.counts, False, None, 0
        )
        return self._finished(self._joined(texts, plain, n_threads), kind)

    def select(self, columns: NDArray[np.intp]) -> TextFeatures:
        """Keep some of the features, by ascending number."""
        idf = None if self.idf is None else self.idf[columns]
        if self.terms is not None:
            return replace(self, terms=self.terms.select(columns), idf=idf)
        kept = columns.astype(np.int32) if self.kept is None else self.kept[columns]
        return replace(self, kept=kept, idf=idf)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_index"}

    @property
    def _n_hashes(self) -> int:
        assert self.options.n_features is not None
        return self.options.n_features

    def _checked(self, arrays: Counts, kind: str) -> CsrArrays:
        """Return the matrix for a fit; ones are as heavy as their columns."""
        shape = (len(arrays[0]) - 1, self.n_features)
        return CsrArrays(*arrays, shape, scale=self.idf if kind == "ones" else None)

    def _joined(self, texts: Any, values: Any, n_threads: int) -> Counts:
        return joined(
            [
                self._found(held, n_threads).rows(None, values, n_threads)
                for held in held_texts(texts, self.options)
            ]
        )

    def _finished(self, counts: Counts, kind: str) -> Counts:
        """Leave out what did not stay, and weigh the rest."""
        if self.kept is not None:
            counts = renumbered(counts, self.kept, self._n_hashes)
        return weighed(counts, self.options, self.idf, kind)

    def _values(self, kind: str) -> Any:
        options = self.options
        return _core.Values(_core.Kind[kind], options.sublinear_tf, self.idf, NORMS[options.norm])

    def _found(self, held: Any, n_threads: int) -> Any:
        """Return the rows of texts as they are found, all columns and no weights."""
        options, known = self.options, characters_of(held.widest)
        if self.terms is not None:
            return self._index.rows(
                held, known, splitting(options), *run_lengths(options), options.binary, n_threads
            )
        hashing = _core.Hashing(
            self._n_hashes, options.alternate_sign, options.binary, *run_lengths(options)
        )
        return _core.hashed_rows(
            held, known, splitting(options), left_out(options), hashing, n_threads
        )

    @cached_property
    def _index(self) -> Any:
        assert self.terms is not None
        return _core.TextIndex(
            self.terms.text,
            self.terms.offsets,
            left_out(self.options),
            self.options.analyzer == "word",
        )


def learn(texts: Any, options: TextOptions, n_threads: int = 1) -> tuple[TextFeatures, CsrArrays]:
    """Find the terms of texts; return them, and the rows of these texts."""
    kind = kind_of(options)
    features, arrays = learn_counts(texts, options, kind, n_threads)
    return features, features._checked(arrays, kind)


def learn_counts(
    texts: Any, options: TextOptions, kind: str, n_threads: int = 1
) -> tuple[TextFeatures, Counts]:
    """Find the terms of texts; return them, and the arrays of the matrix."""
    if options.n_features is not None:
        return _learn_hashes(texts, options, kind, n_threads)
    if not options.is_plain:
        counts, terms = python_counts(texts, options, None)
        features = TextFeatures(options, terms)
        with_term = document_frequencies(counts, len(terms))
        features = _with_idf(features, with_term, len(counts[0]) - 1)
        return features, weighed(counts, options, features.idf, kind)
    return _learn_terms(texts, options, kind, n_threads)


def _learn_terms(
    texts: Any, options: TextOptions, kind: str, n_threads: int
) -> tuple[TextFeatures, Counts]:
    corpus = read_corpus(texts, options, n_threads)
    n_texts = corpus.n_texts
    found = found_terms(corpus, options, text_bounds(options, n_texts), n_threads)
    is_open = not options.prunes and options.max_features is None
    # Counts that nobody asks for take time: ones keep every term.
    is_counted = options.use_idf or not is_open
    with_term = found.n_texts if is_counted else np.ones(len(found), dtype=np.int64)
    totals = None if options.max_features is None else found.totals
    stays = staying(options, with_term, totals, n_texts)
    numbers = None if stays.all() else numbers_of(np.flatnonzero(stays), len(stays))
    features = TextFeatures(options, Terms(*found.names(numbers, n_threads)))
    features = _with_idf(features, with_term[stays], n_texts)
    return features, found.rows(numbers, features._values(kind), n_threads)


def read_corpus(texts: Any, options: TextOptions, n_threads: int) -> Any:
    """Read all words of texts."""
    has_runs = run_lengths(options)[1] > 1
    corpus = _core.TextCorpus(splitting(options), left_out(options), has_runs)
    for held in held_texts(texts, options):
        corpus.read(held, characters_of(held.widest), n_threads)
    return corpus


def found_terms(corpus: Any, options: TextOptions, bounds: tuple[int, int], n_threads: int) -> Any:
    """Return the terms of a corpus, which is used up; of n-grams, those within bounds."""
    least, most = run_lengths(options)
    if most > 1:
        return corpus.columns(least, most, *bounds, options.binary, n_threads)
    return corpus.rows(options.binary, n_threads)


def _learn_hashes(
    texts: Any, options: TextOptions, kind: str, n_threads: int
) -> tuple[TextFeatures, Counts]:
    """Count by hash which are rare, or frequent: terms that share a hash count together."""
    if not options.learns:
        features = TextFeatures(options, None)
        return features, features.counts(texts, kind, n_threads)
    counts = hash_counts(texts, options, "ones" if kind == "ones" else "counts", n_threads)
    with_term = document_frequencies(counts, options.n_features or 0)
    features = pruned(TextFeatures(options, None), with_term, None, len(counts[0]) - 1)
    return features, features._finished(counts, kind)


def hash_counts(texts: Any, options: TextOptions, kind: str, n_threads: int) -> Counts:
    """Return what hashes count before anything is left out or weighed."""
    plain = replace(options, use_idf=False, sublinear_tf=False, norm=None)
    return TextFeatures(plain, None).counts(texts, kind, n_threads)


def pruned(
    features: TextFeatures,
    with_term: NDArray[np.int64],
    totals: NDArray[np.int64] | None,
    n_texts: int,
) -> TextFeatures:
    """Leave out what too few or too many of the texts have, and weigh the rest."""
    if features.terms is not None or features.options.prunes:
        stays = staying(features.options, with_term, totals, n_texts)
        features, with_term = features.select(np.flatnonzero(stays)), with_term[stays]
    return _with_idf(features, with_term, n_texts)


def _with_idf(features: TextFeatures, with_term: NDArray[np.int64], n_texts: int) -> TextFeatures:
    if not features.options.use_idf:
        return features
    return replace(features, idf=idf_of(with_term, n_texts, features.options.smooth_idf))


def held_texts(texts: Any, options: TextOptions) -> Iterator[Any]:
    """Yield texts held in place, to be read by the compiled code."""
    row = 0
    for block in text_blocks(texts):
        held = _core.HeldTexts(block)
        refuse_other_than_strings(block, row, len(held))
        if options.lowercase:
            held.lower()
        yield held
        row += len(block)


def splitting(options: TextOptions) -> Any:
    """Return how the compiled code finds words, or character n-grams."""
    is_word = options.analyzer == "word"
    shortest = (shortest_word(options.token_pattern) if is_word else None) or 1
    least, most = (0, 0) if is_word else options.ngram_range
    return _core.Splitting(bool(options.lowercase), shortest, least, most)


def left_out(options: TextOptions) -> list[str]:
    """Return the stop words that can be met: no others than words are left out, and no runs."""
    if options.analyzer != "word":
        return []
    return [word for word in options.stop_words if re.fullmatch(r"\w+", word)]


def run_lengths(options: TextOptions) -> tuple[int, int]:
    """Return how many words a feature has; a run of characters is found as one word."""
    return options.ngram_range if options.analyzer == "word" else (1, 1)


# How many texts have each term: counted part by part, added up, and only then pruned.
#
# What a corpus in parts has in common. Added up, the counts of the parts are those of the whole,
# to the last one, and so are the terms that stay and their weights.


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


# Whether the words that count are hardly any of the texts: what to say then, in one sentence.
#
# The rule: they hold less than a sixth of the characters, spaces left out. In film reviews they
# hold nine tenths, in short messages eight, as all but the rare words of a language do. Of texts
# without spaces between words a whole sentence is a word, which no other text has; signs and
# single letters are none.


LEAST_SHARE = 1 / 6
FEWEST = 50  # texts: fewer show nothing
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
    # Of n-grams of words the first one counts: every word begins one.
    names = found.terms.names
    lengths = [len(name.split(" ")[0]) if known.find(name) >= 0 else 0 for name in names]
    times = np.bincount(rows.indices, minlength=len(names))
    return float(np.dot(lengths, times) / sizes.sum())


def warn_of_few_words(features: TextFeatures, texts: Any, n_threads: int) -> str:
    """Warn of texts that hardly have a word that counts, and return what was said."""
    said = of_words(features, texts, n_threads)
    warn_of(said)
    return said
