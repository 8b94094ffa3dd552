"""What a fitted text classifier is, as plain arrays: terms or hashes, and a linear model on them.

A ``TextData`` that exists is consistent, as a ``ModelData`` is: building one checks everything.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .front_coding import shared_prefixes
from .model_data import ModelData, check_array
from .plain_json import excerpt

__all__ = ["MOST_IN_A_TERM", "MOST_LENGTHS", "OPTIONS", "TextData"]

# Words, or characters, of a run; and different lengths of runs, each of which is a pass over every
# text: 20 take a text of 100 kB some seconds where Python has to count.
MOST_IN_A_TERM, MOST_LENGTHS = 100, 20
LARGEST_IDF = 1000.0  # 1 + the logarithm of a number of texts is far less
HASHES = 2**31  # fewer than these can be told apart
UNICODE = re.compile(r"\d{1,3}(\.\d{1,3}){1,3}", re.ASCII)


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return type(value) is int and value > 0


def _is_share(value: Any) -> bool:
    return _is_count(value) or (type(value) is float and 0.0 <= value <= 1.0)


def _is_range(value: Any) -> bool:
    is_pair = isinstance(value, tuple) and len(value) == 2 and all(map(_is_count, value))
    if not is_pair or not value[0] <= value[1] <= MOST_IN_A_TERM:
        return False
    return bool(value[1] - value[0] < MOST_LENGTHS)


def _are_words(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(word, str) for word in value)


# What each of the options may be that say what is counted.
OPTIONS: dict[str, Callable[[Any], bool]] = {
    "lowercase": _is_bool,
    "ngram_range": _is_range,
    "analyzer": lambda value: value in ("word", "char", "char_wb"),
    "token_pattern": lambda value: isinstance(value, str),
    "stop_words": _are_words,
    "min_df": _is_share,
    "max_df": _is_share,
    "max_features": lambda value: value is None or _is_count(value),
    "binary": _is_bool,
    "sublinear_tf": _is_bool,
    "use_idf": _is_bool,
    "smooth_idf": _is_bool,
    "norm": lambda value: value in (None, "l1", "l2"),
    "n_features": lambda value: value is None or (_is_count(value) and value < HASHES),
    "alternate_sign": _is_bool,
}


@dataclass(frozen=True, eq=False)
class TextData:
    """A fitted text classifier.

    Parameters
    ----------
    linear : ModelData
        The model on what was counted; it also has the classes, the parameters and the kind.
    options : dict
        What is counted, and how: every name of ``OPTIONS``.
    text, offsets : uint8 array and int64 array of length n_features + 1, or None
        The terms as UTF-8, one after another, and where each begins; they ascend. Half a pair of
        UTF-16 may be in them. None: features are hashes.
    kept : int32 array, or None
        The hashes that are features, ascending; None: all.
    idf : float64 array, or None
    unicode : str
        The version of Unicode that told words and capital letters.
    """

    linear: ModelData
    options: dict[str, Any]
    text: NDArray[np.uint8] | None
    offsets: NDArray[np.int64] | None
    kept: NDArray[np.int32] | None
    idf: NDArray[np.float64] | None
    unicode: str

    def __post_init__(self) -> None:
        self._check_options()
        if not isinstance(self.linear.coef, np.ndarray):
            # A sparse one could claim more features than memory holds.
            raise TypeError("coef of a text classifier must be an array")
        if not isinstance(self.unicode, str) or not UNICODE.fullmatch(self.unicode):
            raise ValueError(f"unicode must be a version, got {excerpt(self.unicode)}")
        if (self.idf is not None) != self.options["use_idf"]:
            raise ValueError("idf must be there if use_idf says so, and only then")
        if self.idf is not None:
            check_array(self.idf, np.float64, (self.n_features,), "idf")
            if not np.all((self.idf > 0) & (self.idf <= LARGEST_IDF)):
                raise ValueError(f"idf must be above 0 and at most {LARGEST_IDF:g}")
        if self.options["n_features"] is None:
            self._check_terms()
        else:
            self._check_hashes(self.options["n_features"])

    @property
    def n_features(self) -> int:
        """How many features there are."""
        return self.linear.n_features

    @property
    def kind(self) -> str:
        """The name of the estimator's class."""
        return self.linear.kind

    @property
    def classes(self) -> NDArray[Any]:
        """The labels."""
        return self.linear.classes

    @property
    def intercept(self) -> NDArray[np.float64]:
        """The intercept of each task."""
        return self.linear.intercept

    @property
    def params(self) -> dict[str, Any]:
        """The constructor parameters of the estimator."""
        return self.linear.params

    @property
    def fitted(self) -> dict[str, Any]:
        """What else the fit found."""
        return self.linear.fitted

    def _check_options(self) -> None:
        odd = sorted(map(str, self.options.keys() ^ OPTIONS.keys()))
        if odd:
            raise ValueError(f"options lacks, or should not have, {excerpt(odd)}")
        for name, accepts in OPTIONS.items():
            if not accepts(self.options[name]):
                raise ValueError(f"options says {excerpt(self.options[name])} for {name}")

    def _check_hashes(self, n_hashes: int) -> None:
        if self.text is not None or self.offsets is not None:
            raise ValueError("a model has terms or hashes, not both")
        if self.kept is None:
            if self.n_features != n_hashes:
                raise ValueError(f"n_features must be {n_hashes}, got {self.n_features}")
            return
        check_array(self.kept, np.int32, (self.n_features,), "kept")
        ascends = np.all(self.kept[1:] > self.kept[:-1])  # differences might overflow
        if self.kept[0] < 0 or self.kept[-1] >= n_hashes or not ascends:
            raise ValueError(f"kept must ascend within 0..{n_hashes - 1}")

    def _check_terms(self) -> None:
        text, offsets = self.text, self.offsets
        if text is None or offsets is None or self.kept is not None:
            raise ValueError("a model has terms or hashes, not both")
        check_array(offsets, np.int64, (self.n_features + 1,), "the offsets of terms")
        check_array(text, np.uint8, (len(text),), "the text of terms")
        if offsets[0] != 0 or offsets[-1] != len(text) or np.any(offsets[1:] < offsets[:-1]):
            raise ValueError("the offsets of terms do not cut their text")
        try:
            text.tobytes().decode(errors="surrogatepass")
        except UnicodeDecodeError:
            raise ValueError("terms hold text that is not UTF-8") from None
        begins = offsets[:-1][offsets[:-1] < len(text)]
        if np.any(text[begins] & 0xC0 == 0x80):
            raise ValueError("the offsets of terms cut a character")
        _check_ascending(text, offsets)


def _check_ascending(text: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
    shared, lengths = shared_prefixes(text, offsets), np.diff(offsets)
    goes_on = shared < lengths[:-1]  # else the first of two neighbours is where the second begins
    here, there = (offsets[:-2] + shared)[goes_on], (offsets[1:-1] + shared)[goes_on]
    is_shorter = shared < lengths[1:]
    if not is_shorter.all() or np.any(text[here] >= text[there]):
        raise ValueError("terms must ascend, and be different")
