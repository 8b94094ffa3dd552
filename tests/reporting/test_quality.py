"""What is measured, against scikit-learn and against counting."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import (
    balanced_accuracy_score,
    confusion_matrix,
    log_loss,
    precision_score,
    recall_score,
)

from tauboost.reporting.quality import calibration_bins, measure


def binary(n=500):
    rng = np.random.default_rng(0)
    codes = (rng.random(n) < 0.4).astype(np.intp)
    decisions = rng.normal(size=n) + codes
    p = 1 / (1 + np.exp(-decisions))
    return decisions[:, None], np.column_stack([1 - p, p]), codes


def several(n=600, k=4):
    rng = np.random.default_rng(1)
    codes = rng.integers(k, size=n)
    decisions = rng.normal(size=(n, k)) + 1.5 * np.eye(k)[codes]
    p = np.exp(decisions)
    return decisions, p / p.sum(axis=1, keepdims=True), codes


@pytest.mark.parametrize("make", [binary, several])
def test_numbers_are_those_of_scikit_learn(make):
    decisions, p, codes = make()
    found, said = measure(decisions, p, codes), p.argmax(axis=1)
    assert np.array_equal(found.confusion, confusion_matrix(codes, said))
    assert found.log_loss.value == pytest.approx(log_loss(codes, p))
    assert found.accuracy.value == pytest.approx(np.mean(said == codes))
    precision = precision_score(codes, said, average=None)
    recall = recall_score(codes, said, average=None)
    for one in found.classes:
        assert one.precision.value == pytest.approx(precision[one.code])
        assert one.recall.value == pytest.approx(recall[one.code])


def test_balanced_accuracy_is_that_of_scikit_learn_with_a_band_that_holds():
    decisions, p, codes = several()
    found = measure(decisions, p, codes)
    assert found.balanced.value == pytest.approx(balanced_accuracy_score(codes, p.argmax(axis=1)))
    assert found.is_even
    keep = (codes != 3) | (np.arange(len(codes)) % 10 == 0)
    assert not measure(decisions[keep], p[keep], codes[keep]).is_even


def test_the_positive_class_is_the_one_that_is_chosen():
    decisions, p, codes = binary()
    first, second = measure(decisions, p, codes, 0), measure(decisions, p, codes, 1)
    mirrored = measure(-decisions, p[:, ::-1], 1 - codes, 1)
    assert first.thresholds == mirrored.thresholds
    assert first.classes[0].auc == mirrored.classes[0].auc
    assert first.classes[0].n == np.sum(codes == 0)
    assert first.classes[0].auc.value == pytest.approx(second.classes[0].auc.value)
    assert (first.classes[0].code, second.classes[0].code) == (0, 1)
    assert np.array_equal(first.confusion, second.confusion)


def test_thresholds_count_what_is_above_them():
    decisions, p, codes = binary()
    for at, hits, alarms in measure(decisions, p, codes).thresholds:
        assert hits == np.sum((p[:, 1] > at) & (codes == 1))
        assert alarms == np.sum((p[:, 1] > at) & (codes == 0))


def test_of_several_classes_they_count_answers():
    decisions, p, codes = several()
    found = measure(decisions, p, codes)
    at, right, wrong = found.thresholds[60]
    assert right + wrong == np.sum(p.max(axis=1) > at)
    assert right == np.sum((p.max(axis=1) > at) & (p.argmax(axis=1) == codes))


def test_calibration_has_every_row_once_and_equal_ones_together():
    p = np.repeat([0.1, 0.5, 0.5, 0.5, 0.9], 100)
    found = calibration_bins(p, np.arange(500) % 2 == 0)
    assert [one.n for one in found] == [100, 300, 100]
    assert [one.said for one in found] == pytest.approx([0.1, 0.5, 0.9])
    assert (
        sum(
            one.n
            for one in calibration_bins(np.random.default_rng(0).random(77), np.ones(77, bool))
        )
        == 77
    )


def test_rows_of_one_class_alone():
    decisions, p, _ = binary(50)
    found = measure(decisions, p, np.zeros(50, dtype=np.intp))
    assert found.classes[0].auc is None
    assert found.classes[0].curves is None
    assert found.guess_loss == 0
    decisions, p, _ = several(3)
    assert measure(decisions, p, np.array([2, 2, 2])).n == 3
