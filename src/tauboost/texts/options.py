"""How texts become features: options with scikit-learn's names and meaning, checked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from typing import Any, Self

from ..base.messages import shown
from ..parameters import LinearParameters, TextParameters, parameters_of
from ..validation import check_choice, check_count, check_flag, check_real

__all__ = [
    "DEFAULT_PATTERN",
    "MOST_IN_A_TERM",
    "MOST_LENGTHS",
    "TextOptions",
    "check_stop_words",
    "linear_part",
    "shortest_word",
    "text_options",
]


DEFAULT_PATTERN = TextParameters.token_pattern
ANALYZERS = ("word", "char", "char_wb")
NORMS = (None, "l1", "l2")
FLAGS = ("lowercase", "binary", "sublinear_tf", "use_idf", "smooth_idf", "alternate_sign")
MOST_HASHES = 2**31 - 1
# Words, or characters, of a run; and different lengths of runs, each of which is a pass over every
# text: 20 take a text of 100 kB some seconds where Python has to count.
MOST_IN_A_TERM, MOST_LENGTHS = 100, 20


@dataclass(frozen=True)
class TextOptions:
    """What to count in texts, what to leave out, and how counts become values.

    Every field means what it means in scikit-learn's CountVectorizer, TfidfVectorizer and, with
    ``n_features``, HashingVectorizer.
    """

    lowercase: bool = True
    ngram_range: tuple[int, int] = (1, 1)
    analyzer: Any = "word"  # or "char_wb", "char", or a function from a text to its features
    token_pattern: str = DEFAULT_PATTERN
    stop_words: tuple[str, ...] = ()
    min_df: float = 1  # an int is a number of texts, a float a part of them
    max_df: float = 1.0
    max_features: int | None = None
    binary: bool = False
    sublinear_tf: bool = False
    use_idf: bool = False
    smooth_idf: bool = True
    norm: str | None = None
    n_features: int | None = None  # None: a vocabulary; else hashes
    alternate_sign: bool = True

    @classmethod
    def of(cls, thing: Any, **changes: Any) -> Self:
        """Return those that an estimator has as attributes of the same names."""
        known = [field.name for field in fields(cls) if field.name not in changes]
        return cls(**{name: getattr(thing, name) for name in known}, **changes).checked()

    def checked(self) -> Self:
        """Check all of them; return them, each of the type that is written here."""
        flags: dict[str, Any] = {name: check_flag(getattr(self, name), name) for name in FLAGS}
        ngram_range = check_ngram_range(self.ngram_range)
        if not callable(self.analyzer):
            check_choice(self.analyzer, "analyzer", ANALYZERS)
        if not isinstance(self.token_pattern, str):
            raise TypeError(f"token_pattern must be a string, got {shown(self.token_pattern)}")
        try:
            groups = re.compile(self.token_pattern).groups
        except re.error as error:
            raise ValueError(f"token_pattern is not a regular expression: {error}") from None
        if groups > 1:
            raise ValueError("token_pattern must have at most one group: what it catches is a word")
        check_share(self.min_df, "min_df")
        check_share(self.max_df, "max_df")
        if self.max_features is not None:
            check_count(self.max_features, "max_features")
        if self.n_features is not None:
            self._check_hashing()
        if self.norm not in NORMS:
            raise ValueError(f"norm must be None, 'l1' or 'l2', got {shown(self.norm)}")
        return replace(self, ngram_range=ngram_range, **flags)

    def _check_hashing(self) -> None:
        if check_count(self.n_features, "n_features") > MOST_HASHES:
            raise ValueError(
                f"n_features must be at most {MOST_HASHES}, got {shown(self.n_features)}"
            )
        if self.max_features is not None:
            raise ValueError(
                "max_features and n_features exclude each other: leave out one of them"
            )
        if self.sublinear_tf and self.alternate_sign:
            raise ValueError(
                "sublinear_tf takes logarithms, and hashed counts may be below 0: set "
                "alternate_sign=False"
            )

    @property
    def is_weighted(self) -> bool:
        """Whether values are more than counts, or ones."""
        return self.use_idf or self.sublinear_tf or self.norm is not None

    @property
    def prunes(self) -> bool:
        """Whether features in few, or in many, texts are left out."""
        has_least = self.min_df > (1 if isinstance(self.min_df, Integral) else 0.0)
        return has_least or isinstance(self.max_df, Integral) or self.max_df < 1.0

    @property
    def learns(self) -> bool:
        """Whether texts have to be seen before any can become rows."""
        return self.n_features is None or self.use_idf or self.prunes

    @property
    def is_plain(self) -> bool:
        """Whether words are those that the compiled code finds."""
        if self.analyzer == "word":
            return shortest_word(self.token_pattern) is not None
        return bool(self.analyzer == "char_wb")


def shortest_word(pattern: str) -> int | None:
    """Return how many characters a word has at least; None where a pattern says something else.

    Runs of word characters are as long as can be, whether or not a pattern says so by its edges.
    """
    plain = pattern.removeprefix("(?u)").removeprefix(r"\b").removesuffix(r"\b")
    return {r"\w\w+": 2, r"\w+": 1}.get(plain)


def check_ngram_range(value: Any) -> tuple[int, int]:
    """Check the shortest and the longest n-gram, of words or characters, that is one feature."""
    given = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else []
    if len(given) != 2:
        raise ValueError(f"ngram_range must be two numbers as in (1, 2), got {shown(value)}")
    least, most = (check_count(number, "ngram_range") for number in given)
    if least > most:
        raise ValueError(f"ngram_range must ascend as in (1, 2), got {shown(value)}")
    if most > MOST_IN_A_TERM or most - least >= MOST_LENGTHS:
        raise ValueError(
            f"ngram_range may have {MOST_LENGTHS} lengths, up to {MOST_IN_A_TERM}, got "
            f"{shown(value)}: each length is a pass over every text"
        )
    return least, most


def check_share(value: Any, name: str) -> None:
    """Check a number of texts, or a part of them."""
    if isinstance(value, Real) and not isinstance(value, Integral):
        check_real(value, name, least=0.0, most=1.0)
    else:
        check_count(value, name)


def check_stop_words(words: Any) -> tuple[str, ...]:
    """Return the words that are not counted, in order; "english" is scikit-learn's list."""
    if words is None:
        return ()
    if isinstance(words, str):
        if words != "english":
            raise ValueError(
                f"stop_words must be None, 'english' or a list of words, got {shown(words)}"
            )
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # noqa: PLC0415

        return tuple(sorted(ENGLISH_STOP_WORDS))
    if not isinstance(words, Iterable):
        raise TypeError(
            f"stop_words must be None, 'english' or a list of words, got {shown(words)}"
        )
    found = list(words)
    for word in found:
        if not isinstance(word, str):
            raise TypeError(f"stop_words must hold strings, got {shown(word)}")
    return tuple(sorted(set(found)))


