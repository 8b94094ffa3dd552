"""The verdict says what is true, of two classes and of more."""

from __future__ import annotations

import numpy as np
import pytest

import reported
import tauboost as tb


def colours(counts, right, seed=0):
    """Return a model of three classes, and rows of which it gets a share of each class right."""
    rng = np.random.default_rng(seed)
    X = np.eye(3)[np.arange(300) % 3]
    clf = tb.TauBoostClassifier(alpha=1e-3).fit(X, np.array(["blue", "green", "red"] * 100))
    codes = np.repeat(np.arange(3), counts)
    wrong = rng.random(len(codes)) >= np.repeat(right, counts)
    said = (codes + wrong * rng.integers(1, 3, len(codes))) % 3
    return clf, np.eye(3)[said], clf.classes_[codes]


def test_a_good_model_of_even_classes():
    clf, X, y = colours([400, 400, 400], [0.9, 0.9, 0.9])
    page = tb.report(clf, X, y, name="flags")
    assert page.verdict == (
        "On 1,200 rows of flags, the model tells 3 classes apart: it is right for 90.7% of them "
        "(88.9% to 92.2%); always saying blue would be right for 33.3%."
    )
    assert page.metrics["balanced_accuracy"]["value"] == pytest.approx(clf.score(X, y))
    assert "guess" not in page.verdict


def test_uneven_classes_are_counted_alike_too():
    clf, X, y = colours([900, 50, 50], [0.95, 0.5, 0.5])
    verdict = tb.report(clf, X, y).verdict
    assert "the model is not shown to be right more often than one answer for all" in verdict
    assert "always saying blue would be right for 90.0%." in verdict
    assert " With every class counted alike it is right for " in verdict
    assert verdict.endswith("and one answer for all would be for 33.3%.")
    clf, X, y = colours([900, 50, 50], [0.99, 0.9, 0.9])
    assert "tells 3 classes apart: it is right" in tb.report(clf, X, y).verdict


def test_a_model_that_guesses_and_rows_of_one_class():
    clf, X, y = colours([200, 200, 200], [1 / 3] * 3)
    assert "not shown to be right more often" in tb.report(clf, X, y).verdict
    clf, X, y = colours([0, 60, 0], [0, 0.9, 0])
    verdict = tb.report(clf, X, y).verdict
    assert "only one class occurs, so nothing can be told apart. The model is right" in verdict
    assert "alike" not in verdict


def test_two_classes_have_the_area_under_the_curve():
    clf, X, y = reported.linear()
    assert "(AUC 0." in tb.report(clf, X, y).verdict
