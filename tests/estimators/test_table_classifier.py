"""TableClassifier: scikit-learn's checks, and what it promises beyond them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import tauboost as tb


@parametrize_with_checks(
    [
        tb.TableClassifier(),
        tb.TableClassifier(alpha=0.1, l1_ratio=0.5, loss="exponential", interactions=2),
        tb.TableClassifier(l1_ratio="auto", interactions=0, max_bins=16),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("interactions", [0, 2])
def test_classes_that_part_leave_no_weight_and_yet_an_objective(interactions):
    """The weights of AdaBoost fall without end there: they are kept at a sum near 1."""
    X, y = np.arange(40.0)[:, None] + np.arange(6), np.arange(40) > 20
    options = {"loss": "exponential", "l1_ratio": 1.0, "random_state": 0}
    clf = tb.TableClassifier(alpha=1e-4, interactions=interactions, **options).fit(X, y)
    assert np.isfinite(clf.objective_).all()
    assert clf.objective_[0] < -745  # exp of it is 0
    assert clf.score(X, y) == 1.0
    assert tb.TableClassifier(interactions=interactions, **options).fit(X, y).score(X, y) == 1.0
