"""What classifiers do alike: a fit that fails changes nothing, and answers agree with decisions."""

from __future__ import annotations

import numpy as np
import pytest

import tauboost as tb
from mixed_table import mixed_table


@pytest.mark.parametrize("kind", [tb.TauBoostClassifier, tb.TableClassifier])
def test_a_fit_that_fails_changes_nothing_and_answers_agree(kind):
    table, y = mixed_table(300)
    X = table[["x0", "x2", "x3"]].to_numpy()
    clf = kind(random_state=0).fit(X, y)
    before = clf.decision_function(X)
    with pytest.raises(ValueError, match="y"):
        clf.fit(X, y[:-1])
    assert np.array_equal(clf.decision_function(X), before)
    assert np.array_equal(clf.predict(X), before > 0)
    p = clf.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_allclose(clf.predict_log_proba(X), np.log(p))


@pytest.mark.parametrize("kind", [tb.TauBoostClassifier, tb.TableClassifier])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_predictions_are_the_likeliest_where_probabilities_are_rounded_to_ties(kind, n_classes):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (200, 3)).astype(float)
    y = (X.sum(axis=1) * n_classes / 4 + rng.random(200)).astype(int) % n_classes
    clf = kind(alpha=0.01, random_state=0).fit(X, y)
    for far in (1e-20, 1e3):
        values = far * clf.decision_function(X).reshape(len(X), -1) + (far if far > 1 else 0.0)
        clf._decisions = lambda _, values=values: values
        chosen = clf.classes_[clf.predict_proba(X).argmax(axis=1)]
        np.testing.assert_array_equal(clf.predict(X), chosen)
        del clf._decisions
