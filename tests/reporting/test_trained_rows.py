"""A report on rows that the model was trained on says so, of any part of them and any more."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import reported
import tauboost as tb


def texts():
    rng = np.random.default_rng(0)
    labels = rng.choice(["bad", "good"], 1500).tolist()
    words = np.array([f"w{k}" for k in range(400)])
    given = [" ".join([label, *rng.choice(words, 9)]) for label in labels]
    clf = tb.TextClassifier(random_state=0).fit(given[:1000], labels[:1000])
    return clf, given, labels


def wide():
    """Far more features than entries: those that are not used are left out within a fit."""
    rng = np.random.default_rng(0)
    rows, width = np.repeat(np.arange(1500), 6), 2**20
    X = sp.csr_array((np.ones(9000), (rows, rng.integers(0, width, 9000))), shape=(1500, width))
    y = rng.integers(0, 2, 1500)
    clf = tb.TauBoostClassifier(random_state=0, alpha=0.01).fit(X[:1000], y[:1000])
    return clf, X, y


def table():
    frame, y = reported.shop(1500)
    return tb.TableClassifier(random_state=0).fit(frame[:1000], y[:1000]), frame, y


@pytest.mark.parametrize("make", [texts, wide, table])
def test_a_part_and_more_than_all_are_recognised(make):
    clf, X, y = make()
    word = "text" if make is texts else "row"
    for a, b, share in ((0, 300, 1.0), (0, 1500, 2 / 3), (900, 1100, 0.5)):
        page = tb.report(clf, X[a:b], y[a:b])
        assert page.verdict.startswith("The model was trained on about ")
        assert f"so these are figures of training {word}s" in page.verdict
        assert " well" not in page.verdict
        assert page.metrics["trained_on"]["value"] == pytest.approx(share, abs=0.04)
        assert f"these {word}s, which it remembers" in page.warnings[0]
        assert f"figures of training {word}s." in page.html
    page = tb.report(clf, X[1000:], y[1000:])
    assert page.verdict.startswith(f"On 500 {word}s of the data, the model")
    assert page.metrics["trained_on"]["low"] == 0
    assert not any("trained" in text for text in page.warnings)


def test_rows_without_labels_are_recognised():
    clf, X, _ = texts()
    assert "which it remembers" in tb.report(clf, X[:300]).warnings[0]
    assert not tb.report(clf, X[1000:]).warnings


def test_rows_that_are_equal_by_chance_are_not_taken_for_training_rows():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (3000, 2)).astype(float)
    y = rng.random(3000) < 0.2 + 0.1 * X[:, 0]
    clf = tb.TableClassifier(random_state=0).fit(X[:2000], y[:2000])
    page = tb.report(clf, X[2000:], y[2000:])
    assert page.verdict.startswith("On 1,000 rows")
    assert "trained_on" not in page.metrics  # all rows are like training rows: it cannot be told


def test_a_copy_or_two_do_no_harm():
    clf, X, y = texts()
    page = tb.report(clf, X[997:], y[997:])
    assert page.verdict.startswith("On 503 texts")
