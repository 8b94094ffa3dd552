"""The classifier and the units of columns: multiples and far-off zeros change nothing."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

import tauboost as tb
from conftest import real_data

RANDOM = np.random.default_rng(0)
TABLE = RANDOM.normal(size=(200, 4))
LABELS = (TABLE.sum(axis=1) > 0).astype(int)


@st.composite
def tables(draw):
    """Return a small table, dense or sparse, its labels, weights and factors of its columns."""
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    m, n, k = draw(st.sampled_from([40, 150])), draw(st.integers(1, 6)), draw(st.integers(2, 3))
    X = rng.normal(size=(m, n)) + rng.choice([0.0, 0.0, 10.0], size=n)
    if draw(st.booleans()):
        X = sp.csr_array(X * (rng.random((m, n)) < 0.4))
    y = (np.digitize(rng.normal(size=m) + X[:, [0]].sum(axis=1), [0.0, 1.0]) % k).astype(int)
    y[:k] = np.arange(k)
    weights = draw(st.sampled_from([None, rng.integers(0, 3, m) + (np.arange(m) < k)]))
    return X, y, weights, 10.0 ** rng.uniform(-6, 6, n) * rng.choice([-1.0, 1.0], n)


def times(X, factors):
    """Return X with its columns multiplied."""
    return sp.csr_array(X.multiply(factors)) if sp.issparse(X) else X * factors


OPTIONS = [
    {},
    {"alpha": 1e-3},
    {"fit_intercept": False, "alpha": 1e-2},
    {"l1_ratio": 1.0},
    {"loss": "exponential", "alpha": 1e-2},
    {"early_stopping": False, "calibration": "sigmoid", "alpha": 1e-2},
]


@pytest.mark.filterwarnings("ignore::tauboost.FitWarning")
@settings(max_examples=60, deadline=None)
@given(tables(), st.sampled_from(OPTIONS))
def test_multiples_of_columns_change_nothing(data, options):
    X, y, weights, factors = data
    one, two = (tb.TauBoostClassifier(tol=1e-9, random_state=0, **options) for _ in range(2))
    p = one.fit(X, y, weights).predict_proba(X)
    scaled = times(X, factors)
    q = two.fit(scaled, y, weights).predict_proba(scaled)
    np.testing.assert_allclose(p, q, rtol=0, atol=1e-6)
    np.testing.assert_allclose(two.objective_, one.objective_, rtol=1e-6, atol=1e-9)


def credit_card():
    """Return the numbers of a table as they are, from units to millions."""
    path = Path(os.environ.get("TAUBOOST_DATA", "")) / "tables" / "credit_card.csv.xz"
    if not path.exists():
        pytest.skip("needs tables/credit_card.csv.xz in the folder TAUBOOST_DATA names")
    table = pd.read_csv(path)
    y = table.pop("target").to_numpy()
    return table.to_numpy(float), y


@pytest.mark.parametrize("name", ["a9a.xz", "w8a.xz", "credit_card"])
def test_multiples_of_real_columns_change_nothing(name):
    X, y = credit_card() if name == "credit_card" else real_data(name)
    factors = 10.0 ** np.random.default_rng(1).uniform(-6, 6, X.shape[1])
    one, two = (tb.TauBoostClassifier(random_state=0) for _ in range(2))
    p = one.fit(X, y).predict_proba(X)
    scaled = times(X, factors)
    np.testing.assert_allclose(two.fit(scaled, y).predict_proba(scaled), p, rtol=0, atol=1e-6)


def test_numbers_of_a_real_table_need_no_scaling():
    X, y = credit_card()
    new = np.random.default_rng(0).random(len(y)) < 0.3
    clf = tb.TauBoostClassifier(random_state=0).fit(X[~new], y[~new])
    assert roc_auc_score(y[new], clf.decision_function(X[new])) > 0.70


@pytest.mark.parametrize("far", [1e3, 1e6, 1e9])
@pytest.mark.parametrize("options", [{}, {"alpha": 1e-3}, {"l1_ratio": 1.0}])
def test_a_far_off_zero_changes_nothing(far, options):
    moved = TABLE + np.array([0.0, far, 0.0, -far])
    one, two = (tb.TauBoostClassifier(random_state=0, **options) for _ in range(2))
    p = one.fit(TABLE + np.array([0.0, 50.0, 0.0, -50.0]), LABELS).predict_proba(
        TABLE + np.array([0.0, 50.0, 0.0, -50.0])
    )
    q = two.fit(moved, LABELS).predict_proba(moved)
    # Where values have lost half their digits a row may lie in another fold: of 200 rows, one
    # decides between two strengths.
    if far < 1e9 or "alpha" in options:
        np.testing.assert_allclose(p, q, rtol=0, atol=1e-16 * far * 1e4 + 1e-6)
    assert two.score(moved, LABELS) > 0.95


def test_coefficients_are_those_of_the_columns_as_given():
    X = TABLE * [1.0, 1e4, 1e-3, 1.0] + [0.0, 0.0, 0.0, 2015.0]
    clf = tb.TauBoostClassifier(random_state=0).fit(X, LABELS)
    np.testing.assert_allclose(
        clf.decision_function(X), X @ clf.coef_[0] + clf.intercept_[0], rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("kind", [tb.TauBoostClassifier, tb.TauBoostClassifierCV])
def test_columns_of_zeros_and_ones_keep_their_bits(kind):
    """A constant for all of them is the same problem, to the last bit."""
    X = sp.csr_array((RANDOM.random((300, 20)) < 0.3).astype(float))
    y = (X[:, [0]].toarray().ravel() + RANDOM.normal(size=300) > 0.5).astype(int)
    ones = kind(random_state=0).fit(X, y)
    thirds = kind(random_state=0).fit(X * 3.0, y)
    np.testing.assert_array_equal(thirds.coef_, ones.coef_ / 3.0)
    np.testing.assert_array_equal(thirds.intercept_, ones.intercept_)


def test_a_warm_start_speaks_the_same_units():
    X = TABLE * [1.0, 1e5, 1.0, 1e-5] + [0.0, 0.0, 100.0, 0.0]
    clf = tb.TauBoostClassifier(alpha=1e-3, tol=1e-8, warm_start=True, random_state=0)
    clf.fit(X, LABELS)
    first = clf.decision_function(X)
    clf.fit(X, LABELS)
    assert clf.n_iter_ == 1
    np.testing.assert_allclose(clf.decision_function(X), first, rtol=0, atol=1e-6)


def test_a_path_is_in_the_same_units():
    factors = np.array([1.0, 1e5, 1e-5, 7.0])
    one, two = (
        tb.regularization_path(X, LABELS, random_state=0, n_alphas=5)
        for X in (TABLE, TABLE * factors)
    )
    np.testing.assert_allclose(one.alphas, two.alphas, rtol=1e-9)
    np.testing.assert_allclose(one.coefs, two.coefs * factors, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(one.objective, two.objective, rtol=1e-9)


@pytest.mark.parametrize("options", [{}, {"alpha": 1e-3, "calibration": "sigmoid"}])
def test_a_store_is_the_same_as_its_rows(tmp_path, options):
    X = np.c_[TABLE * [1.0, 1e4, 1.0, 1.0] + [0.0, 0.0, 500.0, 0.0], np.ones(200)]
    X[::7, 2] = 1.0  # ones of a store have no values
    with tb.StoreWriter(tmp_path / "rows", n_features=5) as writer:
        writer.append(sp.csr_array(X), LABELS)
    store = tb.open_store(tmp_path / "rows")
    one, two = (tb.TauBoostClassifier(random_state=0, **options) for _ in range(2))
    one.fit(X, LABELS)
    two.fit(store)
    np.testing.assert_allclose(one.coef_, two.coef_, rtol=1e-7)
    np.testing.assert_allclose(one.intercept_, two.intercept_, rtol=1e-7)


def test_texts_keep_the_weights_of_their_terms():
    """They are meant: a rare word counts for more."""
    texts = [f"good film {k % 7}" if k % 2 else f"bad film {k % 5}" for k in range(200)]
    clf = tb.TextClassifier(random_state=0).fit(texts, np.arange(200) % 2)
    assert clf.predict(["good"])[0] == 1


NEEDS_TABLES = [
    pd.DataFrame({"age": TABLE[:, 0], "town": ["a", "b"] * 100}),
    pd.DataFrame({"age": TABLE[:, 0], "town": ["a", "b"] * 100}).astype({"town": "category"}),
    pl.DataFrame({"age": TABLE[:, 0], "town": ["a", "b"] * 100}),
    np.array([["a", "b"]] * 200),
    np.array([[1.0, "b"]] * 200, dtype=object),
    [[1.0, "b"]] * 200,
    [["a", "b"]] * 200,
]


@pytest.mark.parametrize("table", NEEDS_TABLES)
def test_strings_are_for_the_table_classifier(table):
    with pytest.raises(ValueError, match=r"X holds strings .* use TableClassifier") as caught:
        tb.TauBoostClassifier().fit(table, LABELS)
    assert "\n" not in str(caught.value)


TEXTS = ["a good film", "a bad film"] * 100


@pytest.mark.parametrize(
    "texts",
    [
        TEXTS,
        np.array(TEXTS),
        np.array(TEXTS, dtype=object),
        pd.Series(TEXTS),
        pl.Series(TEXTS),
        tuple(TEXTS),
    ],
)
@pytest.mark.parametrize("kind", [tb.TauBoostClassifier, tb.TauBoostClassifierCV])
def test_texts_are_for_the_text_classifier(kind, texts):
    with pytest.raises(ValueError, match="use TextClassifier"):
        kind().fit(texts, LABELS)
