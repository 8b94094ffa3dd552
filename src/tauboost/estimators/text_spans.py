"""Where in a text its terms are: runs of words, or of characters, and the places they stand at.

This is the counting again, in Python and for one text at a time: counting knows no places.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from ..design.text_options import TextOptions
from ..design.texts import TextFeatures

__all__ = ["Span", "find_features", "find_terms"]

Span = tuple[int, int]  # the first character, and the one behind the last

WORD = re.compile(r"\S+")
LETTER = re.compile(r"\s\s+|.", re.DOTALL)


def find_features(
    text: str, features: TextFeatures, counted: Iterable[int] | None = None
) -> tuple[str, dict[int, tuple[str, list[Span]]]]:
    """Return the text that places count in, and the name and the places of each feature in it.

    The text is the given one; where lower case is longer than upper case, it is in lower case. The
    name of a hash is every term of this text that leads to it. ``counted`` are the features
    that the text has, where they are known: then no vocabulary is searched.
    """
    is_lower = features.options.lowercase and not callable(features.options.analyzer)
    lowered = text.lower() if is_lower else text
    found: dict[int, tuple[str, list[Span]]] = {}
    if counted is None or features.terms is None:
        terms = find_terms(lowered, features.options)
        columns = columns_of(list(terms), features)
    else:
        known = {features.terms[column]: int(column) for column in counted}
        terms = find_terms(lowered, features.options, known)
        columns = [known[term] for term in terms]
    for (term, spans), column in zip(terms.items(), columns, strict=True):
        if column < 0:
            continue
        if column in found:
            name, others = found[column]
            found[column] = (f"{name} or {term}", sorted(others + spans))
        else:
            found[column] = (term, spans)
    return (text if len(lowered) == len(text) else lowered), found


def columns_of(terms: list[str], features: TextFeatures) -> list[int]:
    """Return the number of each term's feature; -1 where it is none."""
    if features.terms is not None:
        return [features.terms.find(term) for term in terms]
    from sklearn.utils import murmurhash3_32  # noqa: PLC0415

    assert features.options.n_features is not None
    hashes = [
        abs(murmurhash3_32(term.encode(errors="surrogatepass"))) % features.options.n_features
        for term in terms
    ]
    return hashes if features.kept is None else _places_in(features.kept, hashes)


def _places_in(kept: NDArray[np.int32], hashes: list[int]) -> list[int]:
    places = np.minimum(np.searchsorted(kept, hashes), len(kept) - 1)
    return [int(k) for k in np.where(kept[places] == hashes, places, -1)]


def find_terms(
    text: str, options: TextOptions, wanted: Container[str] | None = None
) -> dict[str, list[Span]]:
    """Return the places of each run of words, or characters, in a text in its final case.

    Of runs that are not ``wanted`` (None: all are) nothing is kept: a text has very many.
    """
    found: dict[str, list[Span]] = {}
    for term, span in RUNS.get(options.analyzer, _given_terms)(text, options):
        if wanted is not None and term not in wanted:
            continue
        spans = found.setdefault(term, [])
        if span[0] < span[1]:  # of a space at a word's edge there is nothing to mark
            spans.append(span)
    return found


def _word_runs(text: str, options: TextOptions) -> Iterator[tuple[str, Span]]:
    pattern = re.compile(options.token_pattern)
    group = pattern.groups  # what is caught is the word, if anything is
    left_out = set(options.stop_words)
    words = [(m.group(group) or "", m.span(group)) for m in pattern.finditer(text)]
    words = [(word, span) for word, span in words if word not in left_out]
    least, most = options.ngram_range
    for first, (_, (begin, _)) in enumerate(words):
        for last in range(first + least, min(first + most, len(words)) + 1):
            run = words[first:last]
            yield " ".join(word for word, _ in run), (begin, run[-1][1][1])


def _runs_in_words(text: str, options: TextOptions) -> Iterator[tuple[str, Span]]:
    """Find runs within words that have a space on either side; a short word is one run, once."""
    least, most = options.ngram_range
    for match in WORD.finditer(text):
        begin, end = match.span()
        padded = f" {match.group()} "
        for length in range(least, min(most, max(least, len(padded))) + 1):
            for at in range(max(len(padded) - length, 0) + 1):
                # The space before the word is at begin - 1, and is not marked.
                span = (max(begin + at - 1, begin), min(begin + at - 1 + length, end))
                yield padded[at : at + length], span


def _character_runs(text: str, options: TextOptions) -> Iterator[tuple[str, Span]]:
    """Find runs of characters; two spaces or more are one."""
    parts = [(m.group() if len(m.group()) == 1 else " ", m.span()) for m in LETTER.finditer(text)]
    for length in range(options.ngram_range[0], min(options.ngram_range[1], len(parts)) + 1):
        for first in range(len(parts) - length + 1):
            run = parts[first : first + length]
            yield "".join(letter for letter, _ in run), (run[0][1][0], run[-1][1][1])


def _given_terms(text: str, options: TextOptions) -> Iterator[tuple[str, Span]]:
    """Ask the function that says what the terms are; where they are it does not say."""
    return ((term, (0, 0)) for term in options.analyzer(text))


RUNS = {"word": _word_runs, "char_wb": _runs_in_words, "char": _character_runs}
