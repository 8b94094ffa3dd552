"""Texts as people have them: what is taken, and which row of what is not."""

from __future__ import annotations

from collections import UserList, deque

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import tauboost as tb
from extras import HAS_ARROW, arrow_case
from tauboost.validation.texts import TEXTS_AT_ONCE, take_texts, text_blocks

TEXTS = ["the cat", "", "漢字 \ud7ff", "a\x00b", "x" * 100]
STRINGS = getattr(np.dtypes, "StringDType", None)  # since NumPy 2


def taken():
    yield "list", TEXTS
    yield "tuple", tuple(TEXTS)
    yield "deque", deque(TEXTS)
    yield "UserList", UserList(TEXTS)
    yield "generator", (text for text in TEXTS)
    yield "map", map(str, TEXTS)
    yield "numpy objects", np.array(TEXTS, dtype=object)
    yield "numpy", np.array(TEXTS)
    yield "strings of numpy", [np.str_(text) for text in TEXTS]
    if STRINGS is not None:
        yield "StringDType", np.array(TEXTS, dtype=STRINGS())
    for dtype in (None, object, "string", "category"):
        yield f"pandas {dtype}", pd.Series(TEXTS, dtype=dtype)
    yield "pandas, other index", pd.Series(TEXTS, index=[5, 5, 1, 0, 9])
    yield "Index", pd.Index(TEXTS)
    yield "polars", pl.Series(TEXTS)
    yield "polars, categories", pl.Series(TEXTS, dtype=pl.Categorical)
    if HAS_ARROW:
        yield from taken_of_arrow()


def taken_of_arrow():
    import pyarrow as pa  # noqa: PLC0415

    for dtype in ("string[pyarrow]", pd.ArrowDtype(pa.string())):
        yield f"pandas {dtype}", pd.Series(TEXTS, dtype=dtype)
    for name in ("string", "large_string", "string_view"):
        if hasattr(pa, name):  # views are newer than our oldest Arrow
            yield f"arrow {name}", pa.array(TEXTS, getattr(pa, name)())
    yield "arrow, dictionary", pa.array(TEXTS).dictionary_encode()
    yield "arrow, chunks", pa.chunked_array([TEXTS[:2], [], TEXTS[2:]])
    yield "arrow, slice", pa.array(["other", *TEXTS, "other"]).slice(1, len(TEXTS))


@pytest.mark.parametrize(("name", "texts"), list(taken()), ids=[name for name, _ in taken()])
def test_what_is_taken(name, texts):
    assert take_texts(texts) == TEXTS


def test_what_is_taken_gives_the_same_matrix():
    expected = tb.TextVectorizer().fit_transform(TEXTS).toarray()
    for _, texts in taken():
        np.testing.assert_array_equal(tb.TextVectorizer().fit_transform(texts).toarray(), expected)


@pytest.mark.parametrize("size", [0, 1, TEXTS_AT_ONCE, TEXTS_AT_ONCE + 1])
def test_streams_come_in_blocks(size):
    blocks = list(text_blocks(str(k) for k in range(size)))
    assert len(blocks) == (2 if size > TEXTS_AT_ONCE else 1)
    assert [text for block in blocks for text in block] == [str(k) for k in range(size)]
    assert take_texts(str(k) for k in range(size)) == [str(k) for k in range(size)]


