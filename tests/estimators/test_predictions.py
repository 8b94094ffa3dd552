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
