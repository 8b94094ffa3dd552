"""Tables given to the linear classifier: told what to use instead, and only where it matters."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

import tauboost as tb
from tauboost.estimators.units import warn_of_units

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(200, 4))
Y = (X.sum(axis=1) > 0).astype(int)
NAMED = "StandardScaler in front, or use TableClassifier, which needs no scaling"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (X * [1, 1e-2, 1, 1e4], "columns 1 and 3 of X differ in scale by a factor of 1e"),
        (X + np.array([0, 0, 1e3, 0]), "the values in column 2 of X are far from 0"),
        (load_wine().data, "columns 7 and 12 of X differ in scale"),
        (load_breast_cancer().data, "columns 19 and 23 of X differ in scale"),
    ],
)
def test_units_are_mentioned(table, said):
    with pytest.warns(UserWarning, match=f"{said}.*{NAMED}"):
        warn_of_units(table)


@pytest.mark.parametrize(
    "table",
    [
        X,
        load_digits().data,
        load_iris().data,
        np.eye(2000)[:, :3] + (np.arange(3) == 2),  # rare ones and rare zeros
        np.ones((5, 2)),
        X[:1],
        np.c_[X, np.full(200, 1e9)],  # a constant
    ],
)
def test_nothing_is_said_where_nothing_is_lost(table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_units(table)


@pytest.mark.parametrize("kind", [tb.TauBoostClassifier, tb.TauBoostClassifierCV])
def test_classifiers_warn_and_fit(kind):
    with pytest.warns(UserWarning, match=NAMED):
        clf = kind(random_state=0).fit(X * [1, 1, 1, 1e5], Y)
    assert clf.coef_.shape == (1, 4)


def test_sparse_data_and_stumps_have_no_units():
    table = X * [1, 1, 1, 1e5]
    tb.TauBoostClassifier(random_state=0).fit(sp.csr_array(table), Y)
    tb.AdaBoostPLClassifier(2, random_state=0).fit(table, Y)
    tb.TableClassifier(random_state=0).fit(table, Y)


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"age": X[:, 0], "town": ["a", "b"] * 100}),
        pd.DataFrame({"age": X[:, 0], "town": ["a", "b"] * 100}).astype({"town": "category"}),
        pl.DataFrame({"age": X[:, 0], "town": ["a", "b"] * 100}),
        np.array([["a", "b"]] * 200),
        np.array([[1.0, "b"]] * 200, dtype=object),
    ],
)
def test_strings_are_for_the_table_classifier(table):
    with pytest.raises(ValueError, match=r"X holds strings .* use TableClassifier") as caught:
        tb.TauBoostClassifier().fit(table, Y)
    assert "\n" not in str(caught.value)
