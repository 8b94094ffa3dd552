"""Rows to look at, and rows that no model can all get right."""

from __future__ import annotations

import numpy as np

from tauboost.reporting.rows_section import contradictions, hardest, most_surprising

P = np.array([[0.9, 0.1], [0.2, 0.8], [0.45, 0.55], [0.99, 0.01], [0.99, 0.01]])
PRINTS = np.array([1, 2, 3, 4, 4], dtype=np.uint64)


def test_sure_and_wrong_comes_first_and_copies_once():
    assert most_surprising(P, np.array([1, 1, 0, 1, 1]), PRINTS, 6) == [3, 0, 2]
    assert most_surprising(P, np.array([0, 1, 1, 0, 0]), PRINTS, 6) == []


def test_nearly_even_comes_first():
    assert hardest(P, PRINTS, 2) == [2, 1]


def test_twins_with_other_labels_are_errors_of_any_model():
    prints = np.array([5, 5, 5, 7, 7, 8], dtype=np.uint64)
    found = contradictions(prints, np.array([0, 1, 1, 0, 0, 1]))
    assert found == (3, 1, [[0, 1, 2]])
    assert contradictions(prints, np.zeros(6, dtype=np.intp)) == (0, 0, [])
