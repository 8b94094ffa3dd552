"""Plain data of a text model: whatever does not fit together is refused in one sentence."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
import scipy.sparse as sp

from model_files import changed
from saved_texts import assert_valid_text, text_data
from tauboost.texts.model import OPTIONS
from tauboost.texts.options import TextOptions

WORDS = text_data()
HASHED = text_data(n_features=4096, min_df=2)
KEPT = HASHED.arrays["kept"]
TEXT, OFFSETS = WORDS.arrays["terms"]


def packed(*terms):
    text = b"".join(terms)
    return {"terms": (np.frombuffer(text, np.uint8), np.cumsum([0, *map(len, terms)]))}


def short(**changes):
    """Return data with three terms."""
    coef = WORDS.arrays["coef"][:, :3].copy()
    return {"coef": coef, "n_features": 3, "idf": np.ones(3), **changes}


def options(**changes):
    return {"options": WORDS.header["options"] | changes}


def test_options_are_those_of_the_counting():
    assert set(OPTIONS) == {field.name for field in fields(TextOptions)}


def test_what_fits():
    for data in (WORDS, HASHED, text_data(3), text_data(use_idf=False), text_data(n_features=8)):
        assert_valid_text(data)
    changed(WORDS, **short(), **packed(b"", b"a", b"a b"))
    changed(
        WORDS,
        **short(),
        **packed(b"a", "\ud800".encode(errors="surrogatepass"), b"\xf0\x9f\x98\x80"),
    )
    changed(WORDS, **short(), **packed(b"a" * 100, b"a" * 101, b"a" * 101 + b"b"))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (options(lowercase=1), "options says 1 for lowercase"),
        (options(ngram_range=[1, 2]), r"options says \[1, 2\] for ngram_range"),
        (options(ngram_range=(2, 1)), r"options says \(2, 1\) for ngram_range"),
        (options(ngram_range=(1, 101)), "for ngram_range"),
        (options(ngram_range=(True, 2)), "for ngram_range"),
        (options(analyzer="other"), "for analyzer"),
        (options(token_pattern=None), "for token_pattern"),
        (options(stop_words=["a"]), "for stop_words"),
        (options(stop_words=(1,)), "for stop_words"),
        (options(min_df=0), "for min_df"),
        (options(max_df=1.5), "for max_df"),
        (options(norm="max"), "for norm"),
        (options(n_features=2**31), "for n_features"),
        (options(more=1), "options lacks, or should not have, ..more"),
        ({"unicode": "new"}, "unicode must be a version, got 'new'"),
        ({"unicode": 15.0}, "unicode must be a version"),
        ({"idf": None}, "idf must be there if use_idf says so"),
        (options(use_idf=False), "idf must be there if use_idf says so"),
        ({"idf": WORDS.arrays["idf"][:-1]}, "idf must be float64 of shape"),
        ({"idf": np.zeros_like(WORDS.arrays["idf"])}, "idf must be above 0"),
        ({"idf": np.full_like(WORDS.arrays["idf"], np.nan)}, "idf must be above 0"),
        ({"idf": np.full_like(WORDS.arrays["idf"], 1e9)}, "at most 1000"),
        ({"terms": None}, "terms or hashes, not both"),
        ({"kept": np.arange(3, dtype=np.int32)}, "terms or hashes, not both"),
        (options(n_features=64), "terms or hashes, not both"),
        ({"terms": (TEXT, OFFSETS[:-1])}, "offsets of terms must be int64 of shape"),
        ({"terms": (TEXT, OFFSETS + 1)}, "offsets of terms do not cut"),
        ({"terms": (TEXT, OFFSETS[::-1].copy())}, "offsets of terms do not cut"),
        ({"terms": (TEXT.astype(np.int8), OFFSETS)}, "text of terms must be uint8"),
        ({"coef": sp.csr_array(WORDS.arrays["coef"])}, "must be an arr"),
        (short(**packed(b"a", b"c", b"b")), "terms must ascend"),
        (short(**packed(b"a", b"a", b"b")), "terms must ascend, and be different"),
        (short(**packed(b"ab", b"a", b"b")), "terms must ascend"),
        (short(**packed(b"a" * 101, b"a" * 100, b"b")), "terms must ascend"),
        (short(**packed(b"a" * 100 + b"c", b"a" * 100 + b"b", b"b")), "terms must ascend"),
        (short(**packed(b"a", b"b", b"\xff")), "terms hold text that is not UTF-8"),
        (short(**packed(b"a", b"\xc3", b"\xa4")), "offsets of terms cut a character"),
    ],
)
def test_what_does_not_fit(changes, reason):
    with pytest.raises((TypeError, ValueError), match=reason) as caught:
        changed(WORDS, **changes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kept": KEPT[::-1].copy()}, r"kept must ascend within 0\.\.4095"),
        ({"kept": KEPT + 4096}, r"kept must ascend within 0\.\.4095"),
        ({"kept": KEPT - 4096}, "kept must ascend"),
        (
            {"kept": np.array([0, 2**31 - 1, -5, *KEPT[3:]], np.int32)},
            "kept must ascend",
        ),
        ({"kept": KEPT.astype(np.int64)}, "kept must be int32"),
        ({"kept": None}, "n_features must be 4096"),
    ],
)
def test_hashes_that_do_not_fit(changes, reason):
    with pytest.raises(ValueError, match=reason):
        changed(HASHED, **changes)
