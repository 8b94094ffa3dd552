"""AdaBoost.PL: boosting parts apart and merging what they found."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed")

import dask.array as da
import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

import tauboost as tb
import tauboost.dask as td
from classifier_checks import check_all, refuses_numbers
from conftest import real_data
from tauboost.paper.stumps import Stumps, _candidates, boost, stump_values

X, Y = make_classification(400, 10, n_informative=4, random_state=0)


def plain_adaboost(X, y, n_rounds):
    """AdaBoost over the same stumps, written to be read: the oracle of the compiled search."""
    feature, threshold, _ = _candidates(sp.csc_array(X), 16)
    said = np.where(X[:, feature] > threshold, 1.0, -1.0)
    said = np.hstack([said, np.ones((len(y), 1))])
    w, decision = np.full(len(y), 1 / len(y)), np.zeros(len(y))
    for _ in range(n_rounds):
        edges = (w * y) @ said
        best = np.argmax(np.abs(edges))
        step = 0.5 * np.log((1 + edges[best]) / (1 - edges[best]))
        decision += step * said[:, best]
        w = w * np.exp(-step * y * said[:, best])
        w /= w.sum()
    return decision


def test_one_part_is_adaboost():
    sparse = np.where(np.abs(X) < 0.7, 0.0, X)
    for data in (X, sparse):
        found = tb.AdaBoostPLClassifier(30, n_parts=1).fit(data, Y).decision_function(data)
        np.testing.assert_allclose(found, plain_adaboost(data, 2.0 * Y - 1, 30), atol=1e-9)


def test_the_merge_is_that_of_the_paper():
    first = Stumps(np.array([0, 1]), np.zeros(2), np.array([1.0, -1.0]), np.array([0.2, 0.6]))
    second = Stumps(np.array([1, 2]), np.zeros(2), np.array([1.0, 1.0]), np.array([0.4, 0.1]))
    model = tb.AdaBoostPLClassifier()
    model.classes_, model.n_features_in_ = np.array([0, 1]), 3
    model.merge([first, second])
    np.testing.assert_allclose(model.estimator_weights_, [0.5, 0.15])
    # heaviest: -x1 and +x1 cancel; then +x0 and +x2
    points = np.array([[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [-1.0, 1.0, -1.0]])
    np.testing.assert_allclose(model.decision_function(points), [0.15, 0.0, -0.15])


@given(seed=st.integers(0, 10**6), is_sparse=st.booleans())
def test_stumps_say_what_they_mean(seed, is_sparse):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 3)) * (rng.random((12, 3)) < (0.4 if is_sparse else 1.0))
    y = rng.choice([0, 1], 12)
    stumps = boost(X, y, None, classes=np.array([0, 1]), n_rounds=5, n_thresholds=4)
    assert np.all(stumps.weight > 0)
    for t in range(len(stumps)):
        i, sign = stumps.feature[t], stumps.sign[t]
        above = X[:, i] > stumps.threshold[t] if i >= 0 else np.ones(12, dtype=bool)
        said = stump_values(sp.csc_array(X), stumps, t)
        np.testing.assert_array_equal(said, np.where(above, sign, -sign))


def test_weights_are_repetition():
    weights = np.random.default_rng(0).integers(0, 4, len(Y))
    options = {"n_parts": 1, "n_thresholds": 400}
    weighted = tb.AdaBoostPLClassifier(10, **options).fit(X, Y, weights)
    repeated = tb.AdaBoostPLClassifier(10, **options).fit(
        np.repeat(X, weights, axis=0), np.repeat(Y, weights)
    )
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X))


def test_a_stump_that_is_always_right_is_enough():
    model = tb.AdaBoostPLClassifier(50, n_parts=2, random_state=0).fit(Y[:, None].astype(float), Y)
    assert len(model.estimator_weights_) == 1
    assert model.score(Y[:, None], Y) == 1


def test_bad_parameters():
    refuses_numbers(tb.AdaBoostPLClassifier, ("n_estimators", "n_parts", "n_thresholds"))


CUT = "rows are cut into parts at random: as often as a row is there, it may go to another part"


@pytest.mark.parametrize(("n_parts", "no_repetition"), [(1, None), (2, CUT)])
def test_scikit_learn(n_parts, no_repetition):
    model = tb.AdaBoostPLClassifier(10, n_parts=n_parts, random_state=0)
    check_all(model, no_repetition)


def test_on_a_cluster_as_here(client):
    cut = [(X[a : a + 100], Y[a : a + 100]) for a in range(0, 400, 100)]
    found = td.AdaBoostPLClassifier(20, client=client).fit(cut)
    expected = tb.AdaBoostPLClassifier(20)
    expected.classes_, expected.n_features_in_ = np.array([0, 1]), 10
    options = expected.boost_options()
    expected.merge([boost(rows, labels, None, **options) for rows, labels in cut])
    decision = found.decision_function(X)
    np.testing.assert_allclose(decision, expected.decision_function(X), atol=1e-12)
    chunks = da.from_array(X, chunks=(150, -1))
    labels = da.from_array(Y, chunks=150)
    again = td.AdaBoostPLClassifier(20, client=client, n_parts=2).fit(chunks, labels)
    assert len(again.parts_) == 2
    with client.as_current():
        np.testing.assert_array_equal(found.predict(chunks).compute(), found.predict(X))


def test_a9a_in_four_parts():
    """Within 0.01 of AdaBoost with the same T, ours and scikit-learn's."""
    X, y = real_data("a9a.xz", n_features=123)
    X_test, y_test = real_data("a9a.t.xz", n_features=123)
    whole = tb.AdaBoostPLClassifier(100, n_parts=1).fit(X, y).score(X_test, y_test)
    merged = tb.AdaBoostPLClassifier(100, n_parts=4, random_state=0).fit(X, y)
    assert merged.score(X_test, y_test) == pytest.approx(whole, abs=0.01)
    stump = DecisionTreeClassifier(max_depth=1)
    peer = AdaBoostClassifier(stump, n_estimators=100, random_state=0).fit(X, y)
    assert whole == pytest.approx(peer.score(X_test, y_test), abs=0.01)