# What a fit makes of the parameters of a text classifier: what is counted, and the linear part.


# With fewer texts, terms that occur in one of them only help (film reviews, and their last words:
# 0.005 to 0.01 of AUC from 200 to 1000 texts); with twice as many they no longer do.
FEW_TEXTS = 1000
# With so many, terms of two texts cost a third of the time and tell nothing: without them, 25,000
# film reviews keep their accuracy to 0.01 points, and their AUC to 0.0003.
MANY_TEXTS = 10_000


def text_options(parameters: TextParameters, n_texts: int | None) -> TextOptions:
    """Check what is to be counted in this number of texts; None: nobody knows how many."""
    return TextOptions.of(
        parameters,
        ngram_range=(1, 1) if callable(parameters.analyzer) else parameters.ngram_range,
        min_df=_min_df(parameters.min_df, n_texts),
        stop_words=check_stop_words(parameters.stop_words),
        smooth_idf=True,
        alternate_sign=False,  # it gains nothing here, and counts below 0 have no logarithm
    )


def linear_part(parameters: TextParameters) -> LinearParameters:
    """Return those of the linear classifier on what was counted."""
    return parameters_of(LinearParameters, parameters)


def _min_df(given: float | str, n_texts: int | None) -> float:
    if not isinstance(given, str):
        return given
    if given != "auto":
        raise ValueError(f"min_df must be 'auto' or a number, got {shown(given)}")
    if n_texts is None:
        return 2
    return 1 if n_texts < FEW_TEXTS else 2 if n_texts < MANY_TEXTS else 3
