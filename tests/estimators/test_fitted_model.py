"""Estimators hold one fitted model: attributes are views of it, and a row costs little."""

from __future__ import annotations

import copy
import pickle

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import tauboost as tb
from tauboost.base import threads

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 4))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)
TEXTS = [f"{'good' if y else 'bad'} film {k % 7}" for k, y in enumerate(Y)]
CASES = {
    "linear": (tb.TauBoostClassifier(alpha=0.01), X),
    "sparse": (tb.TauBoostClassifier(alpha=0.01), sp.csr_array(X)),
    "table": (tb.TableClassifier(alpha=0.01, interactions=1), X),
    "dict": (tb.TableClassifier(alpha=0.01, interactions=0), {f"c{k}": X[:, k] for k in range(4)}),
    "text": (tb.TextClassifier(alpha=0.01), TEXTS),
}


def fitted(name):
    clf, rows = CASES[name]
    return clone(clf).fit(rows, Y), rows


def one(rows):
    if isinstance(rows, dict):
        return {name: column[:1] for name, column in rows.items()}
    return rows[:1]


@pytest.mark.parametrize("name", CASES)
def test_attributes_are_those_of_the_model(name):
    clf, rows = fitted(name)
    model = clf.model_
    clf.predict_proba(rows)
    assert clf.model_ is model
    assert clf.intercept_ is model.intercept
    clf.intercept_ = clf.intercept_ + 1.0
    assert clf.model_ is not model
    moved = model.intercept + 1.0
    np.testing.assert_array_equal(clf.intercept_, moved)
    before = copy.copy(clf)
    before.model_ = model
    np.testing.assert_allclose(clf.decision_function(rows), before.decision_function(rows) + 1.0)
    with pytest.raises(AttributeError, match="no attribute 'intercept_'"):
        _ = clone(clf).intercept_
    with pytest.raises(AttributeError, match="is set by a fit"):
        clone(clf).intercept_ = moved


@pytest.mark.parametrize("name", CASES)
def test_copies_and_pickles_predict_the_same(name, tmp_path):
    clf, rows = fitted(name)
    expected = clf.predict_proba(rows)
    joblib.dump(clf, tmp_path / "clf")
    copies = [pickle.loads(pickle.dumps(clf)), copy.deepcopy(clf), joblib.load(tmp_path / "clf")]
    for again in copies:
        check_is_fitted(again)
        np.testing.assert_array_equal(again.predict_proba(rows), expected)
    with pytest.raises(NotFittedError):
        clone(clf).predict(rows)


@pytest.mark.parametrize("name", CASES)
def test_one_row_asks_for_no_cores_and_starts_no_thread(name, monkeypatch):
    clf, rows = fitted(name)
    expected = clf.predict_proba(rows)[:1]

    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr(threads, "_cgroup_quota", refuse)
    monkeypatch.setattr("_thread.start_new_thread", refuse)
    np.testing.assert_array_equal(clf.predict_proba(one(rows)), expected)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("n_jobs", [0, 1.5, "2"])
def test_a_wrong_number_of_threads_is_refused_for_one_row_too(name, n_jobs):
    clf, rows = fitted(name)
    with pytest.raises((TypeError, ValueError), match="n_jobs must be"):
        clf.set_params(n_jobs=n_jobs).predict(one(rows))