def test_the_list_given_is_not_changed():
    given = ["a", "b"]
    taken = take_texts(given)
    taken.append("c")
    assert given == ["a", "b"]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one text", "texts must be a list of strings, got one string: put it in a list"),
        (np.str_("one"), "texts must be a list of strings, got one string: put it in a list"),
        (b"one text", "texts must be a list of strings, got one bytes object: put it in a list"),
        (None, "texts must be a list of strings, got None"),
        (5, "texts must be a list of strings, got 5"),
        ({"a": "b"}, "texts must be a list of strings, got {'a': 'b'}"),
        ({"a"}, "texts must be a list of strings, got {'a'}"),
        arrow_case(lambda pa: pa.scalar("x"), "texts must be a list of strings, got "),
        (pl.LazyFrame({"a": TEXTS}), "texts must be a list of strings, got an object of type Lazy"),
        (np.array("x"), "texts must be one column of strings, got something of shape ()"),
        (np.array([["a", "b"]]), "texts must be one column of strings, got something of shape (1,"),
        (pd.DataFrame({"a": TEXTS}), "texts must be one column of strings, got something of shape"),
        (pl.DataFrame({"a": TEXTS}), "texts must be one column of strings, got something of shape"),
        arrow_case(
            lambda pa: pa.table({"a": TEXTS}),
            "texts must be one column of strings, got something of shape (5",
        ),
        (
            sp.csr_array((3, 2)),
            "texts must be one column of strings, got something of shape (3, 2)",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_list_of_texts(texts, message):
    with pytest.raises((TypeError, ValueError)) as caught:
        take_texts(texts)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


NAN = float("nan")
MISSING = "it is missing: fill it in, as with '', or leave the row out"


@pytest.mark.parametrize(
    ("texts", "row", "hint"),
    [
        (["a", None], 1, f"None: {MISSING}"),
        (["a", NAN, 3], 1, f"nan: {MISSING}"),
        ([np.float32("nan")], 0, f"nan: {MISSING}"),
        ([pd.NA], 0, f"<NA>: {MISSING}"),
        ([pd.NaT], 0, f"NaT: {MISSING}"),
        (np.array(["a", NAN], dtype=object), 1, f"nan: {MISSING}"),
        (pd.Series(["a", None, "b"]), 1, MISSING),
        (pd.Series(["a", None, "b"], dtype=object), 1, f"None: {MISSING}"),
        (pd.Series(["a", None], dtype="string"), 1, f"<NA>: {MISSING}"),
        arrow_case(
            lambda pa: pd.Series(["a", None], dtype=pd.ArrowDtype(pa.string())),
            1,
            f"<NA>: {MISSING}",
        ),
        (pl.Series(["a", None]), 1, f"None: {MISSING}"),
        arrow_case(lambda pa: pa.array(["a", None]), 1, f"None: {MISSING}"),
        arrow_case(lambda pa: pa.chunked_array([["a"], ["b", None]]), 2, f"None: {MISSING}"),
        (np.ma.array(["a", "b"], mask=[0, 1]), 1, f"None: {MISSING}"),
        ([b"x"], 0, "b'x': decode it, as in text.decode('utf-8')"),
        (np.array([b"x"]), 0, "b'x': decode it, as in text.decode('utf-8')"),
        (["a", 1], 1, "1: make it one by str()"),
        (range(3), 0, "0: make it one by str()"),
        arrow_case(lambda pa: pa.array([1]), 0, "1: make it one by str()"),
        ([["a"]], 0, "['a']: make it one by str()"),
        (iter(["a", "b", 3.5]), 2, "3.5: make it one by str()"),
    ],
)
def test_the_row_that_is_no_string_is_named(texts, row, hint):
    given = list(texts) if hasattr(texts, "__next__") else texts
    expected = f"texts must be strings, but that of row {row} is "
    vectorizer = tb.TextVectorizer().fit(["old words"])
    features = vectorizer.features_
    for take in (take_texts, vectorizer.fit, vectorizer.fit_transform, vectorizer.transform):
        with pytest.raises(TypeError) as caught:
            take(given)
        assert str(caught.value).startswith(expected)
        assert str(caught.value).endswith(hint)
    assert vectorizer.features_ is features  # nothing half-fitted


def test_a_long_list_comes_in_pieces_so_that_ctrl_c_is_heard(monkeypatch):
    monkeypatch.setattr("tauboost.validation.texts.TEXTS_OF_A_LIST", 2)
    for given in (TEXTS, tuple(TEXTS), pd.Series(TEXTS), np.array(TEXTS, dtype=object)):
        assert [len(block) for block in text_blocks(given)] == [2, 2, 1]
        assert take_texts(given) == TEXTS
    whole = tb.TextVectorizer().fit_transform(["a cat", "the cat", "a dog", "no dog", "cat"])
    assert whole.shape == (5, 4)
    assert list(text_blocks([])) == [[]]
    with pytest.raises(TypeError, match="row 4"):
        take_texts([*"abcd", None])
