"""Kinds of things that are given, told without loading the modules that make them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from extras import arrow_case
from tauboost.base.arrays import are_texts

STRINGS = ["a b", "c"]


@pytest.mark.parametrize(
    "values",
    [
        STRINGS,
        tuple(STRINGS),
        np.array(STRINGS),
        np.array(STRINGS, dtype=object),
        pd.Series(STRINGS),
        pl.Series(STRINGS),
        arrow_case(lambda pa: pa.array(STRINGS)),
        arrow_case(lambda pa: pa.chunked_array([STRINGS])),
    ],
    ids=lambda values: type(values).__name__,
)
def test_texts(values):
    assert are_texts(values)


@pytest.mark.parametrize(
    "values",
    [
        "a",  # one text, or the name of a file
        [],
        [1.0],
        [["a"]],
        np.array([["a"]]),
        pd.DataFrame({"a": STRINGS}),
        pl.DataFrame({"a": STRINGS}),
        arrow_case(lambda pa: pa.table({"a": STRINGS})),
        {"a": 1},
        iter(STRINGS),  # it would be gone
        None,
        7,
        np.float64(1.0),
    ],
    ids=lambda values: type(values).__name__,
)
def test_something_else(values):
    assert not are_texts(values)
