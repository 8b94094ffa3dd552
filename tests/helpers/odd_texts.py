"""Texts that a counter of words may get wrong, and scikit-learn's answer to what is right."""

from __future__ import annotations

import random
import sys

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

# Letters whose lower case is longer, or depends on its place, or is in another block; marks that
# join; halves of pairs of UTF-16; space of all kinds; what is a digit, and what only looks like it.
ODD = [
    *"aAbB_09 .,-'\n\t\r\x00\x1c\x1d\x1e\x1f\x85\xa0",
    *"éÉßẞİıΣσςΩΩKﬁŉǅµªº²½\u0301\u0345\u200b\u200d\u2028\u3000",
    *"漢字𝓐𐐀𐐨ᎠꭰႠⴀ٣\U0001f600\ud800\udfff\ue000\ufeff\U0010ffff",
]
PLAIN = [*"abcdefgh", "the", "of", "Word", " ", " ", " ", ".", ", "]
SIZES = (1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000)


def fuzzed(n: int, seed: int) -> list[str]:
    """Return random texts, of 0 to 80 characters."""
    rng = random.Random(seed)

    def character() -> str:
        kind = rng.random()
        if kind < 0.5:
            return rng.choice(PLAIN)
        return rng.choice(ODD) if kind < 0.9 else chr(rng.randrange(sys.maxunicode + 1))

    def text() -> str:
        if rng.random() < 0.5:  # ASCII alone, which is read in another way
            return "".join(rng.choices(PLAIN, k=rng.randrange(80)))
        return "".join(character() for _ in range(rng.randrange(80)))

    return [text() for _ in range(n)]


def edges() -> list[str]:
    """Return texts and words of the lengths at which the compiled code does something else."""
    found = ["", " ", "a", "\x00", ".", "İ", "Σ", "ΑΣ", "ΑΣ Α", "Σ.Σ", "ΑΣ\u0301", "ὈΔΥΣΣΕΎΣ"]
    for n in SIZES:
        found += ["x" * n, "X" * n + " y", " " * n + "xy", "ab " * n, "a" + "é" * n, "漢" * n]
        found += [("word " * n)[:n], ("Ab,c " * n)[:n], "." * n + "z" * n + "." * n, "𝓐" * n + "b"]
        found += [" " * shift + "q" * n + " r" for shift in (1, 47, 60, 63)]
    return found


def same_matrix(found: object, expected: object) -> None:
    """Two sparse matrices are the same: types, places, order; real values to 1e-12."""
    found, expected = found.copy(), expected.copy()
    assert found.has_sorted_indices
    expected.sort_indices()
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.indptr, expected.indptr)
    np.testing.assert_array_equal(found.indices, expected.indices)
    if found.dtype.kind == "f":
        tolerance = 1e-12 if found.dtype == np.float64 else 1e-6
        np.testing.assert_allclose(found.data, expected.data, rtol=tolerance, atol=1e-14)
    else:
        np.testing.assert_array_equal(found.data, expected.data)


def oracle(options: dict) -> object:
    """Return scikit-learn's vectorizer for the options of a TextVectorizer."""
    if "n_features" in options:
        return HashingVectorizer(**options)
    weights = {"use_idf", "smooth_idf", "sublinear_tf", "norm"} & options.keys()
    if not weights:
        return CountVectorizer(**options)
    norm = options.get(
        "norm", "l2" if options.get("use_idf") or options.get("sublinear_tf") else None
    )
    return TfidfVectorizer(**{"use_idf": False, **options, "norm": norm})


def as_csr(arrays: object) -> sp.csr_array:
    """Return rows of texts as a matrix of SciPy's."""
    values = np.ones(len(arrays.indices)) if arrays.data is None else arrays.data
    return sp.csr_array((values, arrays.indices, arrays.indptr), shape=arrays.shape)
