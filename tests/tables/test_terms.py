"""From levels to terms: nothing is lost when pairs are made pure and terms are centred."""

from __future__ import annotations

import numpy as np

import tauboost as tb
from mixed_table import mixed_table


def test_terms_add_up_to_what_was_fitted():
    table, y = mixed_table(800)
    clf = tb.TableClassifier(interactions=[("x0", "town"), ("x1", "few")], random_state=0)
    clf.fit(table, y)
    for term in clf.model_.terms:
        assert np.abs(term.mean()).max() < 1e-12
        if len(term.columns) == 2:
            for axis in (0, 1):
                means = (term.weights[..., None] * term.scores).sum(axis=axis)
                assert np.abs(means).max() < 1e-12
    total = clf.explain(table).contributions.sum(axis=1) + clf.intercept_[0]
    np.testing.assert_allclose(total, clf.decision_function(table), atol=1e-12)
