"""The order in which contradicting rows are shown."""

from __future__ import annotations

import numpy as np

import tauboost as tb


def test_copies_with_another_label_come_first_the_rarer_label_before_the_other():
    X = np.array([[5.0, 1], [1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [2, 2]])
    y = np.array([1, 0, 0, 1, 0, 1, 0, 1])
    found = tb.hard_core(tb.Problem(X, y))
    assert [group.tolist() for group in found.duplicates] == [[3, 1, 2], [4, 5]] or [
        group.tolist() for group in found.duplicates
    ] == [[3, 1, 2], [5, 4]]
    assert found.contradictions[:3].tolist() == [3, 1, 2]
    others = found.contradictions[5:]
    assert np.all(np.diff(found.w[others]) <= 0)
    assert set(others.tolist()) == set(np.flatnonzero(found.core)) - {1, 2, 3, 4, 5}


def test_equal_rows_with_one_label_are_no_contradiction():
    found = tb.hard_core(tb.Problem([[1.0, 0], [1, 0], [0, 1], [0, 1]], [1, 1, 0, 0]))
    assert found.verdict == "separable"
    assert found.duplicates == ()
    assert len(found.contradictions) == 0


def test_a_flipped_label_is_the_heaviest():
    """A model that knows the rule has the one wrong label hardest."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X @ [2.0, -1.0, 0.5] + 0.3 * rng.normal(size=400) > 0).astype(int)
    far = int(np.argmax(X @ [2.0, -1.0, 0.5]))
    y[far] = 0
    found = tb.hard_core(tb.Problem(X, y))
    assert found.verdict == "attained"
    assert found.contradictions[0] == far
